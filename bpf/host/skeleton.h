// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owners of bpftool's skeletons. An owner opens a skeleton, sets read-only data and map sizes, and
// loads it.
#pragma once

#include "system/setup_error.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <memory>
#include <string>

namespace dnsgauge
{

// The kernel has no memory for an object's maps. A caller that knows the maps' size can catch this
// error and name the size.
class NoMemoryError : public SetupError
{
public:
    using SetupError::SetupError;
};

// Makes libbpf drop its messages, or (verbose) write them to stderr.
void set_libbpf_verbosity(bool verbose);

// Loads `object`. Throws SetupError if a capability is missing, NoMemoryError if the maps are too
// large, and UnsupportedError, with the last lines of the verifier's log, if the kernel refuses the
// program.
void load_object(bpf_object *object, const std::string &name);

struct SkeletonDestroyer {
    template <class S>
    void operator()(S *skeleton) const
    {
        S::destroy(skeleton);
    }
};

template <class S>
using Skeleton = std::unique_ptr<S, SkeletonDestroyer>;

// Returns an opened skeleton, whose read-only data can be set. Throws SetupError.
template <class S>
Skeleton<S> open_skeleton()
{
    Skeleton<S> skeleton{S::open()};
    if (!skeleton)
        throw SetupError("cannot open a built-in BPF object: out of memory or a broken build");
    return skeleton;
}

} // namespace dnsgauge
