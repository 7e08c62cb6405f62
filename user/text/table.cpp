// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/table.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

namespace dnsgauge
{

namespace
{

using Row = Table::Row;

constexpr std::size_t text_cell_most = 24; // characters in a line of a cell, at most
constexpr std::size_t latex_cell_most = 16;
constexpr const char *text_gap = "  ";

std::size_t columns_of(const Table &table)
{
    std::size_t columns = 0;
    for (const auto *part : {&table.heads, &table.rows})
        for (const Row &row : *part)
            columns = std::max(columns, row.size());
    return columns;
}

const std::string &cell(const Row &row, std::size_t column)
{
    static const std::string empty;
    return column < row.size() ? row[column] : empty;
}

// Counts characters, not octets: octets that continue a UTF-8 character do not count.
std::size_t width(const std::string &text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char octet) {
        return (static_cast<unsigned char>(octet) & 0xc0U) != 0x80U;
    }));
}

// Returns the text with a backslash before each character of `escaped`, and with other characters
// replaced by `meanings`.
std::string replaced(const std::string &text, std::string_view escaped,
                     const std::map<char, std::string> &meanings)
{
    std::string result;
    for (const char octet : text)
        if (const auto meaning = meanings.find(octet); meaning != meanings.end())
            result += meaning->second;
        else
            result +=
                (escaped.find(octet) == std::string_view::npos ? "" : "\\") + std::string(1, octet);
    return result;
}

// Returns the words in lines of at most `most` characters; a longer word has a line of its own.
std::vector<std::string> broken(const std::string &text, std::size_t most)
{
    std::vector<std::string> lines(1);
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        if (!lines.back().empty() && width(lines.back()) + 1 + width(word) > most)
            lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
}

// Returns the lines of text that a row takes. Each line has a cell for each column.
std::vector<Row> text_lines(const Row &row, std::size_t columns)
{
    std::vector<Row> lines;
    for (std::size_t column = 0; column < columns; column++) {
        const std::vector<std::string> cell_lines = broken(cell(row, column), text_cell_most);
        if (lines.size() < cell_lines.size())
            lines.resize(cell_lines.size(), Row(columns));
        for (std::size_t i = 0; i < cell_lines.size(); i++)
            lines[i][column] = cell_lines[i];
    }
    return lines;
}

