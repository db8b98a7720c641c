#include "core/task/packedbeamblock.h"

#include "core/model/beamsentence.h"
#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace headscope {

/// The search for one sentence under one variant, and what is known of the prefixes it looks at.
struct PackedBeamBlock::Search
{
    BeamSentence sentence;
    PrefixTree tree;
    const VariantFactors *factors = nullptr;
    std::int64_t place = 0; ///< of a variant's sentence, in the block
    std::vector<std::int64_t> beams; ///< their nodes
    std::vector<std::vector<kernels::Scored>> likeliest; ///< tokens behind a node; none where it was not run yet
    std::vector<std::vector<const float *>> self;        ///< per layer and node, keys and values [2A]
    std::vector<const float *> cross;                    ///< per layer, of the source
    std::int64_t sourceLength = 0;

    Search(const GenerationSettings &settings, float errorPerToken, PrefixTree visited, const VariantFactors &variant,
           std::vector<const float *> source, std::int64_t length)
        : sentence(settings, errorPerToken), tree(std::move(visited)), factors(&variant),
          beams(static_cast<std::size_t>(settings.beams), 0), self(source.size()), cross(std::move(source)),
          sourceLength(length)
    {
        makeRoom();
    }
    void makeRoom()
    {
        likeliest.resize(static_cast<std::size_t>(tree.size()));
        for (auto &layer : self)
            layer.resize(likeliest.size());
    }
    bool wasRun(std::int64_t node) const { return !likeliest[static_cast<std::size_t>(node)].empty(); }
};

/// Nodes that follow each other in a search's tree.
struct PackedBeamBlock::Chain
{
    Search *search = nullptr;
    std::int64_t first = 0;
    std::int64_t end = 0; ///< one behind the last
};

struct PackedBeamBlock::BeamPart : BasePart
{
    std::vector<Generated> generated{};
    std::vector<Search> searches{};
    std::deque<Rows> kept{}; ///< the searches' keys and values
};

PackedBeamBlock::PackedBeamBlock(const TranslationTask &task, std::vector<std::int64_t> ids, const HeadMask &base,
                                 const RunOptions &run)
    : PackedTranslation(task, std::move(ids), base, {}, run), m_banned(badTokens())
{
}

std::shared_ptr<const PackedBeamBlock> PackedBeamBlock::make(const TranslationTask &task,
                                                             std::vector<std::int64_t> ids, const HeadMask &base,
                                                             const RunOptions &run, const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::shared_ptr<PackedBeamBlock> block(new PackedBeamBlock(task, std::move(ids), base, run));
    block->runBase(control);
    return block;
}

void PackedBeamBlock::runBase(const JobControl &control)
{
    std::vector<BeamPart> parts;
    for (BasePart &part : baseParts())
        parts.push_back({std::move(part)});
    parallelFor(std::ssize(parts), [&](std::int64_t p) { runBasePart(parts[static_cast<std::size_t>(p)], control); });
    std::vector<const BasePart *> kept;
    for (const BeamPart &part : parts)
        kept.push_back(&part);
    keepStates(kept);
    for (BeamPart &part : parts) {
        for (std::size_t i = 0; i < part.ids.size(); ++i) {
            m_nodes.add(part.searches[i].tree.size());
            m_trees.push_back(std::move(part.searches[i].tree));
            m_baseline.push_back(m_task.makeOutput(part.ids[i], std::move(part.generated[i])));
        }
    }
}

void PackedBeamBlock::runBasePart(BeamPart &part, const JobControl &control)
{
    tellExactError(errorOfExact(part, control));
    searchBase(part, exactMargin() / 2, control);
    std::vector<Search> searches; // again, over what was visited, keeping the states
    std::vector<Chain> chains;
    for (Search &found : part.searches) {
        searches.emplace_back(m_settings, 0.0F,
                              found.tree.inChains([&](std::int64_t node) { return found.wasRun(node); }),
                              baseVariant(), found.cross, found.sourceLength);
    }
    for (Search &search : searches) {
        for (const auto &[first, end] : search.tree.chains())
            chains.push_back({&search, first, end});
    }
    std::deque<Rows> kept;
    runNodes(exact(), chains, nullptr, &part.states, kept, control);
    part.searches = std::move(searches);
    part.kept.clear();
}

