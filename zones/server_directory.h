// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The directory from which a server of any kind is started:
//   *.conf     the configuration; every path in it is absolute and inside the directory
//   run/ data/ for the server: process id, sockets, logs, databases
//   zone       the zone file of one that has a zone
//   start      executable: becomes the server, in the foreground, under its own process id;
//              the parent of a server that is several processes
// Writing replaces files of these names, and refuses a directory with other files in it. With a
// user, run/ and data/ become that user's.
#pragma once

#include "userland/ip_address.h"
#include "zones/zone_writer.h"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// The user that the server runs as. Empty names: the user who starts it.
struct Account {
    std::string user;
    std::string group;
    uid_t user_id = 0;
    gid_t group_id = 0;
};

// A file of the configuration, by its name in the directory.
struct TextFile {
    std::string name;
    std::string text;
};

struct ServerSetup {
    std::string program;
    std::string arguments;
    std::string package; // that has the program
    std::vector<TextFile> files;
    std::vector<std::string> folders{}; // besides run/ and data/
    std::string preparation{};          // a command that `start` runs before the program
    unsigned processes = 1;             // that `start` runs at once; it ends them when it is ended
};

// The place and the number of threads of a server, which every kind of configuration has.
struct ServerPlace {
    std::string directory;
    std::vector<IpAddress> listen;
    std::uint16_t port = 53;
    std::optional<unsigned> threads; // by default the server's own number
};

// Returns the account of `user`. Throws SetupError if there is no such user, or if this process is
// not root.
[[nodiscard]] Account account_of(const std::string &user);

// Returns the directory as an absolute path. Throws SetupError if none is given, or if its path is
// too long or needs quoting in a configuration.
[[nodiscard]] std::filesystem::path server_directory(const std::filesystem::path &given);

// Returns the path as an absolute one. Throws SetupError if it needs quoting in a configuration;
// `what` is what the directory is for.
[[nodiscard]] std::filesystem::path plain_directory(const std::filesystem::path &given,
                                                    const std::string &what);

// Returns whether the text has only letters, digits and /._+-. Such a text needs no quoting in any
// configuration.
[[nodiscard]] bool is_plain(std::string_view text);

// Returns format(address) of every address, with `separator` between them.
template <class Format>
[[nodiscard]] std::string joined(const std::vector<IpAddress> &addresses, Format format,
                                 std::string_view separator)
{
    std::string text;
    for (const IpAddress &address : addresses) {
        if (!text.empty())
            text += separator;
        text += format(address);
    }
    return text;
}

// Throws SetupError if there is no address, or if one is there twice.
void check_listen(const std::vector<IpAddress> &listen);

// Writes the whole directory; `zone` may be null. Throws SetupError.
void write_server_directory(const std::filesystem::path &directory, const ServerSetup &setup,
                            const Account &account, const ZoneSpec *zone);

} // namespace dnsgauge