// Aligns the first column to the left, and figures to the right.
std::string text_line(const Row &line, const std::vector<std::size_t> &widths)
{
    std::string text;
    for (std::size_t column = 0; column < line.size(); column++) {
        const std::string padding(widths[column] - width(line[column]), ' ');
        text += column == 0 ? line[column] + padding : text_gap + padding + line[column];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string to_text(const Table &table)
{
    const std::size_t columns = columns_of(table);
    std::vector<Row> lines;
    const auto add = [&lines, columns](const std::vector<Row> &rows) {
        for (const Row &row : rows)
            for (Row &line : text_lines(row, columns))
                lines.push_back(std::move(line));
    };
    add(table.heads);
    const std::size_t head_lines = lines.size();
    add(table.rows);

    std::vector<std::size_t> widths(columns);
    for (const Row &line : lines)
        for (std::size_t column = 0; column < columns; column++)
            widths[column] = std::max(widths[column], width(line[column]));
    std::size_t whole = 0;
    for (std::size_t column = 0; column < columns; column++)
        whole += widths[column] + (column == 0 ? 0 : std::string_view(text_gap).size());

    std::string text = table.caption.empty() ? "" : table.caption + "\n\n";
    for (std::size_t i = 0; i < lines.size(); i++) {
        if (i == head_lines && i != 0)
            text += std::string(whole, '-') + "\n";
        text += text_line(lines[i], widths);
    }
    for (const std::string &note : table.notes)
        text += note + "\n";
    return text;
}

std::string csv_cell(const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    return '"' + replaced(text, "", {{'"', "\"\""}}) + '"';
}

std::string to_csv(const Table &table)
{
    const std::size_t columns = columns_of(table);
    std::string text;
    for (const auto *part : {&table.heads, &table.rows})
        for (const Row &row : *part) {
            for (std::size_t column = 0; column < columns; column++)
                text += (column == 0 ? "" : ",") + csv_cell(cell(row, column));
            text += "\r\n";
        }
    return text;
}

std::string markdown_escaped(const std::string &text)
{
    return replaced(text, "\\|*_`[#~",
                    {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'\r', ""}, {'\n', " "}});
}

// Returns the heads of a column, each on a line of its own.
std::string markdown_head(const Table &table, std::size_t column)
{
    std::string text;
    for (const Row &row : table.heads)
        text += (&row == &table.heads.front() ? "" : "<br>") + markdown_escaped(cell(row, column));
    return text;
}

std::string to_markdown(const Table &table)
{
    const std::size_t columns = columns_of(table);
    std::string text = table.caption.empty() ? "" : markdown_escaped(table.caption) + "\n\n";
    for (std::size_t column = 0; column < columns; column++)
        text += "| " + markdown_head(table, column) + ' ';
    text += "|\n";
    for (std::size_t column = 0; column < columns; column++)
        text += column == 0 ? "|:--" : "|--:";
    text += "|\n";
    for (const Row &row : table.rows) {
        for (std::size_t column = 0; column < columns; column++)
            text += "| " + markdown_escaped(cell(row, column)) + ' ';
        text += "|\n";
    }
    for (const std::string &note : table.notes)
        text += (&note == &table.notes.front() ? "\n- " : "- ") + markdown_escaped(note) + "\n";
    return text;
}

std::string latex_escaped(const std::string &text)
{
    return replaced(text, "{}#$%&_",
                    {{'\\', "\\textbackslash{}"},
                     {'~', "\\textasciitilde{}"},
                     {'^', "\\textasciicircum{}"},
                     {'<', "\\textless{}"},
                     {'>', "\\textgreater{}"},
                     {'|', "\\textbar{}"},
                     {'"', "''"},
                     // After the end of a row LaTeX would take these two for options.
                     {'[', "{[}"},
                     {'*', "{*}"},
                     {'\r', ""},
                     {'\n', " "}});
}

// Breaks long cells: a label repeated in five columns would leave the page.
std::string latex_cell(const std::string &text)
{
    if (width(text) <= latex_cell_most)
        return latex_escaped(text);
    std::string lines;
    for (const std::string &line : broken(text, latex_cell_most))
        lines += (lines.empty() ? "" : "\\\\") + latex_escaped(line);
    return "\\shortstack[r]{" + lines + "}";
}

std::string latex_rows(const std::vector<Row> &rows, std::size_t columns)
{
    std::string text;
    for (const Row &row : rows) {
        for (std::size_t column = 0; column < columns; column++)
            text += (column == 0 ? "" : " & ") + (column == 0 ? latex_escaped(cell(row, column))
                                                              : latex_cell(cell(row, column)));
        text += " \\\\\n";
    }
    return text;
}

std::string to_latex(const Table &table)
{
    const std::size_t columns = columns_of(table);
    std::string text = "\\begin{table}\n\\centering\n";
    if (!table.caption.empty())
        text += "\\caption{" + latex_escaped(table.caption) + "}\n";
    text += "\\begin{tabular}{l" + std::string(columns > 0 ? columns - 1 : 0, 'r') + "}\n\\hline\n";
    text += latex_rows(table.heads, columns);
    text += "\\hline\n";
    text += latex_rows(table.rows, columns);
    text += "\\hline\n\\end{tabular}\n";
    for (const std::string &note : table.notes)
        text += "\\par " + latex_escaped(note) + "\n";
    return text + "\\end{table}\n";
}

} // namespace

std::string render(const Table &table, TableForm form)
{
    switch (form) {
    case TableForm::csv:
        return to_csv(table);
    case TableForm::markdown:
        return to_markdown(table);
    case TableForm::latex:
        return to_latex(table);
    case TableForm::text:
        break;
    }
    return to_text(table);
}

} // namespace dnsgauge
