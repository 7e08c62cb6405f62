// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A function of a variant, said case by case: std::visit(Overloaded{[](A &) {...}, [](B &) {...}},
// variant).
#pragma once

namespace dnsgauge
{

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace dnsgauge
