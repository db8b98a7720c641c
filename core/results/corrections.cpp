#include "core/results/corrections.h"

#include "core/results/cards.h"
#include "core/results/manifest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headscope {
namespace {

/// An error that numbers of results had, and which results.
struct WrongNumbers
{
    bool (*concerns)(const Manifest &result, const ModelCard &model);
};

bool isOfLanguageModel(const ModelCard &model)
{
    return model.task == "language-modelling" || model.task == "masked-language-modelling";
}

bool isOneOf(const std::string &analysis, std::initializer_list<std::string_view> analyses)
{
    return std::ranges::find(analyses, analysis) != analyses.end();
}

bool searchesWithBeams(const Manifest &result, const ModelCard &model)
{
    const bool says = result.spec.find("\"beams\":") != std::string::npos;
    return says ? result.spec.find("\"beams\":1,") == std::string::npos
                      && result.spec.find("\"beams\":1}") == std::string::npos
                : !model.generation.empty() && !model.generation.starts_with("greedy");
}

/// In the order in which they were made; never removed, since keys count them.
constexpr std::array kCorrections{
    // Sweeps kept the full model's likelihood of a text wherever no best token changed, and log-probabilities were
    // summed in single precision. What looks at attention alone was right.
    WrongNumbers{[](const Manifest &result, const ModelCard &model) {
        return isOfLanguageModel(model)
            && isOneOf(result.analysis,
                       {"evaluate", "ablate", "prune", "search", "mcnemar", "dynamics", "collaborate"});
    }},
    // Batches of importance ended where the memory for kept states did.
    WrongNumbers{[](const Manifest &result, const ModelCard &) {
        const auto reduces = [&](std::string_view how) {
            return result.spec.find("\"reduction\":\"" + std::string(how) + '"') != std::string::npos;
        };
        return result.analysis == "importance" && (reduces("batch") || reduces("fisher"));
    }},
    // Bootstrap intervals and p of few examples said more than the examples do; without resamples p was 1.
    WrongNumbers{[](const Manifest &result, const ModelCard &) {
        constexpr std::int64_t kFew = 50; // from there on the intervals covered as often as they do now
        const bool hasNone = result.spec.find("\"resamples\":0") != std::string::npos;
        return isOneOf(result.analysis,
                       {"evaluate", "ablate", "prune", "search", "interactions", "shapley", "takeover", "patch"})
            && (hasNone || (result.totalExamples > 0 && result.totalExamples < kFew));
    }},
    // Texts without pairs were asked for the token before their last one.
    WrongNumbers{[](const Manifest &result, const ModelCard &model) {
        return result.analysis == "takeover" && model.task == "language-modelling";
    }},
    // Orders were called enough too early: 1.96 standard errors of few pairs of them cover less than 95 %.
    WrongNumbers{[](const Manifest &result, const ModelCard &) {
        return result.analysis == "shapley" && result.spec.find("\"order-precision\":") != std::string::npos;
    }},
    // Beam search went on while the best candidate that had just finished could have beaten the finished ones;
    // transformers since 4.50 asks this of the sequences that go on.
    WrongNumbers{[](const Manifest &result, const ModelCard &model) {
        return isOneOf(result.analysis, {"evaluate", "ablate", "prune", "search", "mcnemar", "dynamics", "collaborate",
                                         "shapley", "interactions"})
            && model.task == "translation" && searchesWithBeams(result, model);
    }},
};

} // namespace

int correctionsOf(const Manifest &result, const ModelCard &model)
{
    return static_cast<int>(
        std::ranges::count_if(kCorrections, [&](const WrongNumbers &one) { return one.concerns(result, model); }));
}

} // namespace headscope
