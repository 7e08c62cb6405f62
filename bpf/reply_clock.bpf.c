// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The Tester's clock: finds the query a reply belongs to, judges the reply, takes its time, counts
 * it and drops it. All other packets pass.
 */
#include "program.h"

#include "reply_clock_abi.h"
#include "wire/packet.h"

const volatile struct reply_clock_config config = {};

/* The slots of all senders, sender after sender. User space maps them. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct query_slot);
} slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct reply_totals);
} totals SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct rtt_histogram);
} rtts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct reply_traits);
} traits SEC(".maps");

/* Tells when the card received the packet. Returns nonzero if the driver cannot tell. Since Linux
 * 6.3; only programs that are bound to an interface may call it. */
extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *timestamp) __ksym __weak;

/* What a slot holds as the expectation of its query. Each program knows which by a constant. */
enum expects {
    EXPECTS_NAME,     /* the address of a test name: judge_name_reply() */
    EXPECTS_QUESTION, /* the hash of the question: judge_hashed_reply() */
};

/* What is known about a reply once its query has been found. */
struct reply {
    struct query_slot *slot;
    __u64 word; /* the slot's word, as find_slot() read it */
    __u64 rtt;
    const __u32 *stamp; /* the card's stamp; NULL: the program takes no stamps */
    enum judgement judgement;
    __u32 rcode;
    __u32 size;        /* of the message */
    __u32 flags;       /* of its header */
    __u32 no_question; /* nonzero: the message has none */
    __u64 records;     /* what was found in them; 0 also if the records were not read */
};

static __always_inline struct reply_totals *my_totals(void)
{
    const __u32 key = 0;

    return bpf_map_lookup_elem(&totals, &key);
}

static __always_inline void count(enum reply_counter counter)
{
    struct reply_totals *mine = my_totals();

    if (mine)
        mine->count[counter]++;
}

static __always_inline int same_address(const __u8 *a, const __u8 *b, int is_ipv6)
{
    if (!is_ipv6)
        return wire_raw32(a) == wire_raw32(b);
    return wire_raw64(a) == wire_raw64(b) && wire_raw64(a + 8) == wire_raw64(b + 8);
}

/* Returns whether the address is the Tester's address, except for the client's bits. */
static __always_inline int is_testers(const struct reply_clock_config *cfg, const __u8 *address)
{
    const __u8 *mine = cfg->tester_address;
    const __u8 *free = cfg->client_bits;

    if (!cfg->is_ipv6)
        return !((wire_raw32(address) ^ wire_raw32(mine)) & ~wire_raw32(free));
    return !((wire_raw64(address) ^ wire_raw64(mine)) & ~wire_raw64(free)) &&
           !((wire_raw64(address + 8) ^ wire_raw64(mine + 8)) & ~wire_raw64(free + 8));
}

/* Returns the addresses in the packet's IP header: the source address, followed by the target's. */
static __always_inline const __u8 *addresses_of(struct wire_cursor frame,
                                                const struct packet *packet)
{
    const __u8 *addresses =
        frame.pos + packet->ip_offset + (packet->is_ipv6 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);

    return addresses + (packet->is_ipv6 ? 32 : 8) <= frame.end ? addresses : NULL;
}

/* Returns the slot for a reply to `port` with `id`, and sets *word to the slot's word. Returns NULL
 * if the slot is unused, or holds a query with another identity. */
