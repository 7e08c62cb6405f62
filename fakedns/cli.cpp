// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/cli.h"

#include "fakedns/cli_faults.h"
#include "fakedns/echo/cli.h"

#include "host/pref64_text.h"
#include "host/setup_error.h"
#include "host/zone_name.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

namespace dnsgauge
{

namespace
{

constexpr std::uint32_t ttl_max = 0x7fffffff; // RFC 2181 section 8

// The options as they are written.
struct Arguments {
    std::string interface;
    std::string zone = "dns64perf.test";
    std::string aaaa_prefix = "2001:db8::/96";
    std::uint32_t aaaa_share = 100;
    std::uint32_t ttl = 3600;
    std::uint32_t negative_ttl = 3600;
    std::uint16_t port = 53;
    std::optional<XdpMode> xdp_mode = XdpMode::automatic;
    std::size_t tcp_connections = TcpLimits{}.connections;
    std::int64_t tcp_idle = TcpLimits{}.idle.count();
    FaultArguments faults;
    bool verbose = false;
};

void add_xdp_mode(CLI::App &app, std::optional<XdpMode> &mode)
{
    static const std::map<std::string, std::optional<XdpMode>> modes{
        {"auto", XdpMode::automatic},
        {"native", XdpMode::native},
        {"generic", XdpMode::generic},
        {"off", std::nullopt},
    };
    const auto read = [&mode](const std::string &text) {
        const auto found = modes.find(text);
        if (found == modes.end())
            throw CLI::ValidationError("--xdp-mode: \"" + text +
                                       "\" is none of auto, native, generic, off");
        mode = found->second;
    };
    app.add_option_function<std::string>(
           "--xdp-mode", read,
           "auto: native, else generic, else none; native: in the driver; generic: in the "
           "stack; off: answer by sockets alone")
        ->type_name("MODE")
        ->default_str("auto");
}

void add_options(CLI::App &app, Arguments &arguments)
{
    CLI::Option *interface =
        app.add_option("--interface", arguments.interface, "Interface to answer on")
            ->type_name("IF");
    app.add_option("--zone", arguments.zone, "Zone that is served")->type_name("NAME");
    app.add_option("--aaaa-prefix", arguments.aaaa_prefix,
                   "Pref64 of the AAAA records: length 32, 40, 48, 56, 64 or 96")
        ->type_name("PREFIX");
    app.add_option("--aaaa-share", arguments.aaaa_share,
                   "Percent of the names that own an AAAA record; which ones is fixed")
        ->type_name("PERCENT")
        ->check(CLI::Range(0, 100));
    app.add_option("--ttl", arguments.ttl, "TTL of positive answers, in seconds")
        ->type_name("S")
        ->check(CLI::Range(std::uint32_t{0}, ttl_max));
    app.add_option("--negative-ttl", arguments.negative_ttl,
                   "TTL and MINIMUM of the SOA in negative answers, in seconds")
        ->type_name("S")
        ->check(CLI::Range(std::uint32_t{0}, ttl_max));
    app.add_option("--port", arguments.port, "UDP and TCP port")
        ->type_name("PORT")
        ->check(CLI::Range(1, 65535));
    add_xdp_mode(app, arguments.xdp_mode);
    app.add_option("--tcp-connections", arguments.tcp_connections,
                   "TCP connections at a time; one more displaces the one idle longest")
        ->type_name("N")
        ->check(CLI::Range(1, 10000));
    app.add_option("--tcp-idle", arguments.tcp_idle,
                   "Seconds without a query after which a TCP connection is closed")
        ->type_name("S")
        ->check(CLI::Range(1, 3600));
    add_fault_options(app, arguments.faults, interface);
    app.add_flag("--verbose", arguments.verbose, "Show what libbpf has to say");
}

void set_zone(const Arguments &arguments, const ZoneName &name, answer_zone &zone)
{
    static_assert(sizeof(zone.name) == std::tuple_size_v<decltype(name.wire)>);
    std::ranges::copy(name.wire, zone.name);
    zone.name_length = name.length;
    zone.aaaa_share = arguments.aaaa_share;
    zone.ttl = arguments.ttl;
    zone.negative_ttl = arguments.negative_ttl;
    zone.aaaa_prefix = parse_pref64(arguments.aaaa_prefix);
}

CommandLine understand(const Arguments &arguments)
{
    CommandLine line;
    line.verbose = arguments.verbose;
    line.server.interface = arguments.interface;
    const ZoneName name = parse_zone_name(arguments.zone);
    line.server.zone_text = name.text;
    line.server.xdp = arguments.xdp_mode;
    line.server.tcp = {arguments.tcp_connections, std::chrono::seconds(arguments.tcp_idle)};
    line.server.config.port = arguments.port;
    set_zone(arguments, name, line.server.config.zone);
    line.server.faults = understand_faults(arguments.faults);
    if (!arguments.faults.predict.empty())
        line.predict = parse_name_range(arguments.faults.predict);
    else if (arguments.interface.empty())
        throw SetupError("no interface is given: --interface is required");
    return line;
}

CommandLine understand(const CLI::App &app, const EchoArguments &arguments)
{
    for (const CLI::Option *option : app.get_options())
        if (option->count() != 0)
            throw SetupError(option->get_name() +
                             " is not an option of echo, or belongs behind it");
    CommandLine line;
    line.verbose = arguments.verbose;
    line.echo = understand_echo(arguments);
    return line;
}

std::string one_line(std::string text)
{
    std::ranges::replace(text, '\n', ' ');
    return text;
}

} // namespace

std::optional<CommandLine> read_command_line(int argc, const char *const *argv)
{
    Arguments arguments;
    CLI::App app{"A DNS server that answers from the digits of the name: the reference for "
                 "measuring and for testing the Tester",
                 "fakedns"};
    app.option_defaults()->always_capture_default();
    app.set_version_flag("--version", "fakedns " FAKEDNS_VERSION);
    add_options(app, arguments);
    EchoArguments echo_arguments;
    const CLI::App *echo = add_echo(app, echo_arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() == 0) {
            app.exit(error);
            return std::nullopt;
        }
        throw SetupError(one_line(error.what()));
    }
    return echo->parsed() ? understand(app, echo_arguments) : understand(arguments);
}

} // namespace dnsgauge
