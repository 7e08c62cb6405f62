// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/quic_server.h"

#include "system/random.h"
#include "system/setup_error.h"

#include "wire/bytes.h"
#include "wire/dns.h"

#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include <algorithm>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::size_t first_datagram_least = 1200;
constexpr unsigned repeats_most = 3;
// If somebody sends a datagram with a false source address, the victim gets at most this number of
// times the datagram's octets (RFC 9000 section 8.1).
constexpr std::size_t share_most = 3;
constexpr std::uint64_t handshake_failure = 40; // TLS's alert

// The numbers of the client's streams are multiples of four.
constexpr std::int64_t id_step = 4;

QuicServerConnection &of(void *user)
{
    return *static_cast<QuicServerConnection *>(user);
}

std::string text_of(const std::uint8_t *octets, std::size_t size)
{
    return {reinterpret_cast<const char *>(octets), size};
}

std::string text_of(const ngtcp2_cid &id)
{
    return text_of(id.data, id.datalen);
}

gnutls_datum_t datum_of(const std::string &text)
{
    return {.data = reinterpret_cast<unsigned char *>(const_cast<char *>(text.data())),
            .size = static_cast<unsigned>(text.size())};
}

GnutlsCredentials credentials_of(const std::string &chain, const std::string &key)
{
    GnutlsCredentials credentials = make_quic_credentials();
    const gnutls_datum_t chain_datum = datum_of(chain);
    const gnutls_datum_t key_datum = datum_of(key);
    const int result = gnutls_certificate_set_x509_key_mem(credentials.get(), &chain_datum,
                                                           &key_datum, GNUTLS_X509_FMT_PEM);
    if (result < 0)
        throw SetupError("GnuTLS refuses the certificate: {}", gnutls_strerror(result));
    return credentials;
}

int require_doq(gnutls_session_t session)
{
    return has_chosen_doq(session) ? 0 : GNUTLS_E_NO_APPLICATION_PROTOCOL;
}

} // namespace

QuicServer::TicketKey::TicketKey()
{
    if (gnutls_session_ticket_key_generate(&key) != 0)
        throw SetupError("no memory for TLS");
}

QuicServer::TicketKey::~TicketKey()
{
    gnutls_free(key.data);
}

QuicServer::QuicServer(const TlsSetup &setup, std::chrono::seconds idle)
    : identity_(setup), idle_(idle), priority_(make_quic_priority()),
      credentials_(credentials_of(identity_.chain_pem(), identity_.key_pem()))
{
    fill_randomly(std::as_writable_bytes(std::span(secret_)));
}

QuicHead QuicServer::head_of(std::span<const std::uint8_t> datagram)
{
    QuicHead head;
    const int result =
        ngtcp2_pkt_decode_version_cid(&head.ids, datagram.data(), datagram.size(), quic_id_size);
    if (result == NGTCP2_ERR_VERSION_NEGOTIATION)
        head.kind = QuicHead::Kind::other_version;
    else if (result == 0)
        head.kind = ngtcp2_accept(&head.packet, datagram.data(), datagram.size()) == 0
                        ? QuicHead::Kind::first
                        : QuicHead::Kind::further;
    return head;
}

QuicServerConnection *QuicServer::find(const QuicHead &head) const
{
    const auto found = by_id_.find(text_of(head.ids.dcid, head.ids.dcidlen));
    return found == by_id_.end() ? nullptr : found->second;
}

