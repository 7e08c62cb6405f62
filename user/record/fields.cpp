// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/fields.h"

#include "record/json_text.h"
#include "result/rtt_curve.h"
#include "result/trial_result.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <string_view>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;
using Histogram = std::vector<CountedRange>;
using Points = std::vector<RttCurve::Point>;

template <class Value>
constexpr bool is_optional = false;
template <class Value>
constexpr bool is_optional<std::optional<Value>> = true;

template <class Value>
constexpr bool is_list = false;
template <class Value>
constexpr bool is_list<std::vector<Value>> = true;

template <class Value>
constexpr bool is_counts = std::same_as<Value, NamedCounts> || std::same_as<Value, CounterValues>;

bool is_seconds(std::string_view name)
{
    return name.ends_with("_s");
}

template <class Value>
Json json_of(const Value &value, std::string_view name)
{
    if constexpr (is_optional<Value>) {
        return value ? json_of(*value, name) : Json();
    } else if constexpr (std::same_as<Value, Nanoseconds>) {
        return is_seconds(name) ? Json(seconds(value)) : Json(value.count());
    } else if constexpr (std::same_as<Value, Rate>) {
        return value.per_second;
    } else if constexpr (is_counts<Value>) {
        Json counts = Json::object();
        for (const auto &[key, count] : value)
            counts[key] = count;
        return counts;
    } else if constexpr (std::same_as<Value, Histogram> || std::same_as<Value, Points>) {
        Json rows = Json::array();
        for (const auto &row : value)
            if constexpr (std::same_as<Value, Histogram>)
                rows.push_back({row.from, row.to, row.count});
            else
                rows.push_back({row.share, row.rtt});
        return rows;
    } else {
        return value;
    }
}

template <class Value>
bool is_empty(const Value &value)
{
    if constexpr (is_optional<Value>)
        return !value;
    else if constexpr (requires { value.empty(); })
        return value.empty();
    else
        return value == Value{};
}

template <class Value>
void read_value(Value &value, const Json &json, std::string_view name)
{
    if constexpr (is_optional<Value>) {
        value.reset();
        if (!json.is_null())
            read_value(value.emplace(), json, name);
    } else if constexpr (std::same_as<Value, NamedCounts>) {
        value.clear();
        for (const auto &[key, count] : json.items())
            value.emplace_back(key, whole_number(count));
    } else if constexpr (is_list<Value>) {
        if (!json.is_array())
            throw Json::type_error::create(302, "must be a list, but is " + json.dump(), &json);
        for (const Json &element : json)
            read_value(value.emplace_back(), element, name);
    } else if constexpr (std::same_as<Value, RttCurve::Point>) {
        value = {json.at(0).get<double>(), whole_number(json.at(1))};
    } else if constexpr (std::same_as<Value, CountedRange>) {
        value = {whole_number(json.at(0)), whole_number(json.at(1)), whole_number(json.at(2))};
    } else if constexpr (std::same_as<Value, std::string>) {
        value = plain_text(json);
    } else if constexpr (std::same_as<Value, Rate>) {
        value = Rate{whole_number(json)};
    } else if constexpr (std::same_as<Value, Nanoseconds>) {
        if (is_seconds(name)) {
            value = read_seconds(json);
        } else {
            std::int64_t count = 0;
            read_value(count, json, name);
            if (count < 0)
                throw Json::out_of_range::create(406, "must not be negative, but is " + json.dump(),
                                                 &json);
            value = Nanoseconds(count);
        }
    } else if constexpr (std::integral<Value> && !std::same_as<Value, bool>) {
        const bool is_small =
            json.is_number_unsigned()
                ? std::in_range<Value>(json.get<std::uint64_t>())
                : json.is_number_integer() && std::in_range<Value>(json.get<std::int64_t>());
        if (!is_small)
            throw Json::out_of_range::create(
                406, "must be a whole number that is not so large, but is " + json.dump(), &json);
        value = json.get<Value>();
    } else {
        value = json.get<Value>();
    }
}

