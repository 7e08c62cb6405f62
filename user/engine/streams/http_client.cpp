// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/http_client.h"

#include "dns/http2_field.h"
#include "system/setup_error.h"

#include "wire/bytes.h"

#include <nghttp2/nghttp2.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::size_t longest_message = 65'535;
// For the bodies of all incomplete responses of a lane.
constexpr std::size_t body_memory = std::size_t{64} << 20U;
// The header fields of a stream, as RFC 9113 section 6.5.2 counts them.
constexpr std::size_t most_fields = 65'536;
constexpr std::size_t field_overhead = 32;
// A stream that is not in use keeps at most this much memory.
constexpr std::size_t spare_body = 4096;
// The octets that the server may send before the Tester has read them. A stream has the usual
// window, which holds any message.
constexpr std::int32_t window = 1 << 20;

std::string_view view(const std::uint8_t *octets, std::size_t size)
{
    return {reinterpret_cast<const char *>(octets), size};
}

// Returns whether a content type is `dns_message_type`, with any parameters.
bool is_message_type(std::string_view type)
{
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
    const std::string_view media = type.substr(0, type.find_first_of("; \t"));
    return std::ranges::equal(media, dns_message_type, same);
}

// Appends base64url without padding (RFC 4648 section 5).
void append_base64url(std::string &text, std::span<const std::uint8_t> octets)
{
    const std::size_t begin = text.size();
    text.resize(begin + (octets.size() + 2) / 3 * 4 + 1);
    EVP_EncodeBlock(reinterpret_cast<unsigned char *>(text.data() + begin), octets.data(),
                    static_cast<int>(octets.size()));
    text.resize(begin + (octets.size() * 4 + 2) / 3);
    for (std::size_t i = begin; i < text.size(); i++)
        text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
}

} // namespace

// nghttp2 calls these.
struct HttpCallbacks {
    static HttpSession &of(void *user) { return *static_cast<HttpSession *>(user); }
    static HttpStream *stream(nghttp2_session *session, std::int32_t number)
    {
        return static_cast<HttpStream *>(nghttp2_session_get_stream_user_data(session, number));
    }

    static int on_header(nghttp2_session *session, const nghttp2_frame *frame,
                         const std::uint8_t *name, std::size_t name_size, const std::uint8_t *value,
                         std::size_t value_size, std::uint8_t /*flags*/, void *user)
    {
        HttpStream *const mine = stream(session, frame->hd.stream_id);
        if (mine == nullptr)
            return 0;
        mine->fields += name_size + value_size + field_overhead;
        if (mine->fields > most_fields) {
            of(user).client.failure_ = "the server sent more than 65,536 octets of header fields";
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        }
        const std::string_view key = view(name, name_size);
        const std::string_view text = view(value, value_size);
        if (key == ":status") {
            std::from_chars(text.data(), text.data() + text.size(), mine->status);
            mine->is_message = false;
        } else if (key == "content-type") {
            mine->is_message = is_message_type(text);
        }
        return 0;
    }

    static int on_data(nghttp2_session *session, std::uint8_t /*flags*/, std::int32_t number,
                       const std::uint8_t *octets, std::size_t size, void *user)
    {
        HttpStream *const mine = stream(session, number);
        if (mine != nullptr)
            of(user).client.keep(of(user), *mine, {octets, size});
        return 0;
    }

    static int on_close(nghttp2_session *session, std::int32_t number, std::uint32_t error,
                        void *user)
    {
        HttpStream *const mine = stream(session, number);
        if (mine != nullptr)
            of(user).client.end_stream(of(user), *mine, error);
        return 0;
    }

    static int on_frame(nghttp2_session * /*session*/, const nghttp2_frame *frame, void *user)
    {
        if (frame->hd.type == NGHTTP2_SETTINGS)
            of(user).has_settings = true;
        if (frame->hd.type != NGHTTP2_GOAWAY)
            return 0;
        of(user).leaves++;
        if (frame->goaway.error_code != NGHTTP2_NO_ERROR)
            of(user).client.failure_ = std::string("the server sent GOAWAY: ") +
                                       nghttp2_http2_strerror(frame->goaway.error_code);
        return 0;
    }

