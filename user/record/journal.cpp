// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/journal.h"

#include "record/json_text.h"
#include "system/output_place.h"
#include "system/regular_file.h"
#include "system/setup_error.h"
#include "system/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

constexpr std::size_t journal_most = std::size_t{1} << 30U; // octets: months of a soak
constexpr std::size_t line_most = std::size_t{64} << 20U;   // octets: 600 intervals, all RCODEs
constexpr std::size_t quoted_most = 1000; // octets of a message, which may quote a line

[[noreturn]] void fail(const std::string &path, const char *what)
{
    throw SetupError("cannot {} the journal {}: {}", what, path, std::strerror(errno));
}

[[noreturn]] void cannot_go_on(const std::string &path)
{
    throw SetupError("cannot write the journal {}: {}: mend that, then go on with "
                     "--resume",
                     path, std::strerror(errno));
}

// Writes JSON on one line; words of a command line need not be UTF-8.
std::string to_line(const Json &json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Opens the file at `place`, or makes it if `flags` say so. Only its owner may use a new file.
UniqueFd open_file(const OutputPlace &place, int flags)
{
    constexpr mode_t mode = 0644;
    return UniqueFd(openat(place.directory.get(), place.name.c_str(),
                           flags | O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode));
}

// Returns what messages call the series: a "loss-search" is a search, too.
std::string owner_of(const Json &header)
{
    const std::string kind = header.at("kind").get<std::string>();
    return kind.substr(kind.find_last_of('-') + 1);
}

// If the journal has the older form of its kind of series, gives `wanted` that form, too.
void allow_older_form(const Json &found, Json &wanted)
{
    const std::string older = "dnsgauge/" + wanted.at("kind").get<std::string>() + "-journal/1";
    if (found.value("schema", Json()) != older)
        return;
    wanted["schema"] = older;
    wanted.erase("kind");
}

void lock(const UniqueFd &fd, const std::string &path, const std::string &owner)
{
    if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        return;
    if (errno == EWOULDBLOCK)
        throw SetupError("the journal {} is in use: another {} is still running with it", path,
                         owner);
    fail(path, "lock");
}

// Returns the journal's value of the option if `wanted` has a larger one; otherwise nothing.
Json smaller_before(const Json &found, const Json &wanted, const char *option)
{
    const Json none = Json::object();
    const Json before = found.value("options", none);
    const Json now = wanted.value("options", none);
    if (!before.is_object() || !now.is_object())
        return {};
    const Json was = before.value(option, Json());
    const Json is = now.value(option, Json());
    return was.is_number_unsigned() && is.is_number_unsigned() &&
                   whole_number(was) < whole_number(is)
               ? was
               : Json();
}

// Admits a higher max-rate than the journal's, with which a search may go on if its highest rate
// passed. The search itself checks whether it did. max-rate must stay the same with fresh-names,
// because it decides which names a trial gets, and in a sweep, because it decides the steps.
void allow_higher_range(const Json &found, Json &wanted)
{
    const Json was = smaller_before(found, wanted, "max-rate");
    if (was.is_null() || wanted["options"].value("fresh-names", Json()) == true)
        return;
    Json &now = wanted["options"];
    now["max-rate"] = was;
    if (found["options"].contains("beyond-selftest"))
        now["beyond-selftest"] = found["options"]["beyond-selftest"];
}

// Admits more runs than the journal's: the runs of a replay do not depend on their number.
void allow_more_runs(const Json &found, Json &wanted)
{
    const Json was = smaller_before(found, wanted, "runs");
    if (!was.is_null())
        wanted["options"]["runs"] = was;
}

} // namespace

Journal::Journal(std::string path, UniqueFd fd, const Json &header)
    : path_(std::move(path)), owner_(owner_of(header)), fd_(std::move(fd))
{
    lock(fd_, path_, owner_);
}

Journal::Journal(Journal &&other) noexcept = default;

Journal::~Journal()
{
    // The path may name another file by now, so only the file that this process made is removed.
    if (fd_ && is_empty_new_ && is_open_as(fd_.get(), path_))
        unlink(path_.c_str());
}

