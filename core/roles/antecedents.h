#pragma once

#include "core/base/coreference.h"
#include "core/roles/headcounts.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope {

/// Ways to choose an antecedent that look at words only (Clark et al. 2019, section 4.3, after Lee et al. 2011).
enum class AntecedentRule {
    Nearest,   ///< the mention before
    HeadMatch, ///< the nearest of the same head word; none: nothing is chosen
    Sieves,    ///< the nearest of the same words; else of the same head word; else that may agree in number, gender and
               ///< person; else any
};
inline constexpr std::size_t kAntecedentRules = 3;

/// A mention that has an antecedent among the mentions before it.
struct AntecedentChoice
{
    MentionForm form = MentionForm::Nominal;
    int word = 0;                           ///< its head word, by its place in AntecedentTask::words
    std::vector<int> candidates;            ///< head words of the mentions before it, by their places, each once
    std::vector<std::uint8_t> isAntecedent; ///< parallel to them
    std::array<bool, kAntecedentRules> ruleHits{};
};

/// The mentions of a document, prepared for counting antecedents.
struct AntecedentTask
{
    std::vector<int> words; ///< head words of mentions, ascending
    std::vector<AntecedentChoice> choices;
    std::int64_t leftOut = 0; ///< mentions whose head word has no token
};

/// `hasTokens`: which words of the document the model reads.
AntecedentTask antecedentTask(const Coreference &document, const std::vector<std::uint8_t> &hasTokens);

/// Hits, or expected hits, by form.
using FormSums = std::array<double, kMentionForms>;

/// For how many mentions a head's attention from the mention's word is largest, among candidates, on an antecedent.
/// Equal weights are no choice. `words` [W, W]: attention between AntecedentTask::words, summed over pieces.
FormSums antecedentHits(const AntecedentTask &task, const std::vector<double> &words);

} // namespace headscope
