// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/cli.h"

#include "base/config_file.h"
#include "internet/world_options.h"

#include "dns/fault_text.h"
#include "dns/pref64_text.h"
#include "host/xdp_link.h"
#include "options/command_line.h"
#include "options/dns_access.h"
#include "system/listed.h"
#include "system/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr const char *usual_zone = "dns64perf.test";

answer_zone usual_values()
{
    answer_zone zone{};
    zone.aaaa_share = 100;
    zone.ttl = 3600;
    zone.negative_ttl = 3600;
    zone.aaaa_prefix = parse_pref64("2001:db8::/96");
    return zone;
}

// What the options are read into.
struct Arguments {
    CommandLine line{.server = {}, .predict = {}, .internet = {}};
    std::string config;
    std::vector<std::string> zones; // if empty, the default zone
    answer_zone usual = usual_values();
    std::uint32_t tcp_idle_s = static_cast<std::uint32_t>(TcpLimits{}.idle.count());
    std::optional<std::string> internet; // the file of --internet; empty if none
    InternetCommand command;
};

OptionAccess xdp_mode(std::optional<XdpMode> &mode)
{
    return {.set =
                [&mode](const std::string &text, const std::string &name) {
                    mode = xdp_modes.value_of(text);
                    if (!mode && text != "off")
                        refuse_word(text, name, {"auto", "native", "generic", "off"});
                },
            .get = [&mode]() -> OptionValue {
                return std::string(mode ? xdp_modes.text_of(*mode) : "off");
            }};
}

// Adds each text's faults to the plans, and the text to the set-up's.
OptionAccess faults(fault_plan &plan, ServerSetup &setup)
{
    return {.set =
                [&plan, &setup](const std::string &text, const std::string & /*name*/) {
                    parse_faults(text, plan, &setup.connection_faults);
                    setup.faults_text += text + " ";
                },
            .get = [] { return OptionValue(); }};
}

// Returns the values that --zone may set for its zone.
Options zone_values(answer_zone &zone)
{
    return {
        {"aaaa-prefix", OptionGroup::answers, "PREFIX",
         "Pref64 of the AAAA records: length 32, 40, 48, 56, 64 or 96", prefix(zone.aaaa_prefix)},
        {"aaaa-share", OptionGroup::answers, "PERCENT",
         "Percent of the names that own an AAAA record; the name decides whether it owns one",
         whole(zone.aaaa_share, 0, 100)},
        {"ttl", OptionGroup::answers, "S", "TTL of positive answers, in seconds",
         whole(zone.ttl, 0, ttl_max)},
        {"negative-ttl", OptionGroup::answers, "S",
         "TTL and MINIMUM of the SOA in negative answers, in seconds",
         whole(zone.negative_ttl, 0, ttl_max)},
    };
}

