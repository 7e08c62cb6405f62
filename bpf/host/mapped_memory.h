// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns memory from mmap().
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cstddef>

namespace dnsgauge
{

class MappedMemory
{
public:
    // Takes the arguments of mmap(). If mmap() fails, data() is null and errno is set.
    MappedMemory(std::size_t size, int flags, int fd, off_t offset = 0) : size_(size)
    {
        void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd, offset);
        data_ = memory == MAP_FAILED ? nullptr : memory;
    }
    MappedMemory &operator=(MappedMemory &&) = delete;
    ~MappedMemory()
    {
        if (data_ != nullptr)
            munmap(data_, size_);
    }

    [[nodiscard]] void *data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    void *data_ = nullptr;
    std::size_t size_;
};

} // namespace dnsgauge