std::span<const std::uint8_t> QuicServer::answer_stranger(std::size_t datagram_size,
                                                          const QuicHead &head,
                                                          std::span<std::uint8_t> room) const
{
    constexpr std::uint32_t version = NGTCP2_PROTO_VER_V1;
    constexpr std::size_t random_size = 27;
    std::array<std::uint8_t, random_size> random{};
    fill_random(random.data(), random.size());
    ngtcp2_ssize size = 0;
    if (head.kind == QuicHead::Kind::other_version && datagram_size >= first_datagram_least) {
        size = ngtcp2_pkt_write_version_negotiation(room.data(), room.size(), random[0],
                                                    head.ids.scid, head.ids.scidlen, head.ids.dcid,
                                                    head.ids.dcidlen, &version, 1);
    } else if (head.kind == QuicHead::Kind::further && head.ids.version == 0 &&
               datagram_size >
                   NGTCP2_MIN_STATELESS_RESET_RANDLEN + NGTCP2_STATELESS_RESET_TOKENLEN) {
        ngtcp2_cid id{};
        ngtcp2_cid_init(&id, head.ids.dcid, head.ids.dcidlen);
        const auto token = reset_token(id);
        const std::size_t most =
            std::min(datagram_size - 1, random_size + NGTCP2_STATELESS_RESET_TOKENLEN);
        size = ngtcp2_pkt_write_stateless_reset(room.data(), most, token.data(), random.data(),
                                                random.size());
    }
    return room.first(size < 0 ? 0 : static_cast<std::size_t>(size));
}

gnutls_certificate_credentials_t QuicServer::credentials_for(ConnectionFault fault)
{
    if (fault != ConnectionFault::expired_certificate && fault != ConnectionFault::wrong_name)
        return credentials_.get();
    GnutlsCredentials &made = flawed_[fault];
    if (!made)
        made = credentials_of(identity_.flawed_pem(fault == ConnectionFault::wrong_name
                                                       ? CertificateFlaw::other_name
                                                       : CertificateFlaw::expired),
                              identity_.key_pem());
    return made.get();
}

std::array<std::uint8_t, NGTCP2_STATELESS_RESET_TOKENLEN>
QuicServer::reset_token(const ngtcp2_cid &id) const
{
    std::array<std::uint8_t, NGTCP2_STATELESS_RESET_TOKENLEN> token{};
    static_cast<void>(ngtcp2_crypto_generate_stateless_reset_token(token.data(), secret_.data(),
                                                                   secret_.size(), &id));
    return token;
}

QuicServerConnection::QuicServerConnection(QuicServer &server, const QuicHead &first,
                                           const ngtcp2_path &path,
                                           std::unique_ptr<MessageAnswerer> answerer,
                                           const Misconduct &fault, std::int64_t now)
    : FaultyMessages(*answerer, fault), server_(server), answerer_(std::move(answerer))
{
    ngtcp2_path_storage_zero(&path_);
    ngtcp2_path_copy(&path_.path, &path);
    add_id(first.packet.dcid);
    if (fault.kind == ConnectionFault::refuse)
        refuse(first, NGTCP2_CONNECTION_REFUSED);
    else if (fault.kind == ConnectionFault::close_handshake)
        refuse(first, NGTCP2_CRYPTO_ERROR | handshake_failure);
    else if (fault.kind != ConnectionFault::stall_handshake &&
             (!begin_tls() || !begin_quic(first, path, now)))
        end();
}

QuicServerConnection::~QuicServerConnection()
{
    for (const std::string &id : ids_)
        server_.by_id_.erase(id);
}

void QuicServerConnection::refuse(const QuicHead &first, std::uint64_t code)
{
    last_.resize(datagram_most);
    const ngtcp2_ssize size = ngtcp2_crypto_write_connection_close(
        last_.data(), last_.size(), first.packet.version, &first.packet.scid, &first.packet.dcid,
        code, nullptr, 0);
    last_.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
}

bool QuicServerConnection::begin_tls()
{
    reference_ = {
        .get_conn =
            [](ngtcp2_crypto_conn_ref *reference) { return of(reference->user_data).quic_.get(); },
        .user_data = this};
    session_ = make_quic_session(GNUTLS_SERVER, reference_);
    if (!session_)
        return false;
    gnutls_session_t const session = session_.get();
    gnutls_handshake_set_post_client_hello_function(session, require_doq);
    return (fault() == ConnectionFault::no_resumption ||
            gnutls_session_ticket_enable_server(session, &server_.tickets_.key) == 0) &&
           ngtcp2_crypto_gnutls_configure_server_session(session) == 0 &&
           set_up_doq(session, server_.priority_.get(), server_.credentials_for(fault()));
}

