// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/http_stream.h"

#include "dns/http2_field.h"
#include "system/freed_by.h"
#include "wire/bytes.h"
#include "wire/dns.h"

#include <nettle/base64.h>
#include <nghttp2/nghttp2.h>

#include <arpa/nameser.h>

#include <algorithm>
#include <array>
#include <deque>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr std::string_view our_path = "/dns-query";
constexpr std::size_t longest_message = 65'535;
constexpr unsigned status_ok = 200;
constexpr std::uint32_t most_requests = 1000; // at a time
// Octets of a request's headers, as RFC 9113 counts them.
constexpr std::uint32_t most_headers = 16'384;
constexpr std::size_t most_kept = 131'072; // octets of incomplete queries

// Decodes base64url without padding. Returns no octets if the text is not well formed.
std::vector<std::uint8_t> from_base64url(std::string_view text)
{
    base64_decode_ctx context{};
    base64url_decode_init(&context);
    std::vector<std::uint8_t> octets(BASE64_DECODE_LENGTH(text.size()));
    std::size_t size = 0;
    std::size_t rest = 0;
    // The decoder expects padding, which RFC 8484 leaves out.
    const std::string padding((4 - text.size() % 4) % 4, '=');
    if (text.find('=') != std::string_view::npos ||
        base64_decode_update(&context, &size, octets.data(), text.size(), text.data()) != 1 ||
        base64_decode_update(&context, &rest, octets.data(), padding.size(), padding.data()) != 1 ||
        base64_decode_final(&context) != 1)
        return {};
    octets.resize(size);
    return octets;
}

// Returns the value of "dns" in a query component, "a=1&dns=AAAB"; nothing if there is none.
std::string_view dns_variable(std::string_view query)
{
    constexpr std::string_view name = "dns=";
    while (!query.starts_with(name)) {
        const std::size_t next = query.find('&');
        if (next == std::string_view::npos)
            return {};
        query.remove_prefix(next + 1);
    }
    query.remove_prefix(name.size());
    return query.substr(0, query.find('&'));
}

// Returns for how long the answer is fresh (RFC 8484 section 5.1): the smallest TTL of its answers,
// or without answers the time in its SOA record. Returns nothing if it has neither.
std::optional<std::uint32_t> freshness(std::span<const std::uint8_t> answer)
{
    ns_msg message{};
    if (ns_initparse(answer.data(), static_cast<int>(answer.size()), &message) != 0)
        return std::nullopt;
    const ns_sect section = ns_msg_count(message, ns_s_an) != 0 ? ns_s_an : ns_s_ns;
    std::optional<std::uint32_t> least;
    for (int i = 0; i < ns_msg_count(message, section); i++) {
        ns_rr record{};
        if (ns_parserr(&message, section, i, &record) != 0)
            return std::nullopt;
        std::uint32_t ttl = ns_rr_ttl(record);
        if (section == ns_s_ns) {
            constexpr unsigned minimum = 4; // the last octets of a SOA
            if (ns_rr_type(record) != ns_t_soa || ns_rr_rdlen(record) < minimum)
                continue;
            ttl = std::min(ttl, wire_get32(ns_rr_rdata(record) + ns_rr_rdlen(record) - minimum));
        }
        least = std::min(ttl, least.value_or(ttl));
    }
    return least;
}

void must(int result)
{
    if (result != 0)
        throw std::bad_alloc();
}