/// Searches with exact products from nothing; the plain path decides what is in doubt.
void PackedBeamBlock::searchBase(BeamPart &part, float errorPerToken, const JobControl &control) const
{
    part.states.crossKeyValues = crossKeyValues(exact(), encodeBase(exact(), part, &part.states, control));
    for (std::int64_t s = 0; s < part.sources.count(); ++s) {
        std::vector<const float *> cross;
        for (const Rows &layer : part.states.crossKeyValues)
            cross.push_back(layer.row(part.sources.first(s)));
        part.searches.emplace_back(m_settings, errorPerToken, PrefixTree(m_settings.startId), baseVariant(),
                                   std::move(cross), part.sources.length(s));
    }
    finishSearches(exact(), part.searches, part.kept, control);
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        if (part.searches[i].sentence.isDoubtful()) {
            const ExampleOutput output = plain({part.ids[i]}, base(), control).front();
            part.generated.push_back({output.tokens, output.score});
        } else {
            part.generated.push_back(part.searches[i].sentence.result());
        }
    }
}

/// Twice the largest difference of a log-probability between exact products and the plain path, among the likeliest tokens
/// along the outputs of a few sentences.
float PackedBeamBlock::errorOfExact(const BeamPart &whole, const JobControl &control) const
{
    BeamPart few{firstOf(whole)};
    searchBase(few, 0, control);
    const Transformer &model = m_task.model();
    const HeadGates gates = HeadGates::fromMask(base(), model.layout(), model.options());
    const ScoreProcessor processor(m_settings);
    float error = 0;
    for (std::size_t i = 0; i < few.ids.size(); ++i) {
        control.checkpoint();
        const Search &search = few.searches[i];
        std::vector<std::int64_t> nodes{0};
        for (std::int64_t token : few.generated[i].tokens) {
            const std::int64_t next = search.tree.find(nodes.back(), token);
            if (next < 0 || !search.wasRun(next))
                break;
            nodes.push_back(next);
        }
        std::vector<std::vector<std::int64_t>> histories;
        for (std::int64_t node : nodes) {
            histories.push_back(histories.empty() ? std::vector<std::int64_t>() : histories.back());
            histories.back().push_back(search.tree.token(node));
        }
        const Memory memory = model.encode(m_task.sourceBatch({few.ids[i]}), gates);
        DecoderState state
            = model.beginDecoder(TokenBatch::pad({histories.back()}, m_settings.padId, torch::kCPU));
        model.advanceDecoder(state, model.spec().decoder->layers(), model.crossKeyValues(memory), memory.keyBias, gates);
        auto logits = model.logits(model.finishDecoder(state)[0]);
        processor.banLogits(logits);
        auto expected = torch::log_softmax(logits, -1);
        processor.apply(expected, histories);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            const auto row = expected[static_cast<std::int64_t>(n)];
            for (const kernels::Scored &token : search.likeliest[static_cast<std::size_t>(nodes[n])])
                error = std::max(error, std::abs(token.score - row[token.index].item<float>()));
        }
    }
    return 2 * error;
}

std::vector<PackedBlock::Answer> PackedBeamBlock::run(const StartPlace &start, std::span<const Pair> pairs,
                                                      const Precision &precision, const JobControl &control) const
{
    std::deque<Rows> kept; // what searches point into
    std::deque<std::vector<Rows>> keptCross;
    std::vector<Search> searches;
    searches.reserve(pairs.size());
    for (std::size_t first = 0; first < pairs.size();) {
        std::int64_t rows = 0;
        std::size_t end = first;
        Sequences sources;
        for (; end < pairs.size() && (end == first || rows < PackedBlock::rowsTogether()); ++end) {
            rows += rowsOf(pairs[end].place);
            sources.add(m_sources.length(pairs[end].place));
        }
        const auto together = pairs.subspan(first, end - first);
        std::vector<Rows> &own = keptCross.emplace_back();
        if (start.stack == 0)
            own = encodeVariants(precision.model, together, sources, start.layer, control);
        std::vector<Chain> chains;
        for (std::size_t i = 0; i < together.size(); ++i) {
            const std::int64_t place = together[i].place;
            const PrefixTree &visited = m_trees[static_cast<std::size_t>(place)];
            std::vector<const float *> cross;
            for (std::size_t l = 0; l < m_states.crossKeyValues.size(); ++l)
                cross.push_back(own.empty() ? m_states.crossKeyValues[l].row(m_sources.first(place))
                                            : own[l].row(sources.first(static_cast<std::int64_t>(i))));
            Search &search = searches.emplace_back(m_settings, precision.margin / 2, visited, *together[i].factors,
                                                   std::move(cross), m_sources.length(place));
            search.place = place;
            for (const auto &[from, to] : visited.chains())
                chains.push_back({&search, from, to});
        }
        runNodes(precision.model, chains, &start, nullptr, kept, control);
        first = end;
    }
    finishSearches(precision.model, searches, kept, control);
    std::vector<Answer> answers(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto place = static_cast<std::size_t>(pairs[i].place);
        Generated result = searches[i].sentence.result();
        if (searches[i].sentence.isDoubtful()) {
            answers[i].doubtful = true;
        } else if (result.tokens == m_baseline[place].tokens) {
            answers[i].output = m_baseline[place];
            answers[i].output.score = result.score;
        } else {
            answers[i].output = m_task.makeOutput(m_ids[place], std::move(result));
        }
    }
    return answers;
}

