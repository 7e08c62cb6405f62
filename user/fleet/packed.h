// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Structures as JSON for Testers of the same version. A structure is an array of its members, in a
// fixed order.
#pragma once

#include "record/json_text.h"
#include "units/rate.h"

#include <boost/preprocessor/seq/enum.hpp>
#include <boost/preprocessor/seq/transform.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>
#include <nlohmann/json.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dnsgauge
{

using Message = nlohmann::ordered_json;

// Pointers to those members of a structure that go into messages.
template <class Structure>
inline constexpr auto members = nullptr;

// Converts to what a member may be.
template <std::size_t>
struct AnyMember {
    template <class Value>
    operator Value() const; // NOLINT(google-explicit-constructor)
};

template <class Structure, std::size_t... number>
[[nodiscard]] constexpr bool has_more_than(std::index_sequence<number...> /*known*/)
{
    return requires
    {
        Structure{AnyMember<number>{}..., AnyMember<0>{}};
    };
}

// Lists the members that go into messages: MEMBERS(Silence, since, until).
#define MEMBERS(Structure, ...)                                                                    \
    SOME_MEMBERS(Structure, __VA_ARGS__);                                                          \
    static_assert(                                                                                 \
        !has_more_than<Structure>(                                                                 \
            std::make_index_sequence<std::tuple_size_v<decltype(members<Structure>)>>()),          \
        "messages lack a member")
#define SOME_MEMBERS(Structure, ...)                                                               \
    template <>                                                                                    \
    inline constexpr auto members<Structure> = std::tuple(BOOST_PP_SEQ_ENUM(                       \
        BOOST_PP_SEQ_TRANSFORM(MEMBER_POINTER, Structure, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))))
#define MEMBER_POINTER(repetition, Structure, member) &Structure::member

template <class Value>
concept HasMembers = !std::same_as<decltype(members<Value>), const std::nullptr_t>;

template <class Value>
concept List = !std::same_as<Value, std::string> && !std::same_as<Value, Message> &&
               requires(const Value &value)
{
    std::begin(value);
    value[0];
};

template <class Value>
[[nodiscard]] Message packed(const Value &value)
{
    if constexpr (HasMembers<Value>) {
        return std::apply(
            [&value](auto... member) { return Message::array({packed(value.*member)...}); },
            members<Value>);
    } else if constexpr (List<Value>) {
        Message list = Message::array();
        for (const auto &each : value)
            list.push_back(packed(each));
        return list;
    } else if constexpr (std::same_as<Value, Nanoseconds>) {
        return value.count();
    } else if constexpr (std::is_enum_v<Value>) {
        return static_cast<std::underlying_type_t<Value>>(value);
    } else if constexpr (requires { pack(value); }) {
        return pack(value);
    } else {
        return value;
    }
}

inline void check_size(const Message &json, std::size_t size)
{
    if (json.size() != size)
        throw Message::out_of_range::create(401, "another number of values", &json);
}

// Reads what packed() returned. Throws nlohmann::json::exception.
template <class Value>
void unpack(const Message &json, Value &value)
{
    if constexpr (HasMembers<Value>) {
        std::apply(
            [&](auto... member) {
                check_size(json, sizeof...(member));
                std::size_t next = 0;
                (unpack(json.at(next++), value.*member), ...);
            },
            members<Value>);
    } else if constexpr (List<Value>) {
        if constexpr (requires { value.resize(json.size()); })
            value.resize(json.size());
        check_size(json, std::size(value));
        for (std::size_t i = 0; i < std::size(value); i++)
            unpack(json.at(i), value[i]);
    } else if constexpr (std::same_as<Value, Nanoseconds>) {
        value = Nanoseconds(json.get<Nanoseconds::rep>());
    } else if constexpr (std::is_enum_v<Value>) {
        value = static_cast<Value>(json.get<std::underlying_type_t<Value>>());
    } else if constexpr (requires { pack(value); }) {
        read_packed(json, value);
    } else if constexpr (std::unsigned_integral<Value> && !std::same_as<Value, bool>) {
        value = static_cast<Value>(whole_number(json));
    } else {
        value = json.get<Value>();
    }
}

template <class Value>
[[nodiscard]] Value unpacked(const Message &json)
{
    Value value;
    unpack(json, value);
    return value;
}

} // namespace dnsgauge
