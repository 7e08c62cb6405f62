// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/options.h"

#include <algorithm>
#include <array>

namespace dnsgauge
{

namespace
{

constexpr std::array words{"blocking", "nonblocking", "poll",      "select", "epoll", "libevent",
                           "recvmmsg", "io_uring",    "af_packet", "af_xdp", "xdp"};

} // namespace

const char *to_string(EchoModel model)
{
    return words.at(static_cast<std::size_t>(model));
}

std::optional<EchoModel> echo_model(std::string_view word)
{
    const auto *const found = std::ranges::find(words, word);
    if (found == words.end())
        return std::nullopt;
    return static_cast<EchoModel>(found - words.begin());
}

std::string echo_model_words(std::string_view separator)
{
    std::string all;
    for (const char *word : words)
        all.append(all.empty() ? "" : separator).append(word);
    return all;
}

} // namespace dnsgauge