class HttpStream : public MessageStream
{
public:
    HttpStream(MessageAnswerer &answerer, const Misconduct &fault) : MessageStream(answerer, fault)
    {
        nghttp2_session_callbacks *callbacks = nullptr;
        must(nghttp2_session_callbacks_new(&callbacks));
        const std::unique_ptr<nghttp2_session_callbacks, FreedBy<nghttp2_session_callbacks_del>>
            callbacks_owner(callbacks);
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                                Callbacks::on_begin_headers);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::on_data);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::on_frame);
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Callbacks::on_frame_sent);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::on_close);

        nghttp2_option *option = nullptr;
        must(nghttp2_option_new(&option));
        const std::unique_ptr<nghttp2_option, FreedBy<nghttp2_option_del>> option_owner(option);
        // A limit that clients do not reach: a Tester sends RST_STREAM for each query that times
        // out.
        constexpr std::uint64_t most_resets = 1'000'000; // at once, and a second
        nghttp2_option_set_stream_reset_rate_limit(option, most_resets, most_resets);

        nghttp2_session *session = nullptr;
        must(nghttp2_session_server_new2(&session, callbacks, this, option));
        session_.reset(session);
        const std::array settings{
            nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, most_requests},
            nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, most_headers},
            nghttp2_settings_entry{NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
        must(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
    }

    bool received(std::span<const std::uint8_t> octets) override
    {
        if (is_over_)
            return false;
        const ssize_t read = nghttp2_session_mem_recv(session_.get(), octets.data(), octets.size());
        const std::vector<std::int32_t> complete = std::exchange(complete_, {});
        for (const std::int32_t number : complete)
            if (const auto one = requests_.find(number); one != requests_.end() && !is_over_)
                answer_one(number, one->second);
        take_output();
        is_over_ = is_over_ || read < 0;
        return !complete.empty();
    }

    // A request has one response. A further answer, or an answer to a closed request, counts as
    // unsent.
    void add(const HeldAnswer &answer) override
    {
        const auto one = requests_.find(answer.request);
        if (is_over_ || one == requests_.end() || one->second.state != Request::State::waits)
            return answerer().add_unsent(1);
        one->second.message = answer.octets;
        release(answer.request, one->second);
    }

    void ended() override { release_all(); }
    [[nodiscard]] std::span<const std::uint8_t> output() const override
    {
        return std::span(out_).subspan(out_begin_);
    }

    [[nodiscard]] std::size_t unsent() const override { return unsent_; }
    void sent(std::size_t count) override
    {
        out_begin_ += count;
        const std::uint64_t sent = made_ - output().size();
        for (; !answer_ends_.empty() && answer_ends_.front() <= sent; answer_ends_.pop_front())
            unsent_--;
        // Does not wait until all is sent: that may never happen if the client reads and asks
        // steadily.
        if (output().empty() || out_begin_ >= output_limit) {
            out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(out_begin_));
            out_begin_ = 0;
        }
    }

    [[nodiscard]] bool is_over() const override { return is_over_; }

