// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/quic_client.h"

#include "system/counted.h"
#include "system/setup_error.h"

#include "wire/bytes.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::size_t length_size = doq_length_size;
constexpr std::size_t length_of_id = 2;

constexpr std::size_t server_id_size = 18; // of the first ID, which the Tester makes up

// The octets that a stream, and that all incomplete replies of a connection, may have. A stream has
// room for the longest message.
constexpr std::uint64_t stream_window = doq_message_most;
constexpr std::uint64_t connection_window = std::uint64_t{4} << 20U;
// Once its query has a reply, a stream keeps memory for this many octets.
constexpr std::size_t usual_reply = 4096;
// A server must end its streams (RFC 9250 section 4.2). Each one that it does not end takes memory.
constexpr std::size_t unended_most = 10'000;

int make_id(ngtcp2_conn * /*quic*/, ngtcp2_cid *id, std::uint8_t *token, std::size_t size,
            void * /*user*/)
{
    *id = random_quic_id(size);
    fill_random(token, NGTCP2_STATELESS_RESET_TOKENLEN);
    return 0;
}

QuicConnection &of(void *user)
{
    return *static_cast<QuicConnection *>(user);
}

QuicConnection &of(gnutls_session_t session)
{
    return of(static_cast<ngtcp2_crypto_conn_ref *>(gnutls_session_get_ptr(session))->user_data);
}

QuicStream *stream_of(void *user)
{
    return static_cast<QuicStream *>(user);
}

bool is_address(const std::string &name)
{
    std::array<std::uint8_t, sizeof(in6_addr)> address{};
    return inet_pton(AF_INET, name.c_str(), address.data()) == 1 ||
           inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
}

std::string alert_text(std::uint8_t alert)
{
    const char *const name = gnutls_alert_get_name(static_cast<gnutls_alert_description_t>(alert));
    return name != nullptr ? name : fmt::format("alert {}", alert);
}

} // namespace

QuicClient::QuicClient(const TlsPlan &plan, Nanoseconds patience, QuicCounts &counts,
                       QuicListener &listener)
    : plan_(plan), patience_ns_(patience.count()), counts_(counts), listener_(listener),
      credentials_(make_quic_credentials()), priority_(make_quic_priority())
{
    if (plan_.ca_file.empty())
        return;
    const int found = gnutls_certificate_set_x509_trust_file(
        credentials_.get(), plan_.ca_file.c_str(), GNUTLS_X509_FMT_PEM);
    if (found <= 0)
        throw SetupError("--tls-ca {}: no certificates could be read: {}", plan_.ca_file,
                         found == 0 ? "the file has none" : gnutls_strerror(found));
}

QuicStream &QuicClient::take_stream()
{
    if (free_.empty())
        return streams_.emplace_back();
    QuicStream &stream = *free_.back();
    free_.pop_back();
    std::vector<std::uint8_t> query = std::move(stream.query);
    std::vector<std::uint8_t> reply = std::move(stream.reply);
    query.clear();
    reply.clear();
    stream = {.query = std::move(query), .reply = std::move(reply)};
    return stream;
}

void QuicClient::give(QuicStream &stream)
{
    free_.push_back(&stream);
}

QuicConnection::QuicConnection(QuicClient &client, std::uint32_t number,
                               const SocketAddress &source, const SocketAddress &server,
                               std::int64_t now)
    : client_(client), number_(number), now_(now)
{
    if (!begin_tls() || !begin_quic(source, server, now))
        end(QuicEnd::failed, "no memory for QUIC");
}

QuicConnection::~QuicConnection()
{
    for (QuicStream *stream = first_; stream != nullptr;)
        client_.give(*std::exchange(stream, stream->behind));
}

