// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The key with which questions are hashed. It is random, so that no server can make up a wrong
// question with the hash of the right one.
#pragma once

#include "wire/question.h"

namespace dnsgauge
{

// Returns another key each time. Throws SetupError if the kernel gives no random numbers.
[[nodiscard]] question_key random_question_key();

} // namespace dnsgauge
