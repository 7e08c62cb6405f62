// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/columns.h"

namespace dnsgauge
{

using Json = nlohmann::ordered_json;

Column<Json> field(const char *pointer, const char *head)
{
    return {pointer, head, [at = Json::json_pointer(pointer)](const Json &row) {
                return row.contains(at) ? row.at(at) : Json();
            }};
}

void number_rows(Table &table, const std::string &head, const std::string &name)
{
    table.heads.front().insert(table.heads.front().begin(), head);
    for (std::size_t i = 0; i < table.rows.size(); i++)
        table.rows[i].insert(table.rows[i].begin(), name + std::to_string(i + 1));
}

} // namespace dnsgauge
