// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/tracepoints.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <memory>

namespace dnsgauge
{

bool has_tracepoint(const std::string &name)
{
    // Reading the kernel's types takes long.
    static const std::unique_ptr<btf, decltype(&btf__free)> types(btf__load_vmlinux_btf(),
                                                                  btf__free);
    return types != nullptr &&
           btf__find_by_name_kind(types.get(), ("btf_trace_" + name).c_str(), BTF_KIND_TYPEDEF) > 0;
}

std::string_view tracepoint_of(const bpf_program *program)
{
    const std::string_view section = bpf_program__section_name(program);
    return section.substr(section.find('/') + 1);
}

} // namespace dnsgauge
