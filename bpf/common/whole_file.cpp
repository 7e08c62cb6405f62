// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/whole_file.h"

#include "common/durable.h"
#include "common/setup_error.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

constexpr unsigned temporaries_most = 1000; // of a file that other processes may be writing
constexpr std::string_view temporary_ending = ".tmp";

// Returns the file that `path` leads to through symbolic links, so that replacing or making that
// file keeps the link.
fs::path final_target(const fs::path &path)
{
    std::error_code error;
    fs::path target = fs::canonical(path, error);
    if (!error)
        return target;
    const fs::path missing = fs::read_symlink(path, error);
    return error ? path : path.parent_path() / missing;
}

// Is this a link that the kernel's fs.protected_symlinks would not follow? canonical() follows
// links itself, past that protection.
bool is_trap(const fs::path &path)
{
    constexpr mode_t for_everybody = S_ISVTX | S_IWOTH;
    struct stat link {
    };
    struct stat folder {
    };
    return lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode) &&
           stat(path.has_parent_path() ? path.parent_path().c_str() : ".", &folder) == 0 &&
           (folder.st_mode & for_everybody) == for_everybody && link.st_uid != geteuid() &&
           link.st_uid != folder.st_uid;
}

// Is this the name that a writer of `target` gives its temporary file: TARGET.12-0.tmp?
bool is_temporary_of(const std::string &name, const std::string &target)
{
    if (!name.starts_with(target + ".") || !name.ends_with(temporary_ending))
        return false;
    const std::size_t begin = target.size() + 1;
    const std::size_t end = name.size() - temporary_ending.size();
    return begin < end &&
           name.find_first_not_of("0123456789-", begin) == name.size() - temporary_ending.size();
}

// Removes the temporary files of writers of `path` that were killed. A living writer has its file
// locked.
void remove_leftovers(const fs::path &path)
{
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (!is_temporary_of(at->path().filename().string(), path.filename().string()))
            continue;
        const UniqueFd file(
            open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat status {
        };
        if (file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_uid == geteuid() && flock(file.get(), LOCK_EX | LOCK_NB) == 0)
            unlink(at->path().c_str());
    }
}

// Locks a temporary file that this process has just made. Returns false if another process took the
// file for a leftover and removed it first.
bool keep(int fd)
{
    struct stat status {
    };
    static_cast<void>(flock(fd, LOCK_EX));
    return fstat(fd, &status) == 0 && status.st_nlink != 0;
}

} // namespace

WholeFile::WholeFile(const fs::path &path, const std::string &option)
    : path_(path), name_(option.empty() ? path.string() : option + " " + path.string())
{
    if (path_.empty())
        throw SetupError(option.empty() ? "no file to write to: give its name"
                                        : option + " needs the name of a file");
    if (is_trap(path_))
        throw SetupError("cannot write " + name_ +
                         ": it is another user's link in a directory for everybody: name a "
                         "file in a directory of your own");
    struct stat status {
    };
    const bool exists = stat(path_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        throw SetupError("cannot write " + name_ + ": it is a directory");
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
        if (is_open_as(fd, path_))
            fd_ = UniqueFd(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!fd_ && exists && !S_ISREG(status.st_mode))
        fd_ = UniqueFd(open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    else if (!fd_)
        open_temporary();
    if (!fd_)
        fail();
    // Restores owner and mode as far as permitted. The mode comes last, because chown(2) clears
    // bits of it.
    if (exists && !is_direct()) {
        static_cast<void>(fchown(fd_.get(), status.st_uid, status.st_gid) == 0 ||
                          fchown(fd_.get(), static_cast<uid_t>(-1), status.st_gid) == 0);
        fchmod(fd_.get(), status.st_mode & 07777U);
    }
}

// Finds a name that no other writer has, not even one in another container with the same process
// ID.
void WholeFile::open_temporary()
{
    path_ = final_target(path_);
    remove_leftovers(path_);
    for (unsigned number = 0; number < temporaries_most; number++) {
        fs::path name = path_;
        name += "." + std::to_string(getpid()) + "-" + std::to_string(number);
        name += temporary_ending;
        fd_ = UniqueFd(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (fd_ && !keep(fd_.get())) {
            fd_ = UniqueFd();
            continue;
        }
        if (fd_)
            temporary_ = name;
        if (fd_ || errno != EEXIST)
            return;
    }
}

WholeFile::~WholeFile()
{
    if (!temporary_.empty())
        unlink(temporary_.c_str());
}

void WholeFile::write(std::string_view text)
{
    if (!write_all(fd_.get(), text))
        fail();
}

void WholeFile::commit(std::string_view text)
{
    write(text);
    if (is_direct())
        return;
    // Some file systems report a full disk only here.
    if (fsync(fd_.get()) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0)
        fail();
    temporary_.clear();
    if (!sync_directory_of(path_))
        throw SetupError("cannot sync the directory of " + name_ + ": " + std::strerror(errno));
}

void WholeFile::fail() const
{
    throw SetupError("cannot write " + name_ + ": " + std::strerror(errno));
}

} // namespace dnsgauge
