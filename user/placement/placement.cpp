// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/placement.h"

#include "machine/card.h"
#include "placement/change.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;

fs::path folder_of(const std::string &record_file)
{
    return fs::absolute(record_file).parent_path();
}

// Locks the folder of a record, so that two processes do not change the machine at once.
UniqueFd hold(const fs::path &folder)
{
    UniqueFd held(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!held || flock(held.get(), LOCK_EX) != 0)
        throw SetupError("cannot use the folder {} of --record: {}", folder.string(),
                         std::strerror(errno));
    return held;
}

std::vector<Change> changes_of(const Knobs &machine, const PlacementSetting &setting,
                               const PlacementWishes &wishes, Changes which)
{
    const auto wished = wishes.find(setting.name);
    if (wished == wishes.end() || which == nullptr)
        return {};
    Wish wish{.machine = machine, .name = setting.name, .text = wished->second};
    which(wish);
    return std::move(wish.changes);
}

void require_no_record(const std::string &record_file, const PlacementRecord &mine)
{
    const std::optional<PlacementRecord> old = read_placement_record(record_file);
    if (old && old->boot == mine.boot)
        throw SetupError("settings of {} are changed already, as {} says: put them back "
                         "first with dnsgauge placement restore",
                         old->interface, record_file);
}

enum class Whereabouts { here, elsewhere, gone };

// Returns where the changed thing is, as seen from `here`.
Whereabouts whereabouts(const Change &change, const PlacementRecord &record,
                        const PlacementRecord &here, const fs::path &root)
{
    const auto scope = scope_of(change.knob, change.where, record.interface);
    const bool is_same_namespace = record.netns_cookie == here.netns_cookie;
    if (scope == Scope::machine || (scope == Scope::network_namespace && is_same_namespace))
        return Whereabouts::here;
    const bool has_device = scope == Scope::interface && !record.device.empty();
    // A card stays the same if it moves to another namespace.
    if (scope == Scope::interface &&
        (has_device ? record.device == here.device
                    : is_same_namespace && record.interface_index == here.interface_index))
        return Whereabouts::here;
    if (has_device && fs::exists(root / fs::path(record.device).relative_path()))
        return Whereabouts::elsewhere;
    // If another namespace has the number now, the recorded namespace is gone.
    return is_same_namespace || record.netns == here.netns ? Whereabouts::gone
                                                           : Whereabouts::elsewhere;
}

// Puts back the changes, the last one first. Removes each change from the record that is put back
// or whose thing is gone.
Restored undo(const Knobs &machine, const PlacementRecord &here, PlacementRecord &record)
{
    Restored restored;
    std::vector<Change> kept;
    while (!record.changes.empty()) {
        const Change change = record.changes.back();
        record.changes.pop_back();
        const Whereabouts where = whereabouts(change, record, here, machine.root());
        if (where == Whereabouts::elsewhere) {
            restored.refusals.push_back(fmt::format(
                "{}: {} belongs to {} in network namespace {}, and this is {}: put it "
                "back from there; if both are gone, remove the record",
                change.setting, change.where, record.interface, record.netns, here.netns));
            kept.insert(kept.begin(), change);
            continue;
        }
        const std::optional<std::string> present =
            where == Whereabouts::gone ? std::nullopt : machine.read(change.knob, change.where);
        if (!present) {
            restored.notes.push_back(fmt::format("{}: {} is gone, and with it the change",
                                                 change.setting, change.where));
            continue;
        }
        // Even a process that seems to run gets the signal: a signal to stop may be pending.
        if (const std::string why =
                change.knob != Knob::process &&
                        is_same(change.knob, change.where, *present, change.before)
                    ? std::string()
                    : machine.write(change.knob, change.where, change.before);
            !why.empty()) {
            restored.refusals.push_back(fmt::format("{}: {} cannot be put back to {}: {}",
                                                    change.setting, change.where, change.before,
                                                    why));
            kept.insert(kept.begin(), change);
            continue;
        }
        restored.changes.push_back(change);
    }
    record.changes = std::move(kept);
    return restored;
}

