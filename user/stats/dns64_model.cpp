// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/dns64_model.h"

#include <Eigen/SVD>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace dnsgauge
{

namespace
{

// How often a sum contains each of the model's times, in the order TC, TA, TS.
using Weights = Eigen::RowVector3d;

constexpr double negligible = 1e-9;
constexpr double residual_most = 5; // percent; results that paper 000 calls consistent spread less

struct Combination {
    const char *name;
    Weights weights;
};

// The sums in formulas (6) to (8). The last one is the time of a query whose name is not cached and
// has no AAAA record.
const std::array<Combination, 7> combinations = {{{"TC", {1, 0, 0}},
                                                  {"TA", {0, 1, 0}},
                                                  {"TS", {0, 0, 1}},
                                                  {"TC + TA", {1, 1, 0}},
                                                  {"TA + TS", {0, 1, 1}},
                                                  {"2 TA + TS", {0, 2, 1}},
                                                  {"TC + 2 TA + TS", {1, 2, 1}}}};

Weights weights_of(const RateAtShares &point)
{
    const double asked = 1 - point.cached;
    const double synthesized = asked * (1 - point.aaaa);
    return {1, asked + synthesized, synthesized};
}

// A least-squares fit of some of the three times; the others are 0.
class Fit
{
public:
    Fit(std::span<const RateAtShares> points, std::array<bool, 3> is_free)
        : free_(is_free[0] ? 1 : 0, is_free[1] ? 1 : 0, is_free[2] ? 1 : 0)
    {
        Weights times = Weights::Zero();
        for (const RateAtShares &point : points) {
            const Weights weights = weights_of(point).cwiseProduct(free_);
            normal_ += weights.transpose() * weights;
            times += weights / point.rate;
        }
        auto decomposition = normal_.jacobiSvd(Eigen::ComputeFullU | Eigen::ComputeFullV);
        decomposition.setThreshold(negligible);
        inverse_ = decomposition.solve(Eigen::Matrix3d::Identity());
        estimate_ = inverse_ * times.transpose();
        degrees_of_freedom_ = static_cast<Eigen::Index>(points.size()) - decomposition.rank();
        for (const RateAtShares &point : points)
            squares_ += std::pow(1 / point.rate - value(weights_of(point)), 2);
    }

    // Returns whether the points determine the sum, as a combination of their measurements.
    [[nodiscard]] bool determines(const Weights &weights) const
    {
        const Weights free = weights.cwiseProduct(free_);
        return (free - free * inverse_ * normal_).norm() < negligible;
    }
    [[nodiscard]] double value(const Weights &weights) const { return weights * estimate_; }
    [[nodiscard]] std::optional<double> margin(const Weights &weights) const
    {
        if (degrees_of_freedom_ == 0)
            return std::nullopt;
        const auto degrees = static_cast<double>(degrees_of_freedom_);
        const double two_sided =
            boost::math::quantile(boost::math::students_t(degrees), 1 - 0.05 / 2);
        return two_sided * std::sqrt(squares_ / degrees * (weights * inverse_).dot(weights));
    }

private:
    Weights free_;
    Eigen::Matrix3d normal_ = Eigen::Matrix3d::Zero(); // of the normal equations
    Eigen::Matrix3d inverse_;
    Eigen::Vector3d estimate_;
    Eigen::Index degrees_of_freedom_ = 0;
    double squares_ = 0; // of the residuals
};

void check(std::span<const RateAtShares> points)
{
    const auto is_share = [](double share) { return share >= 0 && share <= 1; };
    for (const RateAtShares &point : points)
        if (!is_share(point.cached) || !is_share(point.aaaa) || !std::isfinite(point.rate) ||
            point.rate <= 0)
            throw std::invalid_argument(
                "the DNS64 model needs rates above 0 and shares between 0 and 1");
    const bool differ = std::any_of(points.begin(), points.end(), [&](const RateAtShares &point) {
        return weights_of(point) != weights_of(points.front());
    });
    if (!differ)
        throw std::invalid_argument("the DNS64 model needs rates at two different shares at least");
}

// Returns what the fit without the bound at 0 says about a time that is too short to be seen.
std::string negative_text(double seconds)
{
    return fmt::format("cannot be told from 0: without that bound the fit gives {:.3g} s", seconds);
}

// Returns the times that must be taken as 0, with the reasons. Takes the most negative time first,
// until no time is negative.
std::array<std::string, 3> bound_to_zero(std::span<const RateAtShares> points)
{
    std::array<std::string, 3> why;
    std::array<bool, 3> is_free = {true, true, true};
    for (;;) {
        const Fit fit(points, is_free);
        std::size_t most_negative = 3;
        double least = 0;
        for (std::size_t i = 0; i < 3; i++) {
            const Weights &weights = combinations.at(i).weights;
            if (is_free.at(i) && fit.determines(weights) && fit.value(weights) < least) {
                most_negative = i;
                least = fit.value(weights);
            }
        }
        if (most_negative == 3)
            return why;
        is_free.at(most_negative) = false;
        why.at(most_negative) = negative_text(least);
    }
}

ModelTime model_time(const Combination &combination, const Fit &fit, const std::string &bound)
{
    ModelTime time{.name = combination.name, .seconds = {}, .margin = {}, .why_not = bound};
    if (!bound.empty())
        return time;
    if (!fit.determines(combination.weights)) {
        time.why_not = "not determined by these shares";
        return time;
    }
    const double value = fit.value(combination.weights);
    const std::optional<double> margin = fit.margin(combination.weights);
    if (value <= margin.value_or(0)) {
        time.why_not = margin ? fmt::format("cannot be told from 0: {:.3g} s, 95 % margin {:.3g} s",
                                            value, *margin)
                              : fmt::format("not positive: {:.3g} s", value);
        return time;
    }
    time.seconds = value;
    time.margin = margin;
    return time;
}

std::vector<std::string> notes_on(const Dns64Model &model, const std::array<std::string, 3> &bound)
{
    std::vector<std::string> notes = {
        "Times are in seconds per unit of the scale (alpha, beta), which rates do not tell; it is "
        "assumed to be the same for all points.",
        "TQ and TR of formulas (4) to (6) cannot be told from TC by rates."};
    for (std::size_t i = 0; i < bound.size(); i++)
        if (!bound.at(i).empty())
            notes.push_back(fmt::format("{0} is taken as 0: the other times and their margins "
                                        "hold only if it is.",
                                        combinations.at(i).name));
    notes.push_back(fmt::format(
        "The model's rates are off by up to {:.1f} %{}.", std::abs(model.worst_residual),
        std::abs(model.worst_residual) > residual_most ? ": it does not describe this server well"
                                                       : ""));
    return notes;
}

} // namespace

Dns64Model fit_dns64_model(std::span<const RateAtShares> points)
{
    check(points);
    const std::array<std::string, 3> bound = bound_to_zero(points);
    const Fit fit(points, {bound[0].empty(), bound[1].empty(), bound[2].empty()});

    Dns64Model model;
    for (std::size_t i = 0; i < combinations.size(); i++)
        model.times.push_back(model_time(combinations.at(i), fit, i < 3 ? bound.at(i) : ""));
    for (const RateAtShares &point : points) {
        model.fitted.push_back(1 / fit.value(weights_of(point)));
        const double residual = (model.fitted.back() / point.rate - 1) * 100;
        if (std::abs(residual) > std::abs(model.worst_residual))
            model.worst_residual = residual;
    }
    model.notes = notes_on(model, bound);
    return model;
}

} // namespace dnsgauge