static __always_inline struct query_slot *find_slot(const struct reply_clock_config *cfg,
                                                    __u32 port, __u16 id, __u64 *word)
{
    const struct scatter_space space = identity_space_of(cfg->ports, cfg->id_bits);
    const __u32 offset = port - cfg->first_port;
    __u32 sender = cfg->senders > 1 ? offset / cfg->ports : 0;
    __u32 tweak = sender;
    struct scatter_pair halves = {offset - sender * cfg->ports, id};
    struct query_slot *slot;
    __u32 identity;
    __u32 index;

    if (cfg->id_bits) {
        sender = (__u32)id >> cfg->id_bits;
        tweak = port;
        halves.low = id & (space.lows - 1);
        halves.high = (__u32)id >> cfg->id_bits / 2 & space.high_mask;
    }
    halves = gather(halves, &cfg->identities, space, tweak);
    identity = halves.high * space.lows + halves.low;
    index = (sender << cfg->slot_bits) + (identity & ((1U << cfg->slot_bits) - 1));
    slot = bpf_map_lookup_elem(&slots, &index);

    if (!slot)
        return NULL;
    *word = *(volatile __u64 *)&slot->word;
    if (slot_state(*word) == QUERY_NONE || slot_tag(*word) != identity >> cfg->slot_bits)
        return NULL;
    return slot;
}

/* Moves the query from the state in reply->word to `state`. Returns false if the state has changed
 * since. */
static __always_inline int claim(const struct reply *reply, enum query_state state)
{
    const __u64 claimed =
        slot_word(state, slot_tag(reply->word), reply->rtt) | slot_rcode_bits(reply->rcode);

    return __sync_val_compare_and_swap(&reply->slot->word, reply->word, claimed) == reply->word;
}

static __always_inline void count_rtt(struct reply_totals *mine, __u64 rtt)
{
    const __u64 scaled = rtt >> REPLY_RTT_SQUARE_SHIFT;
    const __u64 square = scaled * scaled;
    const __u32 bucket = log_histogram_bucket(rtt);
    const __u32 key = 0;
    struct rtt_histogram *histogram = bpf_map_lookup_elem(&rtts, &key);

    if (mine->count[REPLY_VALID] == 0 || rtt < mine->rtt_min)
        mine->rtt_min = rtt;
    if (rtt > mine->rtt_max)
        mine->rtt_max = rtt;
    mine->rtt_sum += rtt;
    mine->rtt_square_low += square;
    mine->rtt_square_high += mine->rtt_square_low < square;
    if (histogram && bucket < LOG_HISTOGRAM_BUCKETS)
        histogram->count[bucket]++;
}

/* A misfit may have come in time before the answer. After the answer that misfit counts as an
 * unexpected packet. */
