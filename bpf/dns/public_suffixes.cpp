// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/public_suffixes.h"

#include "system/setup_error.h"

#include <libpsl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace dnsgauge
{

namespace
{

constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyz0123456789-.";
constexpr std::string_view host_characters = name_characters.substr(0, name_characters.size() - 1);
constexpr std::string_view international = "xn--"; // begins a label that the list has in UTF-8
constexpr std::size_t text_room = 256;             // for any name, and the end of the text

bool is_of_host(std::span<const std::uint8_t> label)
{
    return std::ranges::all_of(label, [](std::uint8_t octet) {
        return host_characters.find(static_cast<char>(octet)) != std::string_view::npos;
    });
}

std::string_view key_of(std::span<const std::uint8_t> name)
{
    return {reinterpret_cast<const char *>(name.data()), name.size()};
}

// Returns the wire form of a name such as "co.uk".
std::string wire_form(std::string_view text)
{
    std::string wire;
    for (std::size_t at = 0; at <= text.size();) {
        const std::string_view label = text.substr(at, text.find('.', at) - at);
        wire += static_cast<char>(label.size());
        wire += label;
        at += label.size() + 1;
    }
    return wire + '\0';
}

} // namespace

PublicSuffixes::PublicSuffixes() : list_(psl_load_file(psl_dist_filename()))
{
    // The package has the list in libpsl's binary form and as text.
    if (list_)
        keep_names(std::filesystem::path(psl_dist_filename()).replace_extension(".dat"));
    else
        list_.reset(psl_latest(nullptr));
    if (!list_)
        throw SetupError("libpsl has no list of public suffixes: install the package publicsuffix");
}

PublicSuffixes::PublicSuffixes(const std::string &file) : list_(psl_load_file(file.c_str()))
{
    if (!list_)
        throw SetupError(file + " is no list of public suffixes");
    keep_names(file);
}

// Keeps the names of the rules "co.uk", "*.ck" and "!www.ck". Leaves out names in UTF-8.
void PublicSuffixes::keep_names(const std::string &file)
{
    std::ifstream list(file);
    for (std::string rule; std::getline(list, rule);) {
        const std::size_t mark = rule.starts_with("*.") ? 2 : rule.starts_with("!") ? 1 : 0;
        const std::string name = rule.substr(mark);
        if (name.empty() || name.find_first_not_of(name_characters) != std::string::npos)
            continue;
        const std::string below = "not-in-the-list." + name;
        names_[wire_form(name)] = {.is_registrys = libpsl_has(name.c_str(), Section::registries),
                                   .is_any = libpsl_has(name.c_str(), Section::all),
                                   .is_registrys_below =
                                       libpsl_has(below.c_str(), Section::registries),
                                   .is_any_below = libpsl_has(below.c_str(), Section::all)};
    }
}

bool PublicSuffixes::libpsl_has(const char *text, Section section) const
{
    const int type = section == Section::all ? PSL_TYPE_ANY : PSL_TYPE_ICANN;
    return psl_is_public_suffix2(list_.get(), text, type | PSL_TYPE_NO_STAR_RULE) != 0;
}

bool PublicSuffixes::has(std::span<const std::uint8_t> name, Section section) const
{
    if (name[0] == 0)
        return false;
    if (!names_.empty()) {
        const bool wants_all = section == Section::all;
        if (const auto found = names_.find(key_of(name)); found != names_.end())
            return wants_all ? found->second.is_any : found->second.is_registrys;
        const std::span<const std::uint8_t> label = name.subspan(1, name[0]);
        const auto above = names_.find(key_of(name.subspan(1 + label.size())));
        const std::string_view unsure = key_of(above == names_.end() ? name : label);
        if (unsure.find(international) == std::string_view::npos)
            return above != names_.end() &&
                   (wants_all ? above->second.is_any_below : above->second.is_registrys_below) &&
                   is_of_host(label);
    }
    std::array<char, text_room> text; // no octet is read before it is written
    std::size_t length = 0;
    for (std::size_t at = 0; name[at] != 0; at += 1 + std::size_t{name[at]}) {
        if (at != 0)
            text[length++] = '.';
        const std::span<const std::uint8_t> label = name.subspan(at + 1, name[at]);
        if (!is_of_host(label))
            return false;
        length =
            static_cast<std::size_t>(std::ranges::copy(label, &text[length]).out - text.data());
    }
    text[length] = 0;
    return libpsl_has(text.data(), section);
}

} // namespace dnsgauge
