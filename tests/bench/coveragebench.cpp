// headscope-coveragebench: how often 95 % intervals hold the truth, and how often heads are called significant although
// nothing is there, by what the program says and by the percentile bootstrap alone.
//   headscope-coveragebench [SAMPLES [RESAMPLES]]        intervals of made-up data, means and corpus BLEU
//   headscope-coveragebench --models FOLDER              20 random classifiers, written into FOLDER: sweeps of few
//   texts
#include "core/analysis/ablation.h"
#include "core/base/process.h"
#include "core/base/random.h"
#include "core/data/dataset.h"
#include "core/metrics/bleu.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/inference.h"
#include "core/metrics/outcome.h"
#include "core/model/loadmodel.h"
#include "core/task/tasks.h"
#include "tests/bench/randommodel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// The mean of numbers. Statistics: the number, 1.
class MeanOfNumbers final : public Metric
{
public:
    explicit MeanOfNumbers(Interval possible) : m_possible(possible) { }
    std::string name() const override { return "mean"; }
    std::string signature() const override { return {}; }
    std::size_t statisticsSize() const override { return 2; }
    double score(std::span<const double> sums) const override { return sums[0] / sums[1]; }
    Interval possible() const override { return m_possible; }

private:
    Interval m_possible;
};

double normal(Random &random)
{
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * random.uniform());
}

/// Statistics of sentences of 8 to 25 words as sacreBLEU counts them. A sentence is translated well or badly as a
/// whole; `quality` shifts all of them.
std::array<double, 10> sentence(Random &random, double quality)
{
    std::array<double, 10> row{};
    const double words = 8 + random.below(18);
    row[0] = words;
    row[1] = std::max(4.0, words + random.below(5) - 2.0);
    const double right = std::clamp(0.6 + 0.15 * normal(random) + quality, 0.05, 0.98);
    double matches = words;
    for (std::size_t n = 0; n < 4; ++n) {
        const double ngrams = words - static_cast<double>(n);
        double found = 0;
        for (double i = 0; i < std::min(ngrams, matches); ++i)
            found += random.uniform() < (n == 0 ? right : 0.8 * right + 0.15);
        row[6 + n] = ngrams;
        row[2 + n] = matches = found;
    }
    return row;
}

/// A population: draws two systems' statistics of an example.
struct Population
{
    std::string name;
    const Metric &metric;
    std::function<void(Random &, std::span<double> baseline, std::span<double> variant)> draw;
};

struct Tables
{
    StatisticsTable baseline, variant;
};

Tables drawn(const Population &population, std::size_t examples, Random &random)
{
    Tables tables{StatisticsTable(examples, population.metric.statisticsSize()),
                  StatisticsTable(examples, population.metric.statisticsSize())};
    for (std::size_t i = 0; i < examples; ++i)
        population.draw(random, tables.baseline.row(i), tables.variant.row(i));
    return tables;
}

bool holds(const Interval &interval, double truth)
{
    constexpr double kRounding = 1e-9;
    return interval.low <= truth + kRounding && truth - kRounding <= interval.high;
}

