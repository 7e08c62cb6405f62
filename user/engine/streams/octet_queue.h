// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queues of octets that connections will send. All connections of a lane share the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dnsgauge
{

// Blocks of one size. Their memory is not touched before they are used.
class BlockPool
{
public:
    static constexpr std::size_t block_size = 2048;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit BlockPool(std::uint32_t blocks)
        : memory_(std::make_unique_for_overwrite<Block[]>(blocks)), state_(blocks)
    {
        for (std::uint32_t i = 0; i < blocks; i++)
            state_[i].next = i + 1 < blocks ? i + 1 : none;
        free_ = blocks != 0 ? 0 : none;
    }

    // Returns an empty block, or none.
    [[nodiscard]] std::uint32_t take()
    {
        const std::uint32_t block = free_;
        if (block == none)
            return none;
        free_ = state_[block].next;
        state_[block] = {};
        return block;
    }
    void give(std::uint32_t block)
    {
        state_[block].next = free_;
        free_ = block;
    }

    // What a block holds.
    struct State {
        std::uint32_t next = none; // of the same queue, or of the free ones
        std::uint16_t begin = 0;   // of the octets that were not taken out yet
        std::uint16_t end = 0;
    };
    [[nodiscard]] State &state(std::uint32_t block) { return state_[block]; }
    [[nodiscard]] std::span<std::uint8_t> octets(std::uint32_t block) { return memory_[block]; }

private:
    using Block = std::array<std::uint8_t, block_size>;

    std::unique_ptr<Block[]> memory_; // NOLINT(modernize-avoid-c-arrays): not initialized
    std::vector<State> state_;
    std::uint32_t free_ = none;
};

class OctetQueue
{
public:
    [[nodiscard]] bool empty() const { return first_ == BlockPool::none; }

    // Returns room for `size` octets, at most a block, at the queue's end; empty if the queue would
    // have more than `most` blocks, or if the pool has none. The caller must fill the room at once.
    [[nodiscard]] std::span<std::uint8_t> append(BlockPool &pool, std::size_t size,
                                                 std::uint32_t most)
    {
        if (empty() || BlockPool::block_size - pool.state(last_).end < size) {
            const std::uint32_t block = blocks_ == most ? BlockPool::none : pool.take();
            if (block == BlockPool::none)
                return {};
            (empty() ? first_ : pool.state(last_).next) = block;
            last_ = block;
            blocks_++;
        }
        BlockPool::State &state = pool.state(last_);
        const std::span<std::uint8_t> room = pool.octets(last_).subspan(state.end, size);
        state.end = static_cast<std::uint16_t>(state.end + size);
        return room;
    }

    // Returns the octets of the first block.
    [[nodiscard]] std::span<const std::uint8_t> front(BlockPool &pool) const
    {
        const BlockPool::State &state = pool.state(first_);
        return pool.octets(first_).subspan(state.begin, std::size_t{state.end} - state.begin);
    }
    // Takes out the first `count` octets of front().
    void take_out(BlockPool &pool, std::size_t count)
    {
        BlockPool::State &state = pool.state(first_);
        state.begin = static_cast<std::uint16_t>(state.begin + count);
        if (state.begin == state.end)
            drop_first(pool);
    }
    void clear(BlockPool &pool)
    {
        while (!empty())
            drop_first(pool);
    }
    [[nodiscard]] std::size_t size(BlockPool &pool) const
    {
        std::size_t sum = 0;
        for (std::uint32_t block = first_; block != BlockPool::none; block = pool.state(block).next)
            sum += pool.state(block).end - std::size_t{pool.state(block).begin};
        return sum;
    }

private:
    void drop_first(BlockPool &pool)
    {
        const std::uint32_t block = first_;
        first_ = pool.state(block).next;
        pool.give(block);
        blocks_--;
    }

    std::uint32_t first_ = BlockPool::none;
    std::uint32_t last_ = BlockPool::none;
    std::uint32_t blocks_ = 0;
};

} // namespace dnsgauge