bool QuicConnection::begin_tls()
{
    reference_ = {
        .get_conn =
            [](ngtcp2_crypto_conn_ref *reference) { return of(reference->user_data).quic_.get(); },
        .user_data = this};
    session_ = make_quic_session(GNUTLS_CLIENT, reference_);
    if (!session_)
        return false;
    gnutls_session_t const session = session_.get();
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_NEW_SESSION_TICKET,
                                       GNUTLS_HOOK_POST, &QuicConnection::keep_ticket);
    if (client_.plan_.keys)
        gnutls_session_set_keylog_function(session, &QuicConnection::log_key);
    if (ngtcp2_crypto_gnutls_configure_client_session(session) != 0 ||
        !set_up_doq(session, client_.priority_.get(), client_.credentials_.get()))
        return false;
    const std::string &name = client_.plan_.name;
    if (!name.empty() && !is_address(name) &&
        gnutls_server_name_set(session, GNUTLS_NAME_DNS, name.data(), name.size()) != 0)
        return false;
    if (!client_.plan_.ca_file.empty())
        gnutls_session_set_verify_cert(session, name.c_str(), 0);
    const std::vector<std::uint8_t> &ticket = client_.ticket_;
    return ticket.empty() || gnutls_session_set_data(session, ticket.data(), ticket.size()) == 0;
}

bool QuicConnection::begin_quic(const SocketAddress &source, const SocketAddress &server,
                                std::int64_t now)
{
    const ngtcp2_settings settings = common_quic_settings(now);
    ngtcp2_transport_params parameters;
    ngtcp2_transport_params_default(&parameters);
    parameters.initial_max_stream_data_bidi_local = stream_window;
    parameters.initial_max_data = connection_window;
    const ngtcp2_cid own = random_quic_id(quic_id_size);
    const ngtcp2_cid servers = random_quic_id(server_id_size);
    // The socket is connected, so ngtcp2 need only see that the path stays the same.
    ngtcp2_path_storage_init(&path_, source.get(), source.size, server.get(), server.size, nullptr);
    const ngtcp2_callbacks functions = callbacks();
    ngtcp2_conn *quic = nullptr;
    const int result =
        ngtcp2_conn_client_new(&quic, &servers, &own, &path_.path, NGTCP2_PROTO_VER_V1, &functions,
                               &settings, &parameters, nullptr, this);
    quic_.reset(quic);
    if (result == 0)
        ngtcp2_conn_set_tls_native_handle(quic, session_.get());
    return result == 0;
}