Journal Journal::create(const std::string &path, const Json &header)
{
    const OutputPlace place = output_place(path, "the journal " + path);
    require_lasting(place, "the journal " + path);
    const bool is_link = std::filesystem::is_symlink(path); // a new journal has no links
    UniqueFd fd = is_link ? UniqueFd() : open_file(place, O_CREAT | O_EXCL);
    if (is_link || (!fd && errno == EEXIST))
        throw SetupError("the journal {} exists: go on with it (--resume), or name another file",
                         path);
    if (!fd)
        fail(path, "make");
    Journal journal(path, std::move(fd), header);
    struct stat status {
    };
    if (fstat(journal.fd_.get(), &status) != 0 || status.st_size != 0)
        throw SetupError("another {} has begun with the journal {}", journal.owner_, path);
    journal.header_ = header;
    journal.write_line(to_line(header)); // if a crash cuts it, resuming mends it
    journal.is_empty_new_ = true;
    if (!sync_directory_of(path))
        fail(path, "sync the directory of");
    return journal;
}

Journal Journal::resume(const std::string &path, const Json &header)
{
    UniqueFd fd = open_file(output_place(path, "the journal " + path), 0);
    if (!fd && errno == ENOENT)
        throw SetupError("there is no journal {} to go on with: leave out --resume", path);
    if (!fd)
        fail(path, "open");
    struct stat status {
    };
    if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
        throw SetupError("{} is no file: name the journal of a {}", path, owner_of(header));
    Journal journal(path, std::move(fd), header);
    journal.read(header);
    return journal;
}

void Journal::read(const Json &header)
{
    const std::string text =
        read_open_file(fd_.get(), journal_most, "cannot read the journal " + path_);
    needs_cut_ = true;
    const std::string wanted = to_line(header);
    // A crash at the very beginning leaves a part of the header. No trial is lost.
    if (text.size() < wanted.size() && wanted.starts_with(text)) {
        torn_ = text.size();
        missing_ = wanted;
        header_ = header;
        return;
    }
    for (std::uint64_t line = 1; whole_ < text.size(); line++) {
        const std::size_t end = text.find('\n', whole_);
        if (std::min(end, text.size()) - whole_ > line_most)
            refuse(line, fmt::format("it has more than {} MiB", line_most >> 20U));
        const std::string content = text.substr(whole_, end - whole_);
        Json value = parse_json(content);
        if (end == std::string::npos && line > 1 && !value.is_object()) {
            torn_ = text.size() - whole_;
            return;
        }
        if (line == 1)
            check_header(content, header);
        else if (value.is_object())
            records_.push_back({line, std::move(value)});
        else
            refuse(line, "it is no record");
        // No part of an object is an object, so a record that lacks only its line break is whole.
        if (end == std::string::npos)
            missing_ = '\n';
        whole_ += content.size() + (end == std::string::npos ? 0 : 1);
    }
}

void Journal::check_header(const std::string &line, const Json &header)
{
    const Json found = parse_json(line);
    // Writes and reads the header, so that it has the same form as the header in the file.
    Json wanted = parse_json(to_line(header));
    if (found.is_object())
        allow_older_form(found, wanted);
    if (!found.is_object() || found.value("schema", Json()) != wanted.at("schema") ||
        found.value("kind", Json()) != wanted.value("kind", Json()))
        refuse(1, "it is not the journal of a " + owner_);
    header_ = found;
    if (header.at("kind") == "search")
        allow_higher_range(found, wanted);
    if (header.at("kind") == "replay")
        allow_more_runs(found, wanted);
    const std::string what = json_difference(found, wanted, "it");
    if (!what.empty())
        refuse(1, fmt::format("it is of another {}: {}", owner_, what));
}

void Journal::refuse(std::uint64_t line, const std::string &what) const
{
    throw SetupError(
        "{} line {}: {}; it was left as it is: name the right journal, or begin a new one "
        "without --resume",
        path_, line, what.size() > quoted_most ? what.substr(0, quoted_most) + "..." : what);
}

void Journal::append(const Json &record)
{
    is_empty_new_ = false; // even with half a record the journal can be resumed
    mend_end();
    write_line(to_line(record));
}

// Cuts off an incomplete last line, or completes it by what a crash left out.
void Journal::mend_end()
{
    if (std::exchange(needs_cut_, false) && ftruncate(fd_.get(), static_cast<off_t>(whole_)) != 0)
        fail(path_, "mend");
    if (!missing_.empty())
        write_line(std::exchange(missing_, {}));
}

void Journal::write_line(const std::string &line)
{
    if (!write_all(fd_.get(), line) || fdatasync(fd_.get()) != 0)
        cannot_go_on(path_);
}

} // namespace dnsgauge