class Application
{
public:
    Application(const Knobs &machine, std::string record_file)
        : machine_(machine), record_file_(std::move(record_file)),
          record_(new_record(machine.interface(), machine.root()))
    {
        require_no_record(record_file_, record_);
    }

    void make(const std::vector<Change> &changes)
    {
        if (changes.empty())
            return;
        for (const Change &change : changes)
            if (!scope_of(change.knob, change.where, record_.interface))
                throw std::logic_error("restore would refuse " + change.where);
        record_.changes.insert(record_.changes.end(), changes.begin(), changes.end());
        write_placement_record(record_file_, record_);
        for (const Change &change : changes)
            if (const std::string why = machine_.write(change.knob, change.where, change.after);
                !why.empty())
                throw SetupError("{} {}: the kernel refuses {} for {}: {}{}", change.setting,
                                 change.after, change.after, change.where, why, reason(change));
    }

    // Puts back the changes that were made. Returns what to add to the message of the error that
    // led here.
    [[nodiscard]] std::string take_back()
    {
        const PlacementRecord here = record_;
        const Restored restored = undo(machine_, here, record_);
        if (restored.refusals.empty()) {
            fs::remove(record_file_);
            return "; nothing is changed";
        }
        write_placement_record(record_file_, record_);
        return fmt::format("; {}", join(restored.refusals, "; "));
    }

    [[nodiscard]] const std::vector<Change> &changes() const { return record_.changes; }

private:
    // The kernel says "Input/output error" about interrupts that it manages itself.
    [[nodiscard]] static std::string reason(const Change &change)
    {
        return change.where.starts_with("/proc/irq/")
                   ? " (an interrupt that its driver manages cannot be moved)"
                   : "";
    }

    const Knobs &machine_;
    std::string record_file_;
    PlacementRecord record_;
};

} // namespace

std::vector<Change> apply_placement(const Knobs &machine, const PlacementWishes &wishes,
                                    const std::string &record_file)
{
    machine.require_interface();
    // Some changes are known only after others, such as the transmit queues after their number is
    // set.
    for (const PlacementSetting &setting : placement_settings())
        if (setting.name != std::string_view("xps-cpus") || !wishes.contains("channels"))
            static_cast<void>(changes_of(machine, setting, wishes, setting.changes));
    std::error_code error;
    fs::create_directories(folder_of(record_file), error);
    const UniqueFd held = hold(folder_of(record_file));
    Application application(machine, record_file);
    try {
        for (const PlacementSetting &setting : placement_settings()) {
            application.make(changes_of(machine, setting, wishes, setting.changes));
            application.make(changes_of(machine, setting, wishes, setting.then));
        }
    } catch (const SetupError &error) {
        throw SetupError(error.what() + application.take_back());
    }
    return application.changes();
}

std::vector<Change> needed_changes(const Knobs &machine, const PlacementWishes &wishes)
{
    std::vector<Change> needed;
    for (const PlacementSetting &setting : placement_settings()) {
        const std::vector<Change> more = changes_of(machine, setting, wishes, setting.changes);
        needed.insert(needed.end(), more.begin(), more.end());
    }
    return needed;
}

Restored restore_placement(const std::string &record_file, const fs::path &root)
{
    if (!fs::exists(folder_of(record_file)))
        return {};
    const UniqueFd held = hold(folder_of(record_file));
    std::optional<PlacementRecord> record = read_placement_record(record_file);
    if (!record)
        return {};
    const PlacementRecord here = new_record(record->interface, root);
    if (record->boot != here.boot) {
        fs::remove(record_file);
        return {.notes = {"the machine was started anew since: nothing is left to put back"}};
    }
    const Knobs machine(record->interface, root);
    std::vector<std::string> notes;
    for (const Change &change : record->changes)
        if (whereabouts(change, *record, here, root) == Whereabouts::here)
            if (const auto present = machine.read(change.knob, change.where);
                present && !is_same(change.knob, change.where, *present, change.after) &&
                !is_same(change.knob, change.where, *present, change.before))
                notes.push_back(fmt::format("{}: somebody has set {} to {} since", change.setting,
                                            change.where, *present));
    Restored restored = undo(machine, here, *record);
    restored.notes.insert(restored.notes.begin(), notes.begin(), notes.end());
    if (restored.refusals.empty())
        fs::remove(record_file);
    else
        write_placement_record(record_file, *record);
    return restored;
}