private:
    struct Request {
        enum class Method : std::uint8_t { other, get, post };
        enum class State : std::uint8_t { asks, waits, is_answered, is_over };

        Method method = Method::other;
        State state = State::asks;
        bool is_for_us = false;            // its path is ours
        bool has_type = false;             // its content is a DNS message
        bool is_too_long = false;          // its query
        std::size_t headers = 0;           // octets
        std::size_t kept = 0;              // octets of its query, in kept_
        std::vector<std::uint8_t> message; // the query, later the answer
        std::size_t taken = 0;             // octets of the answer that nghttp2 has
    };

    // nghttp2 calls these while it reads and writes. They must not make it read or write.
    struct Callbacks {
        static HttpStream &stream(void *user_data) { return *static_cast<HttpStream *>(user_data); }
        static Request *request(nghttp2_session *session, std::int32_t number)
        {
            return static_cast<Request *>(nghttp2_session_get_stream_user_data(session, number));
        }

        static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame,
                                    void *user_data)
        {
            if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
                return 0;
            const std::int32_t number = frame->hd.stream_id;
            return nghttp2_session_set_stream_user_data(session, number,
                                                        &stream(user_data).requests_[number]);
        }

        static int on_header(nghttp2_session *session, const nghttp2_frame *frame,
                             const std::uint8_t *name, std::size_t name_size,
                             const std::uint8_t *value, std::size_t value_size,
                             std::uint8_t /*flags*/, void *user_data)
        {
            constexpr std::size_t overhead = 32; // RFC 9113 section 10.5.1
            Request *const one = request(session, frame->hd.stream_id);
            if (one == nullptr)
                return 0;
            one->headers += name_size + value_size + overhead;
            if (one->headers > most_headers) {
                nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
                return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
            }
            stream(user_data).take_header(*one, {reinterpret_cast<const char *>(name), name_size},
                                          {reinterpret_cast<const char *>(value), value_size});
            return 0;
        }

        static int on_data(nghttp2_session *session, std::uint8_t /*flags*/, std::int32_t number,
                           const std::uint8_t *data, std::size_t size, void *user_data)
        {
            Request *const one = request(session, number);
            if (one != nullptr && one->method == Request::Method::post)
                stream(user_data).keep(*one, {data, size});
            return 0;
        }

        static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
        {
            const bool is_of_request =
                frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
            if (is_of_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
                request(session, frame->hd.stream_id) != nullptr)
                stream(user_data).complete_.push_back(frame->hd.stream_id);
            return 0;
        }

        // The frame is the last one that take_output() took.
        static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame,
                                 void *user_data)
        {
            if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
                return 0;
            HttpStream &self = stream(user_data);
            Request *const one = request(session, frame->hd.stream_id);
            if (one != nullptr &&
                std::exchange(one->state, Request::State::is_over) == Request::State::is_answered)
                self.answer_ends_.push_back(self.made_);
            return 0;
        }

        static int on_close(nghttp2_session * /*session*/, std::int32_t number,
                            std::uint32_t /*error*/, void *user_data)
        {
            stream(user_data).close_request(number);
            return 0;
        }

        static ssize_t read_answer(nghttp2_session * /*session*/, std::int32_t /*number*/,
                                   std::uint8_t *room, std::size_t size, std::uint32_t *flags,
                                   nghttp2_data_source *source, void * /*user_data*/)
        {
            Request &one = *static_cast<Request *>(source->ptr);
            const std::span<const std::uint8_t> rest = std::span(one.message).subspan(one.taken);
            const std::size_t count = std::min(size, rest.size());
            std::ranges::copy(rest.first(count), room);
            one.taken += count;
            if (count == rest.size())
                *flags |= NGHTTP2_DATA_FLAG_EOF;
            return static_cast<ssize_t>(count);
        }
    };
    // Returns the status of the response to a complete request.
    [[nodiscard]] static unsigned status_of(Request &request)
    {
        constexpr unsigned bad_request = 400;
        constexpr unsigned not_found = 404;
        constexpr unsigned bad_method = 405;
        constexpr unsigned too_large = 413;
        constexpr unsigned bad_type = 415;
        if (!request.is_for_us)
            return not_found;
        if (request.method == Request::Method::other)
            return bad_method;
        if (request.method == Request::Method::post && !request.has_type)
            return bad_type;
        if (request.is_too_long)
            return too_large;
        if (request.message.empty())
            return bad_request;
        std::uint8_t *const message = request.message.data();
        dns_query query{};
        return dns_read_query({message, message + request.message.size()}, 0, &query) ==
                       DNS_QUERY_IGNORED
                   ? bad_request
                   : status_ok;
    }

    void take_header(Request &request, std::string_view name, std::string_view value)
    {
        if (name == ":method") {
            request.method = value == "POST"  ? Request::Method::post
                             : value == "GET" ? Request::Method::get
                                              : Request::Method::other;
        } else if (name == ":path") {
            const std::size_t end = std::min(value.find('?'), value.size());
            request.is_for_us = value.substr(0, end) == our_path;
            if (request.is_for_us && end != value.size())
                keep(request, from_base64url(dns_variable(value.substr(end + 1))));
        } else if (name == "content-type") {
            request.has_type = value == dns_message_type;
        }
    }

    void keep(Request &request, std::span<const std::uint8_t> octets)
    {
        if (request.is_too_long || request.kept + octets.size() > longest_message ||
            kept_ + octets.size() > most_kept) {
            request.is_too_long = true;
            forget_query(request);
            request.message = {};
            return;
        }
        kept_ += octets.size();
        request.kept += octets.size();
        request.message.insert(request.message.end(), octets.begin(), octets.end());
    }

    // The query's octets count no more.
    void forget_query(Request &request) { kept_ -= std::exchange(request.kept, 0); }
    void close_request(std::int32_t number)
    {
        const auto one = requests_.find(number);
        if (one == requests_.end())
            return;
        forget_query(one->second);
        if (one->second.state == Request::State::is_answered) {
            unsent_--;
            answerer().add_unsent(1);
        }
        requests_.erase(one);
    }

    void answer_one(std::int32_t number, Request &request)
    {
        forget_query(request);
        if (const unsigned status = status_of(request); status != status_ok)
            return respond(number, request, status);

        std::vector<std::uint8_t> &message = request.message;
        const bool has_faltered = shows(ConnectionFault::goaway);
        if (stays_silent()) {
            message = {};
            if (fault() == ConnectionFault::goaway && !has_faltered)
                go_away();
            return;
        }
        request.state = Request::State::waits;
        if (HeldAnswers *const held = answerer().held(); held != nullptr)
            held->request = number;
        const std::size_t size = message.size();
        message.resize(answerer().room(size));
        message.resize(answerer().answer(message, size));
        if (!message.empty())
            release(number, request);
    }

    // Lets the answer to a request go, with the answers that waited for it, unless this answer must
    // wait for others itself. A request whose answer goes may be closed by that.
    void release(std::int32_t number, Request &request)
    {
        request.state = Request::State::is_answered;
        unsent_++;
        group_.push_back(number);
        if (!completes_group(group_.size()))
            return;
        if (fault() == ConnectionFault::swap)
            std::ranges::reverse(group_);
        if (fault() == ConnectionFault::wrong_stream)
            if (const auto other = requests_.find(group_.front()); other != requests_.end())
                std::swap(other->second.message, request.message);
        release_all();
    }

    void release_all()
    {
        const std::vector<std::int32_t> numbers = std::exchange(group_, {});
        for (const std::int32_t number : numbers)
            if (const auto one = requests_.find(number); one != requests_.end() && !is_over_)
                respond(number, one->second,
                        fault() == ConnectionFault::status ? fault_number() : status_ok);
    }

    void respond(std::int32_t number, Request &request, unsigned status)
    {
        const std::string status_text = std::to_string(status);
        std::string age;
        std::vector<nghttp2_nv> headers{http2_field(":status", status_text)};
        nghttp2_data_provider content{.source = {.ptr = &request},
                                      .read_callback = Callbacks::read_answer};
        if (status == status_ok) {
            headers.push_back(http2_field("content-type", fault() == ConnectionFault::wrong_type
                                                              ? "text/plain"
                                                              : dns_message_type));
            if (const auto seconds = freshness(request.message)) {
                age = "max-age=" + std::to_string(*seconds);
                headers.push_back(http2_field("cache-control", age));
            }
            last_answered_ = std::max(last_answered_, number);
        }
        // Once all output is taken, nghttp2 no longer needs the texts.
        is_over_ = is_over_ ||
                   nghttp2_submit_response(session_.get(), number, headers.data(), headers.size(),
                                           status == status_ok ? &content : nullptr) != 0;
        take_output();
    }

    // Tells the client that requests after the last answered one were not processed. nghttp2 must
    // not know, because it would hide the requests that still come.
    void go_away()
    {
        constexpr std::size_t size = 8;
        constexpr std::size_t head_size = 9;
        std::array<std::uint8_t, head_size + size> frame{0, 0, size, NGHTTP2_GOAWAY};
        wire_put32(&frame[head_size], static_cast<std::uint32_t>(last_answered_));
        take_output();
        out_.insert(out_.end(), frame.begin(), frame.end());
        made_ += frame.size();
    }

    void take_output()
    {
        const std::uint8_t *octets = nullptr;
        ssize_t size = 0;
        while ((size = nghttp2_session_mem_send(session_.get(), &octets)) > 0) {
            out_.insert(out_.end(), octets, octets + size);
            made_ += static_cast<std::uint64_t>(size);
        }
        const bool goes_on = nghttp2_session_want_read(session_.get()) != 0 ||
                             nghttp2_session_want_write(session_.get()) != 0;
        is_over_ = is_over_ || size < 0 || !goes_on;
    }

    std::unique_ptr<nghttp2_session, FreedBy<nghttp2_session_del>> session_;
    std::unordered_map<std::int32_t, Request> requests_; // by the number of the HTTP/2 stream
    std::vector<std::int32_t> complete_;                 // complete requests without an answer
    std::vector<std::int32_t> group_;                    // requests whose answers wait for others
    std::int32_t last_answered_ = 0;                     // the highest number
    std::size_t kept_ = 0;                               // octets of queries
    std::size_t unsent_ = 0;                             // answers
    std::vector<std::uint8_t> out_;
    std::size_t out_begin_ = 0; // of the octets not sent yet
    std::uint64_t made_ = 0;    // octets of output so far
    // Positions in the output, of answers that are not completely sent.
    std::deque<std::uint64_t> answer_ends_;
    bool is_over_ = false;
};

} // namespace

std::unique_ptr<MessageStream> make_http_stream(MessageAnswerer &answerer, const Misconduct &fault)
{
    return std::make_unique<HttpStream>(answerer, fault);
}

} // namespace dnsgauge
