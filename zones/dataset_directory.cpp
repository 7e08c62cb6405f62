// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/dataset_directory.h"

#include "system/output_file.h"
#include "system/setup_error.h"
#include "system/whole_file.h"
#include "zones/server_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t zones_in_folder = 1'000;
constexpr std::array parts{"dataset", "zones", "queries.txt", "anchors"};

void require_data_set_alone(const fs::path &directory)
{
    std::error_code error;
    const bool is_again = fs::is_regular_file(directory / parts[0], error);
    for (const fs::path &entry : fs::directory_iterator(directory, error)) {
        const bool is_part =
            std::ranges::any_of(parts, [&](const char *part) { return entry.filename() == part; });
        if (!is_again || !is_part || fs::is_symlink(entry))
            throw SetupError("there is more than a data set in {} ({}): name a "
                             "directory of its own",
                             directory.string(), entry.filename().string());
    }
}

// Returns the path of a zone's file in the data set.
std::string file_of(const DatasetSpec &spec, std::uint64_t zone)
{
    if (spec.kind == DatasetKind::root)
        return "zones/root";
    std::string name = zone_name_of(spec, zone);
    name.pop_back();
    return spec.kind == DatasetKind::tld ? "zones/" + name
                                         : fmt::format("zones/{}/{}", zone / zones_in_folder, name);
}

template <class Put>
void write_text(const fs::path &path, Put put)
{
    OutputFile output{path};
    put([&output](const std::string &text) { output.write(text); });
    output.commit();
}

// Writes one of a hoster's files. There may be a million, so no file is synchronised with the disk
// by itself. If writing is interrupted, there is no queries.txt.
template <class Put>
void write_small_text(const fs::path &path, Put put)
{
    std::string zone;
    put([&zone](const std::string &text) { zone += text; });
    write_new_file(path, zone);
}

} // namespace

DatasetTimes write_dataset(const DatasetSpec &spec, const std::optional<Signing> &signing,
                           const fs::path &given)
{
    const fs::path directory = plain_directory(given, "a data set");
    require_data_set_alone(directory);
    std::error_code error;
    fs::remove_all(directory / "zones",
                   error); // no check: what cannot be removed cannot be written either
    fs::remove(directory / "anchors", error);
    fs::remove(directory / "queries.txt", error);
    make_folder(directory / "zones");
    std::optional<ZoneSigner> signer;
    if (signing)
        signer.emplace(*signing);

    DatasetTimes times;
    // This file marks the directory as a data set's, even if writing is interrupted.
    write_text(directory / parts[0], [&](const TextSink &sink) {
        for (std::uint64_t zone = 0; zone < zones_of(spec); zone++)
            sink(fmt::format("{}\t{}\n", zone_name_of(spec, zone), file_of(spec, zone)));
    });
    for (std::uint64_t zone = 0; zone < zones_of(spec); zone++) {
        const auto begin = Clock::now();
        const fs::path file = directory / file_of(spec, zone);
        if (zone % zones_in_folder == 0)
            make_folder(file.parent_path());
        const auto put = [&](const TextSink &sink) { put_zone(spec, zone, sink); };
        if (spec.kind == DatasetKind::hosting)
            write_small_text(file, put);
        else
            write_text(file, put);
        const auto written = Clock::now();
        times.writing += written - begin;
        if (signer) {
            signer->sign(zone_name_of(spec, zone), file);
            times.signing += Clock::now() - written;
        }
    }
    const auto begin = Clock::now();
    if (signer)
        write_text(directory / "anchors", [&](const TextSink &sink) {
            sink("trust-anchors {\n");
            for (std::uint64_t zone = 0; zone < zones_of(spec); zone++)
                sink("    " + signer->anchor(zone_name_of(spec, zone)) + "\n");
            sink("};\n");
        });
    write_text(directory / "queries.txt", [&](const TextSink &sink) { put_queries(spec, sink); });
    times.writing += Clock::now() - begin;
    return times;
}

std::vector<ServedZone> read_dataset(const fs::path &given)
{
    const fs::path directory = plain_directory(given, "a data set");
    const fs::path list = directory / parts[0];
    std::ifstream file(list);
    if (!file)
        throw SetupError("there is no data set in {}: make one with dnsgauge-zone dataset",
                         directory.string());
    if (!fs::exists(directory / "queries.txt"))
        throw SetupError("the data set in {} is not whole, for it has no queries.txt: "
                         "make it again",
                         directory.string());
    const bool is_signed = fs::exists(directory / "anchors");
    std::vector<ServedZone> zones;
    for (std::string line; std::getline(file, line);) {
        const std::size_t tab = line.find('\t');
        const std::string name = line.substr(0, tab);
        const std::string path = tab == std::string::npos ? "" : line.substr(tab + 1);
        if (!is_plain(name) || !name.ends_with('.') || !is_plain(path) ||
            !path.starts_with("zones/") || path.find("..") != std::string::npos)
            throw SetupError("{} line {}: it names no zone and its file: make the data set again",
                             list.string(), zones.size() + 1);
        zones.push_back({name, directory / path, is_signed});
    }
    if (zones.empty())
        throw SetupError(list.string() + " names no zone: make the data set again");
    return zones;
}

} // namespace dnsgauge
