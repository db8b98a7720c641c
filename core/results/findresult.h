#pragma once

#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

/// Where in a data set a head attends to something.
namespace headscope {

/// The place in one example where the head gives it most weight.
struct FoundPlace
{
    std::int64_t index = 0;   ///< row of the data set
    double weight = 0;        ///< summed over the tokens of the word that is attended to
    std::int64_t query = 0;   ///< token that attends, by its place in the head's attention map
    std::int64_t key = 0;     ///< token attended to: of several of a word, the one with the largest weight
    std::string queryToken{}; ///< their spelling; empty where it is not known
    std::string keyToken{};
    std::string text{}; ///< the example's source

    bool operator==(const FoundPlace &) const = default;
};

struct FindResult
{
    static constexpr const char *kKind = "find";
    Manifest manifest;
    HeadRef head;
    std::string what;     ///< what was looked for: "token the", "part of speech VERB", "offset -1", "any token"
    std::string prefix{}; ///< what the decoder was forced to: "reference", "own output"; empty: there is no such choice
    std::int64_t matching = 0;        ///< examples that have such a place at all
    double meanWeight = 0;            ///< mean over these of the weight of their best place
    std::vector<FoundPlace> places{}; ///< one per example, the largest weights first
    std::int64_t examples = 0;        ///< that were searched
};

void describe(auto &visit, Of<FoundPlace> auto &place)
{
    visit.field("index", place.index, "row of the data set, from 0");
    visit.field("weight", place.weight, "attention weight, summed over the tokens of the word that is attended to");
    visit.field("query", place.query, "place of the token that attends, from 0");
    visit.field("key", place.key,
                "place of the token attended to, from 0; of several of a word, the one with the largest weight");
    visit.field("query_token", place.queryToken, "its spelling");
    visit.field("key_token", place.keyToken, "its spelling");
    visit.field("text", place.text, "source text of the example");
}

void describe(auto &visit, Of<FindResult> auto &result)
{
    visit.field("head", result.head, "address");
    visit.field("what", result.what, "what was looked for");
    visit.rare("prefix", result.prefix, "what the decoder was forced to: `reference` or `own output`");
    visit.field("examples", result.examples, "searched");
    visit.field("matching", result.matching, "of these, with such a place");
    visit.field("mean_weight", result.meanWeight, "mean over those of the weight of their best place");
    visit.field("places", result.places, "the best place of an example, the largest weights first");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