Json count_schema()
{
    return {{"type", "integer"}, {"minimum", 0}};
}

// Returns the place of a part that several forms share.
std::string shared_place(const char *name)
{
    return std::string("common.schema.json#/$defs/") + name;
}

// Returns the schema of a list whose entries are lists of this many numbers.
Json rows_schema(const Json &number, unsigned numbers)
{
    return {{"type", "array"},
            {"items",
             {{"type", "array"}, {"items", number}, {"minItems", numbers}, {"maxItems", numbers}}}};
}

// Returns the schema of any value of the type.
template <class Value>
Json type_of(std::string_view name)
{
    if constexpr (is_optional<Value>)
        return type_of<typename Value::value_type>(name);
    else if constexpr (std::same_as<Value, bool>)
        return {{"type", "boolean"}};
    else if constexpr (std::same_as<Value, std::string>)
        return {{"type", "string"}};
    else if constexpr (std::same_as<Value, Rate>)
        return {{"type", "integer"}, {"minimum", 1}};
    else if constexpr (std::same_as<Value, double>)
        return {{"type", "number"}, {"minimum", 0}};
    else if constexpr (std::same_as<Value, Nanoseconds>)
        return is_seconds(name) ? type_of<double>(name) : count_schema();
    else if constexpr (std::same_as<Value, std::int64_t>)
        return {{"type", "integer"}};
    else if constexpr (std::same_as<Value, std::uint16_t>)
        return {{"type", "integer"}, {"minimum", 0}, {"maximum", 65535}};
    else if constexpr (is_counts<Value>)
        return {{"type", "object"}, {"additionalProperties", count_schema()}};
    else if constexpr (std::same_as<Value, std::map<std::string, std::string>>)
        return {{"type", "object"}, {"additionalProperties", type_of<std::string>(name)}};
    else if constexpr (std::same_as<Value, Histogram>)
        return rows_schema(count_schema(), 3);
    else if constexpr (std::same_as<Value, Points>)
        return rows_schema(type_of<double>(name), 2);
    else if constexpr (is_list<Value>)
        return {{"type", "array"}, {"items", type_of<typename Value::value_type>(name)}};
    else
        return count_schema();
}

Json object_schema()
{
    return {{"type", "object"},
            {"required", Json::array()},
            {"properties", Json::object()},
            {"additionalProperties", false}};
}

Json or_null(Json schema)
{
    if (schema.contains("type"))
        schema["type"] = {schema["type"], "null"};
    else if (schema.contains("enum"))
        schema["enum"].push_back(nullptr);
    else
        schema = {{"anyOf", {{{"type", "null"}}, schema}}};
    return schema;
}

// Adds what the form says of the value.
void limit(Json &schema, const FieldForm &form)
{
    const std::string type = schema.value("type", "");
    const bool is_list = type == "array";
    if (form.least)
        schema[is_list ? "minItems" : type == "string" ? "minLength" : "minimum"] = *form.least;
    if (form.most)
        schema["maximum"] = *form.most;
    if (form.is_above_zero) {
        schema.erase("minimum");
        schema["exclusiveMinimum"] = 0;
    }
    if (form.is_signed)
        schema.erase("minimum");
    if (form.pattern != nullptr && type == "object")
        schema["propertyNames"] = {{"pattern", form.pattern}};
    else if (form.pattern != nullptr)
        schema["pattern"] = form.pattern;
}

} // namespace

Json reference(const std::string &to)
{
    Json json;
    json["$ref"] = to;
    return json;
}

void Fields::form(const char *name, const char *meaning)
{
    form_ = name;
    if (schemas_ != nullptr) {
        (*json_)["title"] = name;
        (*json_)["description"] = meaning;
    }
    constant("schema", ("dnsgauge/" + std::string(name) + "/1").c_str(), "the form of this object");
}

void Fields::shared(const char *name, const char *meaning, bool may_be_null)
{
    shared_ = name;
    shared_may_be_null_ = may_be_null;
    if (schemas_ != nullptr)
        (*json_)["description"] = meaning;
}

