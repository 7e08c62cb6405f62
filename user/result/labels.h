// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The words for what makes a result doubtful. They are the same wherever the result is shown.
#pragma once

#include "result/caveats.h"
#include "result/tester_setup.h"
#include "result/trial_result.h"
#include "system/words.h"

#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// The label of every result that deviates from RFC 8219. Paper 000 heads such tables "non-RFC 8219
// compliant!".
inline constexpr const char *not_compliant = "not compliant with RFC 8219";

// The label of every result that no self-test of the Tester covers.
inline constexpr const char *beyond_selftest = "beyond the Tester's self-test";

inline constexpr auto transports = words<Transport>({{Transport::udp, "udp"},
                                                     {Transport::tcp, "tcp"},
                                                     {Transport::dot, "dot"},
                                                     {Transport::doh, "doh"},
                                                     {Transport::doq, "doq"},
                                                     {Transport::capture, "capture"}});

// The same in texts.
inline constexpr auto transport_names = words<Transport>({{Transport::udp, "UDP"},
                                                          {Transport::tcp, "TCP"},
                                                          {Transport::dot, "TLS"},
                                                          {Transport::doh, "HTTPS"},
                                                          {Transport::doq, "QUIC"},
                                                          {Transport::capture, "UDP and TCP"}});

inline constexpr auto http_methods =
    words<HttpMethod>({{HttpMethod::get, "get"}, {HttpMethod::post, "post"}});

inline constexpr auto resumptions =
    words<Resumption>({{Resumption::full, "full"}, {Resumption::ticket, "ticket"}});

inline constexpr auto acks_words =
    words<Acks>({{Acks::quick, "quick"}, {Acks::delayed, "delayed"}});

inline constexpr auto expectations = words<Expect>(
    {{Expect::answered, "answered"}, {Expect::useful, "useful"}, {Expect::captured, "captured"}});

inline constexpr auto letter_cases =
    words<LetterCase>({{LetterCase::any, "any"}, {LetterCase::exact, "exact"}});

inline constexpr auto name_orders =
    words<NameOrder>({{NameOrder::ascending, "ascending"}, {NameOrder::random, "random"}});

// Returns "not compliant with RFC 8219: why; and why", or nothing where there is no deviation.
[[nodiscard]] std::string compliance_label(const std::vector<std::string> &deviations);

// Returns what carries the trials of a set-up: "XDP native, AF_XDP copy", or "TCP, connections of
// each sender at once: 10". `with` are the circumstances of one of the trials.
[[nodiscard]] std::string carrier_text(const TesterSetup &setup, const Circumstances &with);

// Returns one line: the self-test that covers a result, or `beyond_selftest` and why.
[[nodiscard]] std::string cover_text(const SelftestCover &cover);

// Returns the lax terms of a calibration as the end of a sentence; empty if there are none.
[[nodiscard]] std::string lax_text(const std::vector<std::string> &lax);

// A line of a text about a caveat, or about what removes a doubt.
struct CaveatLine {
    const char *name; // "" for deviations from RFC 8219
    std::string text;
};

// Returns the lines that stand below every result: its doubts and deviations, whether a self-test
// covers it, whether a certificate vouches for it, and what is scaled down.
[[nodiscard]] std::vector<CaveatLine> caveat_lines(const Caveats &caveats);

// Returns the caveats alone on one line, with semicolons between them; empty where there are none.
[[nodiscard]] std::string caveats_text(const Caveats &caveats);

// Returns the sentences that must stand wherever these results are shown together, each once.
[[nodiscard]] std::vector<std::string> caveat_sentences(std::span<const Caveats> results);

// Returns one line: the certificate that vouches for a result, or why none does.
[[nodiscard]] std::string certificate_text(const CertificateCover &certificate);

} // namespace dnsgauge
