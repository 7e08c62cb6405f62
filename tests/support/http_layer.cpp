// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/http_layer.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace dnsgauge::testing
{

namespace
{

void must(bool holds)
{
    if (!holds)
        throw std::runtime_error("nghttp2 refuses");
}

std::uint16_t id_in(std::span<const std::uint8_t> message)
{
    return static_cast<std::uint16_t>(message[0] << 8U | message[1]);
}

nghttp2_nv field(const std::string &name, const std::string &value)
{
    const auto octets = [](const std::string &text) {
        return reinterpret_cast<std::uint8_t *>(const_cast<char *>(text.data()));
    };
    return {octets(name), octets(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

} // namespace

struct HttpLayerCallbacks {
    static HttpLayer &of(void *user) { return *static_cast<HttpLayer *>(user); }
    static HttpLayer::Request &request(void *user, std::int32_t stream)
    {
        return *std::ranges::find(of(user).requests_, stream, &HttpLayer::Request::stream);
    }

    static int on_begin(nghttp2_session * /*session*/, const nghttp2_frame *frame, void *user)
    {
        HttpLayer &layer = of(user);
        layer.requests_.push_back({.stream = frame->hd.stream_id});
        layer.most_open_ = std::max(layer.most_open_, ++layer.open_);
        return 0;
    }
    static int on_header(nghttp2_session * /*session*/, const nghttp2_frame *frame,
                         const std::uint8_t *name, std::size_t name_size, const std::uint8_t *value,
                         std::size_t value_size, std::uint8_t /*flags*/, void *user)
    {
        request(user, frame->hd.stream_id).fields[std::string(name, name + name_size)] =
            std::string(value, value + value_size);
        return 0;
    }
    static int on_data(nghttp2_session * /*session*/, std::uint8_t /*flags*/, std::int32_t stream,
                       const std::uint8_t *octets, std::size_t size, void *user)
    {
        HttpLayer::Octets &body = request(user, stream).body;
        body.insert(body.end(), octets, octets + size);
        return 0;
    }
    static int on_frame(nghttp2_session * /*session*/, const nghttp2_frame *frame, void *user)
    {
        const bool is_request = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
        if (!is_request || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
            return 0;
        HttpLayer::Request &whole = request(user, frame->hd.stream_id);
        HttpLayer::Octets &messages = of(user).messages_;
        messages.push_back(static_cast<std::uint8_t>(whole.body.size() >> 8U));
        messages.push_back(static_cast<std::uint8_t>(whole.body.size()));
        messages.insert(messages.end(), whole.body.begin(), whole.body.end());
        return 0;
    }
    static int on_close(nghttp2_session * /*session*/, std::int32_t stream, std::uint32_t error,
                        void *user)
    {
        of(user).open_--;
        of(user).bodies_.erase(stream);
        request(user, stream).was_reset = error != NGHTTP2_NO_ERROR;
        return 0;
    }
    static ssize_t read_body(nghttp2_session * /*session*/, std::int32_t stream, std::uint8_t *room,
                             std::size_t size, std::uint32_t *flags,
                             nghttp2_data_source * /*source*/, void *user)
    {
        HttpLayer::Octets &body = of(user).bodies_[stream];
        const std::size_t count = std::min(size, body.size());
        std::copy_n(body.begin(), count, room);
        body.erase(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(count));
        if (body.empty())
            *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(count);
    }
};

HttpLayer::HttpLayer(std::unique_ptr<ServedLayer> below, std::uint32_t most_streams,
                     std::uint32_t stream_window)
    : below_(std::move(below))
{
    nghttp2_session_callbacks *callbacks = nullptr;
    must(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                            HttpLayerCallbacks::on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, HttpLayerCallbacks::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                              HttpLayerCallbacks::on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, HttpLayerCallbacks::on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, HttpLayerCallbacks::on_close);
    must(nghttp2_session_server_new(&session_, callbacks, this) == 0);
    nghttp2_session_callbacks_del(callbacks);
    const std::array<nghttp2_settings_entry, 2> settings{
        nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, most_streams},
        nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window}};
    must(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) ==
         0);
}

HttpLayer::~HttpLayer()
{
    nghttp2_session_del(session_);
}

HttpLayer::Octets HttpLayer::outgoing()
{
    Octets all;
    const std::uint8_t *octets = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_, &octets)) > 0)
        all.insert(all.end(), octets, octets + size);
    return say(all);
}

HttpLayer::Octets HttpLayer::say(std::span<const std::uint8_t> octets)
{
    return below_ ? below_->wrap(octets) : Octets(octets.begin(), octets.end());
}

std::int32_t HttpLayer::stream_of(std::uint16_t id) const
{
    const auto found = std::ranges::find_if(requests_, [id](const Request &request) {
        return request.body.size() > 1 && id_in(request.body) == id;
    });
    must(found != requests_.end());
    return found->stream;
}

ServedLayer::Unwrapped HttpLayer::unwrap(std::span<const std::uint8_t> octets)
{
    Unwrapped came{.octets = Octets(octets.begin(), octets.end())};
    if (below_)
        came = below_->unwrap(octets);
    // What is below may not carry anything yet.
    is_begun_ = is_begun_ || !came.octets.empty();
    if (!is_begun_)
        return came;
    if (nghttp2_session_mem_recv(session_, came.octets.data(), came.octets.size()) < 0)
        came.is_open = false;
    came.octets = std::move(messages_);
    messages_.clear();
    if (nghttp2_session_want_read(session_) == 0)
        came.is_open = false;
    const Octets said = outgoing();
    came.reply.insert(came.reply.end(), said.begin(), said.end());
    return came;
}

HttpLayer::Octets HttpLayer::wrap(std::span<const std::uint8_t> messages)
{
    Octets all;
    while (!messages.empty()) {
        const std::size_t size = id_in(messages);
        const auto message = messages.subspan(2, size);
        const Octets said =
            respond(id_in(message), {.body = Octets(message.begin(), message.end())});
        all.insert(all.end(), said.begin(), said.end());
        messages = messages.subspan(2 + size);
    }
    return all;
}

HttpLayer::Octets HttpLayer::respond(std::uint16_t id, const Response &response)
{
    const std::int32_t stream = stream_of(id);
    bodies_[stream] = response.body;
    const std::string status = ":status";
    const std::string type = "content-type";
    std::vector<nghttp2_nv> fields{field(status, response.status)};
    if (!response.type.empty())
        fields.push_back(field(type, response.type));
    for (const auto &[name, value] : response.more)
        fields.push_back(field(name, value));
    nghttp2_data_provider body{.source = {}, .read_callback = HttpLayerCallbacks::read_body};
    must(nghttp2_submit_response(session_, stream, fields.data(), fields.size(), &body) == 0);
    return outgoing();
}

HttpLayer::Octets HttpLayer::reset(std::uint16_t id, std::uint32_t error)
{
    must(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream_of(id), error) == 0);
    return outgoing();
}

HttpLayer::Octets HttpLayer::leave(std::size_t taken, std::uint32_t error)
{
    must(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                               taken == 0 ? 0 : requests_.at(taken - 1).stream, error, nullptr,
                               0) == 0);
    return outgoing();
}

} // namespace dnsgauge::testing
