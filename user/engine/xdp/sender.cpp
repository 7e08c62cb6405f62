// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/sender.h"

#include "engine/catch_up.h"
#include "system/monotonic_clock.h"
#include "system/setup_error.h"
#include "xdp/frames.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace dnsgauge
{

namespace
{

// How long the kernel may take to send its frames after the last query was handed over.
constexpr auto completion_patience = std::chrono::milliseconds(500);

// A full driver is left alone for this time: a kick in vain builds a packet and takes the lock of
// the ring that the driver is emptying, which delays the driver.
constexpr std::int64_t full_pause_ns = 5000;

template <class Query>
PortAndId identity_of(const IdentityWalk &identities, const Query &query)
{
    if constexpr (requires { query.port; })
        return identities.identity(query.port);
    else
        return identities.identity();
}

} // namespace

Sender::Sender(const SenderPlan &plan, const SenderPart &part, const SenderParts &parts)
    : plan_(plan), part_(part), umem_(parts.umem), socket_(parts.socket), slots_(parts.slots),
      log_(parts.log), late_log_(parts.late_log), stamps_(parts.stamps),
      intervals_(parts.intervals),
      settles_(log_ != nullptr || stamps_ != nullptr || intervals_ != nullptr),
      driver_lag_(parts.umem.send_frames()),
      stalls_(plan.stall_limit, std::max(plan.stall_limit, plan.bearable), part.count()),
      misses_(plan.stall_limit, part.count()), identities_(plan.identities, plan.lane)
{
    tally_.bursts.assign(batch_limit + 1, 0);
    if (plan.identities.id_bits == 0)
        tally_.lost_by_port.assign(plan.identities.ports, 0);
}

LaneTally Sender::tally() const
{
    LaneTally tally = tally_;
    tally.unsent = not_completed();
    tally.stalls = stalls_.stalls();
    tally.forgotten_stalls = stalls_.forgotten();
    tally.misses = misses_.tally();
    if (stamps_ != nullptr) {
        tally.stamps = stamps_->counts();
        tally.hardware_rtts = stamps_->rtts();
    }
    if (intervals_ != nullptr)
        tally.intervals = intervals_->tallies();
    return tally;
}

void Sender::reap()
{
    if (stamps_ == nullptr)
        umem_.reap([](std::uint64_t) {});
    else
        umem_.reap([this](std::uint64_t address) {
            stamps_->complete(Umem::number_of(address), umem_.stamp(address), next_);
        });
}

// `before` is a time before the last reap(), so that the sender's own delay does not count as the
// driver's. A driver in zero-copy mode may keep frames that it has sent until it needs their place.
// So only frames that it has not taken are certainly unsent. While it takes no frames, the frames
// that it has taken may be unsent, too.
void Sender::look_at_driver(std::int64_t before)
{
    const std::uint64_t kept = socket_.is_zero_copy() ? socket_.not_taken() : not_completed();
    const std::int64_t now = before - start_ns_;
    const std::int64_t delay = driver_lag_.see(next_, next_ - kept, now);
    if (!plan_.has_card || !stalls_.is_driver_stall(delay))
        return;
    const std::uint64_t waiting = not_completed();
    stalls_.note_driver(waiting == 0 ? now : driver_lag_.due_of(next_ - waiting), now, delay,
                        waiting);
}

void Sender::push_out(std::int64_t now)
{
    switch (socket_.kick()) {
    case Kick::done:
        break;
    case Kick::full:
        kick_again_ns_ = now + full_pause_ns;
        break;
    case Kick::failed:
        tally_.link_failed = true;
        break;
    }
}

void Sender::wait_for_completions()
{
    std::int64_t now = monotonic_ns();
    const std::int64_t deadline = now + std::chrono::nanoseconds(completion_patience).count();
    for (; not_completed() != 0 && now < deadline && !tally_.link_failed; now = monotonic_ns()) {
        if (socket_.wants_kick() && now >= kick_again_ns_)
            push_out(now);
        reap();
        look_at_driver(now);
    }
}

QueryRecord Sender::record_of(const query_slot &slot, std::uint64_t word, std::uint64_t query) const
{
    return {.query = part_.number(query),
            .place = query,
            .sent_ns = slot.sent_ns,
            .rtt_ns = slot_rtt(word),
            .expectation = slot.expectation,
            .sender = plan_.lane,
            .state = slot_state(word)};
}

void Sender::settle(const query_slot &slot, std::uint64_t word, std::uint64_t query)
{
    if (log_ != nullptr && !log_->push(record_of(slot, word, query)))
        tally_.not_logged++;
    if (stamps_ != nullptr)
        stamps_->settle(query, word, slot.hardware_ns);
    if (intervals_ != nullptr)
        intervals_->settle(static_cast<std::int64_t>(slot.sent_ns) - start_ns_, slot_state(word),
                           slot_rcode(word), slot_rtt(word));
}

void Sender::miss(const query_slot &slot, std::uint64_t word, std::uint64_t query,
                  std::uint64_t now)
{
    if (slot_state(word) < QUERY_VALID &&
        now - slot.sent_ns <= static_cast<std::uint64_t>(plan_.timeout.count()))
        recycled_early_++;
    book(slot, word, query);
}

void Sender::book(const query_slot &slot, std::uint64_t word, std::uint64_t query)
{
    const query_state state = slot_state(word);
    if (state == QUERY_LATE && late_log_ != nullptr)
        static_cast<void>(late_log_->push(record_of(slot, word, query)));
    misses_.settle(static_cast<std::int64_t>(slot.sent_ns) - start_ns_, state);
    if (state == QUERY_OUTSTANDING && !tally_.lost_by_port.empty())
        tally_.lost_by_port[identities_.port_of(query)]++;
}

std::int64_t Sender::freed_at(const query_slot &slot, std::int64_t now) const
{
    const std::uint64_t word = __atomic_load_n(&slot.word, __ATOMIC_ACQUIRE);
    const auto sent = static_cast<std::int64_t>(slot.sent_ns);
    if (slot_state(word) >= QUERY_VALID && slot_state(word) != QUERY_LATE)
        return sent + static_cast<std::int64_t>(slot_rtt(word)) - start_ns_;
    if (now - sent > plan_.timeout.count())
        return sent + plan_.timeout.count() - start_ns_;
    return OpenWindow::never;
}

bool Sender::is_settled(const query_slot &slot, std::int64_t now) const
{
    const query_state state = slot_state(__atomic_load_n(&slot.word, __ATOMIC_RELAXED));
    return state == QUERY_NONE || state >= QUERY_VALID ||
           now - static_cast<std::int64_t>(slot.sent_ns) > 2 * plan_.timeout.count();
}

void Sender::settle_remaining()
{
    // The queries that the kernel has not sent are the last ones.
    const std::uint64_t sent = next_ - not_completed();
    const std::uint64_t first = next_ > slots_.size() ? next_ - slots_.size() : 0;
    // The remainder is the query's slot, because a cycle of identities is a whole number of rounds
    // of the slots.
    for (std::uint64_t query = first; query < next_; query++) {
        const query_slot &slot = slots_[query % slots_.size()];
        if (query < sent)
            book(slot, slot.word, query);
        if (stamps_ != nullptr)
            stamps_->settle(query, slot.word, slot.hardware_ns);
        if (intervals_ != nullptr && query < sent)
            intervals_->settle(static_cast<std::int64_t>(slot.sent_ns) - start_ns_,
                               slot_state(slot.word), slot_rcode(slot.word), slot_rtt(slot.word));
        while (log_ != nullptr && !log_->push(record_of(slot, slot.word, query)))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Sends a stream of queries in the frames that `frames` writes.
template <QueryStream Stream, class Frames>
class SenderOf final : public Sender
{
public:
    SenderOf(const SenderPlan &plan, const SenderPart &part, const SenderParts &parts,
             const Stream &stream, Frames frames)
        : Sender(plan, part, parts), stream_(stream), frames_(std::move(frames))
    {
        for (std::uint32_t i = 0; i < umem_.send_frames(); i++)
            frames_.prepare(umem_.frame(umem_.address_of(i)).data());
    }

    void run(std::int64_t start_ns, const std::atomic<bool> &stop) override
    {
        start_ns_ = start_ns;
        if (plan_.catch_up_per_mille == 0)
            send_all(FullSpeed(), stop);
        else
            send_all(
                CatchUp(plan_.catch_up_per_mille,
                        standstill(plan_.stall_limit, std::uint64_t{batch_limit} * part_.share.of)),
                stop);
        wait_for_completions();
        stalls_.close();
        tally_.handed_over = next_;
        tally_.driver_lag = Nanoseconds(driver_lag_.most_ns());
    }

private:
    template <class Pace>
    void send_all(Pace pace, const std::atomic<bool> &stop)
    {
        const std::uint64_t queries = part_.count();
        std::int64_t now = monotonic_ns();
        std::uint32_t sent = 0; // at `now`
        const auto freed = [&](std::uint32_t slot) { return freed_at(slots_[slot], now); };
        while (next_ < queries && !stop.load(std::memory_order_relaxed) && !tally_.link_failed) {
            reap();
            look_at_driver(now);
            if constexpr (WindowStream<Stream>)
                stream_.timing().look(freed, window_batch_limit);
            const std::int64_t before = std::exchange(now, monotonic_ns());
            if constexpr (WindowStream<Stream>) {
                if (now - start_ns_ >= plan_.duration.count())
                    break;
                batch_size_.sent(sent, now - before);
            }
            const std::int64_t until = pace.at(now - start_ns_, stream_.due());
            sent = until >= stream_.due() ? send_due(now, until, queries - next_) : 0;
            if (sent != 0)
                progress_.store(next_, std::memory_order_relaxed);
            if (socket_.wants_kick() && now >= kick_again_ns_)
                push_out(now);
        }
        if constexpr (WindowStream<Stream>)
            tally_.window = stream_.timing().tally(now - start_ns_, freed);
    }

    // Sends what is due by the schedule's time `until`, at most `left` queries.
    std::uint32_t send_due(std::int64_t now, std::int64_t until, std::uint64_t left)
    {
        const std::uint32_t room = socket_.room(static_cast<std::uint32_t>(std::min<std::uint64_t>(
            WindowStream<Stream> ? batch_size_.most() : batch_limit, left)));
        const std::int64_t first_due = stream_.due();
        std::uint32_t sent = 0;
        while (sent < room && until >= stream_.due()) {
            if constexpr (WindowStream<Stream>)
                if (!is_settled(slots_[identities_.slot()], now))
                    break;
            send_one(now);
            sent++;
        }
        if (sent == 0)
            return 0;
        socket_.submit();
        stalls_.hand_over(first_due, now - start_ns_, sent, stream_.due());
        tally_.last_sent = Nanoseconds(now - start_ns_);
        tally_.overrun = Nanoseconds(now - start_ns_ - driver_lag_.due_of(next_ - 1));
        tally_.bursts[sent]++;
        return sent;
    }

    // Forgets the slot's last query, writes the new query's expectation, and only then queues the
    // frame: the reply finds its slot ready.
    void send_one(std::int64_t now)
    {
        const auto now_unsigned = static_cast<std::uint64_t>(now);
        const auto query = stream_.next();
        query_slot &slot = slots_[identities_.slot()];

        const std::uint64_t before =
            __atomic_exchange_n(&slot.word, slot_word(QUERY_NONE, 0, 0), __ATOMIC_ACQ_REL);
        if (slot_state(before) != QUERY_NONE) {
            if (slot_state(before) != QUERY_VALID)
                miss(slot, before, next_ - slots_.size(), now_unsigned);
            if (settles_)
                settle(slot, before, next_ - slots_.size());
        }
        slot.sent_ns = now_unsigned;
        slot.expectation = query.expectation;
        if constexpr (requires { query.wants; })
            slot.wants = query.wants;
        __atomic_store_n(&slot.word, slot_word(QUERY_OUTSTANDING, identities_.tag(), 0),
                         __ATOMIC_RELEASE);

        const std::uint64_t frame = umem_.take();
        const PortAndId identity = identity_of(identities_, query);
        const std::uint32_t length =
            frames_.write(umem_.frame(frame).data(), identity.port, identity.id, query);
        socket_.queue(frame, length);
        if (stamps_ != nullptr)
            stamps_->send(next_, Umem::number_of(frame));

        if constexpr (WindowStream<Stream>)
            stream_.timing().open(static_cast<std::uint32_t>(&slot - slots_.data()),
                                  now - start_ns_);
        tally_.lateness.add(static_cast<std::uint64_t>(now - start_ns_ - query.due_ns));
        driver_lag_.hand_over(next_, query.due_ns);
        identities_.advance();
        next_++;
    }

    Stream stream_;
    Frames frames_;
};

std::unique_ptr<Sender> make_sender(const QuerySources &sources, const FrameEnds &ends,
                                    const SenderPlan &plan, const SenderParts &parts)
{
    using Made = std::unique_ptr<Sender>;
    const auto in_frames = [&](const auto &stream, const SenderPart &part, auto frames) -> Made {
        using Stream = std::decay_t<decltype(stream)>;
        return std::make_unique<SenderOf<Stream, decltype(frames)>>(plan, part, parts, stream,
                                                                    std::move(frames));
    };
    return sources.with_stream(
        plan.lane,
        Overloaded{[&]<Schedule Timing>(const NameStream<Timing> &stream, const SenderPart &part) {
                       const auto &names = std::get<NamesWorkload>(sources.workload());
                       return in_frames(stream, part, FrameTemplate({ends, name_format(names)}));
                   },
                   []<Schedule Timing>(const MessageStream<NoMessages, Timing> & /*stream*/,
                                       const SenderPart & /*part*/) -> Made {
                       throw SetupError("datagrams have no handshakes");
                   },
                   [&](const auto &stream, const SenderPart &part) {
                       return in_frames(stream, part, MessageFrames(ends, sources.longest()));
                   }},
        plan.identities.id_bits != 0);
}

} // namespace dnsgauge
