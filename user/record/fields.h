// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fields of results. Each field is one row of a table: its name, its value, and its meaning.
// JSON is written and read by the rows, and the schemas and the manual are made from them.
//
// A table is a function fields(Fields &, Value &). It has a row for each field of a Value's JSON
// object. The rows refer to the members of the value. The end of a field's name is the unit: _ns,
// _s, _percent.
#pragma once

#include "system/words.h"
#include "units/rate.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// The results that have a field.
enum class Presence {
    always,
    newer,    // files of older versions lack the field
    sometimes // the field is left out if the value is 0 or empty
};

// What else a row may say about its field.
struct FieldForm {
    Presence presence = Presence::always;
    std::optional<bool> is_null{}; // a value means that the field may be null; true: it is null
    std::optional<std::int64_t> least{}; // a number, or the length of a text or of a list
    std::optional<std::int64_t> most{};  // the same, as the upper bound
    bool is_above_zero = false;
    bool is_signed = false;        // a number below 0 is possible
    const char *pattern = nullptr; // of a text, or of the names of counts
};
inline constexpr FieldForm newer{.presence = Presence::newer};
inline constexpr FieldForm sometimes{.presence = Presence::sometimes};
// UTC, ISO 8601.
inline constexpr FieldForm utc_moment{
    .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"};

// Counts by name, in the order in which they are written.
using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

// The schemas of the parts that several forms share, by name.
using SharedSchemas = std::map<std::string, nlohmann::ordered_json>;

// Returns a schema that refers to another schema.
[[nodiscard]] nlohmann::ordered_json reference(const std::string &to);

// What the rows of a table do: write JSON, read JSON, or describe JSON in a schema.
class Fields
{
public:
    // A table, and the value that its rows refer to.
    using Rows = void (*)(Fields &fields, void *value);
    template <class Value>
    static void rows_of(Fields &rows, void *value)
    {
        fields(rows, *static_cast<Value *>(value));
    }

    // What all parts of a schema need while it is made.
    struct Schemas {
        Rows root = nullptr; // the table of the form
        SharedSchemas *shared = nullptr;
    };

    Fields(nlohmann::ordered_json &json, bool writes) : json_(&json), is_written_(writes) {}
    Fields(nlohmann::ordered_json &json, const Schemas &schemas) : json_(&json), schemas_(&schemas)
    {
    }

    [[nodiscard]] bool reads() const { return schemas_ == nullptr && !is_written_; }
    [[nodiscard]] bool describes() const { return schemas_ != nullptr; }
    // Returns the object that is read or written.
    [[nodiscard]] const nlohmann::ordered_json &json() const { return *json_; }

    // Declares the object a form, dnsgauge/NAME/1.
    void form(const char *name, const char *meaning);
    // Declares the object a part, called `name`, that several forms share.
    void shared(const char *name, const char *meaning, bool may_be_null = false);

    // Results have the fields of the following rows, until always(), only if the condition holds.
    void only_if(bool holds);
    void always();

    // A field. Throws nlohmann::json::exception if JSON that is read lacks it.
    template <class Value>
    void operator()(const char *name, Value &value, const char *meaning, const FieldForm &form = {})
    {
        if (reads())
            read(name, value, form);
        else
            show(name, value, meaning, form);
    }

    // A field that follows from others, and is not read.
    template <class Value>
    void made(const char *name, const Value &value, const char *meaning, const FieldForm &form = {})
    {
        if (!reads())
            show(name, value, meaning, form);
    }
    void constant(const char *name, const char *value, const char *meaning);
    // A field in seconds whose name has no unit.
    void seconds(const char *name, Nanoseconds &time, const char *meaning);
    // A field without a table: the caller reads it from json(). A schema has `schema` for it.
    void apart(const char *name, const nlohmann::ordered_json &json,
               const nlohmann::ordered_json &schema, const char *meaning,
               const FieldForm &form = {});

    template <class Value, std::size_t count>
    void word(const char *name, Value &value, const Words<Value, count> &words, const char *meaning,
              const FieldForm &form = {})
    {
        std::array<const char *, count> texts{};
        std::size_t place = 0;
        for (std::size_t i = 0; i < count; i++) {
            place = words.begin()[i].value == value ? i : place;
            texts[i] = words.begin()[i].text;
        }
        place = one_of(name, texts, place, meaning, form);
        if (reads())
            value = words.begin()[place].value;
    }

    template <class Value>
    void object(const char *name, Value &value, const char *meaning, const FieldForm &form = {})
    {
        inner(name, &value, rows_of<Value>, meaning, form);
    }
    // An object of some members of the value, by its own table, rows(Fields &, Value &).
    template <auto rows, class Value>
    void group(const char *name, Value &value, const char *meaning, const FieldForm &form = {})
    {
        inner(
            name, &value,
            [](Fields &inside, void *whole) { rows(inside, *static_cast<Value *>(whole)); },
            meaning, form);
    }
    // An object that may be missing: it is null, or left out if the form says `sometimes`.
    template <class Value>
    void object(const char *name, std::optional<Value> &value, const char *meaning,
                FieldForm form = {})
    {
        Value none{};
        if (reads() && has(name))
            value.emplace();
        if (form.presence == Presence::sometimes && is_written_ && !value)
            return;
        if (form.presence != Presence::sometimes)
            form.is_null = !value;
        inner(name, value ? &*value : &none, rows_of<Value>, meaning, form);
    }

    template <class Value>
    void list(const char *name, std::vector<Value> &values, const char *meaning,
              const FieldForm &form = {})
    {
        Value none{};
        const std::size_t count =
            begin_list(name, values.size(), &none, rows_of<Value>, meaning, form);
        if (reads())
            values.resize(count);
        for (std::size_t i = 0; i < count; i++)
            entry(name, i, &values[i], rows_of<Value>);
    }
    // The entries are the map's pairs, whose table has a row for the key.
    template <class Key, class Value>
    void list(const char *name, std::map<Key, Value> &values, const char *meaning)
    {
        std::vector<std::pair<Key, Value>> pairs(values.begin(), values.end());
        list(name, pairs, meaning);
        if (reads())
            values = {pairs.begin(), pairs.end()};
    }

private:
    template <class Value>
    void show(const char *name, const Value &value, const char *meaning, const FieldForm &form);
    template <class Value>
    void read(const char *name, Value &value, const FieldForm &form);

    [[nodiscard]] bool has(const char *name) const;
    [[nodiscard]] const nlohmann::ordered_json *find(const char *name, const FieldForm &form) const;
    void describe(const char *name, nlohmann::ordered_json schema, const char *meaning,
                  const FieldForm &form);
    [[nodiscard]] nlohmann::ordered_json part(void *value, Rows rows, bool may_be_null) const;
    std::size_t one_of(const char *name, std::span<const char *const> words, std::size_t place,
                       const char *meaning, const FieldForm &form);
    void inner(const char *name, void *value, Rows rows, const char *meaning,
               const FieldForm &form);
    std::size_t begin_list(const char *name, std::size_t count, void *none, Rows rows,
                           const char *meaning, const FieldForm &form);
    void entry(const char *name, std::size_t place, void *value, Rows rows);

    nlohmann::ordered_json *json_; // the object, or the object's schema
    const Schemas *schemas_ = nullptr;
    bool is_written_ = false;
    Rows part_ = nullptr; // the table of the part of a schema
    bool has_condition_ = false;
    bool holds_ = true;
    const char *form_ = nullptr;
    const char *shared_ = nullptr;
    bool shared_may_be_null_ = false;
};

// The parts of written(), read_fields() and described() that do not depend on the value's type.
[[nodiscard]] nlohmann::ordered_json written_by(Fields::Rows rows, void *value);
void read_by(Fields::Rows rows, void *value, const nlohmann::ordered_json &json);
[[nodiscard]] nlohmann::ordered_json described_by(Fields::Rows rows, void *value,
                                                  SharedSchemas &shared);

// Return the value's JSON: null for nothing, a list for a list.
template <class Value>
[[nodiscard]] auto written(const Value &value)
{
    // Rows that are written change nothing. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    return written_by(Fields::rows_of<Value>, const_cast<Value *>(&value));
}

template <class Value>
[[nodiscard]] auto written(const std::optional<Value> &value)
{
    return value ? written(*value) : decltype(written(*value))();
}

template <class Value>
[[nodiscard]] auto written(const std::vector<Value> &values)
{
    auto list = decltype(written(values.front()))::array();
    for (const Value &value : values)
        list.push_back(written(value));
    return list;
}

// Return the value that written() wrote. Throw nlohmann::json::exception.
template <class Value>
[[nodiscard]] Value read_fields(const nlohmann::ordered_json &json)
{
    Value value{};
    read_by(Fields::rows_of<Value>, &value, json);
    return value;
}

template <class Value, class Json>
[[nodiscard]] std::optional<Value> read_or_none(const Json &json)
{
    return json.is_null() ? std::nullopt : std::optional(read_fields<Value>(json));
}

template <class Value, class Json>
[[nodiscard]] std::vector<Value> read_list(const Json &json)
{
    std::vector<Value> values;
    for (const Json &entry : json)
        values.push_back(read_fields<Value>(entry));
    return values;
}

// Returns the schema of such values. Adds the schemas of parts that several forms share.
template <class Value>
[[nodiscard]] auto described(SharedSchemas &shared)
{
    Value value{};
    return described_by(Fields::rows_of<Value>, &value, shared);
}

} // namespace dnsgauge
