// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/record_file.h"

#include "record/json_text.h"
#include "record/machine_fields.h"
#include "system/regular_file.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t results_most = std::size_t{256} << 20U; // octets of a result, or a record
constexpr const char *default_directory = "/var/lib/dnsgauge";

// FNV-1a. The hash only makes file names differ. The whole set-up in a file is compared.
std::uint64_t hash(const std::string &text)
{
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char octet : text) {
        value ^= static_cast<unsigned char>(octet);
        value *= 0x100000001b3;
    }
    return value;
}

std::string directory()
{
    const char *named = std::getenv("DNSGAUGE_STATE");
    return named != nullptr && *named != '\0' ? named : default_directory;
}

std::string name_begin(const RecordKind &kind, const std::string &interface)
{
    return fmt::format("{}-{}-", kind.file, interface);
}

std::string read_text(const std::string &path)
{
    const std::string about = "cannot read " + path;
    const UniqueFd file = open_input(path, about);
    return read_open_file(file.get(), results_most, about);
}

// Returns why `record` is no record of `kind` and `setup`; empty if it is one. Throws
// Json::exception.
std::string misfit(const Json &record, const RecordKind &kind, const TesterSetup &setup)
{
    if (record.at("schema") != kind.schema)
        return fmt::format("is not {} of this version", kind.what);
    const std::string other =
        json_difference(record.at("setup"), written(setup), "what it tells of the set-up");
    return other.empty() ? "" : fmt::format("is {} on another set-up: {}", kind.what, other);
}

} // namespace

std::string record_path(const RecordKind &kind, const TesterSetup &setup)
{
    return fmt::format("{}/{}{:016x}.json", directory(), name_begin(kind, setup.interface),
                       hash(written(setup).dump()));
}

std::vector<std::string> record_paths(const RecordKind &kind, const std::string &interface)
{
    std::vector<std::string> paths;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory(), error))
        if (const std::string name = entry.path().filename();
            name.starts_with(name_begin(kind, interface)) && name.ends_with(".json"))
            paths.push_back(fmt::format("{}/{}", directory(), name));
    std::ranges::sort(paths);
    return paths;
}

RecordFault read_record(const std::string &path, const RecordKind &kind, const TesterSetup &setup,
                        const std::function<void(const Json &)> &take)
{
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    if (type == fs::file_type::not_found)
        return {fmt::format("there was no {} on this set-up ({} is not there)", kind.test, path),
                {}};
    if (type != fs::file_type::regular)
        return {fmt::format("cannot read {}: {}", path, error ? error.message() : "it is no file"),
                {}};
    std::string flaw;
    std::string text;
    try {
        text = read_text(path);
        const Json record = parse_json(text);
        flaw = misfit(record, kind, setup);
        if (flaw.empty())
            take(record);
    } catch (const SetupError &unreadable) {
        return {unreadable.what(), {}};
    } catch (const Json::exception &) {
        flaw = fmt::format("is not {}, or not a whole one", kind.what);
    }
    if (flaw.empty())
        return {};
    return {path + " " + flaw, text.empty() ? std::string() : flaw};
}

Json read_json_file(const std::string &path)
{
    return parse_json(read_text(path));
}

} // namespace dnsgauge
