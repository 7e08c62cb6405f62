// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a user can mend: reported in one line (what, where, what to do) and exit status 2.
#pragma once

#include <stdexcept>

namespace dnsgauge
{

class SetupError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// This kernel or driver lacks a feature: who can do without it may catch this and go on.
class UnsupportedError : public SetupError
{
public:
    using SetupError::SetupError;
};

} // namespace dnsgauge
