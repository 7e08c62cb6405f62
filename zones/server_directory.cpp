// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/server_directory.h"

#include "system/listed.h"
#include "system/output_file.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"
#include "system/whole_file.h"

#include <fcntl.h>

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

// The longest name of a socket in run/ must fit sockaddr_un::sun_path with the directory.
constexpr std::size_t directory_length_max = 80;

// A server of several processes needs all of them: if one ends by itself, `start` ends the others.
std::string run_processes(const ServerSetup &setup)
{
    if (setup.processes == 1)
        return fmt::format("exec {} {}\n", setup.program, setup.arguments);
    return fmt::format(R"(processes=() asked=
trap 'asked=yes; kill "${{processes[@]}}"' TERM INT
for each in $(seq {2}); do
    {0} {1} &
    processes+=($!)
done
wait -n
status=0
if [[ ! $asked ]]; then
    echo "start: one of {2} processes of {0} has ended, so the others end as well" >&2
    status=1
    kill "${{processes[@]}}" 2>/dev/null
fi
wait
exit $status
)",
                       setup.program, setup.arguments, setup.processes);
}

std::string start_script(const ServerSetup &setup)
{
    const std::string preparation =
        setup.preparation.empty() ? std::string() : setup.preparation + "\n";
    return fmt::format(R"(#!/bin/bash
# Becomes {0}, in the foreground, with the configuration and the zone of this directory.
PATH=$PATH:/usr/local/sbin:/usr/sbin
command -v {0} >/dev/null || {{
    echo "start: no {0} on this machine: install {1}" >&2
    exit 2
}}
{2}{3})",
                       setup.program, setup.package, preparation, run_processes(setup));
}

void check_length(const fs::path &directory)
{
    const std::string text = directory.string();
    if (text.size() > directory_length_max)
        throw SetupError("cannot configure a server in {}: its path has {} characters, "
                         "and at most {} leave room for the names of sockets",
                         text, text.size(), directory_length_max);
}

// Returns whether write_server_directory() makes this entry, or leaves it if interrupted.
bool is_ours(const fs::path &entry, const ServerSetup &setup)
{
    const fs::path name = entry.extension() == ".tmp" ? entry.stem().stem() : entry.filename();
    return name == "zone" || name == "start" || name == "run" || name == "data" ||
           std::ranges::any_of(setup.files,
                               [&](const TextFile &file) { return name == file.name; });
}

// Refuses a directory with other files, because writing replaces files, and may make a user the
// owner of folders.
void check_is_free(const fs::path &directory, const ServerSetup &setup)
{
    std::error_code error;
    const auto refuse = [&](const fs::path &entry, const char *what) {
        throw SetupError("there is " + std::string(what) + " in " + directory.string() + " (" +
                         entry.filename().string() + "): name a directory of its own");
    };
    // write_server_directory() makes these folders first. A server's own directory in /etc has none
    // of them.
    const bool is_again =
        fs::is_directory(directory / "run", error) && fs::is_directory(directory / "data", error);
    for (const fs::path &entry : fs::directory_iterator(directory, error)) {
        if (fs::is_symlink(entry))
            refuse(entry, "a link");
        if (!is_ours(entry, setup))
            refuse(entry, "more than such a server's files");
        if (!is_again && !fs::is_directory(entry))
            refuse(entry, "a file that was not written by dnsgauge-zone");
    }
}

void write_file(const fs::path &path, std::string_view text, mode_t mode)
{
    WholeFile(path).commit(text);
    if (chmod(path.c_str(), mode) != 0)
        throw_errno("cannot set the mode of " + path.string());
}

void give_to(const Account &account, const fs::path &path)
{
    // The folder may belong to the user already: O_NOFOLLOW refuses a link that the user has put
    // there.
    const UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder || fchown(folder.get(), account.user_id, account.group_id) != 0)
        throw_errno("cannot give " + path.string() + " to the user " + account.user);
}

} // namespace

