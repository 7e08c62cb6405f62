// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parts of newer kernels' <linux/if_xdp.h> that Debian 12's header lacks. The kernel never changes
// these numbers.
#pragma once

#include <linux/if_xdp.h>

#include <cstddef>
#include <cstdint>

namespace dnsgauge::kernel
{

// The value of XDP_UMEM_REG since Linux 6.8. Linux 6.11 added the flag XDP_UMEM_TX_METADATA_LEN,
// which older kernels refuse.
struct UmemRegistration {
    std::uint64_t address;
    std::uint64_t length;
    std::uint32_t chunk_size;
    std::uint32_t headroom = 0;
    std::uint32_t flags = 0;
    std::uint32_t tx_metadata_length = 0;
};
static_assert(sizeof(UmemRegistration) == 32);

inline constexpr std::uint32_t umem_tx_metadata_length = 1U << 2U; // XDP_UMEM_TX_METADATA_LEN
inline constexpr std::uint32_t tx_metadata = 1U << 1U;    // XDP_TX_METADATA, of a descriptor
inline constexpr std::uint64_t txmd_timestamp = 1U << 0U; // XDP_TXMD_FLAGS_TIMESTAMP
inline constexpr int max_tx_skb_budget = 9;               // XDP_MAX_TX_SKB_BUDGET, since Linux 6.17

// The head of xsk_tx_metadata. The driver writes the stamp when it has sent the packet.
struct TxMetadata {
    std::uint64_t flags;
    std::uint64_t timestamp;
};
static_assert(offsetof(TxMetadata, timestamp) == 8);

} // namespace dnsgauge::kernel