Options server_rows(Arguments &arguments)
{
    constexpr std::uint64_t rate_most = 1'000'000'000;
    ServerSetup &setup = arguments.line.server.setup;
    return {
        {"config", OptionGroup::server, "FILE",
         "TOML file of options, a line each: NAME = VALUE, without the dashes; SIGHUP reads the "
         "file anew. Options on the command line override it",
         text(arguments.config)},
        Option(
            "interface", OptionGroup::server, "IF", "Interface to answer on; may be repeated",
            texts(setup.interfaces),
            {.is_required = true, .stand_ins = {"predict", "root-hints"}, .is_repeatable = true}),
        {"port", OptionGroup::server, "PORT", "UDP and TCP port", whole(setup.port, 1)},
        Option("tls-certificate", OptionGroup::server, "FILE",
               "Also answer over TLS, with the chain of certificates in FILE (PEM)",
               text(setup.tls.certificate), {.needs = {"tls-key"}}),
        Option("tls-key", OptionGroup::server, "FILE", "Private key of the certificate, in PEM",
               text(setup.tls.key), {.needs = {"tls-certificate"}}),
        Option("tls-self-signed", OptionGroup::server, "",
               "Also answer over TLS, with a certificate that fakedns makes at its start, and that "
               "only itself vouches for",
               flag(setup.tls.is_self_signed), {.excludes = {"tls-certificate"}}),
        {"tls-port", OptionGroup::server, "PORT",
         "TCP port for TLS (--tls-certificate, --tls-self-signed)", whole(setup.tls.port, 1)},
        Option("https-port", OptionGroup::server, "PORT",
               "Also answer over HTTPS (HTTP/2) at this TCP port, at /dns-query",
               whole(setup.tls.https_port, 1), {.usual = "none"}),
        Option("quic-port", OptionGroup::server, "PORT",
               "Also answer over QUIC at this UDP port; DNS over QUIC has port 853",
               whole(setup.tls.quic_port, 1), {.usual = "none"}),
        {"xdp-mode", OptionGroup::server, "MODE",
         "Place of the XDP program: in the driver (native), in the stack (generic), auto (native, "
         "else generic, else none) or off (sockets alone answer)",
         xdp_mode(setup.xdp)},
        {"tcp-connections", OptionGroup::server, "N",
         "TCP connections at a time; a further one closes the connection that was idle longest",
         whole(setup.tcp.connections, 1, 1'000'000)},
        {"tcp-idle", OptionGroup::server, "S",
         "Seconds until an idle TCP connection is closed: it asks nothing and awaits no answer",
         whole(arguments.tcp_idle_s, 1, 3600)},
        {"rate-limit", OptionGroup::server, "N",
         "UDP answers per second to one client's network (an IPv4 /24 or an IPv6 /56); 0 is no "
         "limit. Further queries are dropped; with --internet their answer is TC alone",
         whole(arguments.line.server.content.rate_limit, 0, rate_most)},
        {"user", OptionGroup::server, "NAME", "Become this user after the set-up",
         text(setup.user)},
        {"metrics", OptionGroup::watching, "WHERE",
         "Serve the counters for Prometheus as http://…/metrics, at a Unix socket (/PATH), or at a "
         "loopback PORT or ADDRESS:PORT",
         text(setup.metrics)},
        {"time-every", OptionGroup::watching, "N",
         "Time one answer in N of the kernel program; 0 times none",
         whole(setup.time_every, 0, rate_most)},
        {"verbose", OptionGroup::watching, "", "Show libbpf's messages",
         flag(arguments.line.verbose)},
        Option("zone", OptionGroup::answers, "ZONE",
               "Zone to serve: its name, and the values that differ from the options below, with "
               "commas between them: NAME,aaaa-share=PERCENT,ttl=S; may be repeated",
               texts(arguments.zones), {.is_repeatable = true, .usual = usual_zone}),
    };
}

Options fault_rows(Arguments &arguments)
{
    constexpr std::uint64_t pad_least = 64;
    FaultOptions &wish = arguments.line.server.faults;
    return {
        Option("fault", OptionGroup::faults, "FAULTS",
               "Misbehave by the number of the name: NAME=SHARE%[:TIME],..., in steps of 0.1%; "
               "NAME: " +
                   fault_names() +
                   "; TIME, which delay and late need: 500us (ns, us, ms, s), uniform:LEAST:MOST, "
                   "exponential:MEAN, normal:MEAN:SD, lognormal:MEDIAN:SIGMA, pareto:LEAST:ALPHA. "
                   "Or spoil connections, by the order of accepting: NAME=SHARE%[:N]; NAME: " +
                   connection_fault_names() +
                   "; N, which reset, close, stall, goaway and reset-stream need: queries that are "
                   "answered before; coalesce: answers that leave together; status: of HTTP",
               faults(wish.plan, arguments.line.server.setup),
               {.is_repeatable = true, .usual = "none"}),
        Option("pad-to", OptionGroup::faults, "OCTETS",
               "Pad UDP answers with records to this size in octets, at most the query's EDNS "
               "size (512 without EDNS)",
               whole(wish.plan.pad_to, pad_least, FAULT_PAD_MAX), {.usual = "none"}),
        {"fault-cpu", OptionGroup::faults, "CPU",
         "CPU for the thread that holds delayed and doubled answers. It then waits busily, and is "
         "exact to microseconds",
         whole(wish.cpu, 0, 1023)},
        Option("predict", OptionGroup::faults, "CIDR|NAME...",
               "Print how many names of CIDR have each fault, and serve nothing. With "
               "--internet, print what resolvers get for each NAME, or \"NAME TYPE\", as a line "
               "of JSON; - reads them from standard input",
               texts(arguments.command.predict),
               {.is_repeatable = true, .excludes = {"interface"}}),
    };
}

