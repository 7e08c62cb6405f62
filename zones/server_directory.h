// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A directory that a server is started from, whatever the server:
//   *.conf     the configuration; every path in it is absolute and inside the directory
//   run/ data/ for the server: process id, sockets, logs, databases
//   zone       the zone file of one that has a zone
//   start      executable: becomes the server, in the foreground, under its own process id
// Files of these names are replaced; a directory with anything else in it is refused. With a user,
// run/ and data/ become that user's.
#pragma once

#include "zones/host_address.h"
#include "zones/zone_writer.h"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Whom the server runs as; empty names: whoever starts it.
struct Account {
    std::string user;
    std::string group;
    uid_t user_id = 0;
    gid_t group_id = 0;
};

// A file of the configuration: its name in the directory.
struct TextFile {
    std::string name;
    std::string text;
};

struct ServerSetup {
    std::string program;
    std::string arguments;
    std::string package; // that the program comes in
    std::vector<TextFile> files;
    std::vector<std::string> folders{}; // besides run/ and data/
};

// Throws SetupError: no such user, or only root can.
[[nodiscard]] Account account_of(const std::string &user);

// The directory as an absolute path. Throws SetupError: none given, or its path needs quoting in a
// configuration or is too long.
[[nodiscard]] std::filesystem::path server_directory(const std::filesystem::path &given);

// Letters, digits and /._+- alone: what needs no quoting in any configuration.
[[nodiscard]] bool is_plain(std::string_view text);

// Throws SetupError: none, or one of them twice.
void check_listen(const std::vector<HostAddress> &listen);

// Writes it all; `zone` may be null. Throws SetupError.
void write_server_directory(const std::filesystem::path &directory, const ServerSetup &setup,
                            const Account &account, const ZoneSpec *zone);

} // namespace dnsgauge