    // nghttp2 sends GOAWAY if the server breaks the rules.
    static int on_sent(nghttp2_session * /*session*/, const nghttp2_frame *frame, void *user)
    {
        if (frame->hd.type == NGHTTP2_GOAWAY) {
            of(user).is_broken = true;
            of(user).client.failure_ = std::string("what the server sent is not HTTP/2: ") +
                                       nghttp2_http2_strerror(frame->goaway.error_code);
        }
        return 0;
    }

    static ssize_t read_request(nghttp2_session * /*session*/, std::int32_t /*number*/,
                                std::uint8_t *room, std::size_t size, std::uint32_t *flags,
                                nghttp2_data_source * /*source*/, void *user)
    {
        std::span<const std::uint8_t> &rest = of(user).client.request_;
        const std::size_t count = std::min(size, rest.size());
        std::memcpy(room, rest.data(), count);
        rest = rest.subspan(count);
        if (rest.empty())
            *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(count);
    }
};

HttpSession::~HttpSession()
{
    while (!open.empty()) {
        HttpStream &stream = open.front();
        open.pop_front();
        client.free(stream);
    }
}

HttpClient::HttpClient(const HttpPlan &plan) : plan_(plan)
{
    nghttp2_option *option = nullptr;
    nghttp2_session_callbacks *callbacks = nullptr;
    if (nghttp2_option_new(&option) != 0 || nghttp2_session_callbacks_new(&callbacks) != 0)
        throw SetupError("cannot use nghttp2: there is no memory");
    option_.reset(option);
    callbacks_.reset(callbacks);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, HttpCallbacks::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, HttpCallbacks::on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, HttpCallbacks::on_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, HttpCallbacks::on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, HttpCallbacks::on_sent);
}

std::unique_ptr<HttpSession> HttpClient::begin()
{
    auto made = std::make_unique<HttpSession>(*this);
    nghttp2_session *session = nullptr;
    if (nghttp2_session_client_new2(&session, callbacks_.get(), made.get(), option_.get()) != 0)
        return {};
    made->session.reset(session);
    const std::array<nghttp2_settings_entry, 2> settings{
        nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, most_fields}};
    if (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) !=
            0 ||
        nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, window) != 0)
        return {};
    return made;
}

bool HttpClient::take_in(HttpSession &connection, std::span<const std::uint8_t> octets)
{
    const ssize_t taken =
        nghttp2_session_mem_recv(connection.session.get(), octets.data(), octets.size());
    if (taken >= 0)
        return true;
    if (taken != NGHTTP2_ERR_CALLBACK_FAILURE)
        failure_ = nghttp2_strerror(static_cast<int>(taken));
    return false;
}

void HttpClient::keep(HttpSession &connection, HttpStream &stream,
                      std::span<const std::uint8_t> octets)
{
    if (!stream.is_awaited)
        return;
    if (stream.body.size() + octets.size() > longest_message ||
        kept_ + octets.size() > body_memory) {
        outcomes_.push_back(
            {.id = stream.id, .status = stream.status, .cause = &ConnectionCounts::lost_http_long});
        return cancel(connection, stream);
    }
    kept_ += octets.size();
    stream.body.insert(stream.body.end(), octets.begin(), octets.end());
}

void HttpClient::end_stream(HttpSession &connection, HttpStream &stream, std::uint32_t error)
{
    constexpr unsigned ok = 200;
    connection.open.erase(connection.open.iterator_to(stream));
    if (!stream.is_awaited)
        return free(stream);
    Outcome outcome{.id = stream.id, .status = stream.status};
    if (error == NGHTTP2_REFUSED_STREAM && connection.leaves != 0)
        outcome.cause = &ConnectionCounts::lost_goaway;
    else if (error != NGHTTP2_NO_ERROR || stream.status == 0)
        outcome.cause = &ConnectionCounts::lost_stream_reset;
    else if (stream.status != ok)
        outcome.cause = &ConnectionCounts::lost_http_status;
    else if (!stream.is_message)
        outcome.cause = &ConnectionCounts::lost_http_type;
    else
        outcome.message = stream.body;
    ended_.push_back(stream);
    outcomes_.push_back(outcome);
}

