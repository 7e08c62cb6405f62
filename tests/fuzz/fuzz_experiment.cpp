// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as an experiment's file, the file that it extends ("base.toml") and a site's,
// with zero bytes between them. The parser refuses the files, or they make cells and tables that
// belong together.
#include "fuzz.h"

#include "file_of.h"

#include "experiment/tables.h"
#include "system/setup_error.h"
#include "system/shell_text.h"

#include <algorithm>
#include <set>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

const std::set<std::string> options = {
    "aaaa-share", "accept",   "beyond-selftest", "cached-share", "cpus",
    "dut",        "duration", "fresh-names",     "help",         "interface",
    "json",       "journal",  "max-rate",        "max-lateness", "max-overrun",
    "min-rate",   "names",    "pause",           "repeat",       "resolution",
    "resume",     "server",   "timeout"};

// Returns the bytes up to the next zero byte, which is left out.
std::string_view take_part(std::string_view &input)
{
    const std::string_view part = input.substr(0, input.find('\0'));
    input.remove_prefix(std::min(part.size() + 1, input.size()));
    return part;
}

void check_cells(const std::vector<Cell> &cells)
{
    std::set<std::string> names;
    must(!cells.empty(), "an experiment has a cell");
    for (const Cell &cell : cells) {
        must(names.insert(cell.name).second, "no two cells have one journal");
        must(!cell.name.empty() && cell.name.find('/') == std::string::npos &&
                 is_plain_word(cell.name),
             "a cell's name can be a file's name");
        must(!cell.search_words("journal").empty(), "a cell is a search");
        for (const ServerCommands &server : cell.servers)
            must(!server.name.empty() && server.name.find('/') == std::string::npos &&
                     server.name.find_first_not_of('.') != std::string::npos &&
                     is_plain_word(server.name),
                 "a server's name can be its directory's name");
    }
}

void check_tables(const Experiment &experiment, const std::vector<Cell> &cells)
{
    CellResults results;
    for (const Cell &cell : cells)
        results.push_back({.cell = cell});
    for (const Table &table : tables_of(experiment, results))
        for (const TableForm form :
             {TableForm::text, TableForm::csv, TableForm::markdown, TableForm::latex})
            must(!render(table, form).empty(), "a table can be shown");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::string_view input = text_of({data, size});
    const std::string file = file_of("experiment.toml", take_part(input));
    file_of("base.toml", take_part(input));
    const std::string site = file_of("site.toml", input);
    try {
        ConfigValue config = read_config("the experiment", file);
        merge(config, read_config("the experiment", site));
        const Experiment experiment = read_experiment(config, options);
        const std::vector<Cell> cells = cells_of(experiment, "/results", {{"bin", "/usr/bin"}});
        check_cells(cells);
        check_tables(experiment, cells);
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
