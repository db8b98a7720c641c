#include "core/results/corrections.h"

#include "core/results/manifest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace headscope {
namespace {

/// An error that numbers of results had, and which results.
struct WrongNumbers
{
    bool (*concerns)(const Manifest &result, std::string_view task);
};

bool isOfLanguageModel(std::string_view task)
{
    return task == "language-modelling" || task == "masked-language-modelling";
}

/// In the order in which they were made; never removed, since keys count them.
constexpr std::array kCorrections{
    // Sweeps kept the full model's likelihood of a text wherever no best token changed, and log-probabilities were
    // summed in single precision. What looks at attention alone was right.
    WrongNumbers{[](const Manifest &result, std::string_view task) {
        constexpr std::array<std::string_view, 7> kMeasuring{"evaluate", "ablate",   "prune",      "search",
                                                             "mcnemar",  "dynamics", "collaborate"};
        return isOfLanguageModel(task) && std::ranges::find(kMeasuring, result.analysis) != kMeasuring.end();
    }},
    // Batches of importance ended where the memory for kept states did.
    WrongNumbers{[](const Manifest &result, std::string_view) {
        const auto reduces = [&](std::string_view how) {
            return result.spec.find("\"reduction\":\"" + std::string(how) + '"') != std::string::npos;
        };
        return result.analysis == "importance" && (reduces("batch") || reduces("fisher"));
    }},
    // Bootstrap intervals and p of few examples said more than the examples do; without resamples p was 1.
    WrongNumbers{[](const Manifest &result, std::string_view) {
        constexpr std::array<std::string_view, 8> kInferring{"evaluate",     "ablate",  "prune",    "search",
                                                             "interactions", "shapley", "takeover", "patch"};
        constexpr std::int64_t kFew = 50; // from there on the intervals covered as often as they do now
        const bool hasNone = result.spec.find("\"resamples\":0") != std::string::npos;
        return std::ranges::find(kInferring, result.analysis) != kInferring.end()
            && (hasNone || (result.totalExamples > 0 && result.totalExamples < kFew));
    }},
    // Texts without pairs were asked for the token before their last one.
    WrongNumbers{[](const Manifest &result, std::string_view task) {
        return result.analysis == "takeover" && task == "language-modelling";
    }},
    // Orders were called enough too early: 1.96 standard errors of few pairs of them cover less than 95 %.
    WrongNumbers{[](const Manifest &result, std::string_view) {
        return result.analysis == "shapley" && result.spec.find("\"order-precision\":") != std::string::npos;
    }},
};

} // namespace

int correctionsOf(const Manifest &result, std::string_view task)
{
    return static_cast<int>(
        std::ranges::count_if(kCorrections, [&](const WrongNumbers &one) { return one.concerns(result, task); }));
}

} // namespace headscope
