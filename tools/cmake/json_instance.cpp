// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "json_instance.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
