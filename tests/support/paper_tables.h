// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The papers' tables, from tests/unit/data/paper_*_tables.tsv.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dnsgauge::testing
{

struct PaperTable {
    int number = 0;
    std::string caption;
    std::map<std::string, std::vector<std::string>> rows; // cells as printed

    [[nodiscard]] std::size_t columns() const { return rows.at("median").size(); }
    [[nodiscard]] double value(const std::string &row, std::size_t column) const;
    // Returns half a unit of the last printed digit: how far the true figure may be from the
    // printed one.
    [[nodiscard]] double rounding(const std::string &row, std::size_t column) const;
};

// Returns the tables by number. Throws std::runtime_error if the file has another form, or no
// table.
std::map<int, PaperTable> read_paper_tables(const std::filesystem::path &file);

} // namespace dnsgauge::testing