std::vector<std::string> warnings_on(const Knobs &machine, const PlacementWishes &wishes)
{
    const std::vector<std::string> processes = processes_running(machine.root(), irqbalance);
    const bool moves_interrupts = std::ranges::any_of(processes, [&](const std::string &process) {
        return machine.read(Knob::process, process) == "running";
    });
    if (!wishes.contains("irq-cpus") || wishes.contains("irqbalance") || !moves_interrupts)
        return {};
    return {"irq-cpus: irqbalance runs, and may move these interrupts again: irqbalance stop holds "
            "it"};
}

std::vector<std::string> displacements(const PlacementRecord &record,
                                       const std::vector<Change> &present)
{
    std::map<std::string, std::vector<std::string>> found; // by setting
    for (const Change &change : record.changes) {
        if (change.before == change.after)
            continue;
        const auto value = std::ranges::find_if(present, [&change](const Change &one) {
            return one.knob == change.knob && one.where == change.where;
        });
        if (value == present.end())
            found[change.setting].push_back(change.where + " is not to be found");
        else if (!is_same(change.knob, change.where, value->before, change.after))
            found[change.setting].push_back(
                fmt::format("{} is {}, not {}", change.where, value->before, change.after));
    }
    std::vector<std::string> sentences;
    for (const auto &[setting, texts] : found)
        sentences.push_back(
            fmt::format("{} did not stay as placed: {}{}", setting, texts.front(),
                        texts.size() == 1 ? "" : fmt::format(" (and {} more)", texts.size() - 1)));
    return sentences;
}

PresentPlacement present_placement(const Knobs &machine)
{
    PresentPlacement present;
    const auto add = [&](const std::string &setting, Knob knob, const std::string &where) {
        if (const std::optional<std::string> value = machine.read(knob, where))
            present.values.push_back({setting, knob, where, *value, *value});
    };
    const std::string &interface = machine.interface();
    const std::string folder = machine.folder();
    for (const std::string &process : processes_running(machine.root(), irqbalance))
        add("irqbalance", Knob::process, process);
    // A driver tells only about this machine, not about another root.
    if (machine.root() == "/") {
        add("channels", Knob::channels, interface);
        add("rss-key", Knob::hash_key, interface);
        add("rss-fields", Knob::hash_fields4, interface);
        add("rss-fields", Knob::hash_fields6, interface);
    }
    for (const QueueInterrupt &interrupt : queue_interrupts(interface, machine.root()))
        add("irq-cpus", Knob::file,
            fmt::format("/proc/irq/{}/smp_affinity_list", interrupt.number));
    for (const std::string &queue : queue_names(interface, "rx", machine.root()))
        add("rps-cpus", Knob::file, fmt::format("{}/queues/{}/rps_cpus", folder, queue));
    for (const std::string &queue : queue_names(interface, "tx", machine.root()))
        add("xps-cpus", Knob::file, fmt::format("{}/queues/{}/xps_cpus", folder, queue));
    add("napi-threads", Knob::file, folder + "/threaded");
    if (const auto threads = napi_threads(interface, machine.root()))
        for (const std::string &thread : *threads)
            add("napi-threads", Knob::thread, thread);
    else
        present.notes.push_back("napi-threads: left out: " + mixed_threads(interface));
    for (const char *way : {"rmem", "wmem"})
        for (const char *which : {"max", "default"})
            add(way, Knob::file, fmt::format("/proc/sys/net/core/{}_{}", way, which));
    return present;
}

} // namespace dnsgauge
