// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/card.h"
#include "placement/change.h"
#include "placement/placement.h"
#include "placement/show.h"
#include "record/machine_fields.h"
#include "system/setup_error.h"
#include "system/temporary_directory.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <string>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;
using Catch::StartsWith;

namespace
{

namespace fs = std::filesystem;

constexpr unsigned kernel_thread = 0x00200000; // PF_KTHREAD

// A machine of four CPUs, of which 3 is off line, with a card of two queues.
class FakeMachine : public TemporaryDirectory
{
public:
    FakeMachine() : TemporaryDirectory("dnsgauge-placement")
    {
        put("sys/devices/system/cpu/present", "0-3\n");
        put("sys/devices/system/cpu/online", "0-2\n");
        put("proc/sys/kernel/random/boot_id", "one\n");
        for (const int number : {24, 25, 26, 27})
            put("sys/devices/pci/msi_irqs/" + std::to_string(number), "");
        fs::create_directories(path() / "sys/devices/pci/virtio2");
        put("sys/class/net/eth0/threaded", "0\n");
        for (const std::string queue : {"0", "1"}) {
            put("sys/class/net/eth0/queues/rx-" + queue + "/rps_cpus", "0\n");
            put("sys/class/net/eth0/queues/tx-" + queue + "/xps_cpus", "0\n");
        }
        fs::create_directory_symlink(path() / "sys/devices/pci/virtio2",
                                     path() / "sys/class/net/eth0/device");
        put("proc/interrupts", "           CPU0       CPU1       CPU2\n"
                               " 23:    9    9    9 IO-APIC  1-edge   keyboard\n"
                               " 24:    0    0    0 PCI-MSIX  0-edge   virtio2-config\n"
                               " 25:    5    6    0 PCI-MSIX  1-edge   virtio2-input.0\n"
                               " 26:    0    0    7 PCI-MSIX  2-edge   virtio2-output.0\n"
                               " 27:    1    0    0 PCI-MSIX  3-edge   virtio2-input.1\n"
                               "NMI:    0    0    0 Non-maskable interrupts\n");
        for (const int number : {23, 24, 25, 26, 27})
            put(affinity(number), "0-2\n");
        put("proc/sys/net/core/rmem_max", "212992\n");
        put("proc/sys/net/core/rmem_default", "212992\n");
        put("sys/class/net/eth0/ifindex", "2\n");
    }
    static std::string affinity(int number)
    {
        return "proc/irq/" + std::to_string(number) + "/smp_affinity_list";
    }
    void put(const std::string &file, const std::string &text)
    {
        fs::create_directories((path() / file).parent_path());
        std::ofstream(path() / file) << text;
    }
    // Adds a process that began at 22; the flag kernel_thread makes it a thread of the kernel.
    void put_process(const std::string &id, const std::string &name, unsigned flags)
    {
        put("proc/" + id + "/comm", name + "\n");
        put("proc/" + id + "/stat", id + " (x) S 4 5 6 7 8 " + std::to_string(flags) +
                                        " 10 11 12 13 14 15 16 17 18 19 20 21 22\n");
    }
    // Has the process run that program.
    void put_program(const std::string &id, const std::string &program)
    {
        fs::remove(path() / "proc" / id / "exe");
        fs::create_symlink(program, path() / "proc" / id / "exe");
    }
    [[nodiscard]] std::string get(const std::string &file) const
    {
        std::ifstream stream(path() / file);
        std::string line;
        std::getline(stream, line);
        return line;
    }
    [[nodiscard]] Knobs knobs() const { return {"eth0", path()}; }
    [[nodiscard]] std::string record() const { return path() / "run/record.json"; }
};

} // namespace

TEST_CASE("interrupts of queues are the device's, with a queue's number")
{
    const FakeMachine machine;
    const auto interrupts = queue_interrupts("eth0", machine.path());
    REQUIRE(interrupts.size() == 3);
    CHECK(interrupts[0].number == 25);
    CHECK(interrupts[0].name == "virtio2-input.0");
    CHECK(interrupts[0].counts == std::vector<std::uint64_t>{5, 6, 0});
    CHECK(interrupts[1].number == 26);
    CHECK(interrupts[2].queue == 1);
    CHECK(queue_interrupts("lo", machine.path()).empty());
}

