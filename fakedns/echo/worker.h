// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A worker: a thread that echoes by one model of input and output.
#pragma once

#include "echo/server.h"

#include "echo_abi.h"

#include <memory>

namespace dnsgauge
{

// What a worker is given. Everything that a seat refers to outlives the worker.
struct EchoSeat {
    const EchoOptions &options;
    unsigned number;         // of the worker, from 0
    int socket;              // a UDP socket, for all models but af_xdp
    int xdp_sockets;         // af_xdp: the map of AF_XDP sockets, by receive queue
    echo_counters &counters; // the worker's own
};

class EchoWorker
{
public:
    EchoWorker &operator=(EchoWorker &&) = delete;
    virtual ~EchoWorker() = default;

    // Echoes until stop() has been called, from another thread.
    virtual void run() = 0;
    virtual void stop() = 0;
};

// Return a worker. Throw SetupError if this machine lacks the model.
using EchoWorkerMaker = std::unique_ptr<EchoWorker>(const EchoSeat &seat);
EchoWorkerMaker make_blocking_echo;
EchoWorkerMaker make_nonblocking_echo;
EchoWorkerMaker make_poll_echo;
EchoWorkerMaker make_select_echo;
EchoWorkerMaker make_epoll_echo;
EchoWorkerMaker make_libevent_echo;
EchoWorkerMaker make_recvmmsg_echo;
EchoWorkerMaker make_io_uring_echo;
EchoWorkerMaker make_af_packet_echo;
EchoWorkerMaker make_af_xdp_echo;

// Returns a worker of the model that seat.options names. The model must not be xdp, which has no
// workers.
EchoWorkerMaker make_echo_worker;

} // namespace dnsgauge