/// Runs nodes through the decoder: what follows them, and their keys and values. With `start`, nodes of the base search's
/// trees from the states of the base run; what lies below is that of the base run.
void PackedBeamBlock::runNodes(const PackedModel &model, std::span<const Chain> chains, const StartPlace *start,
                               States *keep, std::deque<Rows> &kept, const JobControl &control) const
{
    Sequences sequences;
    std::vector<std::vector<std::int64_t>> paths; // to the ends of the chains
    std::vector<std::int64_t> baseRows;
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> historyLengths;
    std::vector<KeyRows> crossKeys;
    std::int64_t longest = 0;
    for (const Chain &chain : chains) {
        sequences.add(chain.end - chain.first);
        paths.push_back(chain.search->tree.path(chain.end - 1));
        longest = std::max(longest, std::ssize(paths.back()));
        for (std::int64_t node = chain.first; node < chain.end; ++node) {
            if (start)
                baseRows.push_back(m_nodes.first(chain.search->place) + node);
            tokens.push_back(chain.search->tree.token(node));
            positions.push_back(chain.search->tree.depth(node));
            historyLengths.push_back(positions.back() + 1);
        }
    }
    const auto factors = [&](HeadKind kind, int layer) {
        HeadFactors found;
        for (const Chain &chain : chains)
            found.push_back(chain.search->factors->at(kind, layer));
        return found;
    };
    const auto tell = [&](std::size_t layer, const auto &rowOf) { // where keys and values of the nodes are
        std::int64_t row = 0;
        for (const Chain &chain : chains) {
            for (std::int64_t node = chain.first; node < chain.end; ++node)
                chain.search->self[layer][static_cast<std::size_t>(node)] = rowOf(row++);
        }
    };
    // Self-attention of the first layer sees nothing of the encoder.
    const int firstLayer = start && start->stack == 1 ? start->layer : 0;
    const bool startsBehindSelf = start && start->part == StartPlace::Part::Cross;
    Rows hidden;
    if (start) {
        for (int layer = 0; layer <= firstLayer; ++layer) {
            const Rows &base = m_states.selfKeyValues[static_cast<std::size_t>(layer)];
            tell(static_cast<std::size_t>(layer),
                 [&](std::int64_t row) { return base.row(baseRows[static_cast<std::size_t>(row)]); });
        }
    } else {
        hidden = asRows(m_task.model().embedTargets(torch::tensor(tokens, torch::kInt64),
                                                    torch::tensor(positions, torch::kInt64)));
    }
    std::vector<float> keysTogether;
    for (int layer = firstLayer; layer < model.spec().decoder->layers(); ++layer) {
        control.checkpoint();
        const auto l = static_cast<std::size_t>(layer);
        const bool isFirst = start && layer == firstLayer;
        const PackedModel::Attention &selfAttention = model.selfAttention(layer);
        Rows middle;
        Rows selfContext;
        if (isFirst && startsBehindSelf) {
            middle = gatherRows(m_states.middle[l], baseRows);
        } else if (isFirst) {
            selfContext = gatherRows(m_states.selfContext[l], baseRows);
            scaleContexts(selfContext, selfAttention, sequences, factors(HeadKind::Decoder, layer));
            middle = model.closeAttention(selfAttention, gatherRows(m_states.decoderHidden[l], baseRows), selfContext);
        } else {
            const Rows input = model.attentionInput(selfAttention, hidden);
            const Rows &own = kept.emplace_back(model.keysAndValues(selfAttention, input));
            tell(l, [&](std::int64_t row) { return own.row(row); });
            const auto width = static_cast<std::size_t>(own.width());
            const auto keysOf = [&](std::int64_t s) -> KeyRows {
                const auto &path = paths[static_cast<std::size_t>(s)];
                const Chain &chain = chains[static_cast<std::size_t>(s)];
                if (chain.first == 0)
                    return {own.row(sequences.first(s)), sequences.length(s)};
                keysTogether.resize(std::max(keysTogether.size(), path.size() * width));
                for (std::size_t i = 0; i < path.size(); ++i)
                    std::memcpy(keysTogether.data() + i * width,
                                chain.search->self[l][static_cast<std::size_t>(path[i])], width * sizeof(float));
                return {keysTogether.data(), std::ssize(path)};
            };
            selfContext = contexts(selfAttention, model.queries(selfAttention, input), sequences, keysOf, longest, true,
                                   factors(HeadKind::Decoder, layer));
            middle = model.closeAttention(selfAttention, hidden, selfContext);
            if (keep) {
                keep->decoderHidden.push_back(hidden);
                keep->selfKeyValues.push_back(own);
            }
        }
        Rows context;
        if (isFirst && startsBehindSelf) {
            context = gatherRows(m_states.crossContext[l], baseRows);
            scaleContexts(context, model.crossAttention(layer), sequences, factors(HeadKind::Cross, layer));
        } else {
            crossKeys.clear();
            for (const Chain &chain : chains)
                crossKeys.push_back({chain.search->cross[l], chain.search->sourceLength});
            context = model.crossContext(layer, middle, sequences, crossKeys, factors(HeadKind::Cross, layer));
        }
        if (keep) {
            keep->selfContext.push_back(selfContext);
            keep->middle.push_back(middle);
            keep->crossContext.push_back(context);
        }
        hidden = model.closeDecoderLayer(layer, middle, context);
    }
    if (keep)
        return; // the search knows what follows
    hidden = model.finish(HeadKind::Decoder, std::move(hidden));
    const std::int64_t count = BeamSentence::candidatesWanted(m_settings) + 1;
    const auto top = model.likeliest(
        hidden, count, [&](auto... block) { ban(m_settings.bannedLogits, {}, block...); },
        [&](auto... block) { ban(m_banned, historyLengths, block...); }, m_settings.renormalize);
    std::int64_t row = 0;
    for (const Chain &chain : chains) {
        for (std::int64_t node = chain.first; node < chain.end; ++node, ++row) {
            auto &likeliest = chain.search->likeliest[static_cast<std::size_t>(node)];
            if (const auto forced = forcedToken(historyLengths[static_cast<std::size_t>(row)]))
                likeliest = {{0.0F, *forced}};
            else
                likeliest.assign(top.begin() + row * count, top.begin() + (row + 1) * count);
        }
    }
}

