#include "core/results/collaborateresult.h"

#include "core/base/result.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace headscope {
namespace {

double scoreOf(const SharedPoint &point, bool onOther)
{
    return onOther ? point.otherScore.value_or(std::numeric_limits<double>::quiet_NaN()) : point.score;
}

/// Whether `one` leaves no reason for `other`.
bool dominates(const SharedPoint &one, const SharedPoint &other, Better better, bool onOther)
{
    const double more = gain(better, scoreOf(one, onOther) - scoreOf(other, onOther)); // NaN: neither is better
    return one.parameters <= other.parameters && more >= 0 && (one.parameters < other.parameters || more > 0);
}

} // namespace

std::vector<bool> paretoFront(const std::vector<const SharedPoint *> &points, Better better, bool onOther)
{
    std::vector<bool> front;
    for (const SharedPoint *point : points) {
        const bool isBeaten = std::ranges::any_of(
            points, [&](const SharedPoint *other) { return dominates(*other, *point, better, onOther); });
        front.push_back(!isBeaten && !std::isnan(scoreOf(*point, onOther)));
    }
    return front;
}

void markFronts(CollaborateResult &result)
{
    std::vector<const SharedPoint *> points;
    for (const SharedPoint &point : result.points)
        points.push_back(&point);
    const std::vector<bool> own = paretoFront(points, result.better, false);
    const std::vector<bool> other = paretoFront(points, result.better, true);
    for (std::size_t i = 0; i < points.size(); ++i) {
        result.points[i].onFront = own[i];
        result.points[i].otherOnFront = other[i];
    }
}

void checkCollaborate(const CollaborateResult &result)
{
    for (const SharedPoint &point : result.points) {
        for (const SharedLayer &layer : point.layers) {
            if (!layer.mixing.empty()
                && (point.width < 1 || std::ssize(layer.mixing) != std::ssize(layer.heads) * point.width))
                throw Failure(badInput("A mixing matrix has " + std::to_string(layer.mixing.size()) + " entries where "
                                       + std::to_string(layer.heads.size()) + " heads and a width of "
                                       + std::to_string(point.width) + " ask for another number."));
        }
    }
}

} // namespace headscope
