// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Serves GET /metrics over HTTP, only to this machine. If there are too many connections, closes
// the oldest one, so that a slow client cannot keep others from asking.
#pragma once

#include "base/event_loop.h"

#include <functional>
#include <memory>
#include <string>

namespace dnsgauge
{

// Returns a server at `endpoint`: the path of a Unix socket, which begins with '/', or PORT or
// ADDRESS:PORT of a loopback address. `text` makes the text to serve. Throws SetupError.
[[nodiscard]] std::unique_ptr<EventHandler>
serve_metrics(EventLoop &loop, const std::string &endpoint, std::function<std::string()> text);

} // namespace dnsgauge