ngtcp2_callbacks QuicConnection::callbacks()
{
    ngtcp2_callbacks functions = common_quic_callbacks();
    functions.client_initial = ngtcp2_crypto_client_initial_cb;
    functions.get_new_connection_id = make_id;
    functions.recv_retry = [](ngtcp2_conn *quic, const ngtcp2_pkt_hd *head, void *user) {
        of(user).client_.counts_.retries++;
        return ngtcp2_crypto_recv_retry_cb(quic, head, user);
    };
    functions.handshake_completed = [](ngtcp2_conn *, void *user) {
        return of(user).complete_handshake();
    };
    functions.recv_stateless_reset = [](ngtcp2_conn *, const ngtcp2_pkt_stateless_reset *,
                                        void *user) {
        of(user).was_reset_ = true;
        return 0;
    };
    functions.recv_stream_data = [](ngtcp2_conn *, std::uint32_t flags, std::int64_t /*id*/,
                                    std::uint64_t /*offset*/, const std::uint8_t *octets,
                                    std::size_t size, void *user, void *stream) {
        if (stream != nullptr)
            of(user).take(*stream_of(stream), {octets, size},
                          (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0);
        return 0;
    };
    functions.stream_reset = [](ngtcp2_conn *, std::int64_t /*id*/, std::uint64_t /*size*/,
                                std::uint64_t /*code*/, void *user, void *stream) {
        if (stream != nullptr)
            of(user).lose(*stream_of(stream), &QuicCounts::lost_reset);
        return 0;
    };
    functions.stream_close = [](ngtcp2_conn *, std::uint32_t /*flags*/, std::int64_t /*id*/,
                                std::uint64_t /*code*/, void *user, void *stream) {
        if (stream != nullptr)
            of(user).close(*stream_of(stream));
        return 0;
    };
    return functions;
}

int QuicConnection::keep_ticket(gnutls_session_t session, unsigned /*type*/, unsigned /*when*/,
                                unsigned /*incoming*/, const gnutls_datum_t * /*message*/)
{
    QuicClient &client = of(session).client_;
    gnutls_datum_t ticket{};
    if (client.plan_.reuses_tickets && gnutls_session_get_data2(session, &ticket) == 0) {
        client.ticket_.assign(ticket.data, ticket.data + ticket.size);
        gnutls_free(ticket.data);
    }
    return 0;
}

int QuicConnection::log_key(gnutls_session_t session, const char *label,
                            const gnutls_datum_t *secret)
{
    gnutls_datum_t client{};
    gnutls_datum_t server{};
    gnutls_session_get_random(session, &client, &server);
    of(session).client_.plan_.keys->add(fmt::format(
        "{} {:02x} {:02x}", label, fmt::join(client.data, client.data + client.size, ""),
        fmt::join(secret->data, secret->data + secret->size, "")));
    return 0;
}

int QuicConnection::complete_handshake()
{
    if (!has_chosen_doq(session_.get())) {
        failure_ = "the server did not choose the protocol doq (ALPN)";
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    is_open_ = true;
    return 0;
}

void QuicConnection::take_in(std::span<const std::uint8_t> datagram, std::int64_t now)
{
    if (end_)
        return;
    now_ = now;
    heard_ns_ = now;
    unheeded_ = 0;
    const int result = ngtcp2_conn_read_pkt(quic_.get(), &path_.path, nullptr, datagram.data(),
                                            datagram.size(), quic_time(now));
    if (result != 0)
        fail(result);
}

bool QuicConnection::ask(std::span<const std::uint8_t> query, std::int64_t now)
{
    if (end_)
        return false;
    now_ = now;
    cancel_old_streams();
    if (end_)
        return false;
    QuicStream &stream = client_.take_stream();
    if (ngtcp2_conn_open_bidi_stream(quic_.get(), &stream.id, &stream) != 0) {
        client_.give(stream);
        client_.counts_.streams_denied++;
        return false;
    }
    stream.asked_ns = now;
    stream.query_id = wire_get16(query.data() + length_size);
    stream.query.assign(query.begin(), query.end());
    wire_put16(stream.query.data() + length_size, 0); // RFC 9250 section 4.2.1
    stream.before = last_;
    (last_ == nullptr ? first_ : last_->behind) = &stream;
    last_ = &stream;
    unsent_ = unsent_ == nullptr ? &stream : unsent_;
    awaited_ = awaited_ == nullptr ? &stream : awaited_;
    return true;
}

std::span<const std::uint8_t> QuicConnection::next_datagram(std::span<std::uint8_t> room,
                                                            std::int64_t now)
{
    bool is_blocked = false;
    while (!end_) {
        QuicStream *const stream = is_blocked ? nullptr : unsent_;
        ngtcp2_vec octets{};
        if (stream != nullptr)
            octets = {.base = stream->query.data() + stream->sent,
                      .len = stream->query.size() - stream->sent};
        const std::uint32_t flags =
            stream == nullptr ? NGTCP2_WRITE_STREAM_FLAG_NONE
                              : NGTCP2_WRITE_STREAM_FLAG_MORE | NGTCP2_WRITE_STREAM_FLAG_FIN;
        ngtcp2_ssize taken = -1;
        const ngtcp2_ssize size =
            ngtcp2_conn_writev_stream(quic_.get(), nullptr, nullptr, room.data(), room.size(),
                                      &taken, flags, stream == nullptr ? -1 : stream->id, &octets,
                                      stream == nullptr ? 0 : 1, quic_time(now));
        if (stream != nullptr && taken >= 0)
            sent(*stream, taken);
        switch (size) {
        case NGTCP2_ERR_WRITE_MORE:
            continue;
        case NGTCP2_ERR_STREAM_DATA_BLOCKED:
            is_blocked = true;
            continue;
        case NGTCP2_ERR_STREAM_SHUT_WR:
        case NGTCP2_ERR_STREAM_NOT_FOUND:
            unsent_ = stream->behind;
            continue;
        default: // ngtcp2's numbers
            break;
        }
        if (size >= 0) {
            unheeded_ += size != 0 ? 1 : 0;
            return room.first(static_cast<std::size_t>(size));
        }
        fail(static_cast<int>(size));
    }
    return {};
}

void QuicConnection::sent(QuicStream &stream, ngtcp2_ssize octets)
{
    stream.sent += static_cast<std::size_t>(octets);
    if (stream.sent == stream.query.size() && unsent_ == &stream)
        unsent_ = stream.behind;
}

std::span<const std::uint8_t> QuicConnection::farewell(std::span<std::uint8_t> room,
                                                       std::int64_t now)
{
    if (!quic_)
        return {};
    ngtcp2_ccerr why;
    ngtcp2_ccerr_default(&why);
    if (!end_)
        ngtcp2_ccerr_set_application_error(&why, doq_no_error, nullptr, 0);
    else if (end_ == QuicEnd::tls_failed)
        ngtcp2_ccerr_set_tls_alert(&why, ngtcp2_conn_get_tls_alert(quic_.get()), nullptr, 0);
    else if (end_ == QuicEnd::failed)
        ngtcp2_ccerr_set_liberr(&why, error_, nullptr, 0);
    else
        return {};
    const ngtcp2_ssize size = ngtcp2_conn_write_connection_close(
        quic_.get(), nullptr, nullptr, room.data(), room.size(), &why, quic_time(now));
    return room.first(size < 0 ? 0 : static_cast<std::size_t>(size));
}

std::int64_t QuicConnection::timer_ns() const
{
    return end_ ? quic_never : quic_timer_ns(*quic_);
}

void QuicConnection::handle_timer(std::int64_t now)
{
    if (end_)
        return;
    now_ = now;
    if (const int result = ngtcp2_conn_handle_expiry(quic_.get(), quic_time(now)); result != 0)
        fail(result);
}

std::optional<std::int64_t> QuicConnection::note_silence(std::int64_t now)
{
    const QuicStream *asked = first_;
    while (asked != nullptr && asked->has_replied)
        asked = asked->behind;
    if (!is_open_ || asked == nullptr || now - heard_ns_ <= client_.patience_ns_ / 2)
        return std::nullopt;
    ngtcp2_conn_info info{};
    ngtcp2_conn_get_conn_info(quic_.get(), &info);
    if (info.bytes_in_flight == 0)
        return std::nullopt;
    client_.counts_.gone_silent++;
    client_.counts_.unheeded += unheeded_;
    return asked->asked_ns;
}

bool QuicConnection::is_resumed() const
{
    return gnutls_session_is_resumed(session_.get()) != 0;
}

TlsSuite QuicConnection::suite() const
{
    const char *const cipher = gnutls_ciphersuite_get(session_.get());
    return {.version = "TLSv1.3",
            .cipher = cipher != nullptr ? cipher : "",
            .alpn = "doq",
            .connections = 1};
}

void QuicConnection::take(QuicStream &stream, std::span<const std::uint8_t> octets, bool is_last)
{
    const bool is_wanted = !stream.has_replied && !stream.has_failed;
    if (is_wanted) {
        octets = octets.subspan(append_to_message(stream.reply, octets));
        if (is_whole_message(stream.reply))
            deliver(stream);
    }
    if (!octets.empty()) {
        client_.counts_.surplus += is_wanted ? 1 : 0;
        ngtcp2_conn_extend_max_offset(quic_.get(), octets.size());
    }
    if (is_last)
        lose(stream, &QuicCounts::lost_cut);
}

void QuicConnection::deliver(QuicStream &stream)
{
    stream.has_replied = true;
    std::span<std::uint8_t> message = std::span(stream.reply).subspan(length_size);
    if (message.size() >= length_of_id && wire_get16(message.data()) != 0) {
        client_.counts_.wrong_ids++;
        message = {};
    }
    if (message.size() >= length_of_id)
        wire_put16(message.data(), stream.query_id);
    client_.listener_.replied(*this, message, message.size());
    settle(stream);
}

void QuicConnection::settle(QuicStream &stream)
{
    client_.counts_.packets_lost += ngtcp2_conn_get_stream_loss_count(quic_.get(), stream.id);
    ngtcp2_conn_extend_max_offset(quic_.get(), stream.reply.size());
    if (stream.reply.capacity() > usual_reply)
        stream.reply = {};
    if (++unended_ <= unended_most || end_)
        return;
    error_ = NGTCP2_ERR_STREAM_STATE;
    client_.counts_.rules_broken++;
    end(QuicEnd::failed, fmt::format("the server did not end {}", counted(unended_, "stream")));
}

void QuicConnection::lose(QuicStream &stream, std::uint64_t QuicCounts::*count)
{
    if (stream.has_replied || stream.has_failed)
        return;
    stream.has_failed = true;
    settle(stream);
    // A query whose timeout has passed is already lost.
    if (now_ - stream.asked_ns <= client_.patience_ns_ / 2)
        client_.counts_.*count += 1;
}

void QuicConnection::close(QuicStream &stream)
{
    lose(stream, &QuicCounts::lost_cut);
    unended_--;
    (stream.before == nullptr ? first_ : stream.before->behind) = stream.behind;
    (stream.behind == nullptr ? last_ : stream.behind->before) = stream.before;
    if (unsent_ == &stream)
        unsent_ = stream.behind;
    if (awaited_ == &stream)
        awaited_ = stream.behind;
    client_.give(stream);
}

// A stream without a reply would keep one of the streams that the server allows.
void QuicConnection::cancel_old_streams()
{
    while (awaited_ != nullptr && now_ - awaited_->asked_ns > client_.patience_ns_) {
        QuicStream &stream = *awaited_;
        awaited_ = stream.behind;
        if (stream.has_replied || stream.has_failed)
            continue;
        client_.counts_.cancelled++;
        stream.has_failed = true;
        settle(stream);
        ngtcp2_conn_shutdown_stream(quic_.get(), 0, stream.id, doq_request_cancelled);
    }
}

void QuicConnection::fail(int error)
{
    error_ = error;
    switch (error) {
    case NGTCP2_ERR_DRAINING:
        return end_by_server();
    case NGTCP2_ERR_IDLE_CLOSE:
        client_.counts_.timed_out++;
        return end(QuicEnd::timed_out, "nothing came for as long as QUIC's idle timeout");
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
        return end(QuicEnd::unanswered, "no handshake came about");
    case NGTCP2_ERR_CRYPTO:
        return end(QuicEnd::tls_failed, tls_failure());
    case NGTCP2_ERR_NOMEM:
        return end(QuicEnd::failed, "no memory for QUIC");
    case NGTCP2_ERR_INTERNAL:
        return end(QuicEnd::failed, "ngtcp2 gave the connection up");
    case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
        return end(QuicEnd::failed, "the server has no QUIC of version 1");
    default: // ngtcp2's numbers
        break;
    }
    if (!failure_.empty())
        return end(QuicEnd::tls_failed, failure_);
    client_.counts_.rules_broken++;
    end(QuicEnd::failed, fmt::format("the server broke QUIC's rules ({})", ngtcp2_strerror(error)));
}

void QuicConnection::end(QuicEnd how, std::string why)
{
    end_ = how;
    failure_ = std::move(why);
}

void QuicConnection::end_by_server()
{
    if (was_reset_)
        return end(QuicEnd::reset_by_server, "the server forgot the connection (stateless reset)");
    const ngtcp2_ccerr &said = *ngtcp2_conn_get_ccerr(quic_.get());
    const std::uint64_t code = said.error_code;
    const bool is_of_doq = said.type == NGTCP2_CCERR_TYPE_APPLICATION;
    QuicCounts &counts = client_.counts_;
    const std::string why = fmt::format("the server closed the connection with error {:#x} of {}",
                                        code, is_of_doq ? "DoQ" : "QUIC");
    if (code == doq_no_error)
        counts.no_error++;
    else if (!is_of_doq)
        counts.transport_error++;
    else if (code == doq_internal_error)
        counts.internal_error++;
    else if (code == doq_protocol_error)
        counts.protocol_error++;
    else if (code == doq_excessive_load)
        counts.excessive_load++;
    else
        counts.other_error++;
    constexpr std::uint64_t alerts = 0x100;
    if (!is_of_doq && !is_open_ && code == NGTCP2_CONNECTION_REFUSED)
        return end(QuicEnd::refused, why);
    if (!is_of_doq && !is_open_ && code / alerts == NGTCP2_CRYPTO_ERROR / alerts)
        return end(QuicEnd::tls_failed,
                   "the server refused TLS: " + alert_text(static_cast<std::uint8_t>(code)));
    end(QuicEnd::closed_by_server, why);
}

std::string QuicConnection::tls_failure() const
{
    const unsigned status = gnutls_session_get_verify_cert_status(session_.get());
    gnutls_datum_t text{};
    if (!client_.plan_.ca_file.empty() && status != 0 &&
        gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) == 0) {
        std::string found = "certificate verify failed: ";
        found.append(text.data, text.data + text.size);
        gnutls_free(text.data);
        return found;
    }
    return alert_text(ngtcp2_conn_get_tls_alert(quic_.get()));
}

} // namespace dnsgauge