Options internet_rows(Arguments &arguments)
{
    InternetCommand &command = arguments.command;
    return {
        Option(
            "internet", OptionGroup::internet, "[FILE]",
            "Be all name servers of an Internet, each at its own address: the root's and all "
            "below it, computed from the name. FILE describes the Internet (TOML)",
            text(arguments.internet),
            {.excludes = {"zone", "aaaa-prefix", "aaaa-share", "ttl", "negative-ttl", "time-every",
                          "fault", "pad-to", "fault-cpu", "tls-certificate", "tls-self-signed"}}),
        Option("names", OptionGroup::internet, "FILE",
               "File of names that exist in the Internet, a line each: NAME TYPE TTL TYPE "
               "TTL...; dnsgauge-queries names makes such a file",
               text(command.names), {.needs = {"internet"}}),
        Option("epoch", OptionGroup::internet, "S",
               "Seconds that the Internet's clock shows at the start. TTLs then count down to "
               "moments that all names share; with 0 they stay as they are",
               whole(command.epoch, 0, ttl_max), {.needs = {"internet"}}),
        Option("root-hints", OptionGroup::internet, "",
               "Print the root's name servers of --internet, as resolvers read them, and serve "
               "nothing",
               flag(command.prints_hints), {.needs = {"internet"}}),
    };
}

Options rows(Arguments &arguments)
{
    Options options = server_rows(arguments);
    append(options, zone_values(arguments.usual));
    append(options, fault_rows(arguments));
    append(options, internet_rows(arguments));
    return options;
}

// A zone, as --zone describes it, and the zone's name as messages show it.
std::pair<answer_zone, std::string> read_zone(const std::string &text, answer_zone zone)
{
    const std::vector<std::string_view> fields = split(text);
    const ZoneName name = parse_zone_name(std::string(fields.front()));
    static_assert(sizeof(zone.name) == std::tuple_size_v<decltype(name.wire)>);
    std::ranges::copy(name.wire, zone.name);
    zone.name_length = name.length;
    const Options values = zone_values(zone);
    for (const std::string_view field : std::span(fields).subspan(1)) {
        const std::size_t equals = std::min(field.find('='), field.size());
        const std::string key(field.substr(0, equals));
        const std::string where = fmt::format("--zone {}: {}", name.text, key);
        const Option *option = find_option(values, key);
        if (option == nullptr)
            throw SetupError(where + " is none of aaaa-prefix, aaaa-share, ttl, negative-ttl");
        option->access.set(std::string(field.substr(std::min(equals + 1, field.size()))), where);
    }
    return {zone, name.text};
}

bool lies_in(const std::string &name, const std::string &zone)
{
    return name == zone || name.ends_with("." + zone);
}

void read_zones(const Arguments &arguments, ServerContent &content)
{
    std::vector<std::string> names;
    std::vector<std::string> texts = arguments.zones;
    if (texts.empty())
        texts.emplace_back(usual_zone);
    for (const std::string &text : texts) {
        if (content.zones.count == ANSWER_ZONES_MAX)
            throw SetupError("--zone: at most {} zones are served", ANSWER_ZONES_MAX);
        const auto [zone, name] = read_zone(text, arguments.usual);
        for (const std::string &other : names)
            if (lies_in(name, other) || lies_in(other, name))
                throw SetupError(
                    "--zone {} and {}: one zone lies in the other, and fakedns delegates nothing",
                    name, other);
        content.zones.zone[content.zones.count++] = zone;
        content.zones_text += (names.empty() ? "" : ", ") + name;
        names.push_back(name);
    }
}

