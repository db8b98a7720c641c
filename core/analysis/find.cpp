
#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentionpass.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/exampleencoding.h"
#include "core/analysis/findspec.h"
#include "core/analysis/input.h"
#include "core/analysis/throttle.h"
#include "core/model/transformer.h"
#include "core/results/findresult.h"
#include "core/roles/templates.h"
#include "core/roles/treewords.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Marks of the first piece of a word, or of a later one, that no text has.
std::string_view withoutWordMark(std::string_view piece)
{
    constexpr std::array<std::string_view, 3> kMarks{"\u2581", "\u0120", "##"};
    for (const std::string_view mark : kMarks) {
        if (piece.size() > mark.size() && piece.starts_with(mark))
            return piece.substr(mark.size());
    }
    return piece;
}

/// The keys of an example as they are spelt, and what they belong to; of a word that is not known −1.
struct KeyTexts
{
    std::vector<std::string> texts;
    std::vector<int> words;
};

/// Keys that count together: the pieces of a word, or single ones.
using KeyGroups = std::vector<std::vector<int>>;

KeyGroups groupsOf(const std::vector<int> &wordOfKey, const auto &isWanted)
{
    KeyGroups groups;
    for (std::size_t first = 0; first < wordOfKey.size();) {
        std::size_t last = first + 1;
        while (last < wordOfKey.size() && wordOfKey[last] == wordOfKey[first] && wordOfKey[first] >= 0)
            ++last;
        std::vector<int> keys;
        for (std::size_t key = first; key < last; ++key)
            keys.push_back(static_cast<int>(key));
        if (wordOfKey[first] >= 0 && isWanted(wordOfKey[first], keys))
            groups.push_back(std::move(keys));
        first = last;
    }
    return groups;
}

/// Words that are spelt so, and tokens by themselves.
KeyGroups groupsOfToken(const KeyTexts &keys, const std::string &wanted)
{
    KeyGroups groups = groupsOf(keys.words, [&](int, const std::vector<int> &word) {
        std::string text;
        for (const int key : word)
            text += withoutWordMark(keys.texts[static_cast<std::size_t>(key)]);
        return word.size() > 1 && text == wanted;
    });
    for (std::size_t key = 0; key < keys.texts.size(); ++key) {
        if (keys.texts[key] == wanted || withoutWordMark(keys.texts[key]) == wanted)
            groups.push_back({static_cast<int>(key)});
    }
    return groups;
}

class PlaceFinder
{
public:
    PlaceFinder(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const FindSpec &spec,
                const HeadRef &head)
        : m_task(task), m_dataset(dataset), m_tokenizer(tokenizer), m_spec(spec), m_head(head)
    {
    }

    struct Found
    {
        std::int64_t examples = 0;
        std::int64_t matching = 0;
        double sum = 0; ///< of the weights of those
        std::vector<FoundPlace> places{};
    };

    Found examine(const SeenBatch &seen) const
    {
        Found found{.examples = std::ssize(seen.ids)};
        const AttentionBatch::Kind &kind = seen.attention.kinds.at(m_head.kind);
        const auto layer = static_cast<std::size_t>(m_head.layer);
        const std::int64_t place = m_task.model().spec().attention(m_head.kind, m_head.layer).columnOf(m_head.head);
        const torch::Tensor weights
            = kind.probabilities[layer].select(1, place).to(torch::kCPU, torch::kFloat32).contiguous(); // [B, T, S]
        const auto *first = weights.data_ptr<float>();
        for (std::size_t row = 0; row < seen.ids.size(); ++row) {
            const HeadAttention attention{first + static_cast<std::int64_t>(row) * weights.size(1) * weights.size(2),
                                          weights.size(2)};
            if (auto best = bestPlace(attention, seen, row)) {
                ++found.matching;
                found.sum += best->weight;
                found.places.push_back(*std::move(best));
            }
        }
        return found;
    }

private:
    /// Texts of the keys of an example: the source's, or what the decoder reads.
    KeyTexts keyTexts(const SeenBatch &seen, std::size_t row, const AttentionTokens &tokens) const
    {
        const Example &example = m_dataset.examples[static_cast<std::size_t>(seen.ids[row])];
        if (readsText()) {
            Encoding encoding = encodingOf(example, tokens.keyIds, tokens.realKeys, m_tokenizer, m_task.model().spec());
            encoding.pieces.resize(tokens.keyIds.size());
            encoding.words.resize(tokens.keyIds.size(), -1);
            return {std::move(encoding.pieces), std::move(encoding.words)};
        }
        return spelling(tokens.keyIds, tokens.realKeys);
    }

