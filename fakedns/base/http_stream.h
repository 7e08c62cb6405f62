// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages of one connection that speaks DNS over HTTPS (RFC 8484), by HTTP/2 (libnghttp2). The
// octets are those inside TLS. Each query is a request of its own: POST, or GET with ?dns=. Limits
// bound what a client makes the server keep: headers, requests at a time, octets of queries.
#pragma once

#include "base/message_stream.h"

#include <memory>

namespace dnsgauge
{

// Throws bad_alloc.
[[nodiscard]] std::unique_ptr<MessageStream> make_http_stream(MessageAnswerer &answerer,
                                                              const Misconduct &fault = {});

} // namespace dnsgauge
