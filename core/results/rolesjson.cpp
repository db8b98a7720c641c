#include "core/results/rolesjson.h"

#include "core/results/jsonread.h"

namespace headscope {
namespace {

using nlohmann::json;
using jsonread::integer;
using jsonread::number;

Json toJson(const Share &share)
{
    return {{"share", share.value()}, {"hits", share.hits}, {"instances", share.instances}, {"expected", share.expected}};
}

Share shareFrom(const json &object)
{
    return {integer(object, "hits", 0), integer(object, "instances", 0), number(object, "expected", 0)};
}

Json toJson(const OffsetHistogram &histogram)
{
    Json list = Json::array();
    for (int offset = -kLargestOffset; offset <= kLargestOffset; ++offset) {
        Json one = {{"offset", offset}};
        one.update(toJson(histogram.at(offset)));
        list.push_back(std::move(one));
    }
    return {{"queries", histogram.queries}, {"farther", histogram.farther}, {"ties", histogram.ties}, {"histogram", list}};
}

OffsetHistogram offsetsFrom(const json &object)
{
    OffsetHistogram histogram;
    histogram.queries = integer(object, "queries", 0);
    histogram.farther = integer(object, "farther", 0);
    histogram.ties = integer(object, "ties", 0);
    for (const json &one : object.at("histogram")) {
        const std::int64_t offset = integer(one, "offset", 0);
        if (offset < -kLargestOffset || offset > kLargestOffset)
            throw Failure(badInput("the offset " + std::to_string(offset) + " is beyond the histogram"));
        histogram.at(static_cast<int>(offset)) = shareFrom(one);
    }
    return histogram;
}

Json toJson(const std::vector<SentenceShare> &sentences)
{
    Json list = Json::array();
    for (const SentenceShare &sentence : sentences)
        list.push_back({{"index", sentence.index}, {"hits", sentence.hits}, {"instances", sentence.instances}});
    return list;
}

std::vector<SentenceShare> sentencesFrom(const json &list)
{
    std::vector<SentenceShare> sentences;
    for (const json &one : list)
        sentences.push_back({integer(one, "index", 0), integer(one, "hits", 0), integer(one, "instances", 0)});
    return sentences;
}

Json toJson(const RoleLabel &label)
{
    Json object = {{"role", roleName(label.role)}, {"claim", claimOf(label)}};
    if (label.role == Role::Positional)
        object["offset"] = label.offset;
    if (label.role == Role::Syntactic) {
        object["relation"] = label.relation;
        object["direction"] = toText(label.direction);
    }
    object["score"] = label.score;
    object["expected"] = label.expected;
    object["instances"] = label.instances;
    object["supported"] = label.supported;
    return object;
}

Json relationsJson(const RolesResult &result, const HeadRoleScores &head)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < head.relationHits.size() && i < result.relations.size(); ++i) {
        const RelationDirection &relation = result.relations[i];
        list.push_back({{"relation", relation.relation},
                        {"direction", toText(relation.direction)},
                        {"hits", head.relationHits[i]},
                        {"accuracy", accuracyOf(result, head, i)}});
    }
    return list;
}

Json toJson(const HeadRoleScores &head, const HeadRoles &roles, const RolesResult &result)
{
    Json labels = Json::array();
    for (const RoleLabel &label : roles.labels)
        labels.push_back(toJson(label));
    Json object = {{"head", toText(head.head)},
                   {"role", roles.first() ? Json(labelText(*roles.first())) : Json()},
                   {"ambiguous", roles.isAmbiguous()},
                   {"labels", std::move(labels)},
                   {"confidence", head.confidence},
                   {"tokens", head.tokens},
                   {"offsets", toJson(head.offsets)}};
    if (!head.relationHits.empty())
        object["relations"] = relationsJson(result, head);
    if (head.rarest)
        object["rarest"] = toJson(*head.rarest);
    if (head.twoRarest)
        object["two_rarest"] = toJson(*head.twoRarest);
    object["patterns"] = Json::array();
    for (const PatternScore &score : head.patterns)
        object["patterns"].push_back({{"pattern", toText(score.pattern)},
                                      {"mass", score.mass},
                                      {"expected", score.expected},
                                      {"queries", score.queries}});
    if (head.alignment)
        object["alignment_error"] = {{"when_predicted", head.alignment->whenPredicted},
                                     {"when_read", head.alignment->whenRead},
                                     {"sentences", head.alignment->sentences}};
    object["evidence"] = Json::array();
    for (const RoleEvidence &evidence : head.evidence)
        object["evidence"].push_back(
            {{"claim", evidence.claim}, {"for", toJson(evidence.best)}, {"against", toJson(evidence.worst)}});
    return object;
}