    /// The spelling of a decoder's tokens. A piece with the mark of a word's beginning begins one.
    KeyTexts spelling(const std::vector<std::int64_t> &ids, const std::vector<std::uint8_t> &real) const
    {
        KeyTexts keys;
        int word = -1;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::string text = m_tokenizer ? m_tokenizer->pieceText(ids[i]) : std::string();
            if (real[i] && (word < 0 || text.starts_with("\u2581") || text.starts_with("\u0120")))
                ++word;
            keys.words.push_back(real[i] ? word : -1);
            keys.texts.push_back(std::move(text));
        }
        return keys;
    }

    /// Whether keys are the tokens of the example's own text.
    bool readsText() const { return m_head.kind == HeadKind::Cross || m_head.kind == m_task.textKind(); }

    KeyGroups wantedKeys(const SeenBatch &seen, std::size_t row, const AttentionTokens &tokens,
                         const KeyTexts &keys) const
    {
        if (!m_spec.token.empty())
            return groupsOfToken(keys, m_spec.token);
        if (!m_spec.tag.empty()) {
            const Example &example = m_dataset.examples[static_cast<std::size_t>(seen.ids[row])];
            if (example.tree.empty())
                return {};
            const Encoding encoding
                = encodingOf(example, tokens.keyIds, tokens.realKeys, m_tokenizer, m_task.model().spec());
            return groupsOf(tokensInTree(encoding, example.tree), [&](int word, const std::vector<int> &) {
                return example.tree[static_cast<std::size_t>(word)].tag == m_spec.tag;
            });
        }
        KeyGroups any;
        for (std::size_t key = 0; key < tokens.realKeys.size(); ++key) {
            if (tokens.realKeys[key])
                any.push_back({static_cast<int>(key)});
        }
        return any;
    }

    /// The weight that a query gives to a group of keys, and the key with most of it; −1: it sees none.
    static std::pair<double, int> weightOn(const std::vector<int> &group, const HeadAttention &attention,
                                           const AttentionTemplate &example, std::int64_t query)
    {
        const float *weights = attention.row(query);
        double sum = 0;
        int largest = -1;
        for (const int key : group) {
            if (!example.isVisible(query, key))
                continue;
            const double weight = static_cast<double>(weights[key]);
            sum += weight;
            if (largest < 0 || weight > static_cast<double>(weights[largest]))
                largest = key;
        }
        return {sum, largest};
    }

    std::optional<FoundPlace> bestPlace(const HeadAttention &attention, const SeenBatch &seen, std::size_t row) const
    {
        const AttentionTokens tokens = attentionTokens(seen.attention, m_head.kind, row);
        const AttentionTemplate example = plainTemplate(tokens);
        const KeyTexts keys = keyTexts(seen, row, tokens);
        const KeyGroups groups = m_spec.offset ? KeyGroups() : wantedKeys(seen, row, tokens, keys);
        std::optional<FoundPlace> best;
        const auto consider = [&](std::int64_t query, const std::vector<int> &group) {
            const auto [sum, largest] = weightOn(group, attention, example, query);
            if (largest >= 0 && (!best || sum > best->weight))
                best = FoundPlace{.index = seen.ids[row], .weight = sum, .query = query, .key = largest};
        };
        for (std::int64_t query = 0; query < example.queries(); ++query) {
            if (!example.realQueries[static_cast<std::size_t>(query)])
                continue;
            for (const std::vector<int> &group : groups)
                consider(query, group);
            if (m_spec.offset) {
                const int key = example.origin[static_cast<std::size_t>(query)] + *m_spec.offset;
                if (key >= 0 && key < example.keys() && example.realKeys[static_cast<std::size_t>(key)])
                    consider(query, {key});
            }
        }
        if (best) {
            const bool ownKeys = m_head.kind != HeadKind::Cross; // queries are the same tokens
            const KeyTexts queries = ownKeys ? keys : spelling(tokens.queryIds, tokens.realQueries);
            best->queryToken = queries.texts[static_cast<std::size_t>(best->query)];
            best->keyToken = keys.texts[static_cast<std::size_t>(best->key)];
            best->text = m_dataset.examples[static_cast<std::size_t>(best->index)].source;
        }
        return best;
    }

    const Task &m_task;
    const Dataset &m_dataset;
    const Tokenizer *m_tokenizer;
    const FindSpec &m_spec;
    HeadRef m_head;
};

