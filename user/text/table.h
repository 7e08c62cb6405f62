// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A table of text, and the forms it is printed in.
#pragma once

#include <string>
#include <vector>

namespace dnsgauge
{

// Short rows are filled with empty cells. The first cell of a row says what the row holds.
struct Table {
    using Row = std::vector<std::string>;

    std::string caption;
    std::vector<Row> heads;
    std::vector<Row> rows;
    std::vector<std::string> notes; // what the reader of any row must know
};

enum class TableForm {
    text,     // aligned columns; long cells are broken at spaces
    csv,      // RFC 4180; heads and rows alone, as it has no place for captions and notes
    markdown, // a pipe table, which has one head: a column's heads stand above each other in it
    latex,    // a table environment with a tabular one, for any document class
};

// Cells, caption and notes are any UTF-8 text: what has a meaning in the form is escaped.
[[nodiscard]] std::string render(const Table &table, TableForm form);

} // namespace dnsgauge
