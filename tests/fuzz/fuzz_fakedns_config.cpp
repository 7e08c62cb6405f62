// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the file of fakedns --config. The parser refuses the file, or the server's
// options keep to their bounds. Reads the same bytes as the files of --internet and --names, with
// which an Internet answers.
#include "fuzz.h"

#include "file_of.h"

#include "fakedns/cli.h"
#include "internet/prediction.h"
#include "internet/world_options.h"
#include "system/setup_error.h"

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

void check_zones(const answer_zones &zones)
{
    must(zones.count >= 1 && zones.count <= ANSWER_ZONES_MAX, "some zones are served");
    for (const answer_zone &zone : std::span(zones.zone, zones.count)) {
        must(zone.name_length >= 2 && zone.name_length <= sizeof(zone.name), "a zone has a name");
        must(zone.name[zone.name_length - 1] == 0, "which ends in the root");
        must(zone.aaaa_share <= 100, "a share is a percentage");
        must(pref64_length_ok(zone.aaaa_prefix.length) != 0, "a prefix can hold addresses");
    }
}

void check(const CommandLine &line)
{
    must(!line.server.setup.interfaces.empty() || line.predict, "there is an interface");
    must(line.server.setup.port != 0, "there is a port");
    check_zones(line.server.content.zones);
}

void check_world(const std::string &path)
{
    try {
        const World world(read_world_file(path));
        must(!prediction_line(world, WireName::parse("www.example.org"), DNS_TYPE_A).empty(),
             "an Internet that is read can be predicted");
        must(world.character(world.server_count() - 1) <= ServerCharacter::drops_large,
             "a server has a character");
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
    try {
        const ListedNames names(path);
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string path = file_of("fakedns.toml", text_of({data, size}));
    check_world(path);
    try {
        if (const CommandLine line = read_command_line({"fakedns", "--config", path});
            !line.internet)
            check(line);
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
