// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/suffix_graph.h"

#include "userland/setup_error.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::string_view beginning = ".DAFSA@PSL_";
constexpr std::size_t header_size = 16;
constexpr std::size_t name_most = 253;         // octets of a name as text
constexpr std::size_t octets_most = 4'000'000; // that are read on all ways together

// A node is characters, the last of which has the high bit set, and then the node's list of places
// of nodes; or characters, and then a value with the high bit set, below any character.
class SuffixGraph
{
public:
    explicit SuffixGraph(std::span<const std::uint8_t> octets) : octets_(octets) {}

    std::vector<std::string> names()
    {
        follow(0);
        return std::move(names_);
    }

private:
    static constexpr unsigned high_bit = 0x80;
    static constexpr unsigned values = 0x10; // a value is less
    static constexpr unsigned first_character = ' ';

    std::size_t octet(std::size_t at)
    {
        if (at >= octets_.size() || ++read_ > octets_most || name_.size() > name_most)
            throw SetupError("the list of public suffixes is broken: install the package "
                             "publicsuffix anew");
        return octets_[at];
    }

    // Follows each way of the list at `list`. A place is the sum of the numbers up to it.
    void follow(std::size_t list)
    {
        std::size_t node = list;
        for (bool is_last = false; !is_last;) {
            const std::size_t first = octet(list);
            is_last = (first & high_bit) != 0;
            switch (first & 0x60) {
            case 0x60:
                node += (first & 0x1f) << 16 | octet(list + 1) << 8 | octet(list + 2);
                list += 3;
                break;
            case 0x40:
                node += (first & 0x1f) << 8 | octet(list + 1);
                list += 2;
                break;
            default:
                node += first & 0x3f;
                list++;
            }
            read_node(node);
        }
    }

    void read_node(std::size_t at)
    {
        const std::size_t kept = name_.size();
        for (bool is_last = false; !is_last; at++) {
            const std::size_t one = octet(at);
            const std::size_t character = one & ~std::size_t{high_bit};
            is_last = (one & high_bit) != 0;
            if (character < first_character) { // a value, or the beginning of UTF-8
                if (is_last && character < values)
                    names_.push_back(name_);
                break;
            }
            name_ += static_cast<char>(character);
            if (is_last)
                follow(at + 1);
        }
        name_.resize(kept);
    }

    std::span<const std::uint8_t> octets_;
    std::size_t read_ = 0;
    std::string name_; // on the way
    std::vector<std::string> names_;
};

} // namespace

std::vector<std::string> suffix_graph_names(std::span<const std::uint8_t> file)
{
    if (file.size() <= header_size || !std::ranges::equal(file.first(beginning.size()), beginning))
        return {};
    return SuffixGraph(file.subspan(header_size)).names();
}

} // namespace dnsgauge
