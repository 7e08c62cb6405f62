// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// nlohmann::ordered_json is compiled once, by json_instance.cpp, not by each source that uses it. Part of the
// precompiled headers: without them every source compiles its own, which is slower and otherwise the same.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
