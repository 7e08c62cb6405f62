// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A table of text, and the forms in which it is printed.
#pragma once

#include "system/words.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Short rows are filled with empty cells. The first cell of a row says what the row holds.
struct Table {
    using Row = std::vector<std::string>;

    std::string caption{};
    std::vector<Row> heads{};
    std::vector<Row> rows{};
    std::vector<std::string> notes{}; // sentences that a reader of any row must know
};

enum class TableForm {
    text,     // aligned columns; long cells are broken at spaces
    csv,      // RFC 4180; only heads and rows: the form has no place for captions and notes
    markdown, // a pipe table; it has one line of heads, so the heads of a column share a cell
    latex,    // a table environment around a tabular one, for any document class
};

inline constexpr auto table_forms = words<TableForm>({{TableForm::text, "text"},
                                                      {TableForm::csv, "csv"},
                                                      {TableForm::markdown, "markdown"},
                                                      {TableForm::latex, "latex"}});

// Returns the table in this form. Cells, caption and notes may be any UTF-8 text: characters with a
// meaning in the form are escaped.
[[nodiscard]] std::string render(const Table &table, TableForm form);

} // namespace dnsgauge
