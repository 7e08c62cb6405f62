// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the records of two kinds of sweeps, a soak, a replay and a search for loss
// ratios. Each refuses a record in one line, or goes on; no figure then says more than all, and
// what is printed obeys no terminal.
#include "fuzz.h"

#include "file_of.h"

#include "series/mlr/loss_search.h"
#include "series/replay/replay.h"
#include "series/search/search.h"
#include "series/soak/soak.h"
#include "series/sweep/sweep.h"
#include "series/windows/windows.h"
#include "system/setup_error.h"

#include <cmath>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

using Json = Journal::Json;

const TrialRunner no_more = [](const SearchPlace & /*place*/) {
    return std::optional<TrialResult>();
};

Json header_of(std::string_view kind)
{
    return {{"schema", "dnsgauge/series-journal/1"},
            {"kind", kind},
            {"setup", {{"host", "here"}}},
            {"options", {{"timeout", 0.25}}}};
}

void must_be_plain(std::string_view text)
{
    must(std::ranges::none_of(
             text,
             [](unsigned char octet) { return (octet < 0x20 && octet != '\n') || octet == 0x7f; }),
         "what is printed is text");
}

// No share is above all of it, and no figure is none.
void must_be_sane(const Json &json)
{
    for (const auto &[key, value] : json.items()) {
        if (value.is_structured())
            must_be_sane(value);
        else if (value.is_number_float())
            must(std::isfinite(value.get<double>()) &&
                     (!key.ends_with("percent") ||
                      (value.get<double>() >= 0 && value.get<double>() <= 100)),
                 "a percentage is one");
    }
}

// Goes on with a journal of this schema and these records by `make`, which returns the result.
template <class Make>
void go_on(const char *kind, std::string_view records, Make make)
{
    const Json header = header_of(kind);
    const std::string path = file_of("journal", header.dump() + "\n" + std::string(records));
    try {
        Journal journal = Journal::resume(path, header);
        const auto result = make(journal);
        must_be_plain(to_text(result));
        must_be_sane(to_json(result, header));
    } catch (const SetupError &error) {
        must(is_plain_line(error.what()), "what is wrong is told in one line");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view records = text_of({data, size});
    go_on("sweep", records, [](Journal &journal) {
        return run_sweep({.min = Rate{100}, .max = Rate{200}, .rates = 2, .invalid_retries = 1},
                         journal, no_more);
    });
    go_on("window-sweep", records, [](Journal &journal) {
        return run_windows({.windows = {1, 10}, .repeat = 3, .invalid_retries = 1}, journal,
                           no_more);
    });
    go_on("soak", records, [](Journal &journal) {
        return run_soak({.rate = Rate{100}, .rows = 2}, journal, no_more,
                        [] { return std::vector<ProcessMemory>(); });
    });
    go_on("replay", records, [](Journal &journal) {
        return run_replay({.runs = 2, .rates = {Rate{100}}}, journal, no_more);
    });
    go_on("loss-search", records, [](Journal &journal) {
        LossSearchRequest request;
        request.search.range = {Rate{100}, Rate{200}, 1};
        request.loss = {.loss_percents = {0, 1}, .duration_sum = 2 * request.trial.duration};
        return run_series(request, journal, no_more);
    });
    return 0;
}
