// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// json_instance.cpp compiles nlohmann::ordered_json for all sources. Part of the precompiled headers: without
// them every source compiles its own, which is slower and otherwise the same.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