void complete(const Arguments &arguments, ServerSetup &setup)
{
    std::vector<std::string> sorted = setup.interfaces;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        throw SetupError("--interface " + *twice + " is given twice");
    for (const auto &[option, port, usual] :
         {std::tuple("tls-port", setup.tls.port, TlsSetup().port),
          std::tuple("https-port", setup.tls.https_port, TlsSetup().https_port),
          std::tuple("quic-port", setup.tls.quic_port, TlsSetup().quic_port)})
        if (port != usual && !setup.tls.is_wanted())
            throw SetupError("--{} {}: give --tls-certificate or --tls-self-signed, too", option,
                             port);
    if (setup.tls.quic_port != 0 && !speaks_quic())
        throw SetupError("--quic-port {}: this fakedns was built without QUIC: build it with "
                         "libngtcp2 1.11 or newer, which Debian 13 has",
                         setup.tls.quic_port);
    setup.tcp.idle = std::chrono::seconds(arguments.tcp_idle_s);
    setup.config_file = arguments.config;
    setup.faults_text += std::to_string(arguments.line.server.faults.plan.pad_to);
}

InternetCommand internet_of(const Arguments &arguments, const ServerOptions &server)
{
    InternetCommand command = arguments.command;
    if (!arguments.internet->empty())
        command.world = read_world_file(*arguments.internet);
    command.setup = server.setup;
    command.rate_limit = server.content.rate_limit;
    return command;
}

CommandLine understand(const Arguments &arguments)
{
    CommandLine line = arguments.line;
    complete(arguments, line.server.setup);
    if (arguments.internet) {
        line.internet = internet_of(arguments, line.server);
        return line;
    }
    read_zones(arguments, line.server.content);
    const FaultOptions &faults = line.server.faults;
    if (faults.cpu && !has_held_faults(faults.plan))
        throw SetupError(
            "--fault-cpu needs answers that wait: give --fault delay, late or duplicate, too");
    if (faults.any() && line.server.setup.time_every != 0)
        throw SetupError("--time-every and faults exclude each other: the program times no answer "
                         "that it spoils or holds");
    const std::vector<std::string> &predict = arguments.command.predict;
    if (predict.size() > 1)
        throw SetupError("--predict takes one CIDR; names need --internet");
    if (!predict.empty())
        line.predict = parse_name_range(predict.front());
    return line;
}

// Adds an option of the file unless the command line has that option.
void add_entry(const Options &options, const ConfigEntry &entry,
               const std::vector<GivenOption> &on_line, std::vector<GivenOption> &given)
{
    const Option *option = find_option(options, entry.option);
    if (option == nullptr || entry.option == "config") {
        const std::string meant = nearest_option(options, entry.option);
        throw SetupError(entry.place + ": there is no such option: " +
                         (meant.empty() ? "see fakedns --help" : "did you mean " + meant + "?"));
    }
    if (std::ranges::find(on_line, entry.option, &GivenOption::option) != on_line.end())
        return;
    if (entry.values.size() > 1 && !option->is_repeatable)
        throw SetupError(entry.place + ": takes one value, not an array");
    for (const std::string &value : entry.values)
        given.push_back({entry.option, value, entry.place});
}

} // namespace

CommandLine read_command_line(const std::vector<std::string> &words)
{
    Arguments arguments;
    const Options options = rows(arguments);
    const std::vector<GivenOption> on_line = parse_words(options, {words.begin() + 1, words.end()});
    std::vector<GivenOption> given = on_line;
    const auto config = std::ranges::find(on_line, "config", &GivenOption::option);
    if (config != on_line.end())
        for (const ConfigEntry &entry : read_config_file(config->text, "--config"))
            add_entry(options, entry, on_line, given);
    read_options(options, given);
    return understand(arguments);
}

Command server_command(const std::function<void(const std::vector<std::string> &words)> &run)
{
    const auto arguments = std::make_shared<Arguments>();
    return {.name = "",
            .summary = "A DNS server that answers from the digits of the name: the reference for "
                       "measuring and for testing the Tester",
            .options = rows(*arguments),
            .examples = {"fakedns --interface eth1",
                         "fakedns --interface eth1 --fault loss=1%,delay=2%:500us --metrics 9153",
                         "fakedns --interface eth1 --internet world.toml"},
            .statuses = {{ExitStatus::done, "SIGTERM or SIGINT ended the server"},
                         {ExitStatus::wrong_input,
                          "the command, the configuration or the environment is wrong"},
                         {ExitStatus::interface_missing,
                          "an interface is not there or is down, or none is left"}},
            .run =
                [arguments, run](const std::vector<std::string> &words) {
                    run(words);
                    return ExitStatus::done;
                },
            .reads_itself = true};
}

} // namespace dnsgauge
