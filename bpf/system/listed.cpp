// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/listed.h"

#include <algorithm>
#include <numeric>

namespace dnsgauge
{

namespace
{

// Returns the optimal string alignment distance: how many letters are left out, added or changed,
// and how many neighbours are exchanged.
std::size_t distance(std::string_view one, std::string_view other)
{
    std::vector<std::vector<std::size_t>> costs(one.size() + 1,
                                                std::vector<std::size_t>(other.size() + 1));
    for (std::size_t i = 0; i <= one.size(); i++)
        costs[i][0] = i;
    std::iota(costs[0].begin(), costs[0].end(), std::size_t{0});
    for (std::size_t i = 1; i <= one.size(); i++)
        for (std::size_t j = 1; j <= other.size(); j++) {
            const std::size_t change = one[i - 1] == other[j - 1] ? 0 : 1;
            costs[i][j] =
                std::min({costs[i - 1][j] + 1, costs[i][j - 1] + 1, costs[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                costs[i][j] = std::min(costs[i][j], costs[i - 2][j - 2] + 1);
        }
    return costs[one.size()][other.size()];
}

} // namespace

std::string listed(const std::vector<std::string> &names, const std::string &word)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); i++)
        text += (i == 0 ? "" : i + 1 == names.size() ? " " + word + " " : ", ") + names[i];
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> each_once(const std::vector<std::string> &names)
{
    std::vector<std::string> once;
    for (const std::string &name : names)
        if (!name.empty() && std::ranges::find(once, name) == once.end())
            once.push_back(name);
    return once;
}

std::string nearest(std::string_view word, const std::vector<std::string> &names)
{
    std::string found;
    std::size_t least = std::min<std::size_t>(3, word.size() / 2 + 1);
    for (const std::string &name : names)
        if (const std::size_t now = distance(word, name); now < least) {
            least = now;
            found = name;
        }
    return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string> &names,
                       const std::string &otherwise, const std::string &prefix)
{
    const std::string meant = nearest(word, names);
    return meant.empty() ? otherwise : "did you mean " + prefix + meant + "?";
}

} // namespace dnsgauge
