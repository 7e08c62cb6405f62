// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/paper_tables.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace dnsgauge::testing
{

namespace
{

std::vector<std::string> cells_of(const std::string &line)
{
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');)
        cells.push_back(cell);
    return cells;
}

} // namespace

double PaperTable::value(const std::string &row, std::size_t column) const
{
    return std::stod(rows.at(row).at(column));
}

double PaperTable::rounding(const std::string &row, std::size_t column) const
{
    const std::string &cell = rows.at(row).at(column);
    const std::size_t point = cell.find('.');
    const std::size_t digits = point == std::string::npos ? 0 : cell.size() - point - 1;
    return 0.5 * std::pow(10, -static_cast<double>(digits));
}

std::map<int, PaperTable> read_paper_tables(const std::filesystem::path &file)
{
    std::ifstream in(file);
    std::map<int, PaperTable> tables;
    PaperTable *table = nullptr;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.starts_with('#'))
            continue;
        std::vector<std::string> cells = cells_of(line);
        const std::string name = cells.at(0);
        if (name == "table") {
            const int number = std::stoi(cells.at(1));
            table = &tables[number];
            table->number = number;
            table->caption = cells.at(2);
            continue;
        }
        if (table == nullptr)
            throw std::runtime_error(file.string() + ": a row before the first table: " + line);
        cells.erase(cells.begin());
        table->rows[name] = std::move(cells);
    }
    if (tables.empty())
        throw std::runtime_error(file.string() + ": no tables in it");
    return tables;
}

} // namespace dnsgauge::testing
