// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Signs zone files by ldns-signzone, a program of Debian's package ldnsutils.
//
// The keys and the signatures' time of validity are always the same, so the same zone gives the
// same octets. Algorithms 13 and 14 are the exception: ECDSA makes a different signature each time.
// Anybody may read the keys: they protect nothing.
#pragma once

#include "system/temporary_directory.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dnsgauge
{

struct Nsec3 {
    unsigned iterations = 0;
    std::string salt; // hexadecimal digits, two for each octet; empty if none
    bool opts_out = false;
};

struct Signing {
    unsigned algorithm = 15;      // its number (RFC 8624)
    std::optional<Nsec3> nsec3{}; // NSEC if unset
};

class ZoneSigner
{
public:
    // Throws SetupError if there is no key of that algorithm, or if the salt is not hexadecimal.
    explicit ZoneSigner(const Signing &signing);

    // Signs the zone in `file` with one key for everything, and replaces the file. Throws
    // SetupError if the program is not installed, or refuses the zone.
    void sign(const std::string &zone, const std::filesystem::path &file) const;

    // Returns the zone's key as a line of BIND's trust-anchors.
    [[nodiscard]] std::string anchor(const std::string &zone) const;

private:
    Signing signing_;
    TemporaryDirectory folder_{"dnsgauge-zone"}; // of the key's files
};

} // namespace dnsgauge
