// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mpi/mpi_channel.h"

#include "system/setup_error.h"

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace dnsgauge
{

namespace
{

constexpr int tag = 1;
constexpr auto look_interval = std::chrono::milliseconds(1);

// Returns false once the deadline has passed.
bool rest(Nanoseconds deadline, Wait wait)
{
    if (wait == Wait::sleeping)
        std::this_thread::sleep_for(look_interval);
    return std::chrono::steady_clock::now().time_since_epoch() < deadline;
}

} // namespace

MpiChannel::MpiChannel()
{
    // Between processes of one host Open MPI copies by process_vm_readv(2). The kernel refuses this
    // call to a process with fewer capabilities than the other process has, and Open MPI does not
    // notice. NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    int given = MPI_THREAD_SINGLE;
    int rank = 0;
    int size = 1;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
        throw SetupError("MPI does not start: see what mpirun says");
    rank_ = static_cast<std::uint32_t>(rank);
    size_ = static_cast<std::uint32_t>(size);
}

MpiChannel::~MpiChannel()
{
    MPI_Finalize();
}

// A text must not move until the other Tester has read it: MPI may read it at any time.
bool MpiChannel::send(std::uint32_t to, const std::string &text, Nanoseconds deadline, Wait wait)
{
    const auto at = texts_.insert(texts_.end(), text);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(at->data(), static_cast<int>(at->size()), MPI_BYTE, static_cast<int>(to), tag,
              MPI_COMM_WORLD, &request);
    for (;;) {
        int is_done = 0;
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done != 0) {
            texts_.erase(at);
            return true;
        }
        if (!rest(deadline, wait))
            return false;
    }
}

std::optional<std::string> MpiChannel::receive(std::uint32_t from, Nanoseconds deadline, Wait wait)
{
    for (;;) {
        int is_there = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status{};
        MPI_Improbe(static_cast<int>(from), tag, MPI_COMM_WORLD, &is_there, &message, &status);
        if (is_there != 0) {
            int size = 0;
            MPI_Get_count(&status, MPI_BYTE, &size);
            std::string text(static_cast<std::size_t>(size), '\0');
            MPI_Mrecv(text.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            return text;
        }
        if (!rest(deadline, wait))
            return std::nullopt;
    }
}

bool MpiChannel::has_message(std::uint32_t from)
{
    int is_there = 0;
    MPI_Iprobe(static_cast<int>(from), tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    return is_there != 0;
}

void MpiChannel::end_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}

} // namespace dnsgauge
