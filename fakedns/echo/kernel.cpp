// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/kernel.h"

#include "host/bounce.h"
#include "host/percpu.h"
#include "userland/standard_output.h"

#include "echo.skel.h"

namespace dnsgauge
{

KernelEcho::KernelEcho(const EchoOptions &options) : skeleton_(open_skeleton<echo>())
{
    const bool to_sockets = options.model == EchoModel::af_xdp;
    bpf_program *program = to_sockets ? skeleton_->progs.echo_to_socket : skeleton_->progs.echo;
    skeleton_->rodata->port = options.port;
    skeleton_->rodata->bounce_redirects = must_redirect(options.interface);
    bpf_program__set_autoload(skeleton_->progs.echo, !to_sockets);
    bpf_program__set_autoload(skeleton_->progs.echo_to_socket, to_sockets);
    load_object(skeleton_->obj, "echo");
    // AF_XDP sockets send through the stack, and the other end receives that in any mode.
    BounceMode bounce{options.xdp_mode};
    if (!to_sockets)
        bounce = bounce_mode(options.interface, options.xdp_mode);
    if (!bounce.remark.empty())
        say("fakedns: {}\n", bounce.remark);
    link_.emplace(bpf_program__fd(program), options.interface, bounce.mode);
}

KernelEcho::~KernelEcho() = default;

int KernelEcho::sockets() const
{
    return bpf_map__fd(skeleton_->maps.sockets);
}

std::vector<echo_counters> KernelEcho::counters() const
{
    return read_percpu<echo_counters>(bpf_map__fd(skeleton_->maps.counters));
}

} // namespace dnsgauge
