/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Notes when others have a CPU that a thread of the server waits for. Others are tasks that do not
 * work for the server. Their times add up until the server runs on the CPU again. The scheduler
 * tells since when each of the server's threads was ready. The time before that moment is no
 * absence of that thread. If the CPU idled before, no thread was waiting.
 *
 * The kernel does not report some switches. Then the task that leaves the CPU is not the task that
 * came last. The scheduler knows when the leaving task came.
 *
 * Whoever wakes a thread of the server interrupts the thread's CPU, unless the waker runs there. If
 * the CPU takes the interrupt late, the hypervisor had the CPU, or interrupts were off.
 */
#include "program.h"

#include "absence_clock_abi.h"

#define MOMENT_NS 1000000U

/* The part of the kernel's structures that the program reads; libbpf finds the members' places in
 * the running kernel. */
struct sched_info {
    unsigned long long last_arrival; /* when the task got the CPU, by the scheduler's clock */
    unsigned long long last_queued;  /* when the task became ready */
} __attribute__((preserve_access_index));

struct task_struct {
    int pid;
    int tgid;
    struct task_struct *real_parent;
    struct sched_info sched_info;
    char comm[16];
} __attribute__((preserve_access_index));

const volatile struct absence_clock_config config = {};

/* The trial's begin. Absences that end earlier are not noted. */
__u64 from_ns = ~0ULL;
/* The number of absences that were long enough to be noted. `absences` may have no room for all. */
__u32 noted = 0;

/* enum absence_task of all processes that are not others. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u32);
} processes SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct absence);
} absences SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct cpu_watch);
} watches SEC(".maps");

/* When each thread of the server was woken last. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, ABSENCE_THREADS);
    __type(key, __u32);
    __type(value, __u64);
} woken SEC(".maps");

static __always_inline int is_watched(__u32 cpu)
{
    const struct absence_clock_config *cfg = OPAQUE_ADDRESS(config);

    return cpu < ABSENCE_CPUS && (cfg->cpus[cpu / 64] >> (cpu % 64) & 1) != 0;
}

/* A child that the server made after the trial's set-up is the server's, too. */
static __always_inline __u64 whose(const struct task_struct *task)
{
    __u32 process = (__u32)task->tgid;
    const __u32 *known;

    if (task->pid == 0)
        return ABSENCE_NOBODY;
    known = bpf_map_lookup_elem(&processes, &process);
    if (known)
        return *known;
    process = (__u32)task->real_parent->tgid;
    known = bpf_map_lookup_elem(&processes, &process);
    return known ? *known : ABSENCE_OTHER;
}

/* Adds the time for which the current task, a task of others, had the CPU. */
static __always_inline void add_piece(struct cpu_watch *watch, __u64 ran)
{
    watch->open.away_ns += ran;
    if (ran <= watch->piece_ns)
        return;
    watch->piece_ns = ran;
    watch->open.process = watch->process;
    __builtin_memcpy(watch->open.name, watch->name, sizeof(watch->open.name));
}

/* Notes an absence that has ended. */
static __always_inline void note(struct cpu_watch *watch, const struct absence *ended)
{
    const struct absence_clock_config *cfg = OPAQUE_ADDRESS(config);
    struct absence *place;
    __u32 number;

    if (ended->away_ns > watch->longest.away_ns)
        watch->longest = *ended;
    if (ended->away_ns <= cfg->limit_ns)
        return;
    number = __sync_fetch_and_add(&noted, 1);
    place = bpf_map_lookup_elem(&absences, &number);
    if (place)
        *place = *ended;
}

/* Notes for how long the server's task `next`, which gets the CPU at `now`, has waited for others.
 */
static __always_inline void note_absence(struct cpu_watch *watch, const struct task_struct *next,
                                         __u64 now)
{
    const __u64 queued = next->sched_info.last_queued;
    struct absence waited = watch->open;

    if (waited.away_ns == 0 || now < from_ns)
        return;
    /* Once the task has the CPU, the scheduler no longer knows since when it was ready (0). Then
     * all of the time counts, unless another task of the server came in between. */
    if (queued == 0 && waited.end_ns != 0)
        return;
    if (waited.end_ns == 0)
        waited.end_ns = now;
    if (queued != 0) {
        const __u64 ready = queued + (__u64)watch->ahead_ns;

        if (ready + watch->between_ns >= waited.end_ns)
            return;
        if (ready > waited.begin_ns)
            waited.begin_ns = ready;
        if (waited.end_ns - watch->between_ns - ready < waited.away_ns)
            waited.away_ns = waited.end_ns - watch->between_ns - ready;
    }
    waited.cpu = bpf_get_smp_processor_id();
    note(watch, &waited);
}

