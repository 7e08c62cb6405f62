// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the records that the Tester keeps of its own set-up, a file for each kind and set-up.
#pragma once

#include "result/tester_setup.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A kind of record, in the words of messages.
struct RecordKind {
    const char *file;   // begins the file's name
    const char *test;   // what the file records: "self-test"
    const char *what;   // what the file is: "the record of a self-test"
    const char *schema; // of the file's object
};

// Returns the path of the record for `setup`, if the user names no other file. The record lies in
// the directory that the environment names in DNSGAUGE_STATE, or in /var/lib/dnsgauge.
[[nodiscard]] std::string record_path(const RecordKind &kind, const TesterSetup &setup);

// Returns the paths of the files that may be such records for set-ups of this interface, in order.
[[nodiscard]] std::vector<std::string> record_paths(const RecordKind &kind,
                                                    const std::string &interface);

// Why a file is no record of a set-up.
struct RecordFault {
    std::string message; // empty if there is no fault
    std::string flaw;    // the message without the file's name; empty if the file holds nothing
};

// Reads the record `path` of `kind`. If the record is of this version and of `setup`, calls `take`
// with its object. Returns the fault if the file is no such record, or if `take` throws
// nlohmann::json::exception because the object lacks something.
[[nodiscard]] RecordFault
read_record(const std::string &path, const RecordKind &kind, const TesterSetup &setup,
            const std::function<void(const nlohmann::ordered_json &)> &take);

// Returns the JSON in a file that the user names, as parse_json() does. Throws SetupError if the
// file cannot be read.
[[nodiscard]] nlohmann::ordered_json read_json_file(const std::string &path);

} // namespace dnsgauge
