// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/privileges.h"

#include "host/setup_error.h"

#include <cap-ng.h>
#include <pwd.h>
#include <sys/prctl.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr auto held = static_cast<capng_type_t>(CAPNG_EFFECTIVE | CAPNG_PERMITTED);

void keep_only(bool keeps_loading)
{
    std::array<unsigned, 3> kept{CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON};
    std::array<bool, kept.size()> had{};
    capng_get_caps_process();
    for (std::size_t i = 0; i < kept.size(); i++)
        had[i] = keeps_loading && capng_have_capability(CAPNG_PERMITTED, kept[i]) != 0;
    capng_clear(CAPNG_SELECT_ALL);
    for (std::size_t i = 0; i < kept.size(); i++)
        if (had[i])
            capng_update(CAPNG_ADD, held, kept[i]);
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
        throw SetupError("may not become the user \"" + user +
                         "\": run as root, or leave out --user");
}

} // namespace

void drop_privileges(const std::string &user, bool keeps_loading)
{
    // Clearing the bounding set takes a capability of its own: who lacks it has little to clear.
    capng_get_caps_process();
    const bool has_bounds = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) != 0;
    keep_only(keeps_loading);
    if (!user.empty())
        become(user);
    else if (capng_apply(has_bounds ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS) != 0)
        throw SetupError(std::string("cannot give up capabilities: ") + std::strerror(errno));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        throw SetupError(std::string("cannot give up new privileges: ") + std::strerror(errno));
}

} // namespace dnsgauge