static __always_inline void forget_absence(struct cpu_watch *watch)
{
    watch->open.begin_ns = 0;
    watch->open.end_ns = 0;
    watch->open.away_ns = 0;
    watch->between_ns = 0;
    watch->piece_ns = 0;
}

/* Others get the CPU. If the server had it only for a moment, another of its threads may be waiting
 * since before. Then the absence goes on. */
static __always_inline void begin_absence(struct cpu_watch *watch, __u64 now)
{
    if (watch->open.end_ns != 0) {
        watch->between_ns += now - watch->open.end_ns;
        watch->open.end_ns = 0;
        if (watch->between_ns > MOMENT_NS)
            forget_absence(watch);
    }
    if (watch->open.begin_ns == 0)
        watch->open.begin_ns = now;
}

/* The task `next` gets the CPU at `now`. */
static __always_inline void give_cpu(struct cpu_watch *watch, const struct task_struct *next,
                                     __u64 now)
{
    const __u64 task = whose(next);

    if (watch->task == ABSENCE_OTHER)
        add_piece(watch, now - watch->since_ns);
    if (task == ABSENCE_SERVER) {
        note_absence(watch, next, now);
        if (watch->open.begin_ns != 0 && watch->open.end_ns == 0)
            watch->open.end_ns = now;
    } else if (task == ABSENCE_NOBODY) {
        forget_absence(watch);
    } else if (task == ABSENCE_OTHER) {
        begin_absence(watch, now);
        watch->process = (__u32)next->tgid;
        bpf_probe_read_kernel_str(watch->name, sizeof(watch->name), next->comm);
    }
    watch->task = task;
    watch->thread = (__u32)next->pid;
    watch->since_ns = now;
}

/* Makes up for a switch to `prev` that the kernel did not report. The scheduler does not know since
 * when a CPU has idled. */
static __always_inline void catch_up(struct cpu_watch *watch, const struct task_struct *prev,
                                     __u64 now)
{
    const __u64 came = prev->sched_info.last_arrival + (__u64)watch->ahead_ns;

    if (prev->pid != 0 && came > watch->since_ns && came < now)
        now = came;
    give_cpu(watch, prev, now);
}

SEC("tp_btf/sched_switch")
int absence_clock(const __u64 *ctx)
{
    const struct task_struct *prev = (const struct task_struct *)ctx[1];
    const struct task_struct *next = (const struct task_struct *)ctx[2];
    const __u32 key = 0;
    struct cpu_watch *watch;
    __u64 now;

    if (!is_watched(bpf_get_smp_processor_id()))
        return 0;
    watch = bpf_map_lookup_elem(&watches, &key);
    if (!watch)
        return 0;
    now = bpf_ktime_get_ns();
    if (watch->since_ns != 0) {
        if (watch->thread != (__u32)prev->pid)
            catch_up(watch, prev, now);
        else if (prev->pid != 0)
            watch->ahead_ns = (__s64)(watch->since_ns - prev->sched_info.last_arrival);
    }
    give_cpu(watch, next, now);
    return 0;
}

/* Somebody begins to wake a task, on any CPU. */
SEC("tp_btf/sched_waking")
int absence_waking(const __u64 *ctx)
{
    const struct task_struct *task = (const struct task_struct *)ctx[0];
    const __u32 thread = (__u32)task->pid;
    const __u64 now = bpf_ktime_get_ns();
    __u64 *since;

    if (now < from_ns)
        return 0;
    since = bpf_map_lookup_elem(&woken, &thread);
    if (since)
        *since = now;
    else if (whose(task) == ABSENCE_SERVER)
        bpf_map_update_elem(&woken, &thread, &now, BPF_ANY);
    return 0;
}

/* The CPU of the task has learnt that the task is ready. */
SEC("tp_btf/sched_wakeup")
int absence_wakeup(const __u64 *ctx)
{
    const struct task_struct *task = (const struct task_struct *)ctx[0];
    const __u32 cpu = bpf_get_smp_processor_id();
    const __u32 thread = (__u32)task->pid;
    const __u32 key = 0;
    struct absence late = {.cpu = cpu};
    struct cpu_watch *watch;
    const __u64 *since;

    if (!is_watched(cpu))
        return 0;
    late.end_ns = bpf_ktime_get_ns();
    if (late.end_ns < from_ns)
        return 0;
    since = bpf_map_lookup_elem(&woken, &thread);
    watch = bpf_map_lookup_elem(&watches, &key);
    if (!since || !watch)
        return 0;
    late.begin_ns = *since;
    if (late.begin_ns >= late.end_ns)
        return 0;
    late.away_ns = late.end_ns - late.begin_ns;
    note(watch, &late);
    return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