void Fields::only_if(bool holds)
{
    has_condition_ = true;
    holds_ = holds;
}

void Fields::always()
{
    has_condition_ = false;
    holds_ = true;
}

template <class Value>
void Fields::show(const char *name, const Value &value, const char *meaning, const FieldForm &form)
{
    if (schemas_ != nullptr) {
        Json schema = type_of<Value>(name);
        limit(schema, form);
        describe(name, is_optional<Value> || form.is_null ? or_null(schema) : schema, meaning,
                 form);
    } else if (holds_ && (form.presence != Presence::sometimes || !is_empty(value))) {
        (*json_)[name] = form.is_null.value_or(false) ? Json() : json_of(value, name);
    }
}

template <class Value>
void Fields::read(const char *name, Value &value, const FieldForm &form)
{
    const Json *found = find(name, form);
    if (found != nullptr && !(form.is_null && found->is_null()))
        read_value(value, *found, name);
}

void Fields::constant(const char *name, const char *value, const char *meaning)
{
    if (schemas_ != nullptr)
        describe(name, {{"const", value}}, meaning, {});
    else if (is_written_)
        (*json_)[name] = value;
}

void Fields::seconds(const char *name, Nanoseconds &time, const char *meaning)
{
    if (!reads())
        show(name, dnsgauge::seconds(time), meaning, {});
    else if (const Json *found = find(name, {}))
        time = read_seconds(*found);
}

void Fields::apart(const char *name, const Json &json, const Json &schema, const char *meaning,
                   const FieldForm &form)
{
    if (schemas_ != nullptr)
        describe(name, schema, meaning, form);
    else if (is_written_)
        (*json_)[name] = json;
}

bool Fields::has(const char *name) const
{
    const auto found = json_->find(name);
    return found != json_->end() && !found->is_null();
}

const Json *Fields::find(const char *name, const FieldForm &form) const
{
    const auto found = json_->find(name);
    if (found != json_->end())
        return &*found;
    if (form.presence == Presence::always && !has_condition_)
        throw Json::out_of_range::create(403, std::string("there is no ") + name, json_);
    return nullptr;
}

void Fields::describe(const char *name, Json schema, const char *meaning, const FieldForm &form)
{
    if (*meaning != '\0')
        schema["description"] = meaning;
    if (has_condition_ || form.presence == Presence::sometimes)
        schema["optional"] = true;
    else if (form.presence == Presence::always)
        (*json_)["required"].push_back(name);
    (*json_)["properties"][name] = std::move(schema);
}

// Returns the schema of an object that has these rows, or a reference to it.
Json Fields::part(void *value, Rows rows, bool may_be_null) const
{
    // A reference to a form needs none of its content, which may contain further forms.
    if (part_ != nullptr && form_ != nullptr)
        return {};
    if (rows == schemas_->root)
        return may_be_null ? or_null(reference("#")) : reference("#");
    if (rows == part_ && shared_ != nullptr)
        return reference(shared_place(shared_));
    Json schema = object_schema();
    Fields inside(schema, *schemas_);
    inside.part_ = rows;
    rows(inside, value);
    if (inside.form_ != nullptr)
        schema = reference(std::string(inside.form_) + ".schema.json");
    if (inside.shared_ != nullptr) {
        (*schemas_->shared)[inside.shared_] = inside.shared_may_be_null_ ? or_null(schema) : schema;
        schema = reference(shared_place(inside.shared_));
    }
    return may_be_null && !inside.shared_may_be_null_ ? or_null(schema) : schema;
}

std::size_t Fields::one_of(const char *name, std::span<const char *const> words, std::size_t place,
                           const char *meaning, const FieldForm &form)
{
    if (schemas_ != nullptr) {
        describe(name, {{"enum", std::vector<std::string>(words.begin(), words.end())}}, meaning,
                 form);
    } else if (is_written_) {
        if (holds_)
            (*json_)[name] = words[place];
    } else if (const Json *found = find(name, form)) {
        for (place = 0; place < words.size(); place++)
            if (*found == words[place])
                return place;
        throw Json::out_of_range::create(406, "there is no " + found->dump(), found);
    }
    return place;
}

