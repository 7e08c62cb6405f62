// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/zone_signer.h"

#include "userland/child_process.h"
#include "userland/setup_error.h"
#include "userland/whole_file.h"
#include "zones/dataset_keys.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <vector>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

constexpr const char *program = "ldns-signzone";
// All signatures are valid in these ten years.
constexpr const char *inception = "20260101000000";
constexpr const char *expiration = "20360101000000";
constexpr std::size_t salt_digits_most = 2 * 255;
constexpr int not_started = 127;

const DatasetAlgorithm &algorithm_of(const Signing &signing)
{
    const auto *const found =
        std::ranges::find(dataset_algorithms, signing.algorithm, &DatasetAlgorithm::number);
    if (found != dataset_algorithms.end())
        return *found;
    std::vector<unsigned> known;
    std::ranges::transform(dataset_algorithms, std::back_inserter(known),
                           &DatasetAlgorithm::number);
    throw SetupError("no key of algorithm {}: choose one of {}", signing.algorithm,
                     fmt::join(known, ", "));
}

void check(const Signing &signing)
{
    static_cast<void>(algorithm_of(signing));
    constexpr unsigned without_nsec3 = 5; // RFC 5155 section 2
    if (!signing.nsec3)
        return;
    if (signing.algorithm == without_nsec3)
        throw SetupError("algorithm 5 knows no NSEC3: choose algorithm 7, or leave out --nsec3");
    const std::string &salt = signing.nsec3->salt;
    if (salt.size() > salt_digits_most || salt.size() % 2 != 0 ||
        !std::ranges::all_of(salt, [](unsigned char c) { return std::isxdigit(c) != 0; }))
        throw SetupError("\"{}\" is no salt: write two hexadecimal digits for each "
                         "octet",
                         salt);
}

// Runs the program, and returns its status in the form of waitpid(2). Its messages go to standard
// error.
int run(std::vector<std::string> words)
{
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ChildProcess child([&arguments] {
        if (const int null = open("/dev/null", O_RDWR); null >= 0) {
            dup2(null, STDIN_FILENO);
            dup2(null, STDOUT_FILENO);
        }
        execvp(arguments.front(), arguments.data());
        return not_started;
    });
    return child.wait();
}

} // namespace

ZoneSigner::ZoneSigner(const Signing &signing) : signing_(signing)
{
    check(signing_);
    std::string folder = (fs::temp_directory_path() / "dnsgauge-zone.XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
        throw_errno("cannot make the directory " + folder);
    folder_ = folder;
}

ZoneSigner::~ZoneSigner()
{
    std::error_code error;
    fs::remove_all(folder_, error);
}

void ZoneSigner::sign(const std::string &zone, const fs::path &file) const
{
    const DatasetAlgorithm &algorithm = algorithm_of(signing_);
    const std::string key = (folder_ / "key").string();
    WholeFile(key + ".key")
        .commit(fmt::format("{} 3600 IN DNSKEY 257 3 {} {}\n", zone, algorithm.number,
                            algorithm.key->public_key));
    WholeFile(key + ".private")
        .commit(fmt::format("Private-key-format: v1.2\nAlgorithm: {} ({})\n{}", algorithm.number,
                            algorithm.name, algorithm.key->private_key));
    const std::string made = file.string() + ".signed";
    std::vector<std::string> words{program, "-i", inception, "-e", expiration,
                                   "-o",    zone, "-f",      made};
    if (signing_.nsec3) {
        words.insert(words.end(), {"-n", "-t", fmt::format("{}", signing_.nsec3->iterations)});
        if (!signing_.nsec3->salt.empty())
            words.insert(words.end(), {"-s", signing_.nsec3->salt});
        if (signing_.nsec3->opts_out)
            words.emplace_back("-p");
    }
    words.insert(words.end(), {file.string(), key});
    const int status = run(words);
    if (WIFEXITED(status) && WEXITSTATUS(status) == not_started)
        throw SetupError("there is no {} on this machine: install ldnsutils", program);
    if (status != 0)
        throw SetupError("{} did not sign the zone {} ({}): see what it says above", program, zone,
                         file.string());
    std::error_code error;
    fs::rename(made, file, error);
    if (error)
        throw SetupError("cannot replace " + file.string() + ": " + error.message());
}

std::string ZoneSigner::anchor(const std::string &zone) const
{
    const DatasetAlgorithm &algorithm = algorithm_of(signing_);
    return fmt::format("\"{}\" static-key 257 3 {} \"{}\";", zone, algorithm.number,
                       algorithm.key->public_key);
}

} // namespace dnsgauge
