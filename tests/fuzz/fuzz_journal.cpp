// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the journal of a search. The parser refuses the journal and leaves it as it
// is, or resumes it; the journal then holds its old records and the new ones.
#include "fuzz.h"

#include "file_of.h"

#include "series/search/search.h"
#include "system/setup_error.h"

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

const Journal::Json header = {
    {"schema", "dnsgauge/series-journal/1"}, {"kind", "search"}, {"options", {{"timeout", 0.25}}}};
const Journal::Json added = {{"record", "resumed"}};
const SearchPlan plan{{Rate{1}, Rate{8}, 1}, 2, 0};

void recall(Journal &journal)
{
    try {
        const RecalledSearch recalled = recall_search(plan, journal);
        must(recalled.result.trials <= journal.records().size(), "a trial is a record");
        must(!recalled.result.last_trial || is_plain_line(recalled.result.last_trial->why),
             "what is said of a trial fills a line");
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): its records are none of a search
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view content = text_of({data, size});
    const std::string path = file_of("journal", content);
    std::size_t records = 0;
    try {
        Journal journal = Journal::resume(path, header);
        must(read_file(path) == content, "reading a journal leaves it as it is");
        recall(journal);
        records = journal.records().size();
        journal.append(added);
    } catch (const SetupError &) {
        must(read_file(path) == content, "what is refused stays as it is");
        return 0;
    }
    const Journal again = Journal::resume(path, header);
    must(again.torn() == 0, "what was torn is mended");
    must(again.records().size() == records + 1, "no record is lost");
    must(again.records().back().value == added, "what was appended is there");
    return 0;
}