TEST_CASE("a transmit queue has the CPU of its interrupt for sending")
{
    FakeMachine machine;
    using Cpus = std::map<unsigned, unsigned>;
    // Interrupts 25, 26 and 27 have these names, and are on CPUs 0, 1 and 2.
    const auto cpus_of = [&machine](const std::vector<std::string> &names) {
        std::string lines = "     CPU0 CPU1 CPU2\n";
        for (std::size_t i = 0; i < names.size(); i++) {
            const int number = 25 + static_cast<int>(i);
            lines += std::to_string(number) + ": 0 0 0 PCI-MSIX 1-edge " + names[i] + "\n";
            machine.put(FakeMachine::affinity(number), std::to_string(i) + "\n");
        }
        machine.put("proc/interrupts", lines);
        return transmit_queue_cpus("eth0", machine.path());
    };
    CHECK(cpus_of({"virtio2-input.0", "virtio2-output.0", "virtio2-input.1"}) ==
          Cpus{{0, 1}, {1, 2}});
    CHECK(cpus_of({"eth0-rx-0", "eth0-rx-1", "eth0-tx-0"}) == Cpus{{0, 2}, {1, 1}});
    CHECK(cpus_of({"eth0-rx-0", "eth0-TxRx-0", "eth0-1"}) == Cpus{{0, 1}, {1, 2}});
    CHECK(cpus_of({"eth0-TxRx-0", "eth0-tx-0", "eth0-rx-0"}) == Cpus{{0, 1}});
}

TEST_CASE("a placement is recorded, made and put back")
{
    const FakeMachine machine;
    const auto changes = apply_placement(
        machine.knobs(),
        {{"irq-cpus", "2,0"}, {"rps-cpus", "0-1"}, {"xps-cpus", "1,2"}, {"rmem", "16777216"}},
        machine.record());
    CHECK(changes.size() == 3 + 2 + 2 + 2);
    CHECK(machine.get(FakeMachine::affinity(24)) == "0-2");
    CHECK(machine.get(FakeMachine::affinity(25)) == "2");
    CHECK(machine.get(FakeMachine::affinity(26)) == "2");
    CHECK(machine.get(FakeMachine::affinity(27)) == "0");
    CHECK(machine.get("sys/class/net/eth0/queues/rx-1/rps_cpus") == "00000003");
    CHECK(machine.get("sys/class/net/eth0/queues/tx-0/xps_cpus") == "00000002");
    CHECK(machine.get("sys/class/net/eth0/queues/tx-1/xps_cpus") == "00000004");
    CHECK(machine.get("proc/sys/net/core/rmem_default") == "16777216");
    REQUIRE(read_placement_record(machine.record()));
    CHECK(read_placement_record(machine.record())->changes == changes);

    SECTION("a second one is refused before anything is changed")
    {
        CHECK_THROWS_WITH(apply_placement(machine.knobs(), {{"irq-cpus", "1"}}, machine.record()),
                          Contains("changed already") && Contains("dnsgauge placement restore"));
        CHECK(machine.get(FakeMachine::affinity(25)) == "2");
    }
    SECTION("everything is put back")
    {
        const Restored restored = restore_placement(machine.record(), machine.path());
        CHECK(restored.changes.size() == changes.size());
        CHECK(restored.notes.empty());
        for (const int number : {25, 26, 27})
            CHECK(machine.get(FakeMachine::affinity(number)) == "0-2");
        CHECK(machine.get("sys/class/net/eth0/queues/rx-1/rps_cpus") == "0");
        CHECK(machine.get("sys/class/net/eth0/queues/tx-1/xps_cpus") == "0");
        CHECK(machine.get("proc/sys/net/core/rmem_max") == "212992");
        CHECK_FALSE(fs::exists(machine.record()));
        CHECK(restore_placement(machine.record(), machine.path()).changes.empty());
    }
    SECTION("what somebody has changed since is told, and put back")
    {
        FakeMachine &mine = const_cast<FakeMachine &>(machine);
        mine.put(FakeMachine::affinity(25), "1");
        const Restored restored = restore_placement(machine.record(), machine.path());
        REQUIRE(restored.notes.size() == 1);
        CHECK_THAT(restored.notes[0], Contains("somebody has set") && Contains("irq/25"));
        CHECK(machine.get(FakeMachine::affinity(25)) == "0-2");
    }
    SECTION("after another start of the machine there is nothing to put back")
    {
        FakeMachine &mine = const_cast<FakeMachine &>(machine);
        mine.put("proc/sys/kernel/random/boot_id", "two\n");
        const Restored restored = restore_placement(machine.record(), machine.path());
        CHECK(restored.changes.empty());
        REQUIRE(restored.notes.size() == 1);
        CHECK_FALSE(fs::exists(machine.record()));
        CHECK(machine.get(FakeMachine::affinity(25)) == "2");
    }
}

