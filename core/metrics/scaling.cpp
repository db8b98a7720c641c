#include "core/metrics/scaling.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

namespace headscope {
namespace {

constexpr int kRandomStarts = 4;
constexpr int kMostSteps = 1000;
constexpr double kEnoughGain = 1e-10; ///< of the raw stress, by the sum of squared distances
constexpr int kPowerSteps = 200;

using Line = std::vector<double>;

double apart(const PlaneMap &map, std::size_t a, std::size_t b)
{
    return std::hypot(map.x[a] - map.x[b], map.y[a] - map.y[b]);
}

void forEachPair(std::size_t size, const auto &visit)
{
    for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = a + 1; b < size; ++b)
            visit(a, b);
    }
}

double rawStress(const PairTable &distances, const PlaneMap &map)
{
    double sum = 0;
    forEachPair(distances.size(), [&](std::size_t a, std::size_t b) {
        const double miss = distances.at(a, b) - apart(map, a, b);
        sum += miss * miss;
    });
    return sum;
}

double kruskalStress(const PairTable &distances, const PlaneMap &map)
{
    double squares = 0;
    forEachPair(distances.size(), [&](std::size_t a, std::size_t b) { squares += std::pow(apart(map, a, b), 2); });
    return squares == 0 ? 0 : std::sqrt(rawStress(distances, map) / squares); // NaN stays NaN
}

void centre(Line &line)
{
    const double mean = std::reduce(line.begin(), line.end()) / static_cast<double>(line.size());
    for (double &value : line)
        value -= mean;
}

/// The Guttman transform: X ← B(X)·X / n.
PlaneMap transformed(const PairTable &distances, const PlaneMap &map)
{
    const std::size_t size = distances.size();
    PlaneMap next{Line(size, 0), Line(size, 0)};
    forEachPair(size, [&](std::size_t a, std::size_t b) {
        const double now = apart(map, a, b);
        const double ratio = now > 0 ? distances.at(a, b) / now : 0;
        const double dx = ratio * (map.x[a] - map.x[b]);
        const double dy = ratio * (map.y[a] - map.y[b]);
        next.x[a] += dx;
        next.x[b] -= dx;
        next.y[a] += dy;
        next.y[b] -= dy;
    });
    for (std::size_t i = 0; i < size; ++i) {
        next.x[i] /= static_cast<double>(size);
        next.y[i] /= static_cast<double>(size);
    }
    return next;
}

/// The eigenvector of the largest eigenvalue of −½·J·δ²·J that is orthogonal to `other`, times the root of the
/// eigenvalue.
Line principalLine(const std::vector<Line> &products, const Line &other, Random &random)
{
    Line line(products.size());
    for (double &value : line)
        value = random.uniform() - 0.5;
    double length = 0;
    for (int step = 0; step < kPowerSteps; ++step) {
        const double overlap = std::inner_product(line.begin(), line.end(), other.begin(), 0.0);
        const double norm = std::inner_product(other.begin(), other.end(), other.begin(), 0.0);
        for (std::size_t i = 0; i < line.size() && norm > 0; ++i)
            line[i] -= overlap / norm * other[i];
        Line next(line.size());
        for (std::size_t i = 0; i < line.size(); ++i)
            next[i] = std::inner_product(line.begin(), line.end(), products[i].begin(), 0.0);
        length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        if (length <= 0)
            return Line(line.size(), 0);
        for (std::size_t i = 0; i < line.size(); ++i)
            line[i] = next[i] / length;
    }
    for (double &value : line)
        value *= std::sqrt(length);
    return line;
}

/// Classical (Torgerson's) scaling.
PlaneMap classicalStart(const PairTable &distances, Random &random)
{
    const std::size_t size = distances.size();
    std::vector<Line> products(size, Line(size));
    for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b < size; ++b)
            products[a][b] = -0.5 * distances.at(a, b) * distances.at(a, b);
        centre(products[a]);
    }
    Line means(size, 0); // rows are centred; now columns
    for (const Line &row : products)
        std::ranges::transform(means, row, means.begin(), std::plus<>());
    for (Line &row : products) {
        for (std::size_t b = 0; b < size; ++b)
            row[b] -= means[b] / static_cast<double>(size);
    }
    PlaneMap map;
    map.x = principalLine(products, Line(size, 0), random);
    map.y = principalLine(products, map.x, random);
    return map;
}

PlaneMap randomStart(const PairTable &distances, Random &random)
{
    const double largest = std::ranges::max(distances.values());
    PlaneMap map;
    for (Line *line : {&map.x, &map.y}) {
        for (std::size_t i = 0; i < distances.size(); ++i)
            line->push_back(largest * (random.uniform() - 0.5));
    }
    return map;
}

PlaneMap majorized(const PairTable &distances, PlaneMap map, const JobControl &control)
{
    double scale = 0;
    for (const double distance : distances.values())
        scale += distance * distance;
    double before = rawStress(distances, map);
    for (int step = 0; step < kMostSteps; ++step) {
        control.checkpoint();
        map = transformed(distances, map);
        const double now = rawStress(distances, map);
        if (before - now <= kEnoughGain * scale)
            break;
        before = now;
    }
    map.stress = kruskalStress(distances, map);
    return map;
}

void face(Line &line)
{
    const auto largest = std::ranges::max_element(line, {}, [](double value) { return std::abs(value); });
    if (*largest < 0)
        std::ranges::transform(line, line.begin(), std::negate<>());
}

void turnToAxes(PlaneMap &map)
{
    centre(map.x);
    centre(map.y);
    const auto product
        = [](const Line &a, const Line &b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
    const double angle = 0.5 * std::atan2(2 * product(map.x, map.y), product(map.x, map.x) - product(map.y, map.y));
    for (std::size_t i = 0; i < map.x.size(); ++i) {
        const double x = map.x[i];
        map.x[i] = std::cos(angle) * x + std::sin(angle) * map.y[i];
        map.y[i] = std::cos(angle) * map.y[i] - std::sin(angle) * x;
    }
    face(map.x);
    face(map.y);
}

} // namespace

PlaneMap planeMap(const PairTable &distances, std::uint64_t seed, const JobControl &control)
{
    const std::size_t size = distances.size();
    if (size < 2 || std::ranges::max(distances.values()) <= 0)
        return {Line(size, 0), Line(size, 0), 0};
    Random random(seed);
    PlaneMap best = majorized(distances, classicalStart(distances, random), control);
    for (int start = 0; start < kRandomStarts; ++start) {
        PlaneMap other = majorized(distances, randomStart(distances, random), control);
        if (other.stress < best.stress)
            best = std::move(other);
    }
    turnToAxes(best);
    return best;
}

} // namespace headscope