void HttpClient::forget_outcomes()
{
    outcomes_.clear();
    while (!ended_.empty()) {
        HttpStream &stream = ended_.front();
        ended_.pop_front();
        free(stream);
    }
}

void HttpClient::free(HttpStream &stream)
{
    kept_ -= stream.body.size();
    std::vector<std::uint8_t> body = std::move(stream.body);
    body.clear();
    stream.body = body.capacity() > spare_body ? std::vector<std::uint8_t>() : std::move(body);
    free_.push_front(stream);
}

HttpStream &HttpClient::new_stream(HttpSession &connection, std::uint16_t id)
{
    if (free_.empty())
        free_.push_front(streams_.emplace_back());
    HttpStream &stream = free_.front();
    free_.pop_front();
    stream.id = id;
    stream.is_awaited = true;
    stream.status = 0;
    stream.is_message = false;
    stream.fields = 0;
    connection.open.push_back(stream);
    return stream;
}

std::uint32_t HttpClient::most_streams(const HttpSession &connection)
{
    return nghttp2_session_get_remote_settings(connection.session.get(),
                                               NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

// A request must leave whole, so that nghttp2 keeps nothing of it.
bool HttpClient::may_ask(const HttpSession &connection, std::size_t size) const
{
    nghttp2_session *const session = connection.session.get();
    if (nghttp2_session_check_request_allowed(session) == 0 ||
        connection.open.size() >= most_streams(connection))
        return false;
    return plan_.method == HttpMethod::get ||
           (nghttp2_session_get_remote_window_size(session) >= static_cast<std::int32_t>(size) &&
            nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE) >=
                size);
}

bool HttpClient::ask(HttpSession &connection, std::span<const std::uint8_t> message)
{
    const bool is_post = plan_.method == HttpMethod::post;
    std::array<char, 8> length{};
    const char *const end =
        std::to_chars(length.data(), length.data() + length.size(), message.size()).ptr;
    path_ = plan_.path;
    if (!is_post) {
        path_ += path_.find('?') == std::string::npos ? "?dns=" : "&dns=";
        append_base64url(path_, message);
    }
    const std::array fields{http2_field(":method", is_post ? "POST" : "GET"),
                            http2_field(":scheme", "https"),
                            http2_field(":authority", plan_.authority),
                            http2_field(":path", path_),
                            http2_field("accept", dns_message_type),
                            http2_field("content-type", dns_message_type),
                            http2_field("content-length", {length.data(), end})};
    constexpr std::size_t of_get = fields.size() - 2;
    nghttp2_data_provider body{.source = {}, .read_callback = HttpCallbacks::read_request};
    HttpStream &stream = new_stream(connection, wire_get16(message.data()));
    stream.number = nghttp2_submit_request(connection.session.get(), nullptr, fields.data(),
                                           is_post ? fields.size() : of_get,
                                           is_post ? &body : nullptr, &stream);
    if (stream.number < 0) {
        failure_ = nghttp2_strerror(stream.number);
        return false;
    }
    if (is_post)
        request_ = message;
    const bool is_well = answer(connection) && request_.empty();
    request_ = {};
    return is_well;
}

bool HttpClient::answer(HttpSession &connection)
{
    const std::uint8_t *octets = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(connection.session.get(), &octets)) > 0)
        outgoing_.insert(outgoing_.end(), octets, octets + size);
    if (size < 0)
        failure_ = nghttp2_strerror(static_cast<int>(size));
    return size == 0 && !connection.is_broken;
}

void HttpClient::give_up(HttpSession &connection, std::uint16_t id)
{
    for (HttpStream &stream : connection.open) {
        if (!stream.is_awaited)
            return;
        if (stream.id == id)
            return cancel(connection, stream);
    }
}

void HttpClient::cancel(HttpSession &connection, HttpStream &stream)
{
    HttpStreams &open = connection.open;
    stream.is_awaited = false;
    open.splice(open.end(), open, open.iterator_to(stream));
    nghttp2_submit_rst_stream(connection.session.get(), NGHTTP2_FLAG_NONE, stream.number,
                              NGHTTP2_CANCEL);
}

} // namespace dnsgauge