TEST_CASE("a placement that is as wished already changes nothing, and leaves no record")
{
    const FakeMachine machine;
    CHECK(apply_placement(machine.knobs(), {{"rps-cpus", "none"}, {"napi-threads", "off"}},
                          machine.record())
              .empty());
    CHECK_FALSE(fs::exists(machine.record()));
}

TEST_CASE("what a machine lacks of a placement is told without a change")
{
    const FakeMachine machine;
    const auto needed = needed_changes(machine.knobs(), {{"irq-cpus", "2"}, {"rps-cpus", "none"}});
    REQUIRE(needed.size() == 3);
    CHECK(needed.front().where == "/" + FakeMachine::affinity(25));
    CHECK(needed.front().before == "0-2");
    CHECK(machine.get(FakeMachine::affinity(25)) == "0-2");
    CHECK_FALSE(fs::exists(machine.record()));
    static_cast<void>(apply_placement(machine.knobs(), {{"irq-cpus", "2"}}, machine.record()));
    CHECK(needed_changes(machine.knobs(), {{"irq-cpus", "2"}}).empty());
    CHECK_THROWS_WITH(needed_changes(machine.knobs(), {{"irq-cpus", "7"}}),
                      Contains("CPU 7 does not exist"));
}

TEST_CASE("the memory node of a card")
{
    FakeMachine machine;
    CHECK_FALSE(card_node("eth0", machine.path()));
    machine.put("sys/devices/pci/virtio2/numa_node", "1\n");
    CHECK(card_node("eth0", machine.path()) == 1U);
    machine.put("sys/devices/pci/virtio2/numa_node", "-1\n"); // the kernel does not know
    CHECK_FALSE(card_node("eth0", machine.path()));
    CHECK_FALSE(card_node("lo", machine.path()));
}

TEST_CASE("a wish that is impossible is refused in the user's words, and nothing is changed")
{
    FakeMachine machine;
    const auto refused = [&machine](const PlacementWishes &wishes, const std::string &why) {
        CHECK_THROWS_WITH(apply_placement(machine.knobs(), wishes, machine.record()),
                          Contains(why));
        CHECK_FALSE(fs::exists(machine.record()));
        CHECK(machine.get(FakeMachine::affinity(25)) == "0-2");
    };
    refused({{"irq-cpus", "7"}}, "irq-cpus 7: CPU 7 does not exist: this machine has 0-3");
    refused({{"irq-cpus", "0,3"}}, "irq-cpus 0,3: CPU 3 is off line: CPUs 0-2 are on line");
    refused({{"rps-cpus", "x"}}, "rps-cpus: \"x\" is no list of CPUs");
    refused({{"irqbalance", "go"}}, "irqbalance go: must be stop");
    refused({{"rmem", "1"}}, "rmem");
    refused({{"wmem", "65536"}},
            "this network namespace has no /proc/sys/net/core/wmem_max of its own");
    // irq-cpus comes first, and is possible.
    refused({{"irq-cpus", "1"}, {"napi-threads", "9"}}, "CPU 9 does not exist");
    // As a later kernel shows the file in other network namespaces than the machine's first one.
    REQUIRE(chmod((machine.path() / "proc/sys/net/core/rmem_max").c_str(), 0444) == 0);
    refused({{"rmem", "65536"}},
            "this network namespace has no /proc/sys/net/core/rmem_max of its own");
    // As the kernel shows an interrupt that it manages (irq_can_set_affinity_usr()).
    REQUIRE(chmod((machine.path() / FakeMachine::affinity(27)).c_str(), 0444) == 0);
    refused({{"irq-cpus", "1"}},
            "interrupt 27 (virtio2-input.1) of eth0 cannot be moved: its driver manages it");
    CHECK_THROWS_WITH(
        apply_placement(Knobs("eth9", machine.path()), {{"irq-cpus", "1"}}, machine.record()),
        StartsWith("no interface \"eth9\" in this network namespace, which has "));
}