bool QuicServerConnection::begin_quic(const QuicHead &first, const ngtcp2_path &path,
                                      std::int64_t now)
{
    const ngtcp2_settings settings = common_quic_settings(now);
    const ngtcp2_cid own = random_quic_id(quic_id_size);
    ngtcp2_transport_params parameters;
    ngtcp2_transport_params_default(&parameters);
    parameters.initial_max_stream_data_bidi_remote = doq_message_most;
    parameters.initial_max_data = most_kept;
    parameters.initial_max_streams_bidi = most_streams;
    parameters.max_idle_timeout = static_cast<ngtcp2_duration>(server_.idle_.count());
    parameters.max_udp_payload_size = datagram_most;
    parameters.disable_active_migration = 1;
    parameters.original_dcid = first.packet.dcid;
    parameters.original_dcid_present = 1;
    std::ranges::copy(server_.reset_token(own), parameters.stateless_reset_token);
    parameters.stateless_reset_token_present = 1;
    const ngtcp2_callbacks functions = callbacks();
    ngtcp2_conn *quic = nullptr;
    const int result =
        ngtcp2_conn_server_new(&quic, &first.packet.scid, &own, &path, first.packet.version,
                               &functions, &settings, &parameters, nullptr, this);
    quic_.reset(quic);
    if (result != 0)
        return false;
    add_id(own);
    ngtcp2_conn_set_tls_native_handle(quic, session_.get());
    return true;
}

