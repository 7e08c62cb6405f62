// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/cli.h"

#include "base/config_file.h"
#include "fakedns/cli_faults.h"
#include "internet/world_file.h"

#include "host/xdp_words.h"
#include "userland/command_arguments.h"
#include "userland/fault_text.h"
#include "userland/help_layout.h"
#include "userland/nearest.h"
#include "userland/number_text.h"
#include "userland/pref64_text.h"
#include "userland/setup_error.h"
#include "userland/version.h"
#include "userland/zone_name.h"

#include <CLI/CLI.hpp>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace dnsgauge
{

namespace
{

// The options, as texts and numbers from the command line.
struct Arguments {
    std::string config;
    std::vector<std::string> interfaces;
    std::vector<std::string> zones{"dns64perf.test"};
    std::string aaaa_prefix = "2001:db8::/96";
    std::uint32_t aaaa_share = 100;
    std::uint32_t ttl = 3600;
    std::uint32_t negative_ttl = 3600;
    std::uint16_t port = 53;
    std::optional<XdpMode> xdp_mode = XdpMode::automatic;
    std::size_t tcp_connections = TcpLimits{}.connections;
    std::int64_t tcp_idle = TcpLimits{}.idle.count();
    std::uint32_t rate_limit = 0;
    std::string metrics;
    std::uint32_t time_every = 0;
    std::string user;
    FaultArguments faults;
    std::string internet;
    std::string names;
    std::uint32_t epoch = 0;
    bool prints_hints = false;
    bool verbose = false;
};

// The options that an Internet takes, besides --internet.
constexpr std::array<std::string_view, 16> internet_options{
    "--config",          "--interface", "--port",       "--xdp-mode",  "--metrics", "--user",
    "--tcp-connections", "--tcp-idle",  "--root-hints", "--names",     "--epoch",   "--predict",
    "--verbose",         "--help",      "--version",    "--rate-limit"};

void add_internet_options(CLI::App &app, Arguments &arguments)
{
    app.add_option(
           "--internet", arguments.internet,
           "Be all name servers of an Internet, each at an address of its own: the root, and "
           "all below it, as functions of the name. FILE says what the Internet is like "
           "(TOML)")
        ->type_name("[FILE]")
        ->expected(0, 1);
    app.add_option(
           "--names", arguments.names,
           "Names that shall exist in the Internet, a line each: NAME TYPE TTL TYPE TTL...; "
           "dnsgauge-queries names makes such a file")
        ->type_name("FILE");
    app.add_option("--epoch", arguments.epoch,
                   "Seconds that the Internet's clock shows at the start: TTLs then count down to "
                   "moments that all names share; 0: TTLs stay as they are")
        ->type_name("S")
        ->check(CLI::Range(std::uint32_t{0}, ttl_max));
    app.add_flag("--root-hints", arguments.prints_hints,
                 "Serve nothing: print the root's name servers of --internet, as resolvers read "
                 "them");
}

void add_xdp_mode(CLI::App &app, std::optional<XdpMode> &mode)
{
    const auto read = [&mode](const std::string &text) {
        mode = xdp_modes.value_of(text);
        if (!mode && text != "off")
            throw CLI::ValidationError("--xdp-mode: \"" + text +
                                       "\" is none of auto, native, generic, off");
    };
    app.add_option_function<std::string>(
           "--xdp-mode", read,
           "auto: native, else generic, else none; native: in the driver; generic: in the "
           "stack; off: answer by sockets alone")
        ->type_name("MODE")
        ->default_str("auto");
}

constexpr int pad_least = 64;

std::string fault_help()
{
    return "Misbehave, by the number of the name: NAME=SHARE%[:TIME],..., in steps of 0.1%; "
           "NAME: " +
           fault_names() +
           "; TIME, which delay and late need: 500us (ns, us, ms, s), uniform:LEAST:MOST, "
           "exponential:MEAN, normal:MEAN:SD, lognormal:MEDIAN:SIGMA, pareto:LEAST:ALPHA. UDP "
           "alone";
}

// --predict excludes the option `interface`.
void add_fault_options(CLI::App &app, FaultArguments &arguments, CLI::Option *interface)
{
    app.add_option("--fault", arguments.faults, fault_help())
        ->type_name("FAULTS")
        ->allow_extra_args(false)
        ->default_str("none");
    app.add_option("--pad-to", arguments.pad_to,
                   "Octets to which UDP answers with records are padded, at most the query's EDNS "
                   "size (512 without EDNS)")
        ->type_name("OCTETS")
        ->check(CLI::Range(pad_least, FAULT_PAD_MAX))
        ->default_str("none");
    app.add_option("--fault-cpu", arguments.cpu,
                   "CPU for the thread that holds delayed and doubled answers; the thread then "
                   "waits busily, and is exact to microseconds")
        ->type_name("CPU")
        ->check(CLI::Range(0, 1023));
    app.add_option(
           "--predict", arguments.predict,
           "Serve nothing: print how many of the names of CIDR have each fault; with "
           "--internet: print what resolvers get for each NAME, or \"NAME TYPE\", a line of "
           "JSON each; -: read them from standard input")
        ->type_name("CIDR|NAME...")
        ->excludes(interface);
}

void add_options(CLI::App &app, Arguments &arguments)
{
    CLI::Option *interface = app.add_option("--interface", arguments.interfaces,
                                            "Interface to answer on; may be repeated")
                                 ->type_name("IF")
                                 ->allow_extra_args(false);
    begin_group(app, "Answers");
    app.add_option("--zone", arguments.zones,
                   "Zone to serve: its name, and behind commas the values that differ from the "
                   "options below, by their names: NAME,aaaa-share=PERCENT,ttl=S; may be repeated")
        ->type_name("ZONE")
        ->allow_extra_args(false);
    app.add_option("--aaaa-prefix", arguments.aaaa_prefix,
                   "Pref64 of the AAAA records: length 32, 40, 48, 56, 64 or 96")
        ->type_name("PREFIX");
    app.add_option(
           "--aaaa-share", arguments.aaaa_share,
           "Percent of the names that own an AAAA record; the name decides whether it owns one")
        ->type_name("PERCENT")
        ->check(CLI::Range(0, 100));
    app.add_option("--ttl", arguments.ttl, "TTL of positive answers, in seconds")
        ->type_name("S")
        ->check(CLI::Range(std::uint32_t{0}, ttl_max));
    app.add_option("--negative-ttl", arguments.negative_ttl,
                   "TTL and MINIMUM of the SOA in negative answers, in seconds")
        ->type_name("S")
        ->check(CLI::Range(std::uint32_t{0}, ttl_max));
    begin_group(app, "Server");
    app.add_option("--port", arguments.port, "UDP and TCP port")
        ->type_name("PORT")
        ->check(CLI::Range(1, 65535));
    add_xdp_mode(app, arguments.xdp_mode);
    app.add_option("--tcp-connections", arguments.tcp_connections,
                   "TCP connections at a time; a further one closes the one that was idle longest")
        ->type_name("N")
        ->check(CLI::Range(1, 10000));
    app.add_option(
           "--tcp-idle", arguments.tcp_idle,
           "Seconds after which a TCP connection is closed that asks nothing and awaits no answer")
        ->type_name("S")
        ->check(CLI::Range(1, 3600));
    app.add_option("--rate-limit", arguments.rate_limit,
                   "UDP answers per second to one client's network, an IPv4 /24 or an IPv6 /56; "
                   "further queries are dropped, with --internet answered by TC alone; 0: no "
                   "limit")
        ->type_name("N")
        ->check(CLI::Range(0, 1000000000));
    begin_group(app, "Watching");
    app.add_option("--metrics", arguments.metrics,
                   "Serve the counters for Prometheus: at a Unix socket (/PATH), or at a loopback "
                   "PORT or ADDRESS:PORT, as http://…/metrics")
        ->type_name("WHERE");
    app.add_option("--time-every", arguments.time_every,
                   "Time one answer in N of the kernel program; 0: none")
        ->type_name("N")
        ->check(CLI::Range(0, 1000000000));
    begin_group(app, "Server");
    app.add_option("--user", arguments.user, "Become this user after the set-up")
        ->type_name("NAME");
    begin_group(app, "Faults");
    add_fault_options(app, arguments.faults, interface);
    begin_group(app, "Internet");
    add_internet_options(app, arguments);
    begin_group(app, "Watching");
    app.add_flag("--verbose", arguments.verbose, "Show libbpf's messages");
}

std::uint32_t number(const std::string &text, std::uint32_t max, const std::string &where)
{
    if (has_leading_zero(text))
        throw SetupError(where + " begins with a 0: write it without");
    std::uint32_t value = 0;
    if (!CLI::detail::lexical_cast(text, value) || value > max)
        throw SetupError(where + " is no number from 0 to " + std::to_string(max));
    return value;
}

void set_zone_field(const std::string &field, const std::string &where, answer_zone &zone)
{
    const std::size_t equals = std::min(field.find('='), field.size());
    const std::string key = field.substr(0, equals);
    const std::string value = field.substr(std::min(equals + 1, field.size()));
    if (key == "aaaa-prefix")
        zone.aaaa_prefix = parse_pref64(value);
    else if (key == "aaaa-share")
        zone.aaaa_share = number(value, 100, where);
    else if (key == "ttl")
        zone.ttl = number(value, ttl_max, where);
    else if (key == "negative-ttl")
        zone.negative_ttl = number(value, ttl_max, where);
    else
        throw SetupError(where + ": \"" + key +
                         "\" is none of aaaa-prefix, aaaa-share, ttl, negative-ttl");
}

// A zone, as --zone describes it, and the zone's name as messages show it.
std::pair<answer_zone, std::string> read_zone(const std::string &text, const Arguments &arguments)
{
    std::vector<std::string> fields = CLI::detail::split(text, ',');
    const ZoneName name = parse_zone_name(fields.front());
    answer_zone zone{};
    static_assert(sizeof(zone.name) == std::tuple_size_v<decltype(name.wire)>);
    std::ranges::copy(name.wire, zone.name);
    zone.name_length = name.length;
    zone.aaaa_share = arguments.aaaa_share;
    zone.ttl = arguments.ttl;
    zone.negative_ttl = arguments.negative_ttl;
    zone.aaaa_prefix = parse_pref64(arguments.aaaa_prefix);
    for (std::size_t i = 1; i < fields.size(); i++)
        set_zone_field(fields[i], "--zone " + name.text + ": " + fields[i], zone);
    return {zone, name.text};
}

bool lies_in(const std::string &name, const std::string &zone)
{
    return name == zone || name.ends_with("." + zone);
}

ServerContent read_content(const Arguments &arguments)
{
    ServerContent content;
    content.rate_limit = arguments.rate_limit;
    std::vector<std::string> names;
    for (const std::string &text : arguments.zones) {
        if (content.zones.count == ANSWER_ZONES_MAX)
            throw SetupError("--zone: at most " + std::to_string(ANSWER_ZONES_MAX) +
                             " zones are served");
        const auto [zone, name] = read_zone(text, arguments);
        for (const std::string &other : names)
            if (lies_in(name, other) || lies_in(other, name))
                throw SetupError(fmt::format("--zone {} and {}: one zone lies in the other, and "
                                             "fakedns delegates nothing",
                                             name, other));
        content.zones.zone[content.zones.count++] = zone;
        content.zones_text += (names.empty() ? "" : ", ") + name;
        names.push_back(name);
    }
    return content;
}

ServerSetup read_setup(const Arguments &arguments)
{
    ServerSetup setup;
    setup.interfaces = arguments.interfaces;
    std::vector<std::string> sorted = arguments.interfaces;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        throw SetupError("--interface " + *twice + " is given twice");
    setup.port = arguments.port;
    setup.xdp = arguments.xdp_mode;
    setup.tcp = {arguments.tcp_connections, std::chrono::seconds(arguments.tcp_idle)};
    setup.time_every = arguments.time_every;
    setup.metrics = arguments.metrics;
    setup.user = arguments.user;
    setup.config_file = arguments.config;
    for (const std::string &fault : arguments.faults.faults)
        setup.faults_text += fault + " ";
    setup.faults_text += std::to_string(arguments.faults.pad_to);
    return setup;
}

CommandLine understand(const Arguments &arguments)
{
    CommandLine line{.server = {read_setup(arguments), read_content(arguments), {}},
                     .verbose = arguments.verbose,
                     .predict = {},
                     .internet = {}};
    if (arguments.prints_hints)
        throw SetupError("--root-hints needs --internet");
    if (!arguments.names.empty() || arguments.epoch != 0)
        throw SetupError("--names and --epoch need --internet");
    line.server.faults = understand_faults(arguments.faults);
    if (line.server.faults.any() && arguments.time_every != 0)
        throw SetupError("--time-every and faults exclude each other: the program times no answer "
                         "that it spoils or holds");
    if (!arguments.faults.predict.empty() && !arguments.interfaces.empty())
        throw SetupError("--predict excludes --interface");
    if (arguments.faults.predict.size() > 1)
        throw SetupError("--predict takes one CIDR; names need --internet");
    if (!arguments.faults.predict.empty())
        line.predict = parse_name_range(arguments.faults.predict.front());
    else if (arguments.interfaces.empty())
        throw SetupError("no interface is given: --interface is required");
    return line;
}

CommandLine understand_internet(const CLI::App &app, const Arguments &arguments)
{
    for (const CLI::Option *option : app.get_options()) {
        const std::string name = "--" + option->get_single_name();
        if (option->count() != 0 && name != "--internet" &&
            std::ranges::find(internet_options, name) == internet_options.end())
            throw SetupError("--internet and " + name + " exclude each other");
    }
    CommandLine line;
    line.verbose = arguments.verbose;
    line.internet.emplace();
    if (!arguments.internet.empty())
        line.internet->world = read_world_file(arguments.internet);
    line.internet->names = arguments.names;
    line.internet->predict = arguments.faults.predict;
    line.internet->prints_hints = arguments.prints_hints;
    const ServerSetup setup = read_setup(arguments);
    line.internet->setup = {.interfaces = setup.interfaces,
                            .port = setup.port,
                            .xdp = setup.xdp,
                            .tcp = setup.tcp,
                            .rate_limit = arguments.rate_limit,
                            .metrics = setup.metrics,
                            .user = setup.user,
                            .epoch = arguments.epoch};
    const bool serves = !line.internet->prints_hints && line.internet->predict.empty();
    if (serves && setup.interfaces.empty())
        throw SetupError("no interface is given: --interface is required");
    return line;
}

[[noreturn]] void refuse_key(const CLI::App &app, const ConfigEntry &entry)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
        names.push_back("--" + option->get_single_name());
    const std::string meant = nearest(entry.option, names);
    throw SetupError(
        entry.place + ": there is no such option: " +
        (meant.empty() ? "see fakedns --help" : "did you mean " + meant.substr(2) + "?"));
}

// Takes over an option of the file unless the command line has that option.
void apply(CLI::App &app, const ConfigEntry &entry)
{
    CLI::Option *option = app.get_option_no_throw(entry.option);
    if (option == nullptr || entry.option == "--config" || entry.option == "--help" ||
        entry.option == "--version")
        refuse_key(app, entry);
    if (option->count() != 0)
        return;
    if (entry.values.size() > 1 && option->get_items_expected_max() <= 1)
        throw SetupError(entry.place + ": takes one value, not an array");
    try {
        if (option->get_items_expected_max() == 0)
            option->add_result(option->get_flag_value(entry.option, entry.values.front()));
        else
            option->add_result(entry.values);
        option->run_callback();
    } catch (const CLI::ParseError &error) {
        throw SetupError(entry.place + ": " + error.what());
    }
}

// main() starts the command.
constexpr const char *help_footer =
    "Commands:\n"
    "  echo                      Return each UDP query as its own reply, unanswered\n\n"
    "Examples:\n"
    "  fakedns --interface eth1\n"
    "  fakedns --interface eth1 --fault loss=1%,delay=2%:500us --metrics 9153\n"
    "  fakedns --interface eth1 --internet world.toml\n\n"
    "Exit status:\n"
    "  0  SIGTERM or SIGINT ended the server\n"
    "  2  the command, the configuration or the environment is wrong\n"
    "  3  an interface is not there or is down, or none is left\n";

} // namespace

std::optional<CommandLine> read_command_line(int argc, const char *const *argv)
{
    Arguments arguments;
    CLI::App app{"A DNS server that answers from the digits of the name: the reference for "
                 "measuring and for testing the Tester",
                 "fakedns"};
    app.option_defaults()->always_capture_default();
    app.set_version_flag("--version", version_text("fakedns", libbpf_version_string()));
    begin_group(app, "Server");
    app.add_option("--config", arguments.config,
                   "TOML file of options, a line each: NAME = VALUE, without the dashes; SIGHUP "
                   "reads the file anew. Options on the command line override it")
        ->type_name("FILE");
    add_options(app, arguments);
    app.footer(help_footer);
    if (!read_arguments(app, argc, argv))
        return std::nullopt;
    if (!arguments.config.empty())
        for (const ConfigEntry &entry : read_config_file(arguments.config, "--config"))
            apply(app, entry);
    return app.get_option("--internet")->count() != 0 ? understand_internet(app, arguments)
                                                      : understand(arguments);
}

} // namespace dnsgauge