// NAPI threads appear only with the machine's kernel: here there are none to pin.
TEST_CASE("a refusal half-way takes back what was changed")
{
    const FakeMachine machine;
    CHECK_THROWS_WITH(apply_placement(machine.knobs(), {{"irq-cpus", "1"}, {"napi-threads", "0"}},
                                      machine.record()),
                      Contains("no threads to pin") && Contains("nothing is changed"));
    CHECK(machine.get(FakeMachine::affinity(25)) == "0-2");
    CHECK(machine.get("sys/class/net/eth0/threaded") == "0");
    CHECK_FALSE(fs::exists(machine.record()));
}

TEST_CASE("a file that is no record is refused")
{
    FakeMachine machine;
    machine.put("run/record.json", "{}");
    CHECK_THROWS_WITH(restore_placement(machine.record(), machine.path()),
                      Contains("is no record of a placement"));
    CHECK_THROWS_AS(apply_placement(machine.knobs(), {{"irq-cpus", "1"}}, machine.record()),
                    SetupError);
}

TEST_CASE("a record is put back from where the things are that it changed")
{
    FakeMachine machine;
    static_cast<void>(apply_placement(
        machine.knobs(), {{"irq-cpus", "2"}, {"rps-cpus", "0-1"}, {"rmem", "16777216"}},
        machine.record()));
    const std::string rps = "sys/class/net/eth0/queues/rx-1/rps_cpus";
    PlacementRecord record = read_placement_record(machine.record()).value();
    const auto without_card = [&] {
        fs::remove(machine.path() / "sys/class/net/eth0/device");
        record.device.clear();
    };
    const auto restored = [&] {
        write_placement_record(machine.record(), record);
        return restore_placement(machine.record(), machine.path());
    };
    SECTION("interrupts from any network namespace, the rest not from another one")
    {
        without_card();
        record.netns_cookie++;
        record.netns = "another";
        const Restored half = restored();
        REQUIRE(half.refusals.size() == 2 + 2);
        CHECK_THAT(half.refusals[0], Contains("in network namespace another"));
        CHECK(half.changes.size() == 3); // the interrupts
        CHECK(machine.get(rps) == "00000003");
        CHECK(machine.get("proc/sys/net/core/rmem_max") == "16777216");
        CHECK(read_placement_record(machine.record())->changes.size() == 2 + 2);
    }
    SECTION("a namespace whose number is in use again is gone")
    {
        without_card();
        record.netns_cookie++;
        CHECK(restored().notes.size() == 2 + 2);
        CHECK(machine.get(rps) == "00000003");
        CHECK(machine.get("proc/sys/net/core/rmem_max") == "16777216");
        CHECK_FALSE(fs::exists(machine.record()));
    }
    SECTION("another interface of that name stays as it is")
    {
        without_card();
        machine.put("sys/class/net/eth0/ifindex", "3\n");
        CHECK(restored().notes.size() == 2);
        CHECK(machine.get(rps) == "00000003");
        CHECK(machine.get("proc/sys/net/core/rmem_max") == "212992");
    }
    SECTION("a card is the same in another namespace")
    {
        record.netns_cookie++;
        record.netns = "another";
        const Restored half = restored();
        REQUIRE(half.refusals.size() == 2);
        CHECK_THAT(half.refusals[1], Contains("rmem_max belongs to"));
        CHECK(machine.get(rps) == "0");
    }
    for (const int number : {25, 26, 27})
        CHECK(machine.get(FakeMachine::affinity(number)) == "0-2");
}