HeadRoleScores headFrom(const json &object)
{
    HeadRoleScores head;
    head.head = jsonread::head(object);
    head.confidence = number(object, "confidence");
    head.tokens = integer(object, "tokens", 0);
    head.offsets = offsetsFrom(object.at("offsets"));
    if (object.contains("relations"))
        for (const json &relation : object["relations"])
            head.relationHits.push_back(integer(relation, "hits", 0));
    if (object.contains("rarest"))
        head.rarest = shareFrom(object["rarest"]);
    if (object.contains("two_rarest"))
        head.twoRarest = shareFrom(object["two_rarest"]);
    for (const json &score : object.at("patterns"))
        head.patterns.push_back({parseName<Pattern>(score.at("pattern").get<std::string>())
                                     .valueOrThrow(),
                                 number(score, "mass"), number(score, "expected"), integer(score, "queries", 0)});
    if (object.contains("alignment_error")) {
        const json &error = object["alignment_error"];
        head.alignment = AlignmentError{number(error, "when_predicted"), number(error, "when_read"),
                                        integer(error, "sentences", 0)};
    }
    for (const json &evidence : object.at("evidence"))
        head.evidence.push_back({evidence.at("claim").get<std::string>(), sentencesFrom(evidence.at("for")),
                                 sentencesFrom(evidence.at("against"))});
    return head;
}

Json thresholdsJson(const RoleThresholds &thresholds)
{
    return {{"positional", thresholds.positional},   {"syntactic_margin", thresholds.syntacticMargin},
            {"rare_word", thresholds.rareWord},      {"pattern", thresholds.pattern},
            {"instances", thresholds.instances},     {"relations", thresholds.relations}};
}

} // namespace

Json toJson(const RolesResult &result, const RoleThresholds &thresholds)
{
    Json relations = Json::array();
    for (std::size_t i = 0; i < result.relations.size(); ++i) {
        const RelationDirection &relation = result.relations[i];
        relations.push_back({{"relation", relation.relation},
                             {"direction", toText(relation.direction)},
                             {"instances", relation.instances},
                             {"baseline_offset", relation.baselineOffset},
                             {"baseline", relation.baseline},
                             {"chance", relation.chance}});
        if (const HeadRoleScores *best = bestHeadOf(result, i)) {
            relations.back()["best_head"] = toText(best->head);
            relations.back()["best_accuracy"] = accuracyOf(result, *best, i);
        }
    }
    const std::vector<HeadRoles> roles = assignRoles(result, thresholds);
    Json heads = Json::array();
    for (std::size_t i = 0; i < result.heads.size(); ++i)
        heads.push_back(toJson(result.heads[i], roles[i], result));
    Json object = {{"result", "roles"},
            {"measure", toText(result.measure)},
            {"special_tokens", toText(result.specialTokens)},
            {"renormalized", result.renormalized},
            {"prefix", result.prefix},
            {"examples", result.examples},
            {"thresholds", thresholdsJson(thresholds)},
            {"trees",
             {{"sentences", result.trees},
              {"not_aligned", result.treesNotAligned},
              {"words_not_aligned", result.wordsNotAligned}}},
            {"rarity",
             {{"from", result.rarityFrom},
              {"approximate", result.rarityApproximate},
              {"sentences", result.raritySentences}}},
            {"alignments", result.alignments},
            {"relations", std::move(relations)},
            {"heads", std::move(heads)},
            {"manifest", headscope::toJson(result.manifest)}};
    if (result.measure == AttentionMeasure::UnscaledNorms)
        object["unscaled"] = true;
    return object;
}

Json toJson(const RolesResult &result)
{
    return toJson(result, RoleThresholds());
}

RolesResult rolesFromJson(const json &object)
{
    RolesResult result;
    result.manifest = manifestFromJson(object.at("manifest"), "manifest").valueOrThrow();
    result.measure = parseName<AttentionMeasure>(object.at("measure").get<std::string>()).valueOrThrow();
    // Up to version 0.1 the shares were called norms.
    if (result.measure == AttentionMeasure::UnscaledNorms && !object.value("unscaled", false))
        result.measure = AttentionMeasure::Norms;
    result.specialTokens = parseName<SpecialTokens>(object.at("special_tokens").get<std::string>()).valueOrThrow();
    result.renormalized = object.value("renormalized", false);
    result.prefix = jsonread::text(object, "prefix");
    result.examples = integer(object, "examples", 0);
    const json &trees = object.at("trees");
    result.trees = integer(trees, "sentences", 0);
    result.treesNotAligned = integer(trees, "not_aligned", 0);
    result.wordsNotAligned = integer(trees, "words_not_aligned", 0);
    const json &rarity = object.at("rarity");
    result.rarityFrom = jsonread::text(rarity, "from");
    result.rarityApproximate = rarity.value("approximate", false);
    result.raritySentences = integer(rarity, "sentences", 0);
    result.alignments = integer(object, "alignments", 0);
    for (const json &one : object.at("relations")) {
        auto direction = parseName<ArcDirection>(one.at("direction").get<std::string>());
        const std::int64_t offset = integer(one, "baseline_offset", 0);
        result.relations.push_back({one.at("relation").get<std::string>(), std::move(direction).valueOrThrow(),
                                    integer(one, "instances", 0), static_cast<int>(offset), number(one, "baseline"),
                                    number(one, "chance")});
    }
    for (const json &head : object.at("heads"))
        result.heads.push_back(headFrom(head));
    return result;
}

} // namespace headscope
