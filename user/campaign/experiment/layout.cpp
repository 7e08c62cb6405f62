// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/tables.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

bool contains(const std::vector<std::string> &keys, const std::string &key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Returns the place in the file where the varying key gets its values.
Place place_of(const Experiment &experiment, const std::string &key)
{
    for (const Axis &axis : experiment.axes)
        if (axis.key == key && axis.values.size() > 1)
            return axis.place;
    const auto extra =
        std::find_if(experiment.extras.begin(), experiment.extras.end(),
                     [&key](const Settings &settings) { return settings.contains(key); });
    return extra->at(key).place;
}

} // namespace

std::vector<std::string> column_keys(const Experiment &experiment)
{
    const Layout &layout = experiment.layout;
    if (!layout.columns.empty())
        return layout.columns;
    std::vector<std::string> keys = varying_keys(experiment);
    std::erase_if(keys, [&layout](const std::string &key) {
        return contains(layout.tables, key) || key == layout.rows;
    });
    if (keys.empty())
        keys = {"server"};
    return keys;
}

void check_layout(const Experiment &experiment)
{
    const Layout &layout = experiment.layout;
    const std::vector<std::string> varying = varying_keys(experiment);
    const std::vector<std::string> columns = column_keys(experiment);
    for (const std::string &key : varying)
        if (!contains(layout.tables, key) && !contains(columns, key) && key != layout.rows)
            refuse(place_of(experiment, key),
                   "{0}: it varies, but is in none of tables, columns and rows of "
                   "[table], so cells would share a place: add \"{0}\" to tables",
                   key);
    if (layout.model && !contains(varying, "aaaa-share") && !contains(varying, "cached-share"))
        refuse(layout.place, "model: neither aaaa-share nor cached-share varies, so it cannot be "
                             "fitted: remove model, or give one of them several values");
}

} // namespace dnsgauge
