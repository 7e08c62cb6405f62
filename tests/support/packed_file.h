// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes files that gzip, xz or zstd packed.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace dnsgauge::testing
{

// Writes `octets` into the file `path`, packed by libarchive's filter, or as they are ("none").
inline void write_packed(const std::string &path, const std::string &filter,
                         std::string_view octets)
{
    const std::unique_ptr<archive, int (*)(archive *)> writer(archive_write_new(),
                                                              archive_write_free);
    REQUIRE((filter == "none" ||
             archive_write_add_filter_by_name(writer.get(), filter.c_str()) == ARCHIVE_OK));
    archive_write_set_format_raw(writer.get());
    REQUIRE(archive_write_open_filename(writer.get(), path.c_str()) == ARCHIVE_OK);
    const std::unique_ptr<archive_entry, void (*)(archive_entry *)> entry(archive_entry_new(),
                                                                          archive_entry_free);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    REQUIRE(archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK);
    REQUIRE(archive_write_data(writer.get(), octets.data(), octets.size()) ==
            static_cast<la_ssize_t>(octets.size()));
    REQUIRE(archive_write_close(writer.get()) == ARCHIVE_OK);
}

} // namespace dnsgauge::testing
