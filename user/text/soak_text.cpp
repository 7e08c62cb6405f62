// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/soak_text.h"

#include "record/json.h"
#include "result/labels.h"
#include "text/duration_text.h"
#include "text/search_text.h"
#include "userland/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dnsgauge
{

namespace
{

std::string memory_text(const std::optional<std::uint64_t> &octets)
{
    constexpr double mebi = 1024.0 * 1024.0;
    return octets ? fmt::format("{:.1f} MiB", static_cast<double>(*octets) / mebi) : "-";
}

// A loss that is not zero never shows as zero.
std::string loss_text(const SoakRow &row)
{
    constexpr double least = 0.0001;
    const double loss = row.loss_percent();
    return loss > 0 && loss < least ? "<0.0001" : fmt::format("{:.4f}", loss);
}

// For programs, which want figures without units.
Table plain_table(const SoakResult &result)
{
    Table table;
    table.heads = {{"started", "verdict", "sent", "answered", "late", "invalid", "lost",
                    "loss_percent", "rtt_p50_ns", "rtt_p99_ns", "memory_octets"}};
    for (const SoakRow &row : result.rows)
        table.rows.push_back({row.started, to_string(row.verdict), fmt::format("{}", row.sent),
                              fmt::format("{}", row.answered), fmt::format("{}", row.late),
                              fmt::format("{}", row.invalid), fmt::format("{}", row.lost),
                              fmt::format("{:.8g}", row.loss_percent()), figure_text(row.rtt_p50),
                              figure_text(row.rtt_p99), figure_text(row.memory())});
    return table;
}

std::string caption_of(const SoakResult &result)
{
    const auto made = static_cast<std::uint64_t>(std::ranges::count_if(
        result.rows, [](const SoakRow &row) { return row.verdict != Verdict::invalid; }));
    const std::string from = result.rate_from.empty() ? "" : fmt::format(" ({})", result.rate_from);
    return fmt::format("Soak of {} at {} queries/s{}: {} of {} rows of {:g} s, timeout {:g} s",
                       result.server, result.rate.per_second, from, made, result.rows_wanted,
                       seconds(result.row), seconds(result.timeout));
}

// Says in which row most queries were lost.
std::string loss_note(const SoakResult &result)
{
    const SoakRow *worst = nullptr;
    std::size_t number = 0;
    for (std::size_t i = 0; i < result.rows.size(); i++) {
        const SoakRow &row = result.rows[i];
        if (row.verdict == Verdict::invalid ||
            (worst != nullptr && row.loss_percent() <= worst->loss_percent()))
            continue;
        worst = &row;
        number = i + 1;
    }
    if (worst == nullptr)
        return "No row tells anything about the server";
    if (worst->loss_percent() == 0)
        return "Every query was answered right and in time";
    return fmt::format("Greatest loss: row {}, {} %, {} of {} queries", number, loss_text(*worst),
                       worst->sent - worst->answered, worst->sent);
}

std::string memory_note(const SoakResult &result)
{
    const SoakRow *first = nullptr;
    const SoakRow *last = nullptr;
    std::uint64_t most = 0;
    for (const SoakRow &row : result.rows) {
        if (!row.memory())
            continue;
        first = first == nullptr ? &row : first;
        last = &row;
        most = std::max(most, *row.memory());
    }
    if (first == nullptr)
        return "Memory: no process of the server was found on this machine";
    std::string names;
    for (const ProcessMemory &one : last->processes)
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", one.name, one.process);
    return fmt::format("Memory of {}: {} behind the first row, {} behind the last, {} at most",
                       names, memory_text(first->memory()), memory_text(last->memory()),
                       memory_text(most));
}

std::vector<std::string> notes_of(const SoakResult &result)
{
    std::vector<std::string> notes = {loss_note(result), memory_note(result)};
    for (const std::uint64_t number : rows_with_new_processes(result))
        notes.push_back(
            fmt::format("Behind row {} the server had other processes than before", number));
    for (std::size_t i = 0; i < result.rows.size(); i++)
        if (result.rows[i].verdict == Verdict::invalid)
            notes.push_back(fmt::format("Row {} is invalid and counts in no sum: {}", i + 1,
                                        result.rows[i].why));
    for (const CaveatLine &line : caveat_lines(result.caveats))
        notes.push_back(line.text);
    std::ranges::copy(through_lines(result), std::back_inserter(notes));
    return notes;
}

Table::Row counts_of(const SoakRow &row)
{
    return {
        fmt::format("{}", row.sent), fmt::format("{}", row.answered), loss_text(row),
        fmt::format("{}", row.late), fmt::format("{}", row.invalid),  fmt::format("{}", row.lost)};
}

} // namespace

std::string to_text(const SoakResult &result, TableForm form)
{
    if (form == TableForm::csv)
        return render(plain_table(result), form);
    Table table;
    table.caption = caption_of(result);
    table.heads = {{"row", "started (UTC)", "verdict", "sent", "answered", "loss %", "late",
                    "invalid", "lost", "RTT median", "RTT p99", "memory"}};
    for (std::size_t i = 0; i < result.rows.size(); i++) {
        const SoakRow &row = result.rows[i];
        Table::Row cells = {fmt::format("{}", i + 1), row.started, to_string(row.verdict)};
        const Table::Row counts = counts_of(row);
        cells.insert(cells.end(), counts.begin(), counts.end());
        for (const std::string &cell :
             {known_duration_text(row.rtt_p50), known_duration_text(row.rtt_p99),
              memory_text(row.memory())})
            cells.push_back(cell);
        table.rows.push_back(std::move(cells));
    }
    const SoakRow total = total_of(result);
    Table::Row sums = {"all", "", to_string(total.verdict)};
    const Table::Row counts = counts_of(total);
    sums.insert(sums.end(), counts.begin(), counts.end());
    sums.insert(sums.end(), {"", "", ""});
    table.rows.push_back(std::move(sums));
    table.notes = notes_of(result);
    return render(table, form);
}

} // namespace dnsgauge
