// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/output_place.h"

#include "system/setup_error.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>

namespace dnsgauge
{

namespace
{

constexpr unsigned links_most = 40; // as the kernel's

[[noreturn]] void refuse(const std::string &what, const std::string &why)
{
    throw SetupError("cannot write " + what + ": " + why);
}

UniqueFd open_directory(int at, const char *name, const std::string &what)
{
    UniqueFd directory(openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory)
        throw_errno("cannot write " + what);
    return directory;
}

struct stat status_of(int directory, const std::string &what)
{
    struct stat status = {};
    if (fstat(directory, &status) != 0)
        throw_errno("cannot write " + what);
    return status;
}

bool is_proc(int directory)
{
    struct statfs system = {};
    return fstatfs(directory, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Puts the parts of `path` in front of `parts`. A path that ends with a slash ends with ".".
void prepend(std::deque<std::string> &parts, const std::filesystem::path &path)
{
    std::deque<std::string> added;
    for (const std::filesystem::path &part : path.relative_path())
        added.push_back(part.empty() ? "." : part.native());
    parts.insert(parts.begin(), added.begin(), added.end());
}

// May a user have put this there who is neither trusted nor this process's user?
bool is_strangers(const struct stat &entry, const struct stat &directory)
{
    return (directory.st_mode & (S_IWGRP | S_IWOTH)) != 0 && entry.st_uid != geteuid() &&
           entry.st_uid != directory.st_uid;
}

// Root could replace any file through another user's link, also one in that user's own directory.
bool is_strangers_link(const struct stat &link, const struct stat &directory)
{
    return link.st_uid != 0 && (geteuid() == 0 || is_strangers(link, directory));
}

// Follows links by itself: the kernel checks them only where fs.protected_symlinks is set, and only
// in directories with the sticky bit.
class Walk
{
public:
    Walk(const std::filesystem::path &path, const std::string &what) : what_(what) { go(path); }

    OutputPlace run()
    {
        while (!parts_.empty()) {
            const std::string part = parts_.front();
            parts_.pop_front();
            const bool is_last = parts_.empty();
            struct stat entry = {};
            const bool exists =
                fstatat(place_.directory.get(), part.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0;
            if (!exists && (errno != ENOENT || !is_last))
                throw_errno("cannot write " + what_);
            if (exists && S_ISLNK(entry.st_mode)) {
                if (!follow(part, entry, is_last))
                    return std::move(place_);
            } else if (!is_last) {
                place_.directory = open_directory(place_.directory.get(), part.c_str(), what_);
            } else {
                place_.name = part;
                if (exists)
                    take(entry);
                return std::move(place_);
            }
        }
        refuse(what_, "it is a directory");
    }

private:
    void go(const std::filesystem::path &path)
    {
        if (path.is_absolute() || !place_.directory)
            place_.directory = open_directory(AT_FDCWD, path.is_absolute() ? "/" : ".", what_);
        prepend(parts_, path);
    }

    // Returns false if the link is /proc's for a descriptor of this process, where the walk ends.
    bool follow(const std::string &part, const struct stat &link, bool is_last)
    {
        const int at = place_.directory.get();
        const struct stat directory = status_of(at, what_);
        if (is_strangers_link(link, directory))
            refuse(what_,
                   geteuid() == 0
                       ? "it is another user's link, or such a link is on the way, and root does "
                         "not follow it: name the file that the link leads to"
                       : "it is another user's link in a directory where others may write, or "
                         "such a link is on the way: name a file in a directory of your own");
        struct stat target = {};
        if (is_last && is_proc(at) && fstatat(at, part.c_str(), &target, 0) == 0 &&
            !S_ISREG(target.st_mode) && !S_ISDIR(target.st_mode)) {
            place_.name = part;
            place_.found = target;
            place_.is_descriptor = true;
            return false;
        }
        std::array<char, PATH_MAX> text{};
        const ssize_t size = readlinkat(at, part.c_str(), text.data(), text.size());
        if (size < 0)
            throw_errno("cannot write " + what_);
        if (++links_ > links_most)
            refuse(what_, std::strerror(ELOOP));
        go(std::string(text.data(), static_cast<std::size_t>(size)));
        return true;
    }

    void take(const struct stat &entry)
    {
        if (S_ISDIR(entry.st_mode))
            refuse(what_, "it is a directory");
        const struct stat directory = status_of(place_.directory.get(), what_);
        const bool is_file = S_ISREG(entry.st_mode);
        if (is_strangers(entry, directory) && (is_file || entry.st_uid != 0))
            refuse(what_, is_file ? "it is another user's file in a directory where others may "
                                    "write: name another file"
                                  : "it is another user's in a directory where others may write: "
                                    "name a file or a pipe of your own");
        place_.found = entry;
    }

    const std::string &what_;
    OutputPlace place_;
    std::deque<std::string> parts_;
    unsigned links_ = 0;
};

} // namespace

OutputPlace output_place(const std::filesystem::path &path, const std::string &what)
{
    return Walk(path, what).run();
}

void require_lasting(const OutputPlace &place, const std::string &what)
{
    const mode_t mode = status_of(place.directory.get(), what).st_mode;
    if ((mode & S_IWOTH) != 0 && (mode & S_ISVTX) == 0)
        refuse(what, "everybody may replace the files in its directory: take that right away "
                     "(chmod o-w, or chmod +t), or name a file in another directory");
}

} // namespace dnsgauge