/// Largest weights first; equal ones in the order of the data.
void keepBest(std::vector<FoundPlace> &places, std::int64_t most)
{
    std::ranges::sort(places, [](const FoundPlace &a, const FoundPlace &b) {
        return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
    });
    if (std::ssize(places) > most)
        places.resize(static_cast<std::size_t>(most));
}

std::string whatOf(const FindSpec &spec)
{
    if (!spec.token.empty())
        return "token " + spec.token;
    if (!spec.tag.empty())
        return "part of speech " + spec.tag;
    return spec.offset ? fmt::format("offset {:+d}", *spec.offset) : std::string("any token");
}

/// A request that cannot be met here is refused before the pass.
HeadRef checkedHead(const FindSpec &spec, const AnalysisInput &input, const AnalysisData &data)
{
    const auto named = parseHeadRef(spec.head);
    if (!named.isOk() || !data.task.layout().contains(named.value()))
        throw Failure(
            usageError(fmt::format("--head {}: the model has no such head; `inspect` lists its heads.", spec.head)));
    const HeadRef head = named.value();
    if (!spec.token.empty() && !input.tokenizer())
        throw Failure(badInput("The model folder has no tokenizer: a token cannot be looked for by its spelling."));
    if (spec.tag.empty())
        return head;
    if (head.kind != HeadKind::Cross && head.kind != data.task.textKind())
        throw Failure(usageError(fmt::format(
            "Parts of speech are known of the source, to which {} does not attend; look for a token or an offset.",
            spec.head)));
    const bool hasTag = std::ranges::any_of(data.dataset.examples, [&](const Example &example) {
        return std::ranges::any_of(example.tree, [&](const TreeWord &word) { return word.tag == spec.tag; });
    });
    if (!hasTag)
        throw Failure(badInput(data.dataset.treesHash.empty()
                                   ? fmt::format("{} has no trees, so parts of speech are not known: give a file of "
                                                 "CoNLL-U by --conllu.",
                                                 data.name)
                                   : fmt::format("No word of {} is tagged {}.", data.name, spec.tag)));
    return head;
}

} // namespace

void AnalysisOf<FindSpec>::check(const FindSpec &spec)
{
    if (spec.head.empty())
        throw Failure(usageError("--head is missing: the head to look at, such as encoder.2.6."));
    if (!spec.token.empty() + !spec.tag.empty() + spec.offset.has_value() > 1)
        throw Failure(usageError("--token, --tag and --offset are looked for one at a time: give one of them."));
}

FindResult AnalysisOf<FindSpec>::compute(const FindSpec &spec, AnalysisInput &input, Manifest manifest,
                                         const JobControl &control, const Publish<FindResult> &publish)
{
    const AnalysisData data = input.data();
    const HeadRef head = checkedHead(spec, input, data);
    const AttentionPass pass(data.task, {.run = spec.run, .mask = spec.mask, .ownOutput = spec.ownOutput},
                             kPhaseFinding, control);
    FindResult result{.manifest = std::move(manifest), .head = head, .what = whatOf(spec)};
    result.prefix = pass.prefix().name();
    const PlaceFinder finder(data.task, data.dataset, input.tokenizer(), spec, head);
    Throttle throttle(std::chrono::milliseconds(200));
    double sum = 0;
    pass.run([&](const SeenBatch &seen) { return finder.examine(seen); },
             [&](PlaceFinder::Found found) {
                 result.examples += found.examples;
                 result.matching += found.matching;
                 sum += found.sum;
                 std::ranges::move(found.places, std::back_inserter(result.places));
                 keepBest(result.places, spec.places);
             },
             [&](std::int64_t) {
                 result.meanWeight = result.matching > 0 ? sum / static_cast<double>(result.matching) : 0;
                 if (publish && throttle.isDue())
                     publish(result);
             });
    return result;
}

std::string AnalysisOf<FindSpec>::contents(const FindSpec &spec, const Dataset &dataset, const JobControl &)
{
    return spec.tag.empty() ? std::string() : dataset.treesHash;
}

} // namespace headscope
