// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/trial_series.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace dnsgauge;

// A series that is stopped ends in its pause. A series without a pause comes to its trial, which
// cannot be made.
TEST_CASE("a series pauses before its first trial if others went before it")
{
    const std::atomic<bool> stop = true;
    TrialPlan plan;
    plan.interface = "no-such-one";
    BetweenTrials between;
    SECTION("none did")
    {
        TrialSeries series(plan, between, stop, {});
        CHECK_THROWS_AS(series.run(Rate{1}, 0), SetupError);
    }
    SECTION("others did")
    {
        between.pauses_first = true;
        TrialSeries series(plan, between, stop, {});
        CHECK_FALSE(series.run(Rate{1}, 0));
    }
}

TEST_CASE("an invalid trial is made again after a pause that grows, and that can be stopped")
{
    using std::chrono::seconds;
    CHECK(retry_pause(0) == Nanoseconds{});
    CHECK(retry_pause(1) == seconds(1));
    CHECK(retry_pause(2) == seconds(2));
    CHECK(retry_pause(6) == seconds(32));
    CHECK(retry_pause(1000) == seconds(32));

    std::atomic<bool> stop = false;
    TrialPlan plan;
    plan.interface = "no-such-one";
    TrialSeries series(plan, {}, stop, {});
    CHECK_THROWS_AS(series.run(Rate{1}, 0), SetupError);
    stop = true;
    CHECK_FALSE(series.run(Rate{1}, 0, {}, 10));
}

namespace
{

// Returns the exit status of a process that does this.
template <class Work>
int status_of_process(Work work)
{
    const pid_t process = fork();
    if (process == 0)
        _exit(work());
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process);
    return WEXITSTATUS(status);
}

// Returns 0 where the interface could be held, 2 where the line says that `holder` has it.
int hold(pid_t holder)
{
    try {
        const InterfaceHold own("lo");
        return 0;
    } catch (const SetupError &error) {
        const std::string text = error.what();
        return text.find(std::to_string(holder) + " has lo") != std::string::npos ? 2 : 3;
    }
}

} // namespace

TEST_CASE("an interface is held by one process, and by those that it started")
{
    CHECK_NOTHROW(InterfaceHold("no-such-one"));
    const int status = status_of_process([] {
        int ends[2];
        if (pipe(ends) != 0)
            return 10;
        const pid_t holder = fork();
        if (holder == 0) {
            const InterfaceHold theirs("lo");
            const int within = hold(0) == 0 && status_of_process([] { return hold(0); }) == 0;
            static_cast<void>(write(ends[1], within != 0 ? "y" : "n", 1));
            pause();
        }
        char held = 0;
        if (read(ends[0], &held, 1) != 1 || held != 'y')
            return 11;
        const int refused = hold(holder);
        kill(holder, SIGKILL);
        waitpid(holder, nullptr, 0);
        return refused == 2 ? hold(0) : 12; // free when its holder has gone
    });
    CHECK(status == 0);
}
