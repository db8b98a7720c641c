#pragma once

#include "core/results/resultfields.h"
#include "core/results/roles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The fields of `roles`, as resultfields.h has those of the others. Labels follow from the counts and are not read
/// back.
namespace headscope {

void describe(auto &visit, Of<RoleThresholds> auto &thresholds)
{
    visit.added("positional", thresholds.positional, "share of the largest weights at one offset");
    visit.added("syntactic_margin", thresholds.syntacticMargin, "accuracy above the best fixed offset");
    visit.added("rare_word", thresholds.rareWord, "share of the largest weights on the two rarest tokens");
    visit.added("pattern", thresholds.pattern, "attention mass of the other patterns");
    visit.added("instances", thresholds.instances, "fewer do not support a label");
    visit.added("relations", thresholds.relations, "that make a head syntactic; empty: all");
}

void describe(auto &visit, Of<Share> auto &share)
{
    visit.derived("share", "hits by instances", [&]() -> Json { return share.value(); });
    visit.added("hits", share.hits, "so many");
    visit.added("instances", share.instances, "of so many");
    visit.added("expected", share.expected, "of a head that attends to every key alike");
}

void describe(auto &visit, Of<OffsetHistogram> auto &histogram)
{
    visit.added("queries", histogram.queries, "all of them");
    visit.added("farther", histogram.farther, "largest weight beyond 7");
    visit.added("ties", histogram.ties, "no single largest weight");
    visit.form(
        "histogram", histogram,
        "`offset` (key minus query, -7 to 7; of cross-attention from the diagonal) and its share",
        [](const OffsetHistogram &of) -> Json {
            Json list = Json::array();
            for (int offset = -kLargestOffset; offset <= kLargestOffset; ++offset) {
                Json one = {{"offset", offset}};
                one.update(fieldsJson(of.at(offset)));
                list.push_back(std::move(one));
            }
            return list;
        },
        [](OffsetHistogram &of, const nlohmann::json &list) {
            for (const nlohmann::json &one : list) {
                const std::int64_t offset = jsonread::integer(one, "offset", 0);
                if (offset < -kLargestOffset || offset > kLargestOffset)
                    throw Failure(badInput("the offset " + std::to_string(offset) + " is beyond the histogram"));
                of.at(static_cast<int>(offset)) = fieldsFrom<Share>(one);
            }
        },
        true);
}

void describe(auto &visit, Of<PatternScore> auto &score)
{
    visit.field("pattern", score.pattern, "kind of key");
    visit.field("mass", score.mass, "attention on it, of the queries that have such a key");
    visit.field("expected", score.expected, "under uniform attention");
    visit.added("queries", score.queries, "that have such a key");
}

void describe(auto &visit, Of<AlignmentError> auto &error)
{
    visit.field("when_predicted", error.whenPredicted, "of the row that predicts the word");
    visit.field("when_read", error.whenRead, "of the row that reads it");
    visit.added("sentences", error.sentences, "with an alignment");
}

void describe(auto &visit, Of<SentenceShare> auto &share)
{
    visit.added("index", share.index, "row of the data set");
    visit.added("hits", share.hits, "so many");
    visit.added("instances", share.instances, "of so many");
}

void describe(auto &visit, Of<RoleEvidence> auto &evidence)
{
    visit.field("claim", evidence.claim, "the claim about the head");
    visit.field("for", evidence.best, "sentences for it");
    visit.field("against", evidence.worst, "and against it");
}

void describe(auto &visit, Of<RoleLabel> auto &label)
{
    visit.form(
        "role", label.role, "its name", [](const Role &role) -> Json { return roleName(role); },
        [](Role &role, const nlohmann::json &name) { role = parseRole(name.get<std::string>()).valueOrThrow(); }, true);
    visit.derived("claim", "what it says", [&]() -> Json { return claimOf(label); });
    visit.when(label.role == Role::Positional, "offset", label.offset, "of a positional one");
    visit.when(label.role == Role::Syntactic, "relation", label.relation, "of a syntactic one");
    visit.when(label.role == Role::Syntactic, "direction", label.direction, "of a syntactic one");
    visit.field("score", label.score, "0 to 1");
    visit.field("expected", label.expected, "without any preference");
    visit.field("instances", label.instances, "that it rests on");
    visit.field("supported", label.supported, "they are enough");
    visit.rare("delta", label.delta,
               "of a retrieval head: score with its window (ablate --replace window) minus that of the full model");
    visit.rare("delta_p", label.deltaP, "its p, corrected over heads");
}

void describe(auto &visit, Of<RelationOffset> auto &offset)
{
    visit.field("offset", offset.offset, "in words, -1: the word before");
    visit.field("count", offset.count, "words with a partner there");
}

void describe(auto &visit, Of<RelationDirection> auto &relation)
{
    visit.field("relation", relation.relation, "between words");
    visit.field("direction", relation.direction, "direction of the relation");
    visit.added("instances", relation.instances, "words whose partner is looked for");
    visit.added("baseline_offset", relation.baselineOffset, "the best fixed one, in words");
    visit.field("baseline", relation.baseline, "its accuracy");
    visit.field("chance", relation.chance, "that of a word chosen at random");
    visit.rare("offsets", relation.offsets, "where partners lie, ascending");
}

void describe(auto &visit, Of<RoleDetectorScore> auto &detector)
{
    visit.field("role", detector.detector, "that it is for");
    visit.field("score", detector.score, "attention to the role's keys relative to uniform attention");
    visit.field("stderr", detector.standardError, "over sentences");
    visit.field("p", detector.p, "one-sided: no more than sieve_threshold");
    visit.field("p_adjusted", detector.pAdjusted, "Holm, over all heads and roles");
    visit.field("sentences", detector.sentences, "that it rests on");
}

/// `labels`: what the thresholds, and a sweep with windows, give `head`.
void describeHead(auto &visit, auto &head, const RolesResult &result, const HeadRoles &labels)
{
    visit.field("head", head.head, "address");
    visit.derived("role", "of the first supported label; null: none",
                  [&] { return labels.first() ? Json(labelText(*labels.first())) : Json(); });
    visit.derived("ambiguous", "there are supported labels of several roles",
                  [&]() -> Json { return labels.isAmbiguous(); });
    visit.derived("labels", "that pass the thresholds", [&] { return fieldJson(labels.labels); });
    visit.field("confidence", head.confidence, "mean of the largest weight");
    visit.added("tokens", head.tokens, "queries that it rests on");
    visit.field("offsets", head.offsets, "where the largest weight lies");
    visit.form(
        "relations", head, "`relation`, `direction`, `hits`, `accuracy`; in the order of the result's relations",
        [&](const HeadRoleScores &of) -> Json {
            if (of.relationHits.empty())
                return nothing();
            Json list = Json::array();
            for (std::size_t i = 0; i < of.relationHits.size() && i < result.relations.size(); ++i)
                list.push_back({{"relation", result.relations[i].relation},
                                {"direction", toText(result.relations[i].direction)},
                                {"hits", of.relationHits[i]},
                                {"accuracy", accuracyOf(result, of, i)}});
            return list;
        },
        [](HeadRoleScores &of, const nlohmann::json &list) {
            for (const nlohmann::json &relation : list)
                of.relationHits.push_back(jsonread::integer(relation, "hits", 0));
        });
    visit.rare("rarest", head.rarest, "largest weight on the rarest token of the sentence");
    visit.rare("two_rarest", head.twoRarest, "on one of the two rarest");
    visit.field("patterns", head.patterns, "that make sense for its kind");
    visit.rare("sieves", head.detectors, "roles by one score and its test (Pande et al. 2021)");
    visit.rare("alignment_error", head.alignment, "of cross-attention, where alignments were given");
    visit.field("evidence", head.evidence, "of the claims about it");
}

void describe(auto &visit, Of<RolesResult> auto &result, const RoleThresholds &thresholds,
              const WindowedSweep &windowed = {})
{
    visit.field("measure", result.measure, "measure by which keys are compared");
    visit.field("special_tokens", result.specialTokens, "whether they count for confidence");
    visit.added("renormalized", result.renormalized, "what is left beside them sums to 1");
    visit.added("prefix", result.prefix, "`reference`, `own output`; empty: there is no decoder");
    visit.added("examples", result.examples, "used");
    visit.derived("thresholds", "that the labels below pass", [&] { return fieldsJson(thresholds); });
    visit.part("trees", "dependency trees", [&](auto &inner) {
        inner.added("sentences", result.trees, "that could be scored");
        inner.added("not_aligned", result.treesNotAligned, "whose words could not be found in the text");
        inner.added("words_not_aligned", result.wordsNotAligned, "without a token of their own, in the others");
    });
    visit.part("rarity", "of tokens", [&](auto &inner) {
        inner.added("from", result.rarityFrom, "what says how rare a token is");
        inner.added("approximate", result.rarityApproximate, "by the order of the vocabulary");
        inner.added("sentences", result.raritySentences, "that count");
    });
    visit.added("alignments", result.alignments, "sentences with one");
    visit.rare("sinks", result.sinks, "keys that are first keys");
    visit.rare("window", result.window, "other keys at this distance from the query or more are distant");
    visit.added("sieve_threshold", result.sieveThreshold, "that scores of sieves were tested against");
    visit.list("relations", result.relations, "that were looked for",
               [&](auto &inner, auto &relation, std::size_t place) {
                   describe(inner, relation);
                   const auto best = [&] { return bestHeadOf(result, place); };
                   inner.derived("best_head", "of the highest accuracy",
                                 [&] { return best() ? Json(toText(best()->head)) : nothing(); });
                   inner.derived("best_accuracy", "its accuracy",
                                 [&] { return best() ? Json(accuracyOf(result, *best(), place)) : nothing(); });
               });
    std::vector<HeadRoles> labels = assignRoles(result, thresholds, windowed); // of none while reading
    visit.list("heads", result.heads, "one each", [&](auto &inner, auto &head, std::size_t place) {
        labels.resize(std::max(labels.size(), place + 1));
        describeHead(inner, head, result, labels[place]);
    });
    visit.field("manifest", result.manifest, "where the result comes from");
    bool unscaled = false; // up to version 0.1 the shares were called norms
    visit.form(
        "unscaled", result, "`norms` are as they are, not shares",
        [](const RolesResult &of) { return of.measure == AttentionMeasure::UnscaledNorms ? Json(true) : nothing(); },
        [&](RolesResult &, const nlohmann::json &found) { unscaled = found.get<bool>(); });
    afterReading(visit, result, [&](RolesResult &of) {
        if (of.measure == AttentionMeasure::UnscaledNorms && !unscaled)
            of.measure = AttentionMeasure::Norms;
    });
}

void describe(auto &visit, Of<RolesResult> auto &result)
{
    describe(visit, result, RoleThresholds());
}

} // namespace headscope
