#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

/// How much the loss follows the attention of heads to kinds of keys (Clark et al. 2019, Figure 3).
namespace headscope {

/// The class of a key for a query: the first of these that holds.
enum class KeyClass : std::uint8_t {
    First,     ///< the special token that starts the text: [CLS], the decoder's start
    Delimiter, ///< every other special token without text: [SEP], </s>
    Punctuation,
    Self,     ///< the query itself
    Same,     ///< another place with the query's token
    Previous, ///< the token before the query
    Next,     ///< the token after it
    Other,
};
template<>
struct EnumNames<KeyClass>
{
    static constexpr std::array<std::string_view, 8> values{"first", "delimiter", "punctuation", "self",
                                                            "same",  "previous",  "next",        "other"};
    static constexpr const char *what = "class of keys";
};
inline constexpr std::size_t kKeyClasses = EnumNames<KeyClass>::values.size();

/// A head's attention α to the keys of a class, and the derivatives of the loss by it.
struct KeyGradient
{
    KeyClass keys = KeyClass::Other;
    double attention = 0;     ///< Σ α of a query's keys, mean over the queries that have such keys
    double gradient = 0;      ///< |∂L/∂α|, mean over pairs of a query and such a key
    double standardError = 0; ///< of the gradient, over examples
    double product = 0;       ///< Σ α·∂L/∂α of a query's keys, mean over the same queries
};

struct HeadKeyGradients
{
    HeadRef head;
    std::vector<KeyGradient> keys; ///< classes that some query has, ascending
};

/// The counts that the means of all heads of one kind of attention are over.
struct KeyCount
{
    HeadKind kind = HeadKind::Encoder;
    KeyClass keys = KeyClass::Other;
    std::int64_t pairs = 0;
    std::int64_t queries = 0;
};

struct AttentionGradientsResult
{
    static constexpr const char *kKind = "gradients";
    Manifest manifest;
    double meanLoss = 0; ///< per target token, nats
    std::vector<KeyCount> counts;
    std::vector<HeadKeyGradients> heads;
    std::int64_t examples = 0;
};

/// Means over the heads of a layer.
struct LayerKeyGradient
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    KeyGradient mean; ///< without a standard error
};
/// By kind, then class, then layer.
std::vector<LayerKeyGradient> layerMeans(const AttentionGradientsResult &result);

void describe(auto &visit, Of<KeyGradient> auto &gradient)
{
    visit.field("keys", gradient.keys, "class of keys");
    visit.field("attention", gradient.attention, "to all such keys of a token, mean over the tokens that have any");
    visit.field("gradient", gradient.gradient,
                "absolute derivative of the loss by one weight, mean over tokens and such keys");
    visit.field("stderr", gradient.standardError, "of the gradient, over examples");
    visit.field("product", gradient.product,
                "weight times derivative, summed over such keys of a token, mean over the tokens that have any");
}

void describe(auto &visit, Of<HeadKeyGradients> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("keys", head.keys, "one for each class");
}

void describe(auto &visit, Of<KeyCount> auto &count)
{
    visit.field("kind", count.kind, "of attention");
    visit.field("keys", count.keys, "class of keys");
    visit.field("pairs", count.pairs, "of a token and such a key");
    visit.field("queries", count.queries, "tokens that have such a key");
}

void describe(auto &visit, Of<AttentionGradientsResult> auto &result)
{
    visit.field("mean_loss", result.meanLoss, "nats per target token");
    visit.field("examples", result.examples, "used");
    visit.field("counts", result.counts, "what means are over, the same for all heads of a kind");
    visit.field("heads", result.heads, "of each the means by class of keys");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
