// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/selftest_record.h"

#include "record/json_difference.h"
#include "record/json_text.h"
#include "record/selftest_json.h"
#include "units/rate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char *default_directory = "/var/lib/dnsgauge";

// FNV-1a: the name only has to differ where the set-up does; what the file says is compared whole.
std::uint64_t hash(const std::string &text)
{
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char octet : text) {
        value ^= static_cast<unsigned char>(octet);
        value *= 0x100000001b3;
    }
    return value;
}

std::optional<Rate> read_rate(const Json &rate)
{
    if (rate.is_null())
        return std::nullopt;
    return Rate{whole_number(rate)};
}

std::string more_than(const char *what, Nanoseconds theirs, Nanoseconds ours)
{
    return fmt::format("was made with {} of {:g} s, not at most {:g} s", what, seconds(theirs),
                       seconds(ours));
}

// What the record lacks, behind "the last self-test"; empty: nothing.
std::string shortfall(const Json &record, const CoverWanted &wanted, const SelftestCover &cover)
{
    const Nanoseconds timeout = read_seconds(record.at("timeout_s"));
    const Nanoseconds duration = read_seconds(record.at("duration_s"));
    const Nanoseconds lateness = read_seconds(record.at("max_lateness_s"));
    const Nanoseconds overrun = read_seconds(record.at("max_overrun_s"));
    if (!cover.allowed)
        return "was not passed: " + plain_text(record.at("stopped_by").at("why"));
    if (*cover.allowed < wanted.rate)
        return fmt::format("allows {} queries/s, not {}", cover.allowed->per_second,
                           wanted.rate.per_second);
    if (timeout > wanted.timeout)
        return more_than("a timeout", timeout, wanted.timeout);
    if (duration < wanted.duration)
        return fmt::format("was made with trials of {:g} s, not {:g} s", seconds(duration),
                           seconds(wanted.duration));
    if (lateness > wanted.max_lateness)
        return more_than("--max-lateness", lateness, wanted.max_lateness);
    if (overrun > wanted.max_overrun)
        return more_than("--max-overrun", overrun, wanted.max_overrun);
    return {};
}

void read_record(const std::string &text, const TesterSetup &setup, const CoverWanted &wanted,
                 SelftestCover &cover)
{
    const Json record = parse_json(text);
    if (record.at("schema") != selftest_schema) {
        cover.why_not = cover.record + " is not the record of a self-test of this version";
        return;
    }
    const std::string other =
        json_difference(record.at("setup"), setup_json(setup), "what it tells of the set-up");
    if (!other.empty()) {
        cover.why_not = fmt::format("{} is the record of a self-test on another set-up: {}",
                                    cover.record, other);
        return;
    }
    cover.finished = plain_text(record.at("finished"));
    cover.allowed = read_rate(record.at("allowed_rate"));
    cover.deviations = plain_texts(record.at("rfc8219").at("deviations"));
    cover.xdp_mode = plain_text(record.at("circumstances").at("xdp_mode"));
    cover.af_xdp_mode = plain_text(record.at("circumstances").at("af_xdp_mode"));
    const std::string lack = shortfall(record, wanted, cover);
    if (!lack.empty())
        cover.why_not = fmt::format("the last self-test on this set-up, of {} ({}), {}",
                                    cover.finished, cover.record, lack);
}

} // namespace

std::string record_path(const TesterSetup &setup)
{
    return state_path("selftest", setup);
}

std::string state_path(const std::string &kind, const TesterSetup &setup)
{
    const char *directory = std::getenv("DNSGAUGE_STATE");
    return fmt::format("{}/{}-{}-{:016x}.json",
                       directory != nullptr && *directory != '\0' ? directory : default_directory,
                       kind, setup.interface, hash(setup_json(setup).dump()));
}

std::optional<std::string> read_state(const std::string &path, const std::string &kind,
                                      std::string &why_not)
{
    std::error_code error;
    const auto type = std::filesystem::status(path, error).type();
    if (type == std::filesystem::file_type::not_found) {
        why_not = fmt::format("there was no {} on this set-up ({} is not there)", kind, path);
        return std::nullopt;
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (type != std::filesystem::file_type::regular || !file) {
        why_not = fmt::format("cannot read {}: {}", path,
                              errno != 0 ? std::strerror(errno) : "it is no file");
        return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
}

SelftestCover look_up_cover(const std::string &path, const TesterSetup &setup,
                            const CoverWanted &wanted)
{
    SelftestCover cover;
    cover.record = path;
    const std::optional<std::string> text = read_state(path, "self-test", cover.why_not);
    if (!text)
        return cover;
    try {
        read_record(*text, setup, wanted, cover);
        return cover;
    } catch (const Json::exception &) {
        SelftestCover none;
        none.record = path;
        none.why_not = path + " is not the record of a self-test, or not a whole one";
        return none;
    }
}

} // namespace dnsgauge
