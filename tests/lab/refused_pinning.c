/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A test preloads this: no thread may be pinned, as if its CPU had been taken away a moment ago. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    (void)thread;
    (void)size;
    (void)set;
    return EINVAL;
}
