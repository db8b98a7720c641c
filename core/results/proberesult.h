#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The evidence that a word's head in a dependency tree is guessed from.
enum class ProbeKind {
    Attention,        ///< weighted sums of all heads' attention, both ways
    AttentionWords,   ///< the weights depend on the two words
    DistanceWords,    ///< the distance of the two words and the words: what needs no attention
    BestHead,         ///< attention of the single head that does best in training
    FixedOffset,      ///< the offset that does best in training
    Previous,         ///< the word before ("right-branching")
    Next,             ///< the word after ("left-branching")
    AttentionVectors, ///< as AttentionWords, by word vectors of a file
    DistanceVectors,  ///< as DistanceWords, by word vectors of a file
    RandomAttention,  ///< as Attention, of the same model with random weights
    RandomWords,      ///< attention of random weights and the words: vectors of a file, else the model's own embeddings
};
template<>
struct EnumNames<ProbeKind>
{
    static constexpr std::array<std::string_view, 11> values{"attention",
                                                             "attention and words",
                                                             "distance and words",
                                                             "best head",
                                                             "fixed offset",
                                                             "previous word",
                                                             "next word",
                                                             "attention and vectors",
                                                             "distance and vectors",
                                                             "random attention",
                                                             "random attention and words"};
    static constexpr const char *what = "probe";
};

/// How well one way of guessing finds the heads of words in the sentences that it was not trained on.
struct ProbeScore
{
    ProbeKind kind = ProbeKind::Attention;
    std::string chosen;       ///< "encoder.2.3, dependent to head", "+1"; empty: nothing was chosen
    double accuracy = 0;      ///< unlabelled attachment score without punctuation, 0 … 1
    Interval interval{};      ///< 95 %, over sentences
    std::int64_t weights = 0; ///< that were trained
};

/// The attention probe's weights for a head.
struct ProbeHead
{
    HeadRef head;
    double fromDependent = 0; ///< weight of the attention of a word to its head
    double fromHead = 0;      ///< of the attention of the head to the word
};

/// Dependency trees read off attention by a small trained model (Clark et al. 2019, section 5).
struct ProbeResult
{
    static constexpr const char *kKind = "probe";
    Manifest manifest;
    std::vector<ProbeScore> probes;
    std::vector<ProbeHead> heads;
    double rootFirst
        = 0; ///< weight, for a word without head, of its attention to the special token that starts the text
    double rootLast = 0; ///< and to the other special tokens
    std::int64_t epochs = 0;
    double learningRate = 0;
    std::string trainedOn;            ///< the other data set; empty: other sentences of the same one
    std::int64_t trained = 0;         ///< sentences
    std::int64_t examples = 0;        ///< sentences that accuracies are of
    std::int64_t words = 0;           ///< of these, without punctuation
    std::int64_t left = 0;            ///< sentences that could not be used: no tree, or words without tokens
    std::string vectors{};            ///< file of word vectors; empty: none
    std::int64_t vectorWidth = 0;     ///< numbers of each
    std::int64_t wordsWithVector = 0; ///< of `words`
};

void describe(auto &visit, Of<ProbeScore> auto &probe)
{
    visit.field("probe", probe.kind, "what heads of words are guessed from");
    visit.rare("chosen", probe.chosen, "head or offset, by the training sentences");
    visit.field("accuracy", probe.accuracy, "unlabelled attachment score without punctuation, 0 to 1");
    visit.merge(probe.interval);
    visit.field("weights", probe.weights, "that were trained");
}

void describe(auto &visit, Of<ProbeHead> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("from_dependent", head.fromDependent, "weight of a word's attention to its head");
    visit.field("from_head", head.fromHead, "weight of the head's attention to the word");
}

void describe(auto &visit, Of<ProbeResult> auto &result)
{
    visit.field("probes", result.probes, "trained ones and baselines");
    visit.field("heads", result.heads, "weights of the attention probe");
    visit.field("root_first", result.rootFirst, "of a root's attention to the first special token");
    visit.field("root_last", result.rootLast, "to the other special tokens");
    visit.field("epochs", result.epochs, "of training");
    visit.field("learning_rate", result.learningRate, "of Adam");
    visit.field("trained_on", result.trainedOn, "the other data set; empty: other sentences of the same one");
    visit.field("trained", result.trained, "sentences");
    visit.field("examples", result.examples, "sentences that accuracies are of");
    visit.field("words", result.words,
                "of these, without punctuation; what is written as one word (du = de + le) is one");
    visit.field("left", result.left, "sentences without a tree that fits their tokens");
    visit.rare("vectors", result.vectors, "file of word vectors");
    visit.rare("vector_width", result.vectorWidth, "numbers of each");
    visit.rare("words_with_vector", result.wordsWithVector, "of `words`");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
