// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/xdp_link.h"

#include "system/interface_number.h"
#include "system/setup_error.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

int create_link(int program_fd, unsigned interface_index, XdpMode mode)
{
    LIBBPF_OPTS(bpf_link_create_opts, options,
                .flags = mode == XdpMode::native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);
    return bpf_link_create(program_fd, static_cast<int>(interface_index), BPF_XDP, &options);
}

std::string name_of(std::uint32_t program_id)
{
    const UniqueFd program{bpf_prog_get_fd_by_id(program_id)};
    bpf_prog_info info{};
    __u32 size = sizeof(info);
    if (!program || bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0)
        return {};
    return info.name;
}

// Walking over links needs CAP_SYS_ADMIN. A process without CAP_SYS_ADMIN finds no link.
std::vector<std::uint32_t> links_that_hold(std::uint32_t program_id, unsigned interface_index)
{
    std::vector<std::uint32_t> found;
    for (__u32 id = 0; bpf_link_get_next_id(id, &id) == 0;) {
        const UniqueFd link{bpf_link_get_fd_by_id(id)};
        bpf_link_info info{};
        __u32 size = sizeof(info);
        if (link && bpf_obj_get_info_by_fd(link.get(), &info, &size) == 0 &&
            info.type == BPF_LINK_TYPE_XDP && info.prog_id == program_id &&
            info.xdp.ifindex == interface_index)
            found.push_back(id);
    }
    return found;
}

constexpr const char *own_namespace = "/proc/self/ns/net";
constexpr const char *first_namespace = "/proc/1/ns/net"; // only root may look

bool is_own_namespace(const fs::path &path)
{
    std::error_code error;
    return fs::equivalent(own_namespace, path, error);
}

std::string way_into_this_namespace()
{
    if (is_own_namespace(first_namespace))
        return {};
    std::error_code error;
    for (const fs::path &name : fs::directory_iterator("/run/netns", error))
        if (is_own_namespace(name))
            return "ip netns exec " + name.filename().string() + " ";
    if (!fs::exists(first_namespace, error))
        return {};
    // The shell that runs this process keeps the namespace when this process has ended.
    const std::string parent = "/proc/" + std::to_string(getppid()) + "/ns/net";
    return is_own_namespace(parent) ? "nsenter --net=" + parent + " " : "";
}

std::string why_not(int error, const std::string &interface, XdpMode mode)
{
    switch (error) {
    case EPERM:
        return "may not attach an XDP program to " + interface +
               ": run as root, or grant CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON";
    case EOPNOTSUPP:
        return "the driver of " + interface +
               " has no native XDP: use --xdp-mode generic, or another interface";
    case ERANGE:
        return "the MTU of " + interface +
               " is too large for XDP in its driver: lower it (ip link set " + interface +
               " mtu 1500)";
    default:
        return std::string("cannot attach an XDP program to ") + interface + " in " +
               to_string(mode) + " mode: " + std::strerror(error);
    }
}

} // namespace

std::optional<AttachedProgram> attached_program(unsigned interface_index)
{
    LIBBPF_OPTS(bpf_xdp_query_opts, query);
    const int error = -bpf_xdp_query(static_cast<int>(interface_index), 0, &query);
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM)
        throw SetupError(std::string("cannot ask for XDP programs: ") + std::strerror(error));
    if (error != 0)
        return std::nullopt;
    AttachedProgram program;
    program.id = query.hw_prog_id != 0    ? query.hw_prog_id
                 : query.drv_prog_id != 0 ? query.drv_prog_id
                                          : query.skb_prog_id;
    if (program.id == 0)
        return std::nullopt;
    program.name = name_of(program.id);
    program.mode = program.id == query.skb_prog_id ? XdpMode::generic : XdpMode::native;
    program.links = links_that_hold(program.id, interface_index);
    program.way_in = way_into_this_namespace();
    return program;
}

std::string detach_command(const AttachedProgram &program, const std::string &interface)
{
    if (program.links.size() == 1)
        return "bpftool link detach id " + std::to_string(program.links.front());
    if (!program.links.empty()) {
        std::string ids;
        for (const std::uint32_t id : program.links)
            ids += (ids.empty() ? "" : " or ") + std::to_string(id);
        std::error_code error;
        return "bpftool link detach id " + ids +
               ": the right link belongs to a process (grep -lw " +
               "\"link_id:.*ID\" /proc/*/fdinfo/*) whose /proc/PID/ns/net is " +
               fs::read_symlink(own_namespace, error).string() +
               "; the other links are of other network namespaces";
    }
    // If the driver has native XDP, "xdp off" looks for a native program only.
    return program.way_in + "ip link set dev " + interface +
           (program.mode == XdpMode::generic ? " xdpgeneric off" : " xdp off");
}

XdpLink::XdpLink(int program_fd, const std::string &interface, XdpMode mode)
{
    const unsigned index = interface_number(interface);
    if (index == 0)
        throw SetupError("no interface " + interface + " in this network namespace: see ip link");
    const auto present = attached_program(index);
    // Detaching another Tester's program would spoil that Tester's trial.
    if (present)
        throw SetupError(
            interface + " already carries the XDP program \"" + present->name + "\" (id " +
            std::to_string(present->id) + ")" +
            (present->name == "reply_clock"
                 ? " of another dnsgauge: wait until that has ended, or end it"
                 : ": stop what attached it, or: " + detach_command(*present, interface)));

    mode_ = mode == XdpMode::generic ? XdpMode::generic : XdpMode::native;
    int link = create_link(program_fd, index, mode_);
    if (link < 0 && mode == XdpMode::automatic && errno == EOPNOTSUPP) {
        mode_ = XdpMode::generic;
        link = create_link(program_fd, index, mode_);
    }
    if (link < 0 && errno == EOPNOTSUPP)
        throw UnsupportedError(why_not(errno, interface, mode_));
    if (link < 0)
        throw SetupError(why_not(errno, interface, mode_));
    link_ = UniqueFd(link);
}

bool XdpLink::is_attached() const
{
    bpf_link_info info{};
    __u32 size = sizeof(info);
    return bpf_obj_get_info_by_fd(link_.get(), &info, &size) != 0 || info.xdp.ifindex != 0;
}

void XdpLink::replace_program(int program_fd)
{
    if (bpf_link_update(link_.get(), program_fd, nullptr) != 0)
        throw_errno("cannot replace an attached XDP program");
}

} // namespace dnsgauge
