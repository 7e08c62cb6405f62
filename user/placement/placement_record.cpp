// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/placement_record.h"

#include "machine/listeners.h"
#include "machine/text_files.h"
#include "placement/change.h"
#include "record/json_text.h"
#include "record/record_file.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"
#include "system/whole_file.h"

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

std::string own_namespace()
{
    return std::to_string(network_namespace_of("/proc/self"));
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

// Throws SetupError if others may write the record: they would choose what restore writes as root.
void require_own(int file)
{
    struct stat state = {};
    if (fstat(file, &state) != 0 || !S_ISREG(state.st_mode))
        throw SetupError("it is no file");
    if (state.st_uid != 0 && state.st_uid != geteuid())
        throw SetupError("it belongs to another user, and restore would do what that user wrote");
    if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw SetupError("others may write it, and restore would do what they wrote");
}

} // namespace

static void fields(Fields &row, Change &change)
{
    row("setting", change.setting, "the option that asked for the change");
    row.word("knob", change.knob, knobs,
             "what kind of value it is: a file of /proc or /sys; the interface's numbers of "
             "queues, key or parts of its receive hash; whether a process is stopped; the CPUs of "
             "a thread");
    row("where", change.where,
        "the file, the interface, the process (ID and time of its start) or the thread");
    row("before", change.before, "the value that is put back");
    row("after", change.after, "the value set");
}

void fields(Fields &row, PlacementRecord &record)
{
    row.form("placement-record",
             "What dnsgauge placement apply has changed and dnsgauge placement restore puts back. "
             "It is on the disk before anything is changed.");
    row("boot", record.boot, "the kernel's boot ID; with another one nothing is left to put back");
    row("netns", record.netns, "the network namespace, by the number of /proc/self/ns/net");
    row("netns_cookie", record.netns_cookie,
        "the network namespace, by the number that SO_NETNS_COOKIE tells and no other namespace "
        "gets");
    row("interface", record.interface, "the interface whose queues are placed");
    row("interface_index", record.interface_index,
        "its number in the namespace: another interface of that name has another one");
    row("device", record.device, "its device in /sys/devices; empty: it has none");
    row.list("changes", record.changes, "the changes in the order in which they are made");
}

PlacementRecord record_of(const Json &json)
{
    if (!json.is_object() || json.value("schema", "") != "dnsgauge/placement-record/1")
        throw SetupError("it has another schema");
    auto record = read_fields<PlacementRecord>(json);
    for (const Change &change : record.changes)
        if (!scope_of(change.knob, change.where, record.interface))
            throw SetupError("no setting of {} changes {}", record.interface, change.where);
    return record;
}

PlacementRecord new_record(const std::string &interface, const fs::path &root)
{
    const fs::path folder = root / "sys/class/net" / interface;
    std::error_code error;
    const fs::path device = fs::canonical(folder / "device", error);
    return {.boot = first_line(root / "proc/sys/kernel/random/boot_id"),
            .netns = own_namespace(),
            .netns_cookie = network_namespace_cookie(),
            .interface = interface,
            .interface_index = leading_number<unsigned>(first_line(folder / "ifindex")).value_or(0),
            .device = error ? "" : "/" / device.lexically_relative(fs::canonical(root)),
            .changes = {}};
}

std::string placement_record_path()
{
    return fmt::format("/run/dnsgauge/placement-{}.json", own_namespace());
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
        // Reads the file that was checked, even if its name leads elsewhere now.
        return record_of(read_json_file(fmt::format("/proc/self/fd/{}", file.get())));
    } catch (const std::exception &error) {
        throw SetupError("{} is no record of a placement: {}", path, error.what());
    }
}

void write_placement_record(const std::string &path, const PlacementRecord &record)
{
    WholeFile(path, "--record").commit(json_text(written(record)));
    // Sets the mode whatever the umask is: read_placement_record() refuses a record that a group
    // may write.
    std::error_code error;
    fs::permissions(path, fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove, error);
}

} // namespace dnsgauge
