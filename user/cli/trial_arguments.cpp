// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/trial_arguments.h"

#include "common/decimal_option.h"

namespace dnsgauge
{

namespace
{

void add_what_is_asked(CLI::App &app, TrialOptions &options)
{
    app.add_option("--names", options.names,
                   "Names to ask for: an IPv4 prefix, 10.0.0.0/8 is 010-000-000-000 to "
                   "010-255-255-255")
        ->required()
        ->type_name("CIDR");
    app.add_option("--qtype", options.qtype, "Type to ask for: A or AAAA")
        ->check(CLI::IsMember(qtypes))
        ->type_name("TYPE")
        ->capture_default_str();
    app.add_option("--answer", options.answer,
                   "'any': a record of the type is enough, whatever its data")
        ->check(CLI::IsMember({"any"}));
    app.add_option("--accept", options.accept,
                   "Percent of the queries that must be answered right in time; less than 100 is "
                   "not compliant with RFC 8219")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    app.add_flag("--allow-repeats", options.allow_repeats,
                 "Begin again when all names have been asked for");
    app.add_flag("--recursion-desired", options.recursion_desired, "Set RD in the queries");
    app.add_option("--edns-size", options.edns_size,
                   "Add an OPT record that offers this UDP size, octets");
    app.add_flag("--dnssec-ok", options.dnssec_ok, "Set DO in the OPT record (needs --edns-size)");
}

void add_dut_options(CLI::App &app, TrialOptions &options)
{
    app.add_option("--dut", options.dut,
                   "What the server is: authoritative, or dns64, which is asked with RD set")
        ->check(CLI::IsMember(duts))
        ->type_name("KIND")
        ->capture_default_str();
    app.add_option(
           "--aaaa-share", options.aaaa_share,
           "dns64: percent of the names with an AAAA record of their own, as AuthDNS has it "
           "(fakedns --aaaa-share)")
        ->check(decimal())
        ->check(CLI::Range(0, 100))
        ->type_name("PERCENT")
        ->capture_default_str();
    app.add_option("--aaaa-prefix", options.aaaa_prefix,
                   "dns64: prefix of those records' data (fakedns --aaaa-prefix)")
        ->type_name("PREFIX")
        ->capture_default_str();
    app.add_option(
           "--cached-share", options.cached_share,
           "dns64: percent of the queries that ask for one name, the first of --names, which "
           "is asked for before the trial")
        ->check(decimal())
        ->check(CLI::Range(0, 100))
        ->type_name("PERCENT")
        ->capture_default_str();
}

void add_how_it_is_sent(CLI::App &app, TrialOptions &options)
{
    app.add_option("--port", options.port, "UDP port of the server")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    app.add_option("--server-mac", options.server_mac,
                   "Next hop's MAC address, instead of the kernel's tables");
    app.add_option("--source", options.source, "Source address, instead of the kernel's choice");
    app.add_option("--vlan", options.vlan, "802.1Q identifier to tag queries with")
        ->check(CLI::Range(1, 4094));
    app.add_option("--source-ports", options.source_ports, "Source ports of each sender")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    app.add_option("--first-source-port", options.first_source_port, "The first of them")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    app.add_option("--cpus", options.cpus,
                   "CPUs to send on, one sender and one transmit queue each: 0,2-4 (default: one "
                   "sender on the first CPU allowed)")
        ->type_name("LIST");
    app.add_option("--max-lateness", options.max_lateness,
                   "Seconds any query may be late before the trial is invalid; more than the "
                   "default is not compliant with RFC 8219")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option(
           "--max-overrun", options.max_overrun,
           "Seconds the last query may be late (or 0.001 % of the duration, if that is more) "
           "before the trial is invalid; of trials of 60 s or more it is 0.001 % unless this is "
           "above its default; more than that is not compliant with RFC 8219")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--xdp-mode", options.xdp_mode, "auto, native or generic")
        ->check(CLI::IsMember(xdp_modes))
        ->type_name("MODE")
        ->capture_default_str();
    app.add_flag("--busy-poll", options.busy_poll,
                 "Senders poll the driver as well: for zero-copy drivers, see bpf/xsk/README.md");
    app.add_option("--idle-cpus", options.idle_cpus,
                   "What CPUs do that have nothing to do: poll, so that none must be woken up "
                   "(needs root), or sleep, as the machine is set")
        ->check(CLI::IsMember(idle_cpus_modes))
        ->type_name("MODE")
        ->capture_default_str();
    app.add_option("--hardware-timestamps", options.stamps,
                   "RTTs by the card's clock as well: auto (where it stamps both ways), on (or "
                   "fail), off, or any: take what stamps there are and say which")
        ->check(CLI::IsMember(stamp_modes))
        ->type_name("MODE")
        ->capture_default_str();
    app.add_option("--af-xdp", options.copy_mode, "auto, copy or zero-copy")
        ->check(CLI::IsMember(copy_modes))
        ->type_name("MODE")
        ->capture_default_str();
}

} // namespace

void add_tester_options(CLI::App &app, TrialOptions &options)
{
    app.add_option("--interface", options.interface, "Interface to send from")->required();
    app.add_option("--server", options.server, "Address of the server")->required();
    app.add_option("--duration", options.duration, "Seconds to send for")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--timeout", options.timeout,
                   "Seconds a reply may take (default: 0.25, with --dut dns64 1)")
        ->type_name("SECONDS");
    app.add_option("--zone", options.zone, "Zone the names are in")->capture_default_str();
    app.add_option(
           "--answer-prefix", options.answer_prefix,
           "Right AAAA data: this prefix (RFC 6052) and the address in the name; of a DNS64 "
           "server its Pref64 (default: 2001:db8::/96, with --dut dns64 2001:db8:64::/96)")
        ->type_name("PREFIX");
    add_how_it_is_sent(app, options);
    app.add_option("--json", options.json, "Write the result to this file")->type_name("FILE");
    app.add_flag("--verbose", options.verbose, "Show libbpf's messages");
}

void add_trial_options(CLI::App &app, TrialOptions &options)
{
    add_tester_options(app, options);
    add_what_is_asked(app, options);
    add_dut_options(app, options);
}

void add_cover_options(CLI::App &app, CoverOptions &options)
{
    app.add_flag("--beyond-selftest", options.beyond,
                 "Go on where no self-test of the Tester covers the rates; every form of the "
                 "result says so");
    app.add_option("--selftest-record", options.record,
                   "Record of self-tests, instead of the one in /var/lib/dnsgauge")
        ->type_name("FILE");
}

void add_confirm_option(CLI::App &app, unsigned &confirm)
{
    app.add_option("--confirm", confirm,
                   "Times to try a failed trial again before it counts; any is not compliant "
                   "with RFC 8219")
        ->check(CLI::Range(0, 100))
        ->capture_default_str();
}

} // namespace dnsgauge
