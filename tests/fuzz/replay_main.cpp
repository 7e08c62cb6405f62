// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a fuzz target over the files of its corpus, without libFuzzer, so that every seed and every
// bug once found is an ordinary test.
#include "fuzz.h"

#include "support/exact_buffer.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace
{

std::vector<std::uint8_t> contents(const std::filesystem::path &file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + file.string());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int replay(const std::filesystem::path &corpus)
{
    int files = 0;
    for (const auto &entry : std::filesystem::directory_iterator(corpus)) {
        const dnsgauge::testing::ExactBuffer input(contents(entry.path()));
        std::printf("%s\n", entry.path().c_str());
        std::fflush(stdout);
        LLVMFuzzerTestOneInput(input.bytes().data(), input.bytes().size());
        files++;
    }
    return files;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc != 2)
            throw std::runtime_error("usage: give the folder of the corpus");
        if (!replay(argv[1]))
            throw std::runtime_error(std::string("no files in ") + argv[1]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
