/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What absence_clock.bpf.c and user space share: configuration, and absences of the server's CPUs.
 */
#ifndef DNSGAUGE_ABSENCE_CLOCK_ABI_H
#define DNSGAUGE_ABSENCE_CLOCK_ABI_H

#include "wire/bytes.h"

#define ABSENCE_CPUS 1024U    /* CPUs from number 0 on that can be watched */
#define ABSENCE_THREADS 1024U /* threads of the server whose waking can be watched */

/* The owner of the task that runs on a CPU. */
enum absence_task {
    ABSENCE_NOBODY,  /* the CPU idles, or it is not known yet */
    ABSENCE_SERVER,  /* the server's, or a kernel thread that carries its packets */
    ABSENCE_NEITHER, /* a task that may or may not be the server's */
    ABSENCE_OTHER,   /* a task that has no part in serving */
};

/* Read-only data of the program, set before it is loaded. */
struct absence_clock_config {
    __u64 cpus[ABSENCE_CPUS / 64]; /* a bit for each CPU: whether it is watched */
    __u64 limit_ns;                /* absences longer than this are noted one by one */
};

/* A time in which a thread of the server waited for a CPU, and others or the hypervisor had it.
 * Times are of CLOCK_MONOTONIC. */
struct absence {
    __u64 begin_ns;
    __u64 end_ns;
    __u64 away_ns; /* for how long they had the CPU in between */
    __u32 cpu;
    __u32 process; /* the process of others that ran longest without a break; 0 is the hypervisor */
    char name[16]; /* of the process */
};

/* What happens on one CPU. */
struct cpu_watch {
    struct absence longest; /* of the trial */
    struct absence open;    /* began when others got the CPU after the server, or after nobody;
                             * `end_ns` is 0 while it lasts */
    __u64 between_ns;       /* of this, the time for which threads of the server had the CPU */
    __u64 piece_ns;         /* of this, the longest time for which a task ran without a break */
    __u64 since_ns;         /* when the task at hand got the CPU; 0 if unknown */
    __u64 task;             /* enum absence_task of that task */
    __s64 ahead_ns;         /* our clock less the scheduler's */
    __u32 thread;           /* the task's thread */
    __u32 process;          /* if the task is of others: its process and its name */
    char name[16];
};

#endif