void printCoverage(const Population &population, int samples, std::int64_t resamples)
{
    Random large(7);
    const Tables all = drawn(population, 400'000, large);
    const double truth = population.metric.score(all.variant.sums()) - population.metric.score(all.baseline.sums());
    const double score = population.metric.score(all.variant.sums());
    fmt::print("{:<38}", population.name);
    for (const std::size_t examples : {5, 10, 20, 50}) {
        int ofDelta = 0, byPercentiles = 0, ofScore = 0;
        Random random(examples);
        for (int sample = 0; sample < samples; ++sample) {
            const Tables tables = drawn(population, examples, random);
            const PairedBootstrap bootstrap(tables.baseline, population.metric, resamples,
                                            static_cast<std::uint64_t>(sample) + 1);
            const PairedComparison compared = bootstrap.compare(tables.variant);
            ofDelta += holds(compared.interval, truth);
            byPercentiles += holds(percentileInterval(compared.replicates), truth);
            ofScore += holds(bootstrap.scoreInterval(tables.variant), score);
        }
        const auto percent = [&](int count) { return 100.0 * count / samples; };
        fmt::print("  {:5.1f} {:5.1f} {:5.1f}", percent(ofDelta), percent(byPercentiles), percent(ofScore));
    }
    fmt::print("\n");
}

Population ofNumbers(const char *name, const Metric &metric, const std::function<double(Random &)> &draw)
{
    return {name, metric, [draw](Random &random, std::span<double> baseline, std::span<double> variant) {
                baseline[0] = 0;
                variant[0] = draw(random);
                baseline[1] = variant[1] = 1;
            }};
}

/// A head that turns some right answers wrong, and fewer wrong ones right.
Population ofAnswers(const char *name, const Metric &metric, double right, double lost, double won)
{
    return {name, metric, [=](Random &random, std::span<double> baseline, std::span<double> variant) {
                baseline[0] = random.uniform() < right;
                const double turned = random.uniform();
                variant[0] = baseline[0] > 0 ? turned >= lost : turned < won;
                baseline[1] = variant[1] = 1;
            }};
}

/// A head that changes this share of the translations.
Population ofTranslations(const char *name, const Metric &metric, double share, double quality)
{
    return {name, metric, [=](Random &random, std::span<double> baseline, std::span<double> variant) {
                std::ranges::copy(sentence(random, 0), baseline.begin());
                std::ranges::copy(baseline, variant.begin());
                if (random.uniform() < share)
                    std::ranges::copy(sentence(random, quality), variant.begin());
            }};
}

void printAllCoverage(int samples, std::int64_t resamples)
{
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const MeanOfNumbers mean({-kNone, kNone});
    const MeanOfNumbers share({0, 1});
    const BleuMetric bleu;
    const std::vector<Population> populations{
        ofNumbers("differences: normal", mean, normal),
        ofNumbers("differences: Student's t, 3", mean,
                  [](Random &random) {
                      double squares = 0;
                      for (int i = 0; i < 3; ++i)
                          squares += std::pow(normal(random), 2);
                      return normal(random) / std::sqrt(squares / 3);
                  }),
        ofNumbers("differences: exponential", mean, [](Random &random) { return -std::log(1 - random.uniform()); }),
        ofNumbers("differences: log-normal", mean, [](Random &random) { return std::exp(normal(random)); }),
        ofAnswers("answers: 0.7 right, 0.2 lost, 0.1 won", share, 0.7, 0.2, 0.1),
        ofAnswers("answers: 0.9 right, 0.1 lost", share, 0.9, 0.1, 0),
        ofAnswers("answers: 0.5 right, half of them new", share, 0.5, 0.5, 0.5),
        ofTranslations("BLEU: all translations new", bleu, 1, -0.1),
        ofTranslations("BLEU: a third of them new", bleu, 1.0 / 3, -0.1),
    };
    fmt::print("{} samples, {} resamples. Share of 95 % intervals that hold the truth, in %: of the difference, of the "
               "difference by percentiles alone, of the score\n{:<38}",
               samples, resamples, "");
    for (const int examples : {5, 10, 20, 50})
        fmt::print("  {:<17}", fmt::format("n = {}", examples));
    fmt::print("\n");
    for (const Population &population : populations)
        printCoverage(population, samples, resamples);
}

/// What sweeps of few texts say.
struct Called
{
    int studies = 0;
    int studiesWithWrong = 0;
    int heads = 0;
    int significant = 0; ///< after Holm
    int wrong = 0;       ///< of them: of the other sign than on all texts
    int belowPossible = 0;
    int byPercentiles = 0; ///< that p of the percentile bootstrap would have called so
};

Dataset someOf(const Dataset &dataset, std::size_t first, std::size_t count)
{
    Dataset some = dataset;
    some.examples.assign(dataset.examples.begin() + static_cast<std::ptrdiff_t>(first),
                         dataset.examples.begin() + static_cast<std::ptrdiff_t>(first + count));
    return some;
}

void addStudy(const AblationResult &study, const std::map<HeadRef, double> &truth, Called &called)
{
    int wrong = 0;
    for (const HeadAblation &head : study.heads) {
        const auto n = static_cast<double>(head.examples);
        called.belowPossible += head.p < std::pow(2, 1 - n) * (1 - 1e-12);
        const bool isSignificant = head.pAdjusted <= kSignificanceLevel;
        called.significant += isSignificant;
        wrong += isSignificant && head.delta * truth.at(head.head) <= 0;
    }
    called.heads += static_cast<int>(study.heads.size());
    called.byPercentiles += static_cast<int>(std::ranges::count_if(study.heads, [&](const HeadAblation &head) {
        return !head.replicates.empty()
            && (head.replicates.front() > 0 || head.replicates.back() < 0); // of one sign: p = 2 / (R + 1)
    }));
    called.wrong += wrong;
    called.studiesWithWrong += wrong > 0;
    ++called.studies;
}

void printModels(const std::filesystem::path &folder)
{
    constexpr int kModels = 20;
    constexpr int kTexts = 600;
    constexpr std::size_t kStudies = 5;
    std::map<std::pair<std::string, std::size_t>, Called> all;
    for (int number = 0; number < kModels; ++number) {
        const auto own = folder / std::to_string(number);
        writeRandomModel(own, "small-bert", {kTexts, 5, 12}, static_cast<std::uint64_t>(number) + 1);
        const Execution execution(torch::Device(torch::kCPU));
        OpenModel model{nullptr, nullptr, execution, {}};
        const LoadedModel loaded = loadModel(own, execution.tensorOptions(), {}).valueOrThrow();
        model.transformer = loaded.transformer;
        DataSource source;
        source.table = (own / "rows.jsonl").string();
        const Dataset dataset = readDataset(source, {}).valueOrThrow();
        for (const std::string metric : {"loss", "accuracy"}) {
            AblationSpec spec;
            spec.run.metric = metric;
            std::map<HeadRef, double> truth; // labels are random, so that accuracy is what it is by chance
            const auto whole = makeTask(model, dataset, {}).valueOrThrow();
            for (const HeadAblation &head : ablate(*whole, spec, {}, nullptr, {}, {}).heads)
                truth[head.head] = metric == "accuracy" ? 0 : head.delta;
            std::size_t first = 0;
            for (const std::size_t examples : {2, 3, 5, 10}) {
                for (std::size_t study = 0; study < kStudies; ++study, first += examples) {
                    const auto task = makeTask(model, someOf(dataset, first, examples), {}).valueOrThrow();
                    addStudy(ablate(*task, spec, {}, nullptr, {}, {}), truth, all[{metric, examples}]);
                }
            }
        }
    }
    fmt::print("{} random classifiers, {} studies each; heads called significant after Holm at 5 %\n", kModels,
               kStudies);
    for (const auto &[of, called] : all)
        fmt::print(
            "{:<9} n = {:<3} {} of {} heads significant ({} with the wrong sign), in {} of {} studies a wrong one; "
            "{} with p below 2^(1 - n); all resamples of one sign: {}\n",
            of.first, of.second, called.significant, called.heads, called.wrong, called.studiesWithWrong,
            called.studies, called.belowPossible, called.byPercentiles);
}

} // namespace
} // namespace headscope

int main(int argc, char **argv)
{
    const std::span<char *> arguments(argv, static_cast<std::size_t>(argc));
    if (arguments.size() == 3 && std::string(arguments[1]) == "--models") {
        headscope::printModels(arguments[2]);
        return 0;
    }
    const auto argument = [&](std::size_t place, const char *otherwise) {
        return std::strtol(arguments.size() > place ? arguments[place] : otherwise, nullptr, 10);
    };
    headscope::printAllCoverage(static_cast<int>(argument(1, "2000")), argument(2, "1000"));
}
