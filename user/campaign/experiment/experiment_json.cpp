// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/experiment_json.h"

#include "record/machine_fields.h"
#include "series/search/search.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

std::map<std::string, std::string> texts_of(const Settings &settings)
{
    std::map<std::string, std::string> texts;
    for (const auto &[key, setting] : settings)
        texts[key] = setting.value;
    return texts;
}

bool is_compliant(const CellOutcome &outcome)
{
    return outcome.result.caveats.is_compliant();
}

bool is_complete(const CellOutcome &outcome)
{
    return outcome.result.end == TrialsEnd::complete && !outcome.result.rates().empty();
}

// Returns the topology of the first cell whose machine was looked at. All cells have the same
// machine.
Json topology_json(const CellResults &cells)
{
    for (const CellResult &one : cells)
        if (one.outcome.placement)
            return written(one.outcome.placement->places);
    return {};
}

constexpr const char *settings_meaning = "the cell's settings, by their keys, as on a command line";

// A server of a cell.
struct CellServer {
    std::string name;
    std::vector<std::string> prepare;
    std::vector<std::string> start;
};

// The rows of the paper that an experiment reproduces.
void paper_rows(Fields &row, Experiment &experiment)
{
    row("paper", experiment.paper, "the publication");
    row("table", experiment.table, "the table in the publication; null: no table in particular",
        {.is_null = experiment.table.empty()});
}

// The rows of a server's machine. Its topology is among the rows of the experiment.
void machine_rows(Fields &row, PlacementResult &placement)
{
    row("card_node", placement.card_node, card_node_meaning);
    row("interrupts", placement.interrupts, "the CPUs of each queue's interrupt: NAME: CPUS, ...");
    row.object("handled", placement.handled,
               "what each queue and each CPU handled meanwhile, the Tester's pauses included");
    row("notes", placement.notes,
        "warnings, such as of queues without packets, and of settings that did not stay as placed");
}

} // namespace

static void fields(Fields &row, CellServer &server)
{
    row("name", server.name, "the server's name in the file");
    row("prepare", server.prepare, "the command that prepares the server, as the file has it");
    row("start", server.start, "the command that is the server, as the file has it");
}

void fields(Fields &row, CellHeader &header)
{
    Experiment &experiment = header.experiment;
    // The commands in the form of the file, without the names of directories.
    std::vector<CellServer> servers;
    for (const ServerCommands &server : header.cell.servers) {
        const ServerDefinition &definition = experiment.servers.at(server.name);
        servers.push_back({server.name, definition.prepare.words, definition.start.words});
    }
    row.shared("experiment_cell", "what an experiment's file says of a cell");
    row.made("settings", texts_of(header.cell.settings), settings_meaning);
    row.made("variables", texts_of(experiment.variables),
             "the variables that commands and settings use");
    row.list("servers", servers, "the servers that run for the cell");
    row("restart-each-trial", header.cell.restart_each_trial,
        "whether the servers start anew before each trial");
    row.word("cpu-method", experiment.dut.cpu_method, cpu_methods,
             "how the DUT's CPUs are limited");
    row("scaled-down", experiment.scaled_down,
        "what the experiment makes smaller than the publication; null: nothing",
        {.is_null = experiment.scaled_down.empty()});
}

static void fields(Fields &row, Table &table)
{
    row("caption", table.caption, "what stands above the table");
    row.made("heads", table.heads, "rows of column heads");
    row.made("rows", table.rows,
             "the first cell of a row says what the row holds; missing cells are empty");
    row("notes", table.notes, "sentences that the reader of any row must know");
}

static void fields(Fields &row, CellResult &result)
{
    CellOutcome &outcome = result.outcome;
    row("name", result.cell.name, "the name of the cell, and of its journal");
    row.made("settings", texts_of(result.cell.settings), settings_meaning);
    row("failure", outcome.failure,
        "why the cell has no result, such as a wrong range; null: nothing failed",
        {.is_null = outcome.failure.empty()});
    PlacementResult none;
    row.group<machine_rows>(
        "placement", outcome.placement ? *outcome.placement : none,
        "what the server's machine did during the cell's trials, those made since the experiment's "
        "last start; null: nobody looked",
        {.presence = Presence::newer, .is_null = !outcome.placement});
    Json search;
    if (outcome.result.trials != 0)
        search = dnsgauge::to_json(outcome.result, result.header);
    row.apart("search", search,
              {{"anyOf", {Json{{"type", "null"}}, reference("series.schema.json")}}},
              "the cell's search; null: the search has not begun");
}

void fields(Fields &row, ExperimentResult &result)
{
    Experiment &experiment = result.experiment;
    std::vector<Table> tables;
    if (!row.describes())
        tables = tables_of(experiment, result.cells);
    row.form("experiment",
             "An experiment of many searches. dnsgauge experiment leaves it in its directory "
             "(experiment.json), and writes it anew after each cell.");
    row("title", experiment.title, "the experiment's title");
    row("file", result.file, "the experiment's file");
    row.group<paper_rows>("reproduces", experiment,
                          "what the experiment reproduces; null: no publication's results",
                          {.is_null = experiment.paper.empty()});
    row("scaled_down", experiment.scaled_down,
        "what the experiment makes smaller than the publication, whose results it then does not "
        "reproduce; null: nothing",
        {.is_null = experiment.scaled_down.empty()});
    row.made("rfc8219_compliant",
             std::ranges::all_of(result.cells, is_compliant, &CellResult::outcome),
             "whether every cell is what RFC 8219 section 9 demands");
    row.made("labels", labels_of(experiment, result.cells),
             "every sentence that must stand wherever the results are shown");
    row.made("complete", std::ranges::all_of(result.cells, is_complete, &CellResult::outcome),
             "whether every cell has all its searches");
    row.apart(
        "server_topology", topology_json(result.cells),
        {{"type", {"array", "null"}}, {"items", reference("common.schema.json#/$defs/cpu_place")}},
        "where each CPU of the server's machine is; null: the experiment has no [placement], "
        "or no cell has begun",
        newer);
    row.list("cells", result.cells, "the cells in their order");
    row.list("tables", tables, "the tables, with the tables of the DNS64 model");
}

} // namespace dnsgauge
