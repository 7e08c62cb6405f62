// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/option_keys.h"

#include "options/option_error.h"
#include "series/search/search.h"

namespace dnsgauge
{

std::string key_of(const std::string &option)
{
    return option == "server" ? "address" : option;
}

std::string option_of(const std::string &key)
{
    return key == "address" ? "server" : key;
}

std::set<std::string> search_option_names()
{
    SearchRequest request = usual_request();
    std::set<std::string> names;
    for (const Option &option : search_options(request))
        names.insert(option.name);
    return names;
}

std::string in_keys(const std::string &message)
{
    const std::set<std::string> names = search_option_names();
    return OptionError({names.begin(), names.end()}, message).called([](const std::string &option) {
        return key_of(option);
    });
}

} // namespace dnsgauge