ngtcp2_callbacks QuicServerConnection::callbacks()
{
    ngtcp2_callbacks functions = common_quic_callbacks();
    functions.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
    functions.get_new_connection_id = [](ngtcp2_conn *, ngtcp2_cid *id, std::uint8_t *token,
                                         std::size_t size, void *user) {
        *id = random_quic_id(size);
        std::ranges::copy(of(user).server_.reset_token(*id), token);
        of(user).add_id(*id);
        return 0;
    };
    functions.remove_connection_id = [](ngtcp2_conn *, const ngtcp2_cid *id, void *user) {
        of(user).remove_id(*id);
        return 0;
    };
    functions.handshake_completed = [](ngtcp2_conn *, void *user) {
        of(user).complete_handshake();
        return 0;
    };
    functions.stream_open = [](ngtcp2_conn *, std::int64_t id, void *user) {
        return of(user).open(id);
    };
    functions.recv_stream_data = [](ngtcp2_conn *, std::uint32_t flags, std::int64_t /*id*/,
                                    std::uint64_t /*offset*/, const std::uint8_t *octets,
                                    std::size_t size, void *user, void *stream) {
        return of(user).take(*static_cast<Stream *>(stream), {octets, size},
                             (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0);
    };
    functions.stream_reset = [](ngtcp2_conn *quic, std::int64_t id, std::uint64_t /*size*/,
                                std::uint64_t /*code*/, void * /*user*/, void *stream) {
        // The query will not become complete.
        if (static_cast<Stream *>(stream)->state == Stream::State::asks)
            ngtcp2_conn_shutdown_stream_write(quic, 0, id, doq_request_cancelled);
        return 0;
    };
    functions.stream_close = [](ngtcp2_conn *, std::uint32_t /*flags*/, std::int64_t /*id*/,
                                std::uint64_t /*code*/, void *user, void *stream) {
        of(user).close_stream(*static_cast<Stream *>(stream));
        return 0;
    };
    return functions;
}

void QuicServerConnection::add_id(const ngtcp2_cid &id)
{
    ids_.push_back(text_of(id));
    server_.by_id_.emplace(ids_.back(), this);
}

void QuicServerConnection::remove_id(const ngtcp2_cid &id)
{
    const std::string text = text_of(id);
    server_.by_id_.erase(text);
    std::erase(ids_, text);
}

void QuicServerConnection::complete_handshake()
{
    is_open_ = true;
    (gnutls_session_is_resumed(session_.get()) != 0 ? server_.counts_.resumed
                                                    : server_.counts_.full)++;
}

bool QuicServerConnection::take_in(const QuicHead &head, const ngtcp2_path &path,
                                   std::span<const std::uint8_t> datagram, std::int64_t arrived_ns,
                                   std::int64_t now)
{
    if (is_over()) {
        owes_last_ = last_.size() <= share_most * datagram.size() && repeats_++ < repeats_most;
        return false;
    }
    last_id_ = text_of(head.ids.dcid, head.ids.dcidlen);
    if (HeldAnswers *const held = answerer().held(); held != nullptr)
        held->arrived_ns = static_cast<std::uint64_t>(arrived_ns);
    unsent_.insert(unsent_.end(), blocked_.begin(), blocked_.end());
    blocked_.clear();
    has_query_ = false;
    const int result = ngtcp2_conn_read_pkt(quic_.get(), &path, nullptr, datagram.data(),
                                            datagram.size(), quic_time(now));
    if (result != 0)
        fail(result, now);
    return has_query_;
}

int QuicServerConnection::open(std::int64_t id)
{
    Stream &stream = streams_[id];
    stream.id = id;
    return ngtcp2_conn_set_stream_user_data(quic_.get(), id, &stream);
}

int QuicServerConnection::take(Stream &stream, std::span<const std::uint8_t> octets, bool is_last)
{
    if (append_to_message(stream.message, octets) != octets.size()) {
        breaks_rules_ = true; // a second query
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    if (!is_last)
        return 0;
    if (!is_whole_message(stream.message)) {
        breaks_rules_ = true;
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    ngtcp2_conn_extend_max_offset(quic_.get(), stream.message.size());
    return answer(stream);
}

int QuicServerConnection::answer(Stream &stream)
{
    std::vector<std::uint8_t> &message = stream.message;
    const std::size_t size = message.size() - doq_length_size;
    std::uint8_t *const query = message.data() + doq_length_size;
    dns_query read{};
    if (dns_read_query({query, query + size}, 0, &read) == DNS_QUERY_IGNORED ||
        wire_get16(query) != 0) {
        breaks_rules_ = true; // RFC 9250 section 4.3.3
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    has_query_ = true;
    stream.state = Stream::State::waits;
    if (stays_silent()) {
        if (fault() == ConnectionFault::reset_stream)
            ngtcp2_conn_shutdown_stream_write(quic_.get(), 0, stream.id, doq_internal_error);
        return 0;
    }
    if (HeldAnswers *const held = answerer().held(); held != nullptr)
        held->request = static_cast<std::int32_t>(stream.id / id_step);
    message.resize(doq_length_size + answerer().room(size));
    const std::size_t made = answerer().answer(std::span(message).subspan(doq_length_size), size);
    message.resize(doq_length_size + made);
    if (made == 0)
        message = {};
    else
        release(stream);
    return 0;
}

// Lets the answer go, with the answers that waited for it, unless this answer must wait for others
// itself.
void QuicServerConnection::release(Stream &stream)
{
    stream.state = Stream::State::is_grouped;
    group_.push_back(&stream);
    if (!completes_group(group_.size()))
        return;
    if (fault() == ConnectionFault::swap)
        std::ranges::reverse(group_);
    if (fault() == ConnectionFault::wrong_stream)
        std::swap(group_.front()->message, stream.message);
    release_group();
}

void QuicServerConnection::release_group()
{
    for (Stream *const stream : group_) {
        wire_put16(stream->message.data(),
                   static_cast<std::uint16_t>(stream->message.size() - doq_length_size));
        stream->state = Stream::State::is_answered;
        unsent_.push_back(stream);
    }
    group_.clear();
}

void QuicServerConnection::add_due(std::int64_t now)
{
    HeldAnswers *const held = answerer().held();
    if (held == nullptr)
        return;
    for (; !held->waiting.empty() && static_cast<std::int64_t>(held->waiting.due_ns()) <= now;
         held->waiting.pop()) {
        const HeldAnswer &answer = held->waiting.top();
        const auto stream = streams_.find(answer.request * id_step);
        if (stream == streams_.end() || stream->second.state != Stream::State::waits) {
            answerer().add_unsent(1); // a stream has one answer
            continue;
        }
        std::vector<std::uint8_t> &message = stream->second.message;
        message.assign(doq_length_size, 0);
        message.insert(message.end(), answer.octets.begin(), answer.octets.end());
        release(stream->second);
    }
}

void QuicServerConnection::close_stream(Stream &stream)
{
    if (stream.state == Stream::State::is_answered || stream.state == Stream::State::is_grouped) {
        std::erase(unsent_, &stream);
        std::erase(blocked_, &stream);
        std::erase(group_, &stream);
        answerer().add_unsent(1);
    } else if (stream.state == Stream::State::asks) {
        ngtcp2_conn_extend_max_offset(quic_.get(), stream.message.size());
    }
    streams_.erase(stream.id);
    ngtcp2_conn_extend_max_streams_bidi(quic_.get(), 1);
}

std::span<const std::uint8_t> QuicServerConnection::next_datagram(std::span<std::uint8_t> room,
                                                                  ngtcp2_path_storage &path,
                                                                  std::int64_t now)
{
    bool is_blocked = false;
    while (!is_over()) {
        Stream *const stream = is_blocked || unsent_.empty() ? nullptr : unsent_.front();
        ngtcp2_vec octets{};
        std::uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_NONE;
        if (stream != nullptr) {
            const std::size_t rest = stream->message.size() - stream->sent;
            const bool splits = fault() == ConnectionFault::split;
            octets = {.base = stream->message.data() + stream->sent, .len = splits ? 1 : rest};
            flags =
                (splits ? NGTCP2_WRITE_STREAM_FLAG_NONE : NGTCP2_WRITE_STREAM_FLAG_MORE) |
                (octets.len == rest ? NGTCP2_WRITE_STREAM_FLAG_FIN : NGTCP2_WRITE_STREAM_FLAG_NONE);
        }
        ngtcp2_ssize taken = -1;
        const ngtcp2_ssize size =
            ngtcp2_conn_writev_stream(quic_.get(), &path.path, nullptr, room.data(), room.size(),
                                      &taken, flags, stream == nullptr ? -1 : stream->id, &octets,
                                      stream == nullptr ? 0 : 1, quic_time(now));
        if (stream != nullptr && taken >= 0)
            sent(*stream, taken);
        switch (size) {
        case NGTCP2_ERR_WRITE_MORE:
            continue;
        case NGTCP2_ERR_STREAM_DATA_BLOCKED:
            is_blocked = ngtcp2_conn_get_max_data_left(quic_.get()) == 0;
            if (!is_blocked) {
                blocked_.push_back(stream);
                unsent_.pop_front();
            }
            continue;
        case NGTCP2_ERR_STREAM_SHUT_WR:
        case NGTCP2_ERR_STREAM_NOT_FOUND:
            stream->state = Stream::State::is_over;
            unsent_.pop_front();
            answerer().add_unsent(1);
            continue;
        default: // ngtcp2's numbers
            break;
        }
        if (size > 0)
            return room.first(static_cast<std::size_t>(size));
        if (size < 0)
            fail(static_cast<int>(size), now);
        else if (!carry_out_fault(now))
            return {};
    }
    if (!std::exchange(owes_last_, false) || last_.empty())
        return {};
    ngtcp2_path_copy(&path.path, &path_.path);
    std::ranges::copy(last_, room.begin());
    return room.first(last_.size());
}

void QuicServerConnection::sent(Stream &stream, ngtcp2_ssize octets)
{
    stream.sent += static_cast<std::size_t>(octets);
    if (stream.sent != stream.message.size())
        return;
    stream.state = Stream::State::is_over;
    unsent_.pop_front();
}

// All answers that may go have gone.
bool QuicServerConnection::carry_out_fault(std::int64_t now)
{
    if (unsent() != 0)
        return false;
    if (shows(ConnectionFault::close)) {
        close(doq_no_error, now);
        return true;
    }
    if (!shows(ConnectionFault::reset))
        return false;
    QuicHead head{.kind = QuicHead::Kind::further};
    head.ids.dcid = reinterpret_cast<const std::uint8_t *>(last_id_.data());
    head.ids.dcidlen = last_id_.size();
    last_.resize(datagram_most);
    last_.resize(server_.answer_stranger(last_.size(), head, last_).size());
    owes_last_ = true;
    is_forgotten_ = true;
    end();
    return true;
}

void QuicServerConnection::close(std::uint64_t code, std::int64_t now)
{
    if (is_over())
        return;
    ngtcp2_ccerr why;
    ngtcp2_ccerr_default(&why);
    ngtcp2_ccerr_set_application_error(&why, code, nullptr, 0);
    say_last(why, now);
}

void QuicServerConnection::say_last(const ngtcp2_ccerr &why, std::int64_t now)
{
    last_.resize(datagram_most);
    const ngtcp2_ssize size = ngtcp2_conn_write_connection_close(
        quic_.get(), &path_.path, nullptr, last_.data(), last_.size(), &why, quic_time(now));
    last_.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    owes_last_ = true;
    end();
}

void QuicServerConnection::fail(int error, std::int64_t now)
{
    ngtcp2_ccerr why;
    ngtcp2_ccerr_default(&why);
    switch (error) {
    case NGTCP2_ERR_DRAINING:
    case NGTCP2_ERR_DROP_CONN:
    case NGTCP2_ERR_RETRY:
    case NGTCP2_ERR_IDLE_CLOSE:
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
        return end();
    case NGTCP2_ERR_CRYPTO:
        ngtcp2_ccerr_set_tls_alert(&why, ngtcp2_conn_get_tls_alert(quic_.get()), nullptr, 0);
        break;
    default: // ngtcp2's numbers
        if (breaks_rules_)
            ngtcp2_ccerr_set_application_error(&why, doq_protocol_error, nullptr, 0);
        else
            ngtcp2_ccerr_set_liberr(&why, error, nullptr, 0);
        break;
    }
    say_last(why, now);
}

void QuicServerConnection::end()
{
    server_.counts_.failed += is_open_ ? 0 : 1;
    answerer().add_unsent(unsent());
    quic_.reset();
    session_.reset();
    streams_.clear();
    unsent_.clear();
    blocked_.clear();
    group_.clear();
    if (HeldAnswers *const held = answerer().held(); held != nullptr)
        held->waiting = {};
}

std::int64_t QuicServerConnection::timer_ns() const
{
    return is_over() ? quic_never : quic_timer_ns(*quic_);
}

std::int64_t QuicServerConnection::first_due_ns() const
{
    const HeldAnswers *held = answerer_->held();
    return held == nullptr || held->waiting.empty()
               ? quic_never
               : static_cast<std::int64_t>(held->waiting.due_ns());
}

void QuicServerConnection::handle_timer(std::int64_t now)
{
    if (is_over())
        return;
    add_due(now);
    if (timer_ns() > now)
        return;
    if (const int result = ngtcp2_conn_handle_expiry(quic_.get(), quic_time(now)); result != 0)
        fail(result, now);
}

std::size_t QuicServerConnection::unsent() const
{
    const HeldAnswers *held = answerer_->held();
    return unsent_.size() + blocked_.size() + group_.size() +
           (held != nullptr ? held->waiting.size() : 0);
}

} // namespace dnsgauge
