// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The list of public suffixes ("co.uk", https://publicsuffix.org): from the distribution's package
// publicsuffix if it is installed, else libpsl's own.
//
// libpsl decides what a name is. A look-up in libpsl takes longer than all other work for an
// answer, so a table keeps the results for all names of the list from the start. Two kinds of names
// are looked up in libpsl each time: international names ("xn--"), which the list has in UTF-8, and
// all names if the list is libpsl's own.
#pragma once

#include "system/freed_by.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

struct psl_ctx_st;

extern "C" void psl_free(psl_ctx_st *list);

namespace dnsgauge
{

class PublicSuffixes
{
public:
    enum class Section : std::uint8_t {
        registries, // suffixes below which registries register names
        all,        // also suffixes that other owners have entered
    };

    // Throws SetupError if there is no list.
    PublicSuffixes();

    // Reads the list from the text file `file`. Throws SetupError.
    explicit PublicSuffixes(const std::string &file);

    // Returns whether the list has this name, which is in wire form and small letters, root
    // included. Ignores the rule that any last label is a suffix, because a last label that does
    // not exist may be a secret.
    [[nodiscard]] bool has(std::span<const std::uint8_t> name, Section section) const;

    // Returns how many names the table keeps; 0 if libpsl is asked for each name.
    [[nodiscard]] std::size_t kept() const { return names_.size(); }

private:
    // What a name of the list is in each section, and what unlisted names directly below it are
    // ("*.ck").
    struct Entry {
        bool is_registrys = false;
        bool is_any = false;
        bool is_registrys_below = false;
        bool is_any_below = false;
    };

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view>()(text);
        }
    };

    void keep_names(const std::string &file);
    [[nodiscard]] bool libpsl_has(const char *text, Section section) const;

    std::unique_ptr<psl_ctx_st, FreedBy<psl_free>> list_;
    std::unordered_map<std::string, Entry, Hash, std::equal_to<>> names_; // by wire form
};

} // namespace dnsgauge
