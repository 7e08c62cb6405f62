// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the record of a self-test, and as a certificate. A file that does not say that
// it covers a trial does not cover it, and the result says why.
#include "fuzz.h"

#include "file_of.h"

#include "record/certificate.h"
#include "record/selftest_record.h"

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

const CoverWanted wanted{.rate = Rate{1000},
                         .timeout = std::chrono::milliseconds(250),
                         .duration = std::chrono::seconds(60),
                         .max_lateness = std::chrono::milliseconds(50),
                         .max_overrun = std::chrono::milliseconds(1)};

TesterSetup setup()
{
    TesterSetup setup;
    setup.version = "0.1.0";
    setup.interface = "eth1";
    return setup;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string path = file_of("record", text_of({data, size}));
    const SelftestCover cover = look_up_cover(path, setup(), wanted);
    must(!cover.covers() || (cover.allowed && *cover.allowed >= wanted.rate),
         "only an allowed rate is covered");
    must(is_plain_line(cover.why_not) && is_plain_line(cover.finished),
         "what is said fills a line");
    const CertificateCover certificate = look_up_certificate(path, setup(), wanted.rate);
    must(!certificate.covers() || !cover.covers(), "one file is one kind of record");
    must(is_plain_line(certificate.why_not) && is_plain_line(certificate.finished),
         "and likewise of a certificate");
    return 0;
}
