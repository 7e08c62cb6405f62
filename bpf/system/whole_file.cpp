// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/whole_file.h"

#include "system/freed_by.h"
#include "system/setup_error.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

constexpr unsigned temporaries_most = 1000; // of a file that other processes may be writing
constexpr std::string_view temporary_ending = ".tmp";

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

// Removes temporary files that killed writers of the place left. A living writer has its file
// locked.
void remove_leftovers(const OutputPlace &place)
{
    const int at = place.directory.get();
    UniqueFd listed(openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, FreedBy<closedir>> directory(listed ? fdopendir(listed.get())
                                                                   : nullptr);
    if (!directory)
        return;
    static_cast<void>(listed.release()); // the directory owns it
    while (const dirent *entry = readdir(directory.get())) {
        if (!is_temporary_of(entry->d_name, place.name))
            continue;
        const UniqueFd file(
            openat(at, entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat status = {};
        if (file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_uid == geteuid() && flock(file.get(), LOCK_EX | LOCK_NB) == 0)
            unlinkat(at, entry->d_name, 0);
    }
}

std::string name_of_descriptor(const UniqueFd &fd)
{
    return "/proc/self/fd/" + std::to_string(fd.get());
}

// Locks a temporary file that this process has just made. Returns false if another process took the
// file for a leftover and removed it first.
bool keep(int fd)
{
    struct stat status = {};
    static_cast<void>(flock(fd, LOCK_EX));
    return fstat(fd, &status) == 0 && status.st_nlink != 0;
}

} // namespace

WholeFile::WholeFile(const fs::path &path, const std::string &option,
                     std::chrono::milliseconds patience)
    : path_(path), name_(option.empty() ? path.string() : option + " " + path.string()),
      patience_(patience)
{
    if (path_.empty())
        throw SetupError(option.empty() ? "no file to write to: give its name"
                                        : option + " needs the name of a file");
    if (dup_standard_file())
        return;
    place_ = output_place(path_, name_);
    if (place_.found && !S_ISREG(place_.found->st_mode)) {
        open_special();
        return;
    }
    require_lasting(place_, name_);
    remove_leftovers(place_);
    open_nameless();
    if (!fd_)
        open_temporary();
    if (!fd_)
        fail();
    keep_owner_and_mode();
}

bool WholeFile::dup_standard_file()
{
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
        if (!fd_ && is_open_as(fd, path_))
            fd_ = UniqueFd(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    is_direct_ = static_cast<bool>(fd_);
    return is_direct_;
}

// Opens a device or a pipe. A blocking open would wait for a pipe's reader, and a blocking write
// for the reader to read.
void WholeFile::open_special()
{
    const int follow = place_.is_descriptor ? 0 : O_NOFOLLOW;
    fd_ = UniqueFd(openat(place_.directory.get(), place_.name.c_str(),
                          O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | follow));
    if (!fd_ && errno == ENXIO && S_ISFIFO(place_.found->st_mode))
        throw SetupError("cannot write " + name_ +
                         ": it is a pipe that nothing reads: start its reader first");
    struct stat status = {};
    if (!fd_ || fstat(fd_.get(), &status) != 0)
        fail();
    if (status.st_ino != place_.found->st_ino || status.st_dev != place_.found->st_dev)
        throw SetupError("cannot write " + name_ + ": another file took its place just now");
    is_direct_ = true;
}

// Opens a file without a name, unless the file system has no such files. /proc must be there, since
// the file gets its name through it.
void WholeFile::open_nameless()
{
    fd_ = UniqueFd(openat(place_.directory.get(), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
    if (fd_ && access(name_of_descriptor(fd_).c_str(), F_OK) != 0)
        fd_ = UniqueFd();
    if (fd_)
        static_cast<void>(flock(fd_.get(), LOCK_EX));
}

// Restores owner and mode of the file that is to be replaced, as far as permitted. The mode comes
// last, because chown(2) clears bits of it.
void WholeFile::keep_owner_and_mode()
{
    if (!place_.found)
        return;
    const struct stat &found = *place_.found;
    static_cast<void>(fchown(fd_.get(), found.st_uid, found.st_gid) == 0 ||
                      fchown(fd_.get(), static_cast<uid_t>(-1), found.st_gid) == 0);
    fchmod(fd_.get(), found.st_mode & 0777U);
}

std::string WholeFile::temporary_name(unsigned number) const
{
    return place_.name + "." + std::to_string(getpid()) + "-" + std::to_string(number) +
           std::string(temporary_ending);
}

// Finds a name that no other writer has, not even one in another container with the same process
// ID.
void WholeFile::open_temporary()
{
    const int at = place_.directory.get();
    for (unsigned number = 0; number < temporaries_most; number++) {
        const std::string name = temporary_name(number);
        fd_ = UniqueFd(
            openat(at, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
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
        unlinkat(place_.directory.get(), temporary_.c_str(), 0);
}

void WholeFile::write(std::string_view text)
{
    if (write_all(fd_.get(), text, patience_))
        return;
    if (errno == EAGAIN)
        throw SetupError("cannot write {}: its reader has taken nothing for {:g} s", name_,
                         std::chrono::duration<double>(patience_).count());
    fail();
}

void WholeFile::commit(std::string_view text)
{
    write(text);
    if (is_direct())
        return;
    // Some file systems report a full disk only here.
    if (fsync(fd_.get()) != 0)
        fail();
    if (temporary_.empty())
        give_name();
    else
        rename_temporary();
    const UniqueFd directory(
        openat(place_.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || fsync(directory.get()) != 0)
        throw_errno("cannot sync the directory of " + name_);
}

// Links the nameless file into its place. linkat(2) replaces nothing: where the name is taken, the
// file gets another one first.
void WholeFile::give_name()
{
    const int at = place_.directory.get();
    const std::string file = name_of_descriptor(fd_);
    const auto link_as = [&](const std::string &name) {
        return linkat(AT_FDCWD, file.c_str(), at, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_as(place_.name))
        return;
    for (unsigned number = 0; errno == EEXIST && number < temporaries_most; number++) {
        const std::string name = temporary_name(number);
        if (!link_as(name))
            continue;
        temporary_ = name;
        rename_temporary();
        return;
    }
    fail();
}

void WholeFile::rename_temporary()
{
    const int at = place_.directory.get();
    if (renameat(at, temporary_.c_str(), at, place_.name.c_str()) != 0)
        fail();
    temporary_.clear();
}

void WholeFile::fail() const
{
    throw_errno("cannot write " + name_);
}

void write_new_file(const fs::path &path, std::string_view text)
{
    const OutputPlace place = output_place(path, path.string());
    require_lasting(place, path.string());
    UniqueFd fd(openat(place.directory.get(), place.name.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    // Some file systems report a full disk only when the file is closed.
    if (!fd || !write_all(fd.get(), text) || close(fd.release()) != 0)
        throw_errno("cannot write " + path.string());
}

bool write_all(int fd, std::string_view text, std::chrono::milliseconds patience)
{
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count >= 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
            if (poll(&writable, 1, static_cast<int>(patience.count())) == 0) {
                errno = EAGAIN;
                return false;
            }
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool is_open_as(int fd, const std::string &path)
{
    struct stat open = {};
    struct stat named = {};
    return fstat(fd, &open) == 0 && stat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

bool sync_directory_of(const std::string &path)
{
    const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
    const UniqueFd directory(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return directory && fsync(directory.get()) == 0;
}

} // namespace dnsgauge
