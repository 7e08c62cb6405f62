// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/rcode.h"

#include <algorithm>
#include <array>

namespace dnsgauge
{

namespace
{

constexpr std::array rcode_names = {
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN",  "NOTIMP",  "REFUSED", "YXDOMAIN", "YXRRSET",
    "NXRRSET", "NOTAUTH", "NOTZONE",  "DSOTYPENI", "RCODE12", "RCODE13", "RCODE14",  "RCODE15",
    "BADVERS", "BADKEY",  "BADTIME",  "BADMODE",   "BADNAME", "BADALG",  "BADTRUNC", "BADCOOKIE",
    "RCODE24", "RCODE25", "RCODE26",  "RCODE27",   "RCODE28", "RCODE29", "RCODE30",  "RCODE31+"};
static_assert(rcode_names.size() == DNS_RCODE_COUNTS);

char as_capital(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
}

} // namespace

const char *rcode_text(unsigned count)
{
    return rcode_names.at(count);
}

std::optional<unsigned> parse_rcode(std::string_view text)
{
    for (unsigned i = 0; i < DNS_RCODES; i++)
        if (std::ranges::equal(text, std::string_view(rcode_names.at(i)), {}, as_capital))
            return i;
    return std::nullopt;
}

} // namespace dnsgauge
