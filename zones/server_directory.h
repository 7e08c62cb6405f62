// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The directory that any kind of server is started from:
//   *.conf     the configuration; every path in it is absolute, and inside the directory except
//              the paths of TLS
//   run/ data/ for the server: process id, sockets, logs, databases
//   zone       the zone file, if the server serves one zone
//   start      executable: becomes the server, in the foreground, under its own process id;
//              if the server is several processes, stays their parent
// Writing replaces files of these names, and refuses a directory with other files in it. With a
// user, run/ and data/ become that user's.
#pragma once

#include "dns/ip_address.h"
#include "zones/zone_writer.h"

#include <fmt/format.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// The user that the server runs as. If the names are empty, it is the user who starts the server.
struct Account {
    std::string user;
    std::string group;
    uid_t user_id = 0;
    gid_t group_id = 0;

    // Returns `format` of user and group; empty if no user is named.
    [[nodiscard]] std::string
    text(fmt::format_string<const std::string &, const std::string &> format) const
    {
        return user.empty() ? std::string() : fmt::format(format, user, group);
    }
};

// A file of the configuration, by its name in the directory.
struct TextFile {
    std::string name;
    std::string text;
};

struct ServerSetup {
    std::string program;
    std::string arguments;
    std::string package; // the Debian package of the program
    std::vector<TextFile> files;
    std::vector<std::string> folders{}; // besides run/ and data/
    std::string preparation{};          // a command that `start` runs before the program
    // Number of processes that `start` runs at once; when `start` is ended, it ends them.
    unsigned processes = 1;
};

// DNS over TLS (RFC 7858) and over HTTPS (RFC 8484), beside UDP and TCP.
struct ServerTls {
    std::filesystem::path certificate; // in PEM, as the key; empty if no TLS
    std::filesystem::path key;         // the server's user must be able to read it
    std::uint16_t port = 853;
    std::optional<std::uint16_t> https_port; // by default 443

    explicit operator bool() const { return !certificate.empty(); }
    [[nodiscard]] std::uint16_t https() const
    {
        constexpr std::uint16_t usual = 443;
        return https_port.value_or(usual);
    }
};

// What every kind of server needs.
struct ServerPlace {
    std::filesystem::path directory;
    std::vector<IpAddress> listen; // at least one
    std::uint16_t port = 53;
    // Threads or processes that answer; by default the server's own number.
    std::optional<unsigned> workers;
    std::string user; // to run as; by default the user who starts the server
    ServerTls tls{};
};

// Makes all paths absolute, and returns the account of the user. Throws SetupError in these cases:
// - a path is too long, or needs quoting in a configuration;
// - a file of TLS is missing;
// - an address is given twice;
// - there is no such user, or this process may not become that user.
[[nodiscard]] Account prepare(ServerPlace &place);

// Throws SetupError if the place has TLS. `kind` is the server's name; its program has no TLS.
void refuse_tls(const ServerPlace &place, std::string_view kind);

// Returns the absolute path. Throws SetupError if it needs quoting in a configuration; `what` tells
// what the directory is for.
[[nodiscard]] std::filesystem::path plain_directory(const std::filesystem::path &given,
                                                    const std::string &what);

// Makes the folder, and those above it. Throws SetupError, also if a link is in its place.
void make_folder(const std::filesystem::path &path);

// Returns whether the text has only letters, digits and /._+-. Such a text needs no quoting in any
// configuration.
[[nodiscard]] bool is_plain(std::string_view text);

// Returns `format` for each address, with `separator` between the texts. The arguments of `format`
// are the address, the port, and the address as in a URL, with brackets around an IPv6 address.
[[nodiscard]] std::string joined(const std::vector<IpAddress> &addresses, std::uint16_t port,
                                 fmt::format_string<std::string, std::uint16_t, std::string> format,
                                 std::string_view separator = "");

// Returns `format` of the value; empty if there is no value.
template <class Value>
[[nodiscard]] std::string text_if(const std::optional<Value> &value,
                                  fmt::format_string<const Value &> format)
{
    return value ? fmt::format(format, *value) : std::string();
}

// Writes the whole directory; `zone` may be null. Throws SetupError.
void write_server_directory(const std::filesystem::path &directory, const ServerSetup &setup,
                            const Account &account, const ZoneSpec *zone);

} // namespace dnsgauge
