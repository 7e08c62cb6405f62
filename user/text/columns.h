// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The columns of a table. A column is defined once, for JSON, for CSV and for people.
#pragma once

#include "record/fields.h"
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
#include <utility>
#include <vector>

namespace dnsgauge
{

template <class Row>
struct Column {
    using Json = nlohmann::ordered_json;
    using Text = std::function<std::string(const Json &)>;
    // Writes or describes the column as a field of JSON.
    using Told = void (*)(Fields &fields, const char *key, const char *meaning, const Row &row);

    std::string key;  // in JSON and in CSV; its end says the unit (text/figure_text.h)
    std::string head; // for people
    std::function<Json(const Row &)> value;
    Text text{};                                       // for people; figure_text() if missing
    Text plain{};                                      // in CSV; plain_figure() if missing
    std::function<void(Fields &, const Row &)> told{}; // missing if only tables have the column

    Column(std::string its_key, std::string its_head, std::function<Json(const Row &)> its_value,
           Text its_text = {}, Text its_plain = {})
        : key(std::move(its_key)), head(std::move(its_head)), value(std::move(its_value)),
          text(std::move(its_text)), plain(std::move(its_plain))
    {
    }
    Column(const char *its_key, std::string its_head, const char *meaning, Told its_told,
           Text its_text = {}, Text its_plain = {})
        : key(its_key), head(std::move(its_head)), text(std::move(its_text)),
          plain(std::move(its_plain)),
          told([=](Fields &fields, const Row &row) { its_told(fields, its_key, meaning, row); })
    {
        value = [its_told = told](const Row &row) {
            auto json = Json::object();
            Fields fields(json, true);
            its_told(fields, row);
            return json.begin().value();
        };
    }

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
    return {pointer, head, [at = nlohmann::ordered_json::json_pointer(pointer)](const auto &row) {
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

// Returns a table of the rows. Its heads are the keys in CSV, otherwise the heads for people.
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

// Adds a row for each of `bands`: its name, then a cell for each column. The cell is empty if the
// column has texts.
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
