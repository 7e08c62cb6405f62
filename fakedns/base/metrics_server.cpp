// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/metrics_server.h"

#include "base/sockets.h"
#include "system/freed_by.h"
#include "system/number_text.h"
#include "system/setup_error.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <string_view>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr int backlog = 16;
constexpr std::size_t connections_most = 16; // the library may have the same number of closing ones
constexpr unsigned idle_seconds = 10;

[[noreturn]] void refuse(const std::string &endpoint, const std::string &why)
{
    throw SetupError("--metrics " + endpoint + ": " + why);
}

UniqueFd listening(const std::string &endpoint, const sockaddr *address, socklen_t size)
{
    UniqueFd fd{socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    const int on = 1;
    if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(fd.get(), address, size) != 0 || listen(fd.get(), backlog) != 0)
        throw_errno("--metrics " + endpoint + ": cannot listen there");
    return fd;
}

// Removes the socket that a killed server left, if no server uses it.
void remove_stale(const sockaddr_un &address)
{
    struct stat found = {};
    if (lstat(address.sun_path, &found) != 0 || !S_ISSOCK(found.st_mode))
        return;
    const UniqueFd probe{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (connect(probe.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0 &&
        errno == ECONNREFUSED)
        unlink(address.sun_path);
}

UniqueFd listening_at_path(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
        refuse(path, "a path of at most " + std::to_string(sizeof(address.sun_path) - 1) +
                         " characters fits");
    path.copy(address.sun_path, path.size());
    remove_stale(address);
    return listening(path, reinterpret_cast<const sockaddr *>(&address), sizeof(address));
}

// Returns whether only this machine reaches the address.
bool is_loopback(const IpAddress &address)
{
    return address.is_ipv6 ? address == parse_ip_address("::1")
                           : address.bytes[0] == IN_LOOPBACKNET;
}

UniqueFd listening_at_port(const std::string &endpoint)
{
    const std::size_t colon = endpoint.rfind(':');
    std::string host = colon == std::string::npos ? "127.0.0.1" : endpoint.substr(0, colon);
    const auto port = read_number(endpoint.substr(colon + 1), UINT16_MAX); // npos + 1 is 0
    if (port.value_or(0) == 0)
        refuse(endpoint,
               "neither a path beginning with '/' nor a port, nor a loopback ADDRESS:PORT");
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    const auto address = read_ip_address(host);
    if (!address || !is_loopback(*address))
        refuse(endpoint, "the server listens only at a loopback address, 127.0.0.1 or [::1]");
    const int family = address->is_ipv6 ? AF_INET6 : AF_INET;
    const auto number = static_cast<std::uint16_t>(*port);
    if (UniqueFd passed = passed_socket(family, SOCK_STREAM, number, ""))
        return passed;
    const SocketAddress name(*address, number);
    return listening(endpoint, name.get(), name.size);
}

MHD_Result respond(MHD_Connection *connection, unsigned status, const std::string &body)
{
    MHD_Response *response = MHD_create_response_from_buffer(
        body.size(), const_cast<char *>(body.data()), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                            "text/plain; version=0.0.4; charset=utf-8");
    const MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

class MetricsServer : public EventHandler
{
public:
    // See serve_metrics().
    MetricsServer(EventLoop &loop, const std::string &endpoint, std::function<std::string()> text)
        : text_(std::move(text)), timer_(loop, [this] { on_ready(0); })
    {
        const bool is_path = endpoint.starts_with('/');
        UniqueFd socket = is_path ? listening_at_path(endpoint) : listening_at_port(endpoint);
        if (is_path)
            socket_path_ = endpoint;
        daemon_.reset(MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, nullptr,
                                       nullptr, &handle, this, MHD_OPTION_CONNECTION_LIMIT,
                                       static_cast<unsigned>(2 * connections_most),
                                       MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
                                       MHD_OPTION_NOTIFY_CONNECTION, &note, this, MHD_OPTION_END));
        const MHD_DaemonInfo *info =
            daemon_ ? MHD_get_daemon_info(daemon_.get(), MHD_DAEMON_INFO_EPOLL_FD) : nullptr;
        if (info == nullptr)
            refuse(endpoint, "cannot start the HTTP server");
        listener_ = std::make_unique<Listener>(
            loop, std::move(socket),
            [this](AcceptedConnection connection) { serve(std::move(connection)); },
            [this] { return close_oldest(); });
        loop.add(info->epoll_fd, EPOLLIN, *this);
    }

    ~MetricsServer() override
    {
        if (!socket_path_.empty())
            unlink(socket_path_.c_str());
    }

    void on_ready(std::uint32_t) override
    {
        MHD_run(daemon_.get());
        constexpr std::uint64_t second = 1'000'000'000;
        if (!connections_.empty())
            timer_.set(ktime_ns() + second);
    }

private:
    static MHD_Result handle(void *server, MHD_Connection *connection, const char *url,
                             const char *method, const char *, const char *, size_t *, void **)
    {
        const std::string_view asked = method;
        if (asked != MHD_HTTP_METHOD_GET && asked != MHD_HTTP_METHOD_HEAD)
            return respond(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
        if (std::string_view(url) != "/metrics")
            return respond(connection, MHD_HTTP_NOT_FOUND, "GET /metrics\n");
        try {
            return respond(connection, MHD_HTTP_OK, static_cast<MetricsServer *>(server)->text_());
        } catch (const std::exception &) {
            return MHD_NO; // closes the connection; no exception may pass through the library
        }
    }

    // The library calls this when it begins to serve a connection, and when it has closed one.
    static void note(void *server, MHD_Connection *connection, void **,
                     MHD_ConnectionNotificationCode what)
    {
        const MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (info == nullptr)
            return;
        std::vector<int> &connections = static_cast<MetricsServer *>(server)->connections_;
        if (what == MHD_CONNECTION_NOTIFY_STARTED)
            connections.push_back(info->connect_fd);
        else
            std::erase(connections, info->connect_fd);
    }

    void serve(AcceptedConnection connection)
    {
        if (connections_.size() >= connections_most)
            close_oldest();
        // From here on the library owns the descriptor.
        MHD_add_connection(daemon_.get(), connection.socket.release(),
                           reinterpret_cast<sockaddr *>(&connection.from), connection.from_size);
        on_ready(0);
    }

    // Returns false if no connection could be closed.
    bool close_oldest()
    {
        const std::size_t before = connections_.size();
        if (before == 0)
            return false;
        shutdown(connections_.front(), SHUT_RDWR);
        MHD_run(daemon_.get()); // the library closes a connection that was shut down when it runs
        return connections_.size() < before;
    }

    std::function<std::string()> text_;
    std::vector<int> connections_; // the library's sockets, the oldest first
    std::string socket_path_;      // of a Unix socket, which is removed at the end
    std::unique_ptr<MHD_Daemon, FreedBy<MHD_stop_daemon>> daemon_;
    std::unique_ptr<Listener> listener_;
    // The timer runs while there are connections. The daemon closes idle connections only if
    // on_ready() runs it.
    DueTimer timer_;
};

} // namespace

std::unique_ptr<EventHandler> serve_metrics(EventLoop &loop, const std::string &endpoint,
                                            std::function<std::string()> text)
{
    return std::make_unique<MetricsServer>(loop, endpoint, std::move(text));
}

} // namespace dnsgauge
