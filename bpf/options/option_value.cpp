// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/option_value.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace dnsgauge
{

namespace
{

struct TextOf {
    std::string operator()(std::monostate /*none*/) const { return {}; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const
    {
        std::array<char, 32> text{};
        const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
        return {text.data(), written.ptr};
    }
    std::string operator()(const std::string &value) const { return value; }
    std::string operator()(const std::vector<unsigned> &cpus) const
    {
        return fmt::format("{}", fmt::join(cpus, ","));
    }
    std::string operator()(const std::vector<std::string> &texts) const
    {
        return fmt::format("{}", fmt::join(texts, ","));
    }
};

} // namespace

std::string text_of(const OptionValue &value)
{
    return std::visit(TextOf{}, value);
}

std::vector<std::string> texts_of(const OptionValue &value)
{
    if (const auto *texts = std::get_if<std::vector<std::string>>(&value))
        return *texts;
    return {text_of(value)};
}

} // namespace dnsgauge