static __always_inline void forget_misfit(struct reply_totals *mine, enum query_state state)
{
#define FORGET(NAME, key, label, reason, kind)                                                     \
    if (state == QUERY_##NAME) {                                                                   \
        mine->count[REPLY_##NAME]--;                                                               \
        mine->count[REPLY_UNEXPECTED]++;                                                           \
    }
    MISFIT_CLASSES(FORGET)
#undef FORGET
}

static __always_inline void count_traits(const struct reply *reply)
{
    const __u32 key = 0;
    const __u32 bucket = reply->size / REPLY_SIZE_STEP;
    const __u64 gap = REPLY_SIZES * REPLY_SIZE_STEP - reply->size;
    struct reply_traits *mine = bpf_map_lookup_elem(&traits, &key);

    if (!mine || bucket >= REPLY_SIZES)
        return;
    mine->sizes[bucket]++;
    mine->octets += reply->size;
    if (reply->size > mine->largest)
        mine->largest = reply->size;
    if (gap > mine->smallest_gap)
        mine->smallest_gap = gap;
    mine->aa += (reply->flags & DNS_AA) != 0;
    mine->tc += (reply->flags & DNS_TC) != 0;
    mine->ad += (reply->flags & DNS_AD) != 0;
    mine->rd += (reply->flags & DNS_RD) != 0;
    mine->ra += (reply->flags & DNS_RA) != 0;
    if (reply->flags & (DNS_CD | DNS_Z)) {
        mine->cd += (reply->flags & DNS_CD) != 0;
        mine->z += (reply->flags & DNS_Z) != 0;
    }
    mine->no_question += reply->no_question;
    mine->whole += (reply->records & RECORDS_WHOLE) != 0;
    mine->rrsig += (reply->records & RECORDS_RRSIG) != 0;
}

/* Lets the reply decide its query, or counts the reply as a packet that decides nothing. */
static __always_inline void settle(const struct reply *reply, __u64 timeout_ns)
{
    const enum query_state before = slot_state(reply->word);
    const enum query_state after = state_after(before, reply->judgement, reply->rtt, timeout_ns);
    const __u32 rcode = WIRE_BOUNDED(dns_rcode_count(reply->rcode), DNS_RCODE_COUNTS - 1);
    struct reply_totals *mine = my_totals();

    if (!mine)
        return;
    if (after == QUERY_NONE) {
        mine->count[state_repeats(before, reply->judgement) ? REPLY_DUPLICATE : REPLY_UNEXPECTED]++;
        return;
    }
    if (reply->stamp)
        reply->slot->hardware_ns = *reply->stamp;
    if (!claim(reply, after)) {
        mine->count[REPLY_UNEXPECTED]++;
        return;
    }

    forget_misfit(mine, before);
    if (judge_answers_question(reply->judgement)) {
        mine->rcodes[rcode]++;
        count_traits(reply);
    }
    if (after == QUERY_LATE) {
        mine->late_rcodes[rcode]++;
        mine->count[REPLY_LATE]++;
        return;
    }
    if (reply->judgement == JUDGE_VALID)
        count_rtt(mine, reply->rtt);
    mine->count[counter_for(reply->judgement)]++;
}

/* A walk over a message's records, and what is known about the right answer. */
struct records_reading {
    struct records_walk walk;
    __u32 message; /* where the message begins in the frame */
    __u32 wants;
    __u32 address;
};

/* The current walk. The stack has no room for it. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct records_reading);
} readings SEC(".maps");

/* What bpf_loop() passes on. */
struct records_loop {
    struct records_reading *reading;
    struct xdp_md *ctx;
};

static __always_inline struct wire_cursor message_at(struct xdp_md *ctx, __u32 offset)
{
    struct wire_cursor message = frame_cursor(ctx);

    message.pos += WIRE_BOUNDED(offset, 0xff);
    return message;
}

static __always_inline struct records_truth truth_of(enum expects expects, __u32 wants,
                                                     __u32 address)
{
    const struct reply_clock_config *cfg = OPAQUE_ADDRESS(config);
    const struct records_truth truth = {.rule = &cfg->rule,
                                        .key = expects == EXPECTS_NAME ? NULL : &cfg->questions,
                                        .wants = cfg->reads_data ? wants : wants & ~WANTS_DATA,
                                        .address = address};

    return truth;
}

static __always_inline int read_step(struct xdp_md *ctx, struct records_reading *reading,
                                     enum expects expects)
{
    if (!reading)
        return 1;

    const struct records_truth truth = truth_of(expects, reading->wants, reading->address);

    return records_step(&reading->walk, message_at(ctx, reading->message), &truth);
}

/* Global functions, so the verifier checks each once, and not for every number of turns. */
__noinline int read_name_step(struct xdp_md *ctx, struct records_reading *reading)
{
    return read_step(ctx, reading, EXPECTS_NAME);
}

__noinline int read_question_step(struct xdp_md *ctx, struct records_reading *reading)
{
    return read_step(ctx, reading, EXPECTS_QUESTION);
}

static long name_records_step(__u32 step, void *context)
{
    const struct records_loop *loop = context;

    (void)step;
    return read_name_step(loop->ctx, loop->reading) != 0;
}

static long question_records_step(__u32 step, void *context)
{
    const struct records_loop *loop = context;

    (void)step;
    return read_question_step(loop->ctx, loop->reading) != 0;
}

/* Does what records_walk_all() does for the message that begins `offset` octets into the frame. */
static __always_inline __u64 walk_records(struct xdp_md *ctx, __u32 offset, __u32 name_length,
                                          enum expects expects, __u32 wants, __u32 address)
{
    const __u32 key = 0;
    struct records_reading *reading = bpf_map_lookup_elem(&readings, &key);
    struct records_loop loop = {.reading = reading, .ctx = ctx};

    if (!reading || !records_begin(&reading->walk, message_at(ctx, offset), name_length))
        return 0;
    reading->message = offset;
    reading->wants = wants;
    reading->address = address;
    bpf_loop(RECORDS_STEPS_MAX, expects == EXPECTS_NAME ? name_records_step : question_records_step,
             &loop, 0);
    return records_found(&reading->walk);
}

/* Global functions for the same reason. */
__noinline __u64 walk_name_records(struct xdp_md *ctx, __u32 offset, __u32 address)
{
    const struct reply_clock_config *cfg = OPAQUE_ADDRESS(config);

    return walk_records(ctx, offset, judge_name_length(&cfg->rule), EXPECTS_NAME, 0, address);
}

__noinline __u64 walk_question_records(struct xdp_md *ctx, __u32 offset, __u32 name_length,
                                       __u32 wants, __u32 address)
{
    return walk_records(ctx, offset, name_length, EXPECTS_QUESTION, wants, address);
}

/* Judges and counts `message`, which came from the server to `port`, one of the Tester's ports, and
 * begins `offset` octets into the frame. `reply` has what is known so far. `client` is the client's
 * part of its query's expectation. */
static __always_inline void take_reply(struct xdp_md *ctx, const struct reply_clock_config *cfg,
                                       struct reply *reply, struct wire_cursor message,
                                       __u32 offset, __u32 port, __u64 now, __u64 client,
                                       enum expects expects)
{
    __u32 wants = 0;
    __u32 length = 0;
    __u32 answers = 0;
    __u16 flags = 0;

    if (wire_has(&message, 2))
        reply->slot = find_slot(cfg, port, wire_get16(message.pos), &reply->word);
    if (!reply->slot) {
        count(REPLY_UNEXPECTED);
        return;
    }
    /* The sender may reuse the slot meanwhile. Then claim() fails, and the reply is unexpected.
     */
    reply->rtt = now - reply->slot->sent_ns;
    if (reply->rtt > SLOT_RTT_MAX)
        reply->rtt = SLOT_RTT_MAX;
    if (expects == EXPECTS_NAME) {
        wants = judge_name_wants(&cfg->rule);
        reply->judgement =
            judge_name_question(message, &cfg->rule, (__u32)reply->slot->expectation, &flags);
    } else {
        wants = reply->slot->wants;
        reply->judgement = judge_hashed_question(
            message, &cfg->questions, reply->slot->expectation - client, &flags, &length);
    }
    if (wire_has(&message, DNS_HEADER_SIZE))
        answers = wire_get16(message.pos + 6);
    reply->flags = flags;
    if (reply->judgement == JUDGE_VALID) {
        const __u32 address =
            expects == EXPECTS_NAME
                ? (__u32)reply->slot->expectation
                : judge_asked_address(message, cfg->reads_data ? wants : wants & ~WANTS_DATA);
        const struct records_truth truth = truth_of(expects, wants, address);

        if (expects == EXPECTS_NAME)
            length = judge_name_length(&cfg->rule);
        reply->records = records_usual(message, length, &truth);
        if (!reply->records)
            reply->records = expects == EXPECTS_NAME
                                 ? walk_name_records(ctx, offset, address)
                                 : walk_question_records(ctx, offset, length, wants, address);
        reply->judgement = judge_found(flags, answers, reply->records, wants, &cfg->rule);
    } else if (reply->judgement == JUDGE_RCODE) {
        reply->no_question = 1;
        reply->records = records_bare(message);
        reply->judgement = judge_bare(flags, reply->records, wants, &cfg->rule);
    }
    reply->rcode = reply_rcode(flags, reply->records);
    settle(reply, cfg->timeout_ns);
}

static __always_inline __u32 stamp_of(const struct xdp_md *ctx)
{
    __u64 stamp = 0;

    return bpf_xdp_metadata_rx_timestamp(ctx, &stamp) ? 0 : slot_stamp(stamp);
}

static __always_inline int pass(void)
{
    count(REPLY_PASSED);
    return XDP_PASS;
}

/* Returns the addresses of a packet to the Tester's address and ports; null for other packets. */
static __always_inline const __u8 *addresses_to_tester(const struct reply_clock_config *cfg,
                                                       struct wire_cursor frame,
                                                       const struct packet *packet)
{
    const __u8 *addresses;

    if (packet->is_ipv6 != cfg->is_ipv6)
        return NULL;
    if (!cfg->id_bits &&
        (packet->target_port < cfg->first_port ||
         packet->target_port - cfg->first_port >= (int)(cfg->ports * cfg->senders)))
        return NULL;
    addresses = addresses_of(frame, packet);
    return addresses && is_testers(cfg, addresses + (cfg->is_ipv6 ? 16 : 4)) ? addresses : NULL;
}

/* The life of a reply. */
static __always_inline int clock_frame(struct xdp_md *ctx, enum expects expects, int takes_stamps)
{
    const struct reply_clock_config *cfg = OPAQUE_ADDRESS(config);
    struct wire_cursor frame = frame_cursor(ctx);
    struct wire_cursor message = frame;
    struct packet packet = {};
    const __u8 *addresses;
    enum packet_kind kind;
    struct reply reply = {};
    __u32 stamp = 0;
    __u64 client = 0;
    __u64 now;
    int padding;

    kind = packet_read(&message, &packet);
    if (kind == PACKET_FRAGMENT)
        count(REPLY_FRAGMENT);
    if (kind != PACKET_UDP)
        return pass();
    addresses = addresses_to_tester(cfg, frame, &packet);
    if (!addresses)
        return pass();
    if (expects == EXPECTS_QUESTION && cfg->has_clients)
        client = question_client(addresses + (cfg->is_ipv6 ? 16 : 4), cfg->is_ipv6,
                                 cfg->id_bits ? packet.target_port : 0, &cfg->questions);
    if (packet.source_port != cfg->server_port ||
        !same_address(addresses, cfg->server_address, cfg->is_ipv6)) {
        count(REPLY_WRONG_SOURCE);
        return pass();
    }
    now = bpf_ktime_get_ns();
    if (takes_stamps)
        stamp = stamp_of(ctx);

    padding = packet_padding(&packet, frame_length(ctx));
    if (padding) {
        if (padding < 0 || bpf_xdp_adjust_tail(ctx, -padding))
            return pass();
        frame = frame_cursor(ctx);
        message = frame;
        message.pos += packet.udp_offset + PACKET_UDP_SIZE;
        addresses = addresses_of(frame, &packet);
        if (!addresses)
            return pass();
    }
    struct wire_cursor udp = frame;
    udp.pos += packet.udp_offset;
    if (!packet_checksum_ok(udp, addresses, cfg->is_ipv6, packet.udp_length)) {
        count(REPLY_BAD_CHECKSUM);
        return XDP_DROP;
    }
    if (takes_stamps)
        reply.stamp = &stamp;
    reply.size = packet.udp_length - PACKET_UDP_SIZE;
    message = frame_anew(ctx);
    message.pos += packet.udp_offset + PACKET_UDP_SIZE;
    take_reply(ctx, cfg, &reply, message, packet.udp_offset + PACKET_UDP_SIZE, packet.target_port,
               now, client, expects);
    return XDP_DROP;
}

SEC("xdp")
int reply_clock(struct xdp_md *ctx)
{
    return clock_frame(ctx, EXPECTS_NAME, 0);
}

SEC("?xdp")
int reply_clock_questions(struct xdp_md *ctx)
{
    return clock_frame(ctx, EXPECTS_QUESTION, 0);
}

/* The same two programs with the card's receive stamps, for interfaces that may have such stamps.
 */
SEC("?xdp")
int reply_clock_hardware(struct xdp_md *ctx)
{
    return clock_frame(ctx, EXPECTS_NAME, 1);
}

SEC("?xdp")
int reply_clock_questions_hardware(struct xdp_md *ctx)
{
    return clock_frame(ctx, EXPECTS_QUESTION, 1);
}

char _license[] SEC("license") = "Dual BSD/GPL";