// Without the lock restore would look for the record before the other process has written it.
TEST_CASE("restore waits for whoever holds the record's folder")
{
    const FakeMachine machine;
    static_cast<void>(apply_placement(machine.knobs(), {{"irq-cpus", "2"}}, machine.record()));
    const std::string aside = machine.record() + ".aside";
    fs::rename(machine.record(), aside);
    const int folder = open((machine.path() / "run").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(flock(folder, LOCK_EX) == 0);
    auto restored = std::async(std::launch::async, [&machine] {
        return restore_placement(machine.record(), machine.path()).changes.size();
    });
    restored.wait_for(std::chrono::milliseconds(100));
    fs::rename(aside, machine.record());
    close(folder);
    CHECK(restored.get() == 3);
}

TEST_CASE("a record is obeyed only where a setting makes such a change")
{
    const auto accepts = [](Knob knob, const std::string &where) {
        return scope_of(knob, where, "eth0").has_value();
    };
    CHECK(scope_of(Knob::file, "/proc/irq/25/smp_affinity_list", "eth0") == Scope::machine);
    CHECK(scope_of(Knob::file, "/proc/sys/net/core/wmem_max", "eth0") == Scope::network_namespace);
    CHECK(scope_of(Knob::file, "/sys/class/net/eth0/threaded", "eth0") == Scope::interface);
    CHECK(scope_of(Knob::thread, "napi/eth0-8193", "eth0") == Scope::machine);
    for (const char *path :
         {"/etc/shadow", "/proc/irq/../sys/kernel/core_pattern", "/proc/irq//smp_affinity_list",
          "/proc/irq/2/../2/smp_affinity_list", "/proc/sys/kernel/core_pattern",
          "/sys/class/net/eth1/threaded", "/sys/class/net/eth0/queues/rx-1/../rps_cpus",
          "/sys/class/net/eth0/queues/tx-0/rps_cpus", ""})
        CHECK_FALSE(accepts(Knob::file, path));
    CHECK_FALSE(accepts(Knob::process, "1"));
    CHECK_FALSE(accepts(Knob::process, "self 1"));
    CHECK_FALSE(accepts(Knob::thread, "sshd"));
    CHECK_FALSE(accepts(Knob::channels, "eth1"));
    for (const char *interface : {"", "..", "a/b", "sixteen_letters_"})
        CHECK_FALSE(scope_of(Knob::file, "/proc/irq/1/smp_affinity_list", interface));
}

TEST_CASE("only irqbalance is stopped and goes on")
{
    FakeMachine machine;
    machine.put_process("77", "irqbalance", 0);
    const auto runs = [&machine] { return machine.knobs().read(Knob::process, "77 22"); };
    CHECK_FALSE(runs());
    machine.put_program("77", "/usr/bin/bash"); // as of a script of that name
    CHECK_FALSE(runs());
    CHECK_THAT(machine.knobs().write(Knob::process, "77 22", "stopped"),
               Contains("no such process"));
    CHECK(warnings_on(machine.knobs(), {{"irq-cpus", "1"}}).empty());
    machine.put_program("77", "/usr/sbin/irqbalance (deleted)");
    CHECK(runs() == "running");
    machine.put_program("77", "/usr/sbin/irqbalance");
    CHECK(runs() == "running");
    CHECK_FALSE(machine.knobs().read(Knob::process, "77 21"));

    REQUIRE(warnings_on(machine.knobs(), {{"irq-cpus", "1"}}).size() == 1);
    CHECK_THAT(warnings_on(machine.knobs(), {{"irq-cpus", "1"}})[0], Contains("irqbalance runs"));
    CHECK(warnings_on(machine.knobs(), {{"irq-cpus", "1"}, {"irqbalance", "stop"}}).empty());
    CHECK(warnings_on(machine.knobs(), {{"rps-cpus", "1"}}).empty());
}

TEST_CASE("a record that somebody else may have written is refused")
{
    const FakeMachine machine;
    static_cast<void>(apply_placement(machine.knobs(), {{"irq-cpus", "2"}}, machine.record()));
    const auto refused = [&machine](const char *why) {
        CHECK_THROWS_WITH(restore_placement(machine.record(), machine.path()), Contains(why));
        CHECK(machine.get(FakeMachine::affinity(25)) == "2");
    };
    REQUIRE(chmod(machine.record().c_str(), 0666) == 0);
    refused("others may write it");
    REQUIRE(chmod(machine.record().c_str(), 0644) == 0);
    if (geteuid() == 0) {
        REQUIRE(chown(machine.record().c_str(), 65534, 65534) == 0);
        refused("belongs to another user");
        REQUIRE(chown(machine.record().c_str(), 0, 0) == 0);
    }
    PlacementRecord record = read_placement_record(machine.record()).value();
    record.changes[0].where = "/etc/shadow";
    write_placement_record(machine.record(), record);
    refused("no setting of eth0 changes /etc/shadow");
}

TEST_CASE("threads that cannot be told apart are left out of what is shown, and not pinned")
{
    FakeMachine machine; // its four queues have at most four threads
    for (const std::string number : {"1", "2", "3", "4"})
        machine.put_process("8" + number, "napi/eth0-819" + number, kernel_thread);
    machine.put_process("90", "napi/eth0-8190", 0); // which calls itself so
    CHECK(present_placement(machine.knobs()).notes.empty());
    machine.put_process("85", "napi/eth0-8195", kernel_thread);
    const PresentPlacement present = present_placement(machine.knobs());
    REQUIRE(present.notes.size() == 1);
    CHECK_THAT(present.notes[0], Contains("left out") && Contains("rename eth0"));
    CHECK_FALSE(present.values.empty());
    CHECK(std::ranges::none_of(present.values,
                               [](const Change &value) { return value.knob == Knob::thread; }));
    CHECK_THROWS_WITH(apply_placement(machine.knobs(), {{"napi-threads", "0"}}, machine.record()),
                      Contains("napi-threads 0: ") && Contains("rename eth0") &&
                          Contains("nothing is changed"));
}

TEST_CASE("what did not stay as placed is told, once for each setting")
{
    FakeMachine machine;
    static_cast<void>(apply_placement(machine.knobs(), {{"irq-cpus", "2"}, {"rps-cpus", "0-1"}},
                                      machine.record()));
    const PlacementRecord record = read_placement_record(machine.record()).value();
    ShownPlacement shown;
    const auto told = [&] {
        shown.present = present_placement(machine.knobs());
        return displacements(record, values_of(written(shown)));
    };
    CHECK(told().empty());
    machine.put("sys/class/net/eth0/queues/rx-0/rps_cpus", "3\n"); // as the kernel writes it
    CHECK(told().empty());
    machine.put(FakeMachine::affinity(25), "0\n");
    machine.put(FakeMachine::affinity(26), "1\n");
    CHECK(told() == std::vector<std::string>{"irq-cpus did not stay as placed: "
                                             "/proc/irq/25/smp_affinity_list is 0, not 2 (and 1 "
                                             "more)"});
    fs::remove_all(machine.path() / "sys/class/net/eth0/queues/rx-1");
    CHECK(told().size() == 2);
}

TEST_CASE("drivers' counters of queues")
{
    CHECK(queue_counted_by("rx_queue_3_packets") == "rx-3");
    CHECK(queue_counted_by("tx_queue_0_packets") == "tx-0");
    CHECK(queue_counted_by("rx_queue_0_xdp_packets") == "rx-0");
    CHECK(queue_counted_by("rx12_packets") == "rx-12");
    CHECK(queue_counted_by("rx-5.packets") == "rx-5");
    CHECK(queue_counted_by("rx-5.rx_packets") == "rx-5");
    CHECK(queue_counted_by("queue_2_tx_cnt") == "tx-2");
    CHECK(queue_counted_by("rx_packets").empty());
    CHECK(queue_counted_by("rx_queue_3_bytes").empty());
    CHECK(queue_counted_by("rx_queue_3_drops").empty());
}

TEST_CASE("what queues and CPUs handled")
{
    FakeMachine machine;
    machine.put("proc/softirqs", "         CPU0  CPU1  CPU2\n"
                                 "NET_TX:     1     2     3\n"
                                 "NET_RX:    10    20    30\n"
                                 "BLOCK:      9     9     9\n");
    const std::string zeros = " 0 0 0 0 0 0 0 0 0 ";
    machine.put("proc/net/softnet_stat", "000000ff 00000001 00000002" + zeros + "00000000 0 0\n" +
                                             "00000010 00000000 00000000" + zeros +
                                             "00000002 0 0\n");
    const Handled before = read_handled(
        "eth0", {{"rx_queue_0_packets", 100}, {"rx_queue_0_xdp_packets", 90}}, machine.path());
    CHECK(before.cpus.at(0).net_rx == 10);
    CHECK(before.cpus.at(2).net_tx == 3);
    CHECK(before.cpus.at(0).processed == 255);
    CHECK(before.cpus.at(0).dropped == 1);
    CHECK(before.cpus.at(0).squeezed == 2);
    CHECK(before.cpus.at(2).processed == 16);
    CHECK(before.cpus.at(0).interrupts == 5 + 1);
    CHECK(before.queues.at("rx-0").packets == 100);
    CHECK(before.queues.at("rx-0").interrupts == 11);
    CHECK(before.queues.at("tx-0").interrupts == 7);
    CHECK(before.queues.at("rx-1").interrupts == 1);
    CHECK_FALSE(before.queues.at("rx-1").has_packets);

    machine.put("proc/softirqs", "         CPU0  CPU1  CPU2\nNET_RX:    15    20   130\n");
    const Handled after = read_handled(
        "eth0", {{"rx_queue_0_packets", 1100}, {"rx_queue_1_packets", 3}}, machine.path());
    const Handled growth = grown(before, after);
    CHECK(growth.cpus.at(0).net_rx == 5);
    CHECK(growth.cpus.at(1).net_rx == 0);
    CHECK(growth.cpus.at(2).net_rx == 100);
    CHECK(growth.queues.at("rx-0").packets == 1000);
    CHECK(growth.queues.at("rx-1").packets == 3);
    const Handled again = read_fields<Handled>(written(growth));
    CHECK(written(again) == written(growth));

    const auto notes = handled_notes(growth);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Contains("1 of 2 receive queues got packets; without: rx-1"));
    Handled even = growth;
    even.queues.at("rx-1").packets = 900;
    CHECK(handled_notes(even).empty());
}

