/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A test preloads this: each reading of the wall clock gives another hour, as if somebody set the
 * clock all the time. The monotonic clock stays as it is.
 */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long steps;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, now);

    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        const long hours = __atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED) % 7 + 1;

        now->tv_sec += (hours % 2 ? 3600 : -3600) * hours;
    }
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0)
        return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to)
{
    struct timespec exact;

    if (clock_gettime(CLOCK_REALTIME, &exact) != 0)
        return -1;
    if (to)
        *to = exact.tv_sec;
    return exact.tv_sec;
}
