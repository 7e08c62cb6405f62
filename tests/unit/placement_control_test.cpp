// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/placement_control.h"

#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <string>

using namespace dnsgauge;

namespace
{

// Machines whose commands only note what they are told. The one called "refuses" fails to restore.
class Machines
{
public:
    Machines()
    {
        experiment_.placement.emplace();
        experiment_.placement->interface = "eth2";
        write_file(log(), "");
        write_file(scratch_.file("placement"),
                   "echo $* >>" + log() + "; [ \"$1 $2\" != 'refuses restore' ]\n");
    }

    [[nodiscard]] Cell cell(const std::string &machine, const std::string &cpus) const
    {
        Cell cell;
        cell.placement_command = {"sh", scratch_.file("placement"), machine};
        if (!cpus.empty())
            cell.placement = {"--irq-cpus", cpus};
        return cell;
    }
    // Returns what the commands were told since the last call.
    [[nodiscard]] std::string told() const
    {
        const std::string text = read_file(log());
        write_file(log(), "");
        return text;
    }
    [[nodiscard]] const Experiment &experiment() const { return experiment_; }

private:
    [[nodiscard]] std::string log() const { return scratch_.file("log"); }

    ScratchDirectory scratch_;
    Experiment experiment_;
};

const std::atomic<bool> never{false};

} // namespace

TEST_CASE("a cell of another machine is placed there, and the first machine is put back")
{
    const Machines machines;
    PlacementControl control(machines.experiment(), never);
    const std::string apply = " apply --interface eth2 --irq-cpus 7\n";
    CHECK(control.place(machines.cell("a", "7")));
    CHECK(machines.told() == "a restore\na" + apply);
    CHECK(control.place(machines.cell("a", "7")));
    CHECK(machines.told().empty());
    CHECK(control.place(machines.cell("b", "7")));
    CHECK(machines.told() == "a restore\nb restore\nb" + apply);
    control.end();
    CHECK(machines.told() == "b restore\n");
    CHECK(control.place(machines.cell("b", "")));
    control.end();
    CHECK(machines.told() == "b restore\n");
}

TEST_CASE("what an earlier process may have placed is put back, though no cell is left")
{
    const Machines machines;
    PlacementControl control(machines.experiment(), never);
    for (const char *cpus : {"7", "8"})
        control.take_over(machines.cell("a", cpus));
    control.end();
    CHECK(machines.told() == "a restore\n");
}

TEST_CASE("a machine that is not put back is an error, and the others are put back")
{
    const Machines machines;
    PlacementControl control(machines.experiment(), never);
    control.take_over(machines.cell("refuses", ""));
    control.take_over(machines.cell("z", ""));
    CHECK_THROWS_WITH(control.end(), Catch::StartsWith("the server's machine is not put back: "));
    CHECK(machines.told() == "refuses restore\nz restore\n");
}