void Fields::inner(const char *name, void *value, Rows rows, const char *meaning,
                   const FieldForm &form)
{
    if (schemas_ != nullptr) {
        describe(name, part(value, rows, form.is_null.has_value()), meaning, form);
    } else if (is_written_) {
        if (holds_)
            (*json_)[name] = form.is_null.value_or(false) ? Json() : written_by(rows, value);
    } else if (const Json *found = find(name, form)) {
        if (!form.is_null || !found->is_null())
            read_by(rows, value, *found);
    }
}

std::size_t Fields::begin_list(const char *name, std::size_t count, void *none, Rows rows,
                               const char *meaning, const FieldForm &form)
{
    if (schemas_ != nullptr) {
        Json schema = {{"type", "array"}, {"items", part(none, rows, false)}};
        limit(schema, form);
        describe(name, schema, meaning, form);
        return 0;
    }
    if (is_written_) {
        if (holds_ && (count != 0 || form.presence != Presence::sometimes))
            (*json_)[name] = Json::array();
        return count;
    }
    const Json *found = find(name, form);
    if (found != nullptr && !found->is_array())
        throw Json::type_error::create(302, "must be a list, but is " + found->dump(), found);
    return found == nullptr ? 0 : found->size();
}

void Fields::entry(const char *name, std::size_t place, void *value, Rows rows)
{
    if (!is_written_)
        read_by(rows, value, json_->at(name).at(place));
    else if (holds_)
        json_->at(name).push_back(written_by(rows, value));
}

Json written_by(Fields::Rows rows, void *value)
{
    Json json = Json::object();
    Fields fields(json, true);
    rows(fields, value);
    return json;
}

void read_by(Fields::Rows rows, void *value, const Json &json)
{
    // Rows that are read change nothing in the JSON.
    Fields fields(const_cast<Json &>(json), false); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    rows(fields, value);
}

Json described_by(Fields::Rows rows, void *value, SharedSchemas &shared)
{
    const Fields::Schemas schemas{.root = rows, .shared = &shared};
    Json schema = object_schema();
    Fields inside(schema, schemas);
    rows(inside, value);
    return schema;
}

#define SHOWN(...)                                                                                 \
    template void Fields::show(const char *, const __VA_ARGS__ &, const char *, const FieldForm &);
#define SHOWN_AND_READ(...)                                                                        \
    SHOWN(__VA_ARGS__)                                                                             \
    template void Fields::read(const char *, __VA_ARGS__ &, const FieldForm &);
SHOWN_AND_READ(bool)
SHOWN_AND_READ(int)
SHOWN_AND_READ(std::uint16_t)
SHOWN_AND_READ(unsigned)
SHOWN_AND_READ(std::uint64_t)
SHOWN_AND_READ(double)
SHOWN_AND_READ(std::string)
SHOWN_AND_READ(Nanoseconds)
SHOWN_AND_READ(Rate)
SHOWN_AND_READ(std::vector<std::string>)
SHOWN_AND_READ(std::vector<unsigned>)
SHOWN_AND_READ(Points)
SHOWN_AND_READ(NamedCounts)
SHOWN_AND_READ(std::optional<bool>)
SHOWN_AND_READ(std::optional<unsigned>)
SHOWN_AND_READ(std::optional<std::uint64_t>)
SHOWN_AND_READ(std::optional<Rate>)
SHOWN(std::int64_t)
SHOWN(std::optional<std::int64_t>)
SHOWN(CounterValues)
SHOWN(Histogram)
SHOWN(std::optional<double>)
SHOWN(std::map<std::string, std::string>)
SHOWN(std::vector<std::uint64_t>)
SHOWN(std::vector<std::vector<std::string>>)
SHOWN(std::optional<Nanoseconds>)
#undef SHOWN_AND_READ
#undef SHOWN

} // namespace dnsgauge