// Each configuration file, and the shell, has its own rules of quoting. A text that needs no quotes
// suits all.
bool is_plain(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._+-").find(c) != std::string_view::npos;
    });
}

std::string joined(const std::vector<IpAddress> &addresses, std::uint16_t port,
                   fmt::format_string<std::string, std::uint16_t, std::string> format,
                   std::string_view separator)
{
    std::vector<std::string> texts;
    for (const IpAddress &address : addresses) {
        const std::string text = to_string(address);
        const std::string host = address.is_ipv6 ? "[" + text + "]" : text;
        texts.push_back(fmt::vformat(format, fmt::make_format_args(text, port, host)));
    }
    return join(texts, separator);
}

fs::path plain_directory(const fs::path &given, const std::string &what)
{
    fs::path directory = fs::absolute(given).lexically_normal();
    if (!directory.has_filename())
        directory = directory.parent_path();
    if (!is_plain(directory.string()))
        throw SetupError("cannot put " + what + " into " + directory.string() +
                         ": its path may have only letters, digits and /._+-");
    return directory;
}

static Account account_of(const std::string &user)
{
    if (user.empty())
        return {};
    if (geteuid() != 0)
        throw SetupError("only root can prepare a server for the user " + user +
                         ": leave --user out, or run as root");
    const passwd *account = is_plain(user) ? getpwnam(user.c_str()) : nullptr;
    if (account == nullptr)
        throw SetupError("no user " + user + " on this machine: see getent passwd");
    const group *primary = getgrgid(account->pw_gid);
    if (primary == nullptr)
        throw SetupError("the group of the user " + user + " has no name: see getent group");
    return {user, primary->gr_name, account->pw_uid, account->pw_gid};
}

void make_folder(const fs::path &path)
{
    std::error_code error;
    if (fs::is_symlink(path))
        throw SetupError("there is a link in the place of the directory " + path.string() +
                         ": remove it");
    fs::create_directories(path, error);
    if (error)
        throw SetupError("cannot make the directory " + path.string() + ": " + error.message());
}

static void find_tls_file(fs::path &file, const char *option)
{
    file = fs::absolute(file).lexically_normal();
    if (!is_plain(file.string()))
        throw SetupError("{} {}: the path may have only letters, digits and /._+-", option,
                         file.string());
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        throw SetupError("{}: there is no file {}", option, file.string());
}

Account prepare(ServerPlace &place)
{
    place.directory = plain_directory(place.directory, "a server");
    check_length(place.directory);
    if (place.tls) {
        find_tls_file(place.tls.certificate, "--tls-certificate");
        find_tls_file(place.tls.key, "--tls-key");
    }
    const std::vector<IpAddress> &listen = place.listen;
    for (auto address = listen.begin(); address != listen.end(); ++address)
        if (std::find(listen.begin(), address, *address) != address)
            throw SetupError("the address " + to_string(*address) + " is given twice");
    return account_of(place.user);
}

void refuse_tls(const ServerPlace &place, std::string_view kind)
{
    if (place.tls)
        throw SetupError("{} does not answer over TLS: leave --tls-certificate out, or choose "
                         "another server",
                         kind);
}

void write_server_directory(const fs::path &directory, const ServerSetup &setup,
                            const Account &account, const ZoneSpec *zone)
{
    check_is_free(directory, setup);
    std::vector<fs::path> folders{directory / "run", directory / "data"};
    for (const std::string &folder : setup.folders)
        folders.push_back(directory / folder);
    for (const fs::path &folder : folders)
        make_folder(folder);

    if (zone != nullptr) {
        OutputFile zone_file{directory / "zone"};
        write_zone(*zone, zone_file);
        zone_file.commit();
    }
    for (const TextFile &file : setup.files)
        write_file(directory / file.name, file.text, 0644);
    write_file(directory / "start", start_script(setup), 0755);
    if (account.user.empty())
        return;
    for (const fs::path &folder : folders)
        give_to(account, folder);
}

} // namespace dnsgauge
