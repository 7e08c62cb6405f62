// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/zone_signer.h"

#include "system/child_process.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "system/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

// The keys that sign data sets, one of each kind. Anybody may read them. They protect nothing, and
// must sign nothing else.
struct DatasetKey {
    const char *public_key;  // Base64, as in a DNSKEY record
    const char *private_key; // a file in the form "v1.2" without its first two lines
};

// 1,280 bits: many top-level domains had zone keys of this size while they used RSA.
constexpr DatasetKey dataset_rsa_key{
    "AwEAAeq0OyGzS4aYu8JsbsmQE8c40Mu1U7gYNQjTFke4AdX1MrJiDmTfz3+KNtJJ0AkEvP+Sl31QXUeX"
    "oE9zQ0aJNq+pG4YIUQy/69JZTBWtG//MuVqXapr/LspQPSGP8ogcGVCd5XNsxfm2v2xCUyx4ZXAmbFBb"
    "JP+MwWGQ5i1aOulvEMc6cKt4Li5YVslbuMyD2Oc8AyTbPVGWOaUswKZP0kc=",
    "Modulus: 6rQ7IbNLhpi7wmxuyZATxzjQy7VTuBg1CNMWR7gB1fUysmIOZN/Pf4o20knQCQS8/5K"
    "XfVBdR5egT3NDRok2r6kbhghRDL/r0llMFa0b/8y5Wpdqmv8uylA9IY/yiBwZUJ3lc2zF+ba/bEJ"
    "TLHhlcCZsUFsk/4zBYZDmLVo66W8Qxzpwq3guLlhWyVu4zIPY5zwDJNs9UZY5pSzApk/SRw==\n"
    "PublicExponent: AQAB\n"
    "PrivateExponent: DkrxeujnRYgRjxJ5YK70dWJhXLZrJb/bovDv32g2PGhVMQXFqKD0iujI09+"
    "I2rO+KrYroYb+VzjFm3ECfM4oVWQv9+aTwPoDC2lCt+M13Ermc8Om8AY/2oVpNpZ1i2nzm94Cz3C"
    "6CxMusnVFV1Nw+3PvHf7m/8luVw32m3q9sBRhJgSxt+CntZq6QuCkrQIYKPLpZnvM7RrYa3cICrP"
    "zoQ==\n"
    "Prime1: /V1rruFZj6stRap6qTRSl+Cr8zJMYwZV4o/OcPebIa8rOobWwJSY/XUlp0IgxAEvsew/"
    "w37TVUePN6U4/Cv/HXdZDixzYPu18nzS/6f7+BE=\n"
    "Prime2: 7SUgRUV4NxggvRgK0opHKbMQf+uWcfkjCs/BD+czEeukf7ofC2fIEyy8eWPbi+TX9Irv"
    "6sfI/K1pno6fE8HjZf55i564FDYTPTIB6GUmvNc=\n"
    "Exponent1: Q3MmYrUdabDxaXV8GCWUw1gNjr3aNhaOsLUGCW7xfqMqh/cznqswm3EfaAqjvGpwb"
    "xZs1zehPTfCudajeAaicQ6/x5Uv1ibMhlSSu3rWCnE=\n"
    "Exponent2: 1HliK46twjdFBgenkrJARnVgwCx11FJTellgcn5E/LZz4dkB/bcTxVJc4Cp/SB1W/"
    "I0LnwE37GT3cA/7KbmbpAPYJSelaL52iGro2K7ggWs=\n"
    "Coefficient: FnLe6iF+2X4S5Wz8M+CERliXFGM0Whr+wLInOh2DpcFQm43dalkaL58+lJNtjo/"
    "eZrVh2PuRdHvDZqKxzmDpZv1dq3x2+o61xcAkx0e+cQ8=\n"};

constexpr DatasetKey dataset_p256_key{
    "vLlsAjRj4bS8ZB5U52BGUV8MlRRwRQPKsGhR0EkogsKbSCyTeUfQCNFCllvyVeheYE0kGtG7+i4Bf5zkdEzbng==",
    "PrivateKey: oaJ+pK2tlXvfIZItMshmKrlH4Ocm2x01ZHcPTs3SUNQ=\n"};

constexpr DatasetKey dataset_p384_key{
    "y2D09NnJQJwWVsx25Y3zMtvH7W+Y4Ubxjxub0CZ6OD9n7omxIY8hn1QRENd3xdPJoo4DtdK7jj4CvFA4"
    "qGC4FaqT/YDbSZJTwf6JEewtoqfhlrzhapIjFU0wW6RVeP/P",
    "PrivateKey: eLL82g+MWDoCztVacfBJywmS9cdSL3Mm9kZos58wX2me5ar3sHPlYks3P7uJ5DO3\n"};

constexpr DatasetKey dataset_ed25519_key{
    "s84+hx8KSqREMf5Tv8Qi/LkToOXIStnt6FRxYeBEi9M=",
    "PrivateKey: goGRR5dqf2/wvY09y9yLqoJolDI4tsXm497/XjHpz8M=\n"};

struct DatasetAlgorithm {
    unsigned number;
    const char *name; // as in files of private keys
    const DatasetKey *key;
};

constexpr std::array dataset_algorithms{
    DatasetAlgorithm{5, "RSASHA1", &dataset_rsa_key},
    DatasetAlgorithm{7, "RSASHA1_NSEC3", &dataset_rsa_key},
    DatasetAlgorithm{8, "RSASHA256", &dataset_rsa_key},
    DatasetAlgorithm{10, "RSASHA512", &dataset_rsa_key},
    DatasetAlgorithm{13, "ECDSAP256SHA256", &dataset_p256_key},
    DatasetAlgorithm{14, "ECDSAP384SHA384", &dataset_p384_key},
    DatasetAlgorithm{15, "ED25519", &dataset_ed25519_key},
};

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
                     join(known, ", "));
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
        throw SetupError("\"{}\" is no salt: write two hexadecimal digits for each octet", salt);
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
}

void ZoneSigner::sign(const std::string &zone, const fs::path &file) const
{
    const DatasetAlgorithm &algorithm = algorithm_of(signing_);
    const std::string key = (folder_.path() / "key").string();
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
