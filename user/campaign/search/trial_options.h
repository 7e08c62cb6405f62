// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What all commands that make trials are asked for, and the trial that this describes.
#pragma once

#include "trial/trial.h"
#include "units/quantity_text.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr double duration_most = 7 * 86400; // seconds

// The words of options, as they stand on a command line.
inline const std::map<std::string, Dut> duts{{"authoritative", Dut::authoritative},
                                             {"dns64", Dut::dns64}};
extern const std::map<std::string, std::uint16_t> qtypes;
extern const std::map<std::string, XdpMode> xdp_modes;
extern const std::map<std::string, CopyMode> copy_modes;
extern const std::map<std::string, IdleCpus> idle_cpus_modes;
extern const std::map<std::string, StampMode> stamp_modes;

// The --timeout of each kind of server: RFC 8219 section 9.2.1 and Lencse 2020 section III.
inline const std::map<Dut, std::string> dut_timeouts{{Dut::authoritative, "0.25"},
                                                     {Dut::dns64, "1"}};

// As they were given, all text where CLI11 does not check enough.
struct TrialOptions {
    std::string interface;
    std::string server;
    std::uint16_t port = 53;
    std::string duration = "60";
    std::optional<std::string> timeout; // the DUT's kind says which, if none was given
    std::string names;
    std::string zone = "dns64perf.test";
    std::string qtype = "AAAA";
    std::string dut = "authoritative";
    std::optional<std::string> answer_prefix; // likewise
    std::string answer;
    unsigned aaaa_share = 0;
    std::string aaaa_prefix = "2001:db8::/96";
    unsigned cached_share = 0;
    double accept = 100;
    bool allow_repeats = false;
    bool recursion_desired = false;
    std::optional<std::uint16_t> edns_size;
    bool dnssec_ok = false;
    std::optional<std::string> server_mac;
    std::optional<std::string> source;
    std::optional<std::uint16_t> vlan;
    std::uint32_t source_ports = 4000;
    std::uint16_t first_source_port = 1024;
    std::optional<std::string> cpus;
    std::string max_lateness = seconds_text(Tolerances{}.lateness);
    std::string max_overrun = seconds_text(Tolerances{}.overrun_least);
    std::string xdp_mode = "auto";
    std::string copy_mode = "auto";
    bool busy_poll = false;
    std::string idle_cpus = "poll";
    std::string stamps = "auto";
    std::optional<std::string> json;
    bool verbose = false;
};

// The trial they describe, but for its rate. Throws SetupError.
[[nodiscard]] TrialPlan make_plan(const TrialOptions &options);

// What is to be said about a plan that RFCs advise against.
[[nodiscard]] std::vector<std::string> notes_on(const TrialPlan &plan);

// Says it on stderr.
void print_notes(const std::vector<std::string> &notes);

} // namespace dnsgauge