TEST_CASE("texts of a key, of fields and of CPUs")
{
    CHECK(hash_key_of("6d:5a") == std::vector<std::uint8_t>{0x6d, 0x5a});
    for (const char *wrong : {"", "6", "6d:", "6d5a", "6d:5", "6d-5a", "zz"})
        CHECK_FALSE(hash_key_of(wrong));
    CHECK(hash_fields_of("sdfn") == hash_fields_of("nfds"));
    CHECK_FALSE(hash_fields_of("sx"));
    CHECK(cpu_list_text({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
    CHECK(cpu_list_text({}).empty());
}

TEST_CASE("what queues and CPUs handled in one trial after the other adds up")
{
    PlacementResult trial{.handled = {}, .interrupts = "eth0-0: 1"};
    trial.handled.queues["rx-0"] = {.packets = 150, .interrupts = 2, .has_packets = true};
    trial.handled.queues["rx-1"] = {.packets = 1, .interrupts = 0, .has_packets = true};
    trial.handled.cpus[0] = {.net_rx = 1, .net_tx = 2, .processed = 3, .dropped = 4};
    std::optional<PlacementResult> all;
    add(all, trial);
    CHECK(*all == trial);
    trial.interrupts = "eth0-0: 2";
    add(all, trial);
    CHECK(all->interrupts == "eth0-0: 2");
    CHECK(all->handled.queues["rx-0"].packets == 300);
    CHECK(all->handled.queues["rx-0"].interrupts == 4);
    CHECK(all->handled.cpus[0].processed == 6);
    CHECK(all->handled.cpus[0].dropped == 8);
    REQUIRE(all->notes.size() == 1);
    CHECK_THAT(all->notes.front(), Contains("1 of 2 receive queues got packets; without: rx-1"));
}
