// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Serves GET /metrics over HTTP, to this machine alone. If there are too many connections, the
// oldest is closed, so that a slow client keeps nobody else from asking.
#pragma once

#include "base/event_loop.h"

#include "userland/freed_by.h"
#include "userland/unique_fd.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

struct MHD_Daemon;

extern "C" void MHD_stop_daemon(MHD_Daemon *daemon);

namespace dnsgauge
{

class MetricsServer : public EventHandler
{
public:
    // Serves at `endpoint`: the path of a Unix socket, which begins with '/', or PORT or
    // ADDRESS:PORT of a loopback address. `text` makes the text to serve. Throws SetupError.
    MetricsServer(EventLoop &loop, const std::string &endpoint, std::function<std::string()> text);
    ~MetricsServer() override;

    void on_ready(std::uint32_t events) override;

    [[nodiscard]] std::string text() const { return text_(); }

    // Notes that the library serves a connection, or has closed it.
    void note_connection(int socket, bool is_new);

private:
    void serve(AcceptedConnection connection);
    bool close_oldest();

    std::function<std::string()> text_;
    std::vector<int> connections_; // the library's sockets, the oldest first
    std::string socket_path_;      // of a Unix socket, which is removed at the end
    std::unique_ptr<MHD_Daemon, FreedBy<MHD_stop_daemon>> daemon_;
    std::unique_ptr<Listener> listener_;
    // The timer runs while there are connections: the daemon closes idle connections only when
    // on_ready() runs it.
    DueTimer timer_;
};

} // namespace dnsgauge
