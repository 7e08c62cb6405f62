// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The columns of a table. Each is said once, for JSON, for CSV and for people.
#pragma once

#include "stats/summary.h"
#include "text/figure_text.h"
#include "text/table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

template <class Row>
struct Column {
    using Json = nlohmann::ordered_json;
    using Text = std::function<std::string(const Json &)>;

    std::string key;  // in JSON and in CSV; its end says the unit (text/figure_text.h)
    std::string head; // for people
    std::function<Json(const Row &)> value;
    Text text{};  // for people; figure_text() if missing
    Text plain{}; // in CSV; plain_figure() if missing

    [[nodiscard]] std::string cell(const Json &its, TableForm form = TableForm::text) const
    {
        if (form == TableForm::csv)
            return plain ? plain(its) : plain_figure(key, its);
        return text ? text(its) : figure_text(key, its);
    }
};

template <class Row>
using Columns = std::vector<Column<Row>>;

// Returns a column of the field at a JSON pointer. Rows without the field have null there.
[[nodiscard]] inline Column<nlohmann::ordered_json> field(const char *pointer, const char *head)
{
    return {
        pointer, head,
        [at = nlohmann::ordered_json::json_pointer(pointer)](const nlohmann::ordered_json &row) {
            return row.contains(at) ? row.at(at) : nlohmann::ordered_json();
        }};
}

// Returns the columns with these keys, in this order.
template <class Row>
[[nodiscard]] Columns<Row> chosen(const Columns<Row> &columns,
                                  std::initializer_list<std::string_view> keys)
{
    Columns<Row> found;
    for (const std::string_view key : keys)
        found.push_back(*std::ranges::find(columns, key, &Column<Row>::key));
    return found;
}

// Returns an array with an object for each row.
template <class Row>
[[nodiscard]] nlohmann::ordered_json rows_json(const std::vector<Row> &rows,
                                               const Columns<Row> &columns)
{
    auto json = nlohmann::ordered_json::array();
    for (const Row &row : rows) {
        nlohmann::ordered_json object;
        for (const Column<Row> &column : columns)
            object[column.key] = column.value(row);
        json.push_back(std::move(object));
    }
    return json;
}

// Returns a table of the rows. Its heads are the keys in CSV, and the heads for people otherwise.
template <class Row>
[[nodiscard]] Table rows_table(const std::vector<Row> &rows, const Columns<Row> &columns,
                               TableForm form = TableForm::text)
{
    Table table;
    table.heads.emplace_back();
    table.rows.resize(rows.size());
    for (const Column<Row> &column : columns) {
        table.heads.front().push_back(form == TableForm::csv ? column.key : column.head);
        for (std::size_t i = 0; i < rows.size(); i++)
            table.rows[i].push_back(column.cell(column.value(rows[i]), form));
    }
    return table;
}

// A figure over the values of all rows.
struct BandRow {
    const char *name;
    double Band::*figure;
};

// Adds a row for each of `bands`: its name, and a cell behind it for each column. The cell of a
// column of texts is empty.
template <class Row>
void add_bands(Table &table, const std::vector<Row> &rows, const Columns<Row> &columns,
               std::span<const BandRow> bands, TableForm form = TableForm::text)
{
    const std::size_t first = table.rows.size();
    for (const BandRow &band : bands)
        table.rows.push_back({band.name});
    for (const Column<Row> &column : columns) {
        std::vector<double> values;
        bool is_text = false;
        for (const Row &row : rows) {
            const nlohmann::ordered_json value = column.value(row);
            is_text = is_text || value.is_string();
            if (value.is_number())
                values.push_back(value.template get<double>());
        }
        const std::optional<Band> found = band_of(values);
        std::size_t at = first;
        for (const BandRow &band : bands)
            table.rows[at++].push_back(is_text ? ""
                                       : found ? column.cell((*found).*band.figure, form)
                                               : column.cell(nullptr, form));
    }
}

// Puts a column in front, with `name` and the number of each row, from 1.
inline void number_rows(Table &table, const std::string &head, const std::string &name = "")
{
    table.heads.front().insert(table.heads.front().begin(), head);
    for (std::size_t i = 0; i < table.rows.size(); i++)
        table.rows[i].insert(table.rows[i].begin(), name + std::to_string(i + 1));
}

} // namespace dnsgauge
