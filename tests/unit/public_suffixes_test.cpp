// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of public suffixes says of every name what libpsl says, whose list it is.
#include "dns/public_suffixes.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <libpsl.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace dnsgauge;
using Octets = std::vector<std::uint8_t>;

namespace
{

using List = std::unique_ptr<psl_ctx_t, decltype(&psl_free)>;

Octets wire_form(std::string_view text)
{
    Octets wire;
    while (!text.empty()) {
        const std::string_view label = text.substr(0, text.find('.'));
        wire.push_back(static_cast<std::uint8_t>(label.size()));
        wire.insert(wire.end(), label.begin(), label.end());
        text.remove_prefix(std::min(label.size() + 1, text.size()));
    }
    wire.push_back(0);
    return wire;
}

// Returns the rules of a list in text form, without "!" and "*.", that consist of ASCII characters.
std::vector<std::string> rules_of(const std::string &file)
{
    std::vector<std::string> rules;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        if (line.empty() || line.starts_with("//"))
            continue;
        if (line.starts_with("!"))
            line.erase(0, 1);
        else if (line.starts_with("*."))
            line.erase(0, 2);
        if (std::ranges::none_of(line,
                                 [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
            rules.push_back(line);
    }
    return rules;
}

// Checks for the name, the names above it, and names below it.
void check_around(const PublicSuffixes &suffixes, const psl_ctx_t *list, const std::string &name)
{
    std::vector<std::string> names{name, "a." + name, "b.a." + name, "x" + name, "www." + name};
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
        names.push_back(name.substr(dot + 1));
    for (const std::string &one : names)
        for (const auto &[section, type] :
             {std::pair{PublicSuffixes::Section::all, PSL_TYPE_ANY},
              std::pair{PublicSuffixes::Section::registries, PSL_TYPE_ICANN}}) {
            const bool is =
                psl_is_public_suffix2(list, one.c_str(), type | PSL_TYPE_NO_STAR_RULE) != 0;
            if (suffixes.has(wire_form(one), section) != is)
                FAIL(one << (is ? " is" : " is not") << " in the list, type " << type);
        }
}

} // namespace

TEST_CASE("the table says of names what libpsl says")
{
    const PublicSuffixes suffixes;
    const List list(psl_load_file(psl_dist_filename()), psl_free);
    if (!list) {
        WARN("the package publicsuffix is not installed: there is no table");
        return;
    }
    CHECK(suffixes.kept() > 5000);
    std::string text = psl_dist_filename();
    text.replace(text.rfind('.'), std::string::npos, ".dat");
    const std::vector<std::string> rules = rules_of(text);
    CHECK(rules.size() > 5000);
    for (const std::string &rule : rules)
        check_around(suffixes, list.get(), rule);
    for (int i = 0; i < 5000; i++)
        for (const char *above : {"com", "co.uk", "ck", "www.ck", "kawasaki.jp", "no-such-tld"})
            check_around(suffixes, list.get(), "d" + std::to_string(i) + "." + above);
    // The ASCII forms of names that the list has in UTF-8, too.
    for (const char *name : {"xn--p1ai", "xn--90ae", "xn--55qx5d.cn", "xn--j1amh", "xn--o3cw4h"}) {
        CHECK(suffixes.has(wire_form(name), PublicSuffixes::Section::registries));
        check_around(suffixes, list.get(), name);
    }
}

TEST_CASE("names that are no hosts' are in no list")
{
    const PublicSuffixes suffixes;
    // "*.ck" is a rule.
    CHECK(suffixes.has(wire_form("anything.ck"), PublicSuffixes::Section::registries));
    CHECK_FALSE(suffixes.has(wire_form("any_thing.ck"), PublicSuffixes::Section::registries));
    CHECK_FALSE(suffixes.has(wire_form("*.ck"), PublicSuffixes::Section::registries));
    CHECK_FALSE(suffixes.has(wire_form("www.ck"), PublicSuffixes::Section::registries));
    CHECK_FALSE(suffixes.has(Octets{0}, PublicSuffixes::Section::all));
    CHECK_FALSE(suffixes.has(Octets{3, 'c', 0, 'm', 0}, PublicSuffixes::Section::all));
}

TEST_CASE("a list of one's own has its rules, wildcards and exceptions")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.path() / "list";
    std::ofstream(file)
        << "// ===BEGIN ICANN DOMAINS===\nexample\n*.all.example\n!not.all.example\n"
           "// ===END ICANN DOMAINS===\n// ===BEGIN PRIVATE DOMAINS===\n"
           "blog.example\n// ===END PRIVATE DOMAINS===\n";
    const PublicSuffixes suffixes(file);
    CHECK(suffixes.kept() == 4);
    const auto is = [&](const char *name, PublicSuffixes::Section section) {
        return suffixes.has(wire_form(name), section);
    };
    for (const auto section : {PublicSuffixes::Section::all, PublicSuffixes::Section::registries}) {
        CHECK(is("example", section));
        CHECK(is("x.all.example", section));
        CHECK_FALSE(is("not.all.example", section));
        CHECK_FALSE(is("x_y.all.example", section));
        CHECK_FALSE(is("com", section));
    }
    CHECK(is("blog.example", PublicSuffixes::Section::all));
    CHECK_FALSE(is("blog.example", PublicSuffixes::Section::registries));
    CHECK_THROWS_AS(PublicSuffixes(file + ".none"), SetupError);
}
