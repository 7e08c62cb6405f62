// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/privileges.h"

#include "system/setup_error.h"

#include <cap-ng.h>
#include <pwd.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

namespace dnsgauge
{

namespace
{

constexpr auto held = static_cast<capng_type_t>(CAPNG_EFFECTIVE | CAPNG_PERMITTED);

// Changes libcap-ng's account of this thread, which the caller must apply.
void keep_only(const std::vector<unsigned> &kept)
{
    std::vector<unsigned> had;
    for (const unsigned capability : kept)
        if (capng_have_capability(CAPNG_PERMITTED, capability) != 0)
            had.push_back(capability);
    capng_clear(CAPNG_SELECT_ALL);
    for (const unsigned capability : had)
        capng_update(CAPNG_ADD, held, capability);
}

void become(const std::string &user)
{
    errno = 0;
    const passwd *entry = getpwnam(user.c_str());
    if (entry == nullptr)
        throw SetupError("--user: no user \"" + user + "\" on this machine: see getent passwd");
    const int error =
        capng_change_id(static_cast<int>(entry->pw_uid), static_cast<int>(entry->pw_gid),
                        static_cast<capng_flags_t>(CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING));
    if (error != 0)
        throw SetupError("may not become the user \"{}\": run as root, or leave out --user", user);
}

// These capabilities were a part of CAP_SYS_ADMIN, which still suffices.
bool has_capability(unsigned capability)
{
    const bool is_in_admin = capability == CAP_BPF || capability == CAP_PERFMON;
    return capng_have_capability(CAPNG_EFFECTIVE, capability) != 0 ||
           (is_in_admin && capng_have_capability(CAPNG_EFFECTIVE, CAP_SYS_ADMIN) != 0);
}

void read_capabilities()
{
    if (capng_get_caps_process() != 0)
        throw SetupError("cannot read this process's capabilities: /proc must be mounted");
}

} // namespace

std::string missing_capabilities(const std::vector<unsigned> &needed)
{
    std::string missing;
    read_capabilities();
    for (const unsigned capability : needed) {
        if (has_capability(capability))
            continue;
        std::string name = capng_capability_to_name(capability);
        std::ranges::transform(name, name.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        missing += (missing.empty() ? "CAP_" : ", CAP_") + name;
    }
    return missing;
}

void require_trial_capabilities(const std::string &command)
{
    if (const std::string missing = missing_capabilities(trial_capabilities); !missing.empty())
        throw SetupError("may not make trials: run \"" + command + "\" as root (sudo), or grant " +
                         missing);
}

void drop_privileges(const std::vector<unsigned> &kept, const std::string &user)
{
    // Clearing the bounding set takes CAP_SETPCAP. A thread that lacks it has little to clear.
    read_capabilities();
    const bool has_bounds = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) != 0;
    keep_only(kept);
    if (!user.empty())
        become(user);
    else if (capng_apply(has_bounds ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS) != 0)
        throw_errno("cannot give up capabilities");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        throw_errno("cannot give up new privileges");
}

} // namespace dnsgauge
