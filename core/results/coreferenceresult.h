#pragma once

#include "core/base/coreference.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Whether heads attend to antecedents (Clark et al. 2019, section 4.3 and Table 2).
namespace headscope {

/// How often an antecedent was found: of all mentions that have one, and of those whose head is a pronoun, a name, or
/// another noun. None: there are no such mentions.
struct AntecedentAccuracy
{
    double all = 0;
    std::array<std::optional<double>, kMentionForms> byForm{};
};

/// One that chooses antecedents without a model.
struct CoreferenceBaseline
{
    std::string name; ///< "nearest", "head match", "sieves", "chance"
    AntecedentAccuracy accuracy;
};

struct HeadCoreference
{
    HeadRef head;
    AntecedentAccuracy accuracy;
    Interval interval; ///< 95 %, of all, over documents
};

struct CoreferenceResult
{
    static constexpr const char *kKind = "coreference";
    Manifest manifest;
    std::int64_t mentions = 0; ///< with an antecedent: what accuracies are of
    std::array<std::int64_t, kMentionForms> byForm{};
    std::int64_t leftOut = 0; ///< mentions whose head word has no token, since the text was cut
    std::vector<CoreferenceBaseline> baselines;
    std::vector<HeadCoreference> heads; ///< of the attention that reads the text
    std::int64_t examples = 0;          ///< documents with such mentions
};

void describe(auto &visit, Of<AntecedentAccuracy> auto &accuracy)
{
    visit.field("accuracy", accuracy.all, "share of the mentions with an antecedent for which one was found");
    visit.rare("pronoun", accuracy.byForm[0], "of those whose head is a pronoun");
    visit.rare("proper", accuracy.byForm[1], "a name");
    visit.rare("nominal", accuracy.byForm[2], "another noun");
}

void describe(auto &visit, Of<CoreferenceBaseline> auto &baseline)
{
    visit.field(
        "name", baseline.name,
        "`nearest` mention, nearest of the same head word (`head match`), `sieves` (string, head word, number, gender and "
        "person, any), `chance`");
    visit.merge(baseline.accuracy);
}

void describe(auto &visit, Of<HeadCoreference> auto &head)
{
    visit.field("head", head.head, "address");
    visit.merge(head.accuracy);
    visit.merge(head.interval);
}

void describe(auto &visit, Of<CoreferenceResult> auto &result)
{
    visit.field("mentions", result.mentions, "that have an antecedent in their document");
    visit.field("pronouns", result.byForm[0], "of them by the head word");
    visit.field("names", result.byForm[1], "of them by the head word");
    visit.field("nominals", result.byForm[2], "of them by the head word");
    visit.field("left_out", result.leftOut, "mentions of which the model reads no token, since the text was cut");
    visit.field("examples", result.examples, "documents with such mentions");
    visit.field("baselines", result.baselines, "that look at words only");
    visit.field("heads", result.heads, "those that read the text");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
