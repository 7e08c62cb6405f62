// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/placement_record.h"

#include "machine/text_files.h"
#include "placement/scope.h"
#include "record/json_text.h"
#include "record/record_file.h"
#include "userland/setup_error.h"
#include "userland/unique_fd.h"
#include "userland/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *schema = "dnsgauge/placement-record/1";

std::string network_namespace()
{
    struct stat state {
    };
    return stat("/proc/self/ns/net", &state) == 0 ? fmt::format("{}", state.st_ino) : std::string();
}

std::uint64_t network_namespace_cookie()
{
    const UniqueFd any(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    std::uint64_t cookie = 0;
    socklen_t size = sizeof(cookie);
    if (getsockopt(any.get(), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) != 0)
        throw SetupError("cannot tell this network namespace from others: {}",
                         std::strerror(errno));
    return cookie;
}

Change change_of(const Json &json, const std::string &interface)
{
    const auto knob = knobs.value_of(plain_text(json.at("knob")));
    if (!knob)
        throw SetupError("it names a kind of value that this version does not know");
    Change change = {plain_text(json.at("setting")), *knob, plain_text(json.at("where")),
                     plain_text(json.at("before")), plain_text(json.at("after"))};
    if (!scope_of(change.knob, change.where, interface))
        throw SetupError("no setting of {} changes {}", interface, change.where);
    return change;
}

// Throws SetupError if others may write the record: they would choose what restore writes, as root.
void require_own(int file)
{
    struct stat state {
    };
    if (fstat(file, &state) != 0 || !S_ISREG(state.st_mode))
        throw SetupError("it is no file");
    if (state.st_uid != 0 && state.st_uid != geteuid())
        throw SetupError("it belongs to another user, and restore would do what that user wrote");
    if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw SetupError("others may write it, and restore would do what they wrote");
}

} // namespace

PlacementRecord record_of(const Json &json)
{
    if (!json.is_object() || json.value("schema", "") != schema)
        throw SetupError("it has another schema");
    PlacementRecord record{.boot = plain_text(json.at("boot")),
                           .netns = plain_text(json.at("netns")),
                           .netns_cookie = whole_number(json.at("netns_cookie")),
                           .interface = plain_text(json.at("interface")),
                           .interface_index =
                               static_cast<unsigned>(whole_number(json.at("interface_index"))),
                           .device = plain_text(json.at("device")),
                           .changes = {}};
    for (const Json &change : json.at("changes"))
        record.changes.push_back(change_of(change, record.interface));
    return record;
}

PlacementRecord new_record(const std::string &interface, const fs::path &root)
{
    const fs::path folder = root / "sys/class/net" / interface;
    std::error_code error;
    const fs::path device = fs::canonical(folder / "device", error);
    return {.boot = first_line(root / "proc/sys/kernel/random/boot_id"),
            .netns = network_namespace(),
            .netns_cookie = network_namespace_cookie(),
            .interface = interface,
            .interface_index = leading_number<unsigned>(first_line(folder / "ifindex")).value_or(0),
            .device = error ? "" : "/" / device.lexically_relative(fs::canonical(root)),
            .changes = {}};
}

std::string placement_record_path()
{
    return fmt::format("/run/dnsgauge/placement-{}.json", network_namespace());
}

std::optional<PlacementRecord> read_placement_record(const std::string &path)
{
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file && errno == ENOENT)
        return std::nullopt;
    if (!file)
        throw SetupError("cannot read {}: {}", path, std::strerror(errno));
    try {
        require_own(file.get());
        // Reads the file that was checked, even if its name leads elsewhere by now.
        return record_of(read_json_file(fmt::format("/proc/self/fd/{}", file.get())));
    } catch (const std::exception &error) {
        throw SetupError("{} is no record of a placement: {}", path, error.what());
    }
}

void write_placement_record(const std::string &path, const PlacementRecord &record)
{
    WholeFile(path, "--record").commit(json_text(to_json(record)));
    // The umask must not matter: read_placement_record() refuses a record that a group may write.
    std::error_code error;
    fs::permissions(path, fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove, error);
}

Json to_json(const PlacementRecord &record)
{
    Json changes = Json::array();
    for (const Change &change : record.changes)
        changes.push_back({{"setting", change.setting},
                           {"knob", knobs.text_of(change.knob)},
                           {"where", change.where},
                           {"before", change.before},
                           {"after", change.after}});
    return {{"schema", schema},
            {"boot", record.boot},
            {"netns", record.netns},
            {"netns_cookie", record.netns_cookie},
            {"interface", record.interface},
            {"interface_index", record.interface_index},
            {"device", record.device},
            {"changes", changes}};
}

} // namespace dnsgauge
