// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/knee.h"

#include <Eigen/SVD>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <boost/math/tools/minima.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dnsgauge
{

namespace
{

namespace statistics = boost::math::statistics;

constexpr double kept_least = 0.9;

// Two lines that meet at `knee`. All logarithms are binary.
struct Lines {
    double knee = 0;
    double level = 0; // at the knee
    double below = 0; // slopes
    double above = 0;
    double squares = std::numeric_limits<double>::infinity(); // that are left
};

Lines fit_at(double knee, const Eigen::VectorXd &x, const Eigen::VectorXd &y)
{
    Eigen::MatrixX3d design(x.size(), 3);
    design.col(0).setOnes();
    design.col(1) = (x.array() - knee).min(0);
    design.col(2) = (x.array() - knee).max(0);
    // The compiler needs seconds for the kernels of products of large matrices.
    const Eigen::Matrix3d normal = design.transpose().lazyProduct(design);
    const Eigen::Vector3d sums = design.transpose().lazyProduct(y);
    const Eigen::Vector3d found =
        normal.jacobiSvd(Eigen::ComputeFullU | Eigen::ComputeFullV).solve(sums);
    return {.knee = knee,
            .level = found[0],
            .below = found[1],
            .above = found[2],
            .squares = (y - design.lazyProduct(found)).squaredNorm()};
}

// The squares have a minimum between each two windows. Each line has two windows at least.
Lines fit(const Eigen::VectorXd &x, const Eigen::VectorXd &y)
{
    constexpr int bits = 24;
    Lines best;
    for (Eigen::Index i = 1; i + 2 < x.size(); i++) {
        const auto squares = [&](double knee) { return fit_at(knee, x, y).squares; };
        const double knee =
            boost::math::tools::brent_find_minima(squares, x[i], x[i + 1], bits).first;
        for (const double at : {x[i], knee, x[i + 1]})
            if (const Lines found = fit_at(at, x, y); found.squares < best.squares)
                best = found;
    }
    return best;
}

Bounded bounds_of(const std::vector<double> &values)
{
    const auto count = static_cast<double>(values.size());
    const double mean = statistics::mean(values);
    const boost::math::students_t distribution(count - 1);
    const double half = boost::math::quantile(distribution, (1 + knee_confidence) / 2) *
                        std::sqrt(statistics::sample_variance(values) / count);
    return {mean, mean - half, mean + half};
}

Bounded power_of_two(const Bounded &exponent)
{
    return {std::exp2(exponent.value), std::exp2(exponent.low), std::exp2(exponent.high)};
}

std::vector<double> member_of(const std::vector<Lines> &fits, double Lines::*member)
{
    std::vector<double> values;
    for (const Lines &one : fits)
        values.push_back(one.*member);
    return values;
}

// Returns how many windows belong to the fit.
std::size_t kept(std::size_t windows, std::span<const std::vector<double>> runs)
{
    std::vector<double> means(windows);
    for (const std::vector<double> &run : runs)
        std::ranges::transform(means, run, means.begin(), std::plus<>());
    const double most = *std::ranges::max_element(means);
    while (means.back() < kept_least * most)
        means.pop_back();
    return means.size();
}

std::string why_not(const Knee &knee, double most)
{
    if (knee.above.high > knee_gain_most)
        return fmt::format("up to {:g} open queries answers/s may still rise: twice as many bring "
                           "{:.3f} times ({:.3f} to {:.3f}) at the end",
                           most, knee.above.value, knee.above.low, knee.above.high);
    if (knee.below.low <= knee_gain_most)
        return fmt::format("below {:g} open queries answers/s do not rise enough to bend: twice as "
                           "many bring {:.3f} times ({:.3f} to {:.3f})",
                           most, knee.below.value, knee.below.low, knee.below.high);
    return {};
}

} // namespace

Knee find_knee(std::span<const double> open, std::span<const std::vector<double>> runs)
{
    Knee knee{.runs = runs.size()};
    if (runs.size() < knee_runs_least) {
        knee.why_not = fmt::format(
            "its interval takes {} runs through all windows or more (--repeat)", knee_runs_least);
        return knee;
    }
    const std::size_t windows = kept(open.size(), runs);
    if (windows < open.size())
        knee.falls_from = open[windows];
    if (windows < knee_windows_least) {
        knee.why_not = fmt::format("it takes {} windows or more before answers/s fall, and there "
                                   "{} {}",
                                   knee_windows_least, windows == 1 ? "is" : "are", windows);
        return knee;
    }
    const auto count = static_cast<Eigen::Index>(windows);
    const auto logarithms = [count](const double *values) -> Eigen::VectorXd {
        return Eigen::Map<const Eigen::ArrayXd>(values, count).log() / std::log(2.0);
    };
    const Eigen::VectorXd x = logarithms(open.data());
    std::vector<Lines> fits;
    for (const std::vector<double> &run : runs)
        fits.push_back(fit(x, logarithms(run.data())));
    knee.below = power_of_two(bounds_of(member_of(fits, &Lines::below)));
    knee.above = power_of_two(bounds_of(member_of(fits, &Lines::above)));
    knee.why_not = why_not(knee, open[windows - 1]);
    if (!knee.why_not.empty())
        return knee;
    knee.open = power_of_two(bounds_of(member_of(fits, &Lines::knee)));
    knee.answered_rate = std::exp2(statistics::mean(member_of(fits, &Lines::level)));
    return knee;
}

} // namespace dnsgauge