/// Walks every search to its end, running what is missing on the way, of all searches together.
void PackedBeamBlock::finishSearches(const PackedModel &model, std::vector<Search> &searches, std::deque<Rows> &kept,
                                     const JobControl &control) const
{
    while (true) {
        control.checkpoint();
        std::vector<Chain> missing;
        for (Search &search : searches) {
            walk(search);
            if (search.sentence.isFinished())
                continue;
            std::vector<std::int64_t> nodes = search.beams;
            std::ranges::sort(nodes);
            nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
            for (std::int64_t node : nodes) {
                if (!search.wasRun(node))
                    missing.push_back({&search, node, node + 1});
            }
        }
        if (missing.empty())
            return;
        runNodes(model, missing, nullptr, nullptr, kept, control);
    }
}

/// Takes steps of a search as long as all of its beams were run, or until nothing in it is left to decide.
void PackedBeamBlock::walk(Search &search) const
{
    const auto wanted = static_cast<std::size_t>(BeamSentence::candidatesWanted(m_settings)) + 1;
    std::vector<BeamSentence::Candidate> candidates;
    while (!search.sentence.isFinished()
           && std::ranges::all_of(search.beams, [&](std::int64_t node) { return search.wasRun(node); })) {
        candidates.clear();
        for (std::size_t b = 0; b < search.beams.size(); ++b) {
            const float sum = search.sentence.beams()[b].sum;
            for (const kernels::Scored &token : search.likeliest[static_cast<std::size_t>(search.beams[b])]) {
                if (token.score > -std::numeric_limits<float>::infinity())
                    candidates.push_back({sum + token.score, static_cast<std::int64_t>(b), token.index});
            }
        }
        const auto isBetter = [](const BeamSentence::Candidate &a, const BeamSentence::Candidate &b) {
            return a.sum != b.sum ? a.sum > b.sum : std::pair(a.beam, a.token) < std::pair(b.beam, b.token);
        };
        const auto count = std::min(wanted, candidates.size());
        std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count), isBetter);
        candidates.resize(count);
        std::vector<std::int64_t> next;
        std::vector<std::int64_t> from = search.sentence.advance(candidates);
        for (std::size_t b = 0; b < from.size(); ++b)
            next.push_back(search.tree.child(search.beams[static_cast<std::size_t>(from[b])],
                                             search.sentence.beams()[b].tokens.back()));
        search.beams = std::move(next);
        search.makeRoom();
    }
}

} // namespace headscope
