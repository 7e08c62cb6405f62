// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/table.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

Table some_table()
{
    return {.caption = "Rates of \"a_b\", 100 %",
            .heads = {{"Cores", "1", "16"}, {"Timeout (s)", "0.25"}},
            .rows = {{"Median (qps)", "12", "1234"}, {"a, \"b\"", "x|y\n#1", "50 %"}},
            .notes = {"Note 1.", "Note & 2."}};
}

} // namespace

TEST_CASE("text: figures stand under each other, short rows are filled, all is there")
{
    CHECK(render(some_table(), TableForm::text) == "Rates of \"a_b\", 100 %\n"
                                                   "\n"
                                                   "Cores              1    16\n"
                                                   "Timeout (s)     0.25\n"
                                                   "--------------------------\n"
                                                   "Median (qps)      12  1234\n"
                                                   "a, \"b\"        x|y #1  50 %\n"
                                                   "Note 1.\n"
                                                   "Note & 2.\n");
}

TEST_CASE("text: long cells are broken between words, and UTF-8 is counted by characters")
{
    const Table table{.caption = "",
                      .heads = {{"", "é", "b"}},
                      .rows = {{"label", "not compliant with RFC 8219", "1"}, {"x", "ü", "2"}},
                      .notes = {}};
    CHECK(render(table, TableForm::text) == "                            é  b\n"
                                            "--------------------------------\n"
                                            "label  not compliant with RFC  1\n"
                                            "                         8219\n"
                                            "x                           ü  2\n");
}

TEST_CASE("CSV: RFC 4180's quotes and line ends, and as many cells in each line")
{
    CHECK(render(some_table(), TableForm::csv) == "Cores,1,16\r\n"
                                                  "Timeout (s),0.25,\r\n"
                                                  "Median (qps),12,1234\r\n"
                                                  "\"a, \"\"b\"\"\",\"x|y\n#1\",50 %\r\n");
}

TEST_CASE("Markdown: one head, pipes that do not end cells, nothing read as markup")
{
    CHECK(render(some_table(), TableForm::markdown) ==
          "Rates of \"a\\_b\", 100 %\n"
          "\n"
          "| Cores<br>Timeout (s) | 1<br>0.25 | 16<br> |\n"
          "|:--|--:|--:|\n"
          "| Median (qps) | 12 | 1234 |\n"
          "| a, \"b\" | x\\|y \\#1 | 50 % |\n"
          "\n"
          "- Note 1.\n"
          "- Note &amp; 2.\n");
}

TEST_CASE("LaTeX: nothing of a cell is a command")
{
    const std::string text = render(some_table(), TableForm::latex);
    CHECK(text == "\\begin{table}\n"
                  "\\centering\n"
                  "\\caption{Rates of ''a\\_b'', 100 \\%}\n"
                  "\\begin{tabular}{lrr}\n"
                  "\\hline\n"
                  "Cores & 1 & 16 \\\\\n"
                  "Timeout (s) & 0.25 &  \\\\\n"
                  "\\hline\n"
                  "Median (qps) & 12 & 1234 \\\\\n"
                  "a, ''b'' & x\\textbar{}y \\#1 & 50 \\% \\\\\n"
                  "\\hline\n"
                  "\\end{tabular}\n"
                  "\\par Note 1.\n"
                  "\\par Note \\& 2.\n"
                  "\\end{table}\n");
    const Table hostile{.caption = "",
                        .heads = {},
                        .rows = {{"[2cm]", "*", "\\input{x}", "$^_~{}<>"}},
                        .notes = {}};
    CHECK_THAT(render(hostile, TableForm::latex),
               Contains("{[}2cm] & {*} & \\textbackslash{}input\\{x\\} & "
                        "\\$\\textasciicircum{}\\_\\textasciitilde{}\\{\\}\\textless{}"
                        "\\textgreater{} \\\\"));
    const Table wide{.caption = "",
                     .heads = {},
                     .rows = {{"a first column stays", "not compliant with RFC 8219 & co."}},
                     .notes = {}};
    CHECK_THAT(render(wide, TableForm::latex),
               Contains("a first column stays & \\shortstack[r]{not compliant\\\\with RFC 8219 "
                        "\\&\\\\co.} \\\\\n"));
}

TEST_CASE("an empty table is no trouble in any form")
{
    for (const TableForm form :
         {TableForm::text, TableForm::csv, TableForm::markdown, TableForm::latex})
        CHECK_NOTHROW(render({}, form));
}
