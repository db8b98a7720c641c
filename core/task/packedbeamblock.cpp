#include "core/task/packedbeamblock.h"

#include "core/model/beamsentence.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace headscope {

/// The search for one sentence under one variant, and what is known of the prefixes it looks at.
struct PackedBeamBlock::Search
{
    BeamSentence sentence;
    PrefixTree tree;
    const VariantGates *gates = nullptr;
    std::int64_t place = 0;                          ///< of a variant's sentence, in the block
    std::vector<std::int64_t> beams;                 ///< their nodes
    std::vector<std::vector<ScoredToken>> likeliest; ///< tokens after a node
    std::vector<char> ran;                           ///< whether a node was run yet
    std::vector<std::vector<RowRef>> self;           ///< per place of the stack and node, keys and values
    std::vector<KeyRows> cross;                      ///< per place, of the source

    Search(const GenerationSettings &settings, PrefixTree visited, const VariantGates &variant,
           std::vector<KeyRows> source)
        : sentence(settings, {settings.startId}), tree(std::move(visited)), gates(&variant),
          beams(static_cast<std::size_t>(settings.beams), 0), self(source.size()), cross(std::move(source))
    {
        makeRoom();
    }
    void makeRoom()
    {
        likeliest.resize(static_cast<std::size_t>(tree.size()));
        ran.resize(likeliest.size(), 0);
        for (auto &layer : self)
            layer.resize(likeliest.size());
    }
    bool wasRun(std::int64_t node) const { return ran[static_cast<std::size_t>(node)] != 0; }
};

/// Nodes that follow each other in a search's tree.
struct PackedBeamBlock::Chain
{
    Search *search = nullptr;
    std::int64_t first = 0;
    std::int64_t end = 0; ///< one after the last
};

/// The nodes of chains as the rows of one run.
struct PackedBeamBlock::ChainRows
{
    std::span<const Chain> chains;
    Sequences sequences{};
    std::vector<std::vector<std::int64_t>> paths{}; ///< to the ends of the chains
    std::vector<std::int64_t> tokens{}, positions{};
    std::int64_t longest = 0; ///< path

    explicit ChainRows(std::span<const Chain> of) : chains(of)
    {
        for (const Chain &chain : chains) {
            sequences.add(chain.end - chain.first);
            paths.push_back(chain.search->tree.path(chain.end - 1));
            longest = std::max(longest, std::ssize(paths.back()));
            for (std::int64_t node = chain.first; node < chain.end; ++node) {
                tokens.push_back(chain.search->tree.token(node));
                positions.push_back(chain.search->tree.depth(node));
            }
        }
    }

    /// Says where keys and values of the nodes are in an attention.
    void tell(std::size_t at, const Rows &rows, const auto &rowOf) const
    {
        std::int64_t row = 0;
        for (const Chain &chain : chains) {
            for (std::int64_t node = chain.first; node < chain.end; ++node)
                chain.search->self[at][static_cast<std::size_t>(node)] = {&rows, rowOf(row++)};
        }
    }

    KeySource keysOfMemory(std::size_t at) const
    {
        KeySource source;
        source.of = [own = chains, at](std::int64_t s) { return own[static_cast<std::size_t>(s)].search->cross[at]; };
        for (const Chain &chain : chains)
            source.longest = std::max(source.longest, chain.search->cross[at].count);
        return source;
    }

    /// `own`: of the nodes; their paths have more from before. Keeps pointers.
    KeySource keysOfPaths(std::size_t at, const Rows &own)
    {
        return {[this, at, &own](std::int64_t s) -> KeyRows {
                    const Chain &chain = chains[static_cast<std::size_t>(s)];
                    if (chain.first == 0)
                        return {&own, sequences.first(s), sequences.length(s)};
                    m_path.clear();
                    for (const std::int64_t node : paths[static_cast<std::size_t>(s)])
                        m_path.push_back(chain.search->self[at][static_cast<std::size_t>(node)]);
                    return {nullptr, 0, 0, m_path};
                },
                longest};
    }

private:
    std::vector<RowRef> m_path{};
};

/// The likeliest token after every node of the base search's tree, as a quicker tier saw it: the next one sees by how
/// much that was wrong.
struct PackedBeamBlock::Seen final : Hint
{
    std::vector<ScoredToken> likeliest;
};

struct PackedBeamBlock::BeamPart : BasePart
{
    std::vector<Search> searches{};
    std::size_t firstSearch = 0; ///< the sentence of the first of them
    std::deque<Rows> kept{};     ///< the searches' keys and values
};

std::shared_ptr<const PackedBeamBlock> PackedBeamBlock::make(const Task &task, const GenerationRunner &runner,
                                                             const GenerationSettings &settings,
                                                             std::vector<std::int64_t> ids, const HeadMask &base,
                                                             const ReplacementPlan &plan, const RunOptions &run,
                                                             const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    std::vector<Products> quick = quickProducts(task.rowModels(), run, true, false);
    if (run.products == ProductChoice::Auto) // sums over all tokens are compared: coarser products decide few searches
        std::erase_if(quick, [](Products kind) { return kind != Products::Split; });
    std::shared_ptr<PackedBeamBlock> block(
        new PackedBeamBlock(task, runner, settings, std::move(ids), base, plan, quick, run));
    block->prepareReplacements(control);
    block->runBase(control);
    return block;
}

std::unique_ptr<PackedGeneration::BasePart> PackedBeamBlock::makePart() const
{
    return std::make_unique<BeamPart>();
}

/// Sentences of about the same length. Steps have fewer rows than there are beams: most prefixes are shared at first,
/// and sentences end.
std::vector<std::span<const std::int64_t>> PackedBeamBlock::partsOfLane(const std::vector<std::int64_t> &ids) const
{
    const std::int64_t most = std::max<std::int64_t>(1, 2 * rowsOfStep() / rowsPerStep());
    return inParts(ids, most, [&](std::int64_t id) { return m_task.examples().length(id); });
}

void PackedBeamBlock::search(BasePart &part, const JobControl &control) const
{
    auto &own = static_cast<BeamPart &>(part);
    part.decoder.keyValues = encodeBase(exact(), part, m_plan.onlyBase ? nullptr : &part.encoder, control);
    for (std::int64_t s = 0; s < part.sources.count(); ++s) {
        std::vector<KeyRows> cross;
        for (const Rows &place : part.decoder.keyValues)
            cross.push_back({&place, part.sources.first(s), part.sources.length(s)});
        own.searches.emplace_back(m_settings, PrefixTree(m_settings.startId), baseVariant(), std::move(cross));
    }
    finishSearches(exact(), own.searches, own.kept, control);
    for (const Search &search : own.searches) {
        part.generated.push_back(search.sentence.result());
        part.margins.push_back(marginOf(search));
    }
    own.kept.clear();
    if (m_plan.onlyBase) { // but for what errorOfExact() looks at
        part.decoder.keyValues.clear();
        const auto [first, count] = sampleOf(part);
        const auto sample = std::make_move_iterator(own.searches.begin() + static_cast<std::ptrdiff_t>(first));
        own.searches = {sample, sample + static_cast<std::ptrdiff_t>(count)};
        own.firstSearch = first;
    }
}

double PackedBeamBlock::marginOf(const Search &search)
{
    return 2 * search.sentence.safeError();
}

/// The search that was made once more over what it visited, keeping the states.
void PackedBeamBlock::keepPart(BasePart &part, const JobControl &control)
{
    auto &own = static_cast<BeamPart &>(part);
    std::vector<Search> searches;
    for (Search &found : own.searches) {
        Search &search = searches.emplace_back(
            m_settings, found.tree.inChains([&](std::int64_t node) { return found.wasRun(node); }), baseVariant(),
            found.cross);
        std::vector<std::int64_t> nodes{0}; // of the old tree
        for (std::int64_t node = 1; node < search.tree.size(); ++node)
            nodes.push_back(
                found.tree.find(nodes[static_cast<std::size_t>(search.tree.parent(node))], search.tree.token(node)));
        for (std::size_t node = 0; node < nodes.size(); ++node)
            search.likeliest[node] = std::move(found.likeliest[static_cast<std::size_t>(nodes[node])]);
    }
    std::deque<Rows> kept;
    runNodes(exact(), chainsOf(searches), nullptr, &part.decoder, kept, control);
    own.searches = std::move(searches);
    tiers().measureQuickErrors([&](const RowModel &quick) { return errorsOf(quick, own, control); });
}

std::vector<PackedBeamBlock::Chain> PackedBeamBlock::chainsOf(std::vector<Search> &searches)
{
    std::vector<Chain> chains;
    for (Search &search : searches) {
        for (const auto &[first, end] : search.tree.chains())
            chains.push_back({&search, first, end});
    }
    return chains;
}

/// How far log-probabilities by other products are from those of the part's searches.
std::vector<MarginError> PackedBeamBlock::errorsOf(const RowModel &quick, const BeamPart &part,
                                                   const JobControl &control) const
{
    const std::vector<Rows> memory = encodeBase(quick, part, nullptr, control);
    std::vector<Search> searches;
    for (std::size_t s = 0; s < part.searches.size(); ++s) {
        const auto at = static_cast<std::int64_t>(s);
        std::vector<KeyRows> cross;
        for (const Rows &place : memory)
            cross.push_back({&place, part.sources.first(at), part.sources.length(at)});
        searches.emplace_back(m_settings, part.searches[s].tree, baseVariant(), std::move(cross));
    }
    std::deque<Rows> kept;
    runNodes(quick, chainsOf(searches), nullptr, nullptr, kept, control);
    std::vector<MarginError> errors;
    for (std::size_t s = 0; s < searches.size(); ++s) {
        float error = 0;
        for (std::size_t node = 0; node < searches[s].likeliest.size(); ++node) {
            for (const ScoredToken &token : searches[s].likeliest[node])
                error = std::max(error, errorAmong(part.searches[s].likeliest[node], token));
        }
        errors.push_back({static_cast<float>(part.margins[s]), error});
    }
    return errors;
}

/// Twice the difference, as decisions lie between two sums; none if the token is not among them.
float PackedBeamBlock::errorAmong(std::span<const ScoredToken> exact, const ScoredToken &token)
{
    const auto found = std::ranges::find(exact, token.token, &ScoredToken::token);
    if (found == exact.end())
        return 0;
    const float error = 2 * std::abs(token.score - found->score);
    return std::isnan(error) ? std::numeric_limits<float>::infinity() : error;
}

void PackedBeamBlock::takePart(BasePart &part)
{
    if (m_plan.onlyBase)
        return;
    for (Search &search : static_cast<BeamPart &>(part).searches) {
        m_nodes.add(search.tree.size());
        m_trees.push_back(std::move(search.tree));
    }
}

/// Twice the largest difference of a log-probability among the likeliest tokens along the outputs of a few sentences.
float PackedBeamBlock::errorOfExact(const BasePart &part, const JobControl &control) const
{
    const auto &own = static_cast<const BeamPart &>(part);
    const auto [first, count] = sampleOf(part);
    const auto sampled = std::span(part.ids).subspan(first, count);
    const auto generated = std::span(part.generated).subspan(first, count);
    auto logits = plainLogits({sampled.begin(), sampled.end()}, generated);
    m_processor.banLogits(logits);
    auto expected = torch::log_softmax(logits, -1);
    float error = 0;
    std::int64_t firstRow = 0;
    for (std::size_t i = 0; i < count; ++i) {
        control.checkpoint();
        const Search &search = own.searches[first - own.firstSearch + i];
        const auto &tokens = generated[i].tokens;
        std::vector<std::int64_t> nodes;
        std::vector<std::vector<std::int64_t>> histories;
        for (std::int64_t node = 0; node >= 0 && search.wasRun(node) && nodes.size() < tokens.size();
             node = search.tree.find(node, tokens[nodes.size() - 1])) {
            histories.push_back(histories.empty() ? std::vector<std::int64_t>() : histories.back());
            histories.back().push_back(search.tree.token(node));
            nodes.push_back(node);
        }
        auto plain = expected.narrow(0, firstRow, std::ssize(nodes)).clone();
        std::vector<History> read;
        for (const auto &history : histories)
            read.push_back({history});
        m_processor.apply(plain, read);
        const auto values = plain.to(torch::kCPU, torch::kFloat32).contiguous();
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            const float *row = values.data_ptr<float>() + static_cast<std::int64_t>(n) * values.size(1);
            if (std::isnan(row[0])) // log-probabilities that are no numbers: nothing is certain
                return std::numeric_limits<float>::infinity();
            for (const ScoredToken &token : search.likeliest[static_cast<std::size_t>(nodes[n])])
                error = std::max(error, std::abs(token.score - row[token.token]));
        }
        firstRow += std::ssize(tokens);
    }
    return 2 * error;
}

/// The source's keys and values of the base run.
std::vector<KeyRows> PackedBeamBlock::crossOf(std::int64_t place) const
{
    std::vector<KeyRows> cross;
    for (const Rows &rows : m_decoder.keyValues)
        cross.push_back({&rows, m_sources.first(place), m_sources.length(place)});
    return cross;
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
        if (start.side == Side::Encoder)
            own = encodeVariants(precision.model, together, sources, start, control);
        std::vector<Chain> chains;
        for (std::size_t i = 0; i < together.size(); ++i) {
            const std::int64_t place = together[i].place;
            const PrefixTree &visited = m_trees[static_cast<std::size_t>(place)];
            std::vector<KeyRows> cross = crossOf(place);
            for (std::size_t at = 0; !own.empty() && at < cross.size(); ++at)
                cross[at] = {&own[at], sources.first(static_cast<std::int64_t>(i)), m_sources.length(place)};
            Search &search = searches.emplace_back(m_settings, visited, *together[i].gates, std::move(cross));
            search.place = place;
            for (const auto &[from, to] : visited.chains())
                chains.push_back({&search, from, to});
        }
        runNodes(precision.model, chains, &start, nullptr, kept, control);
        first = end;
    }
    finishSearches(precision.model, searches, kept, control);
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        answers.push_back(answerOf(pairs[i], searches[i], precision));
    return answers;
}

PackedBlock::Answer PackedBeamBlock::answerOf(const Pair &pair, const Search &search, const Precision &precision) const
{
    const auto place = static_cast<std::size_t>(pair.place);
    Answer answer;
    if (const auto *seen = static_cast<const Seen *>(pair.hint)) {
        float error = 0;
        for (std::size_t node = 0; node < seen->likeliest.size(); ++node)
            error = std::max(error, errorAmong(search.likeliest[node], seen->likeliest[node]));
        answer.errorBefore = error;
    }
    if (precision.isDoubtful(marginOf(search))) {
        answer.doubtful = true;
        auto seen = std::make_shared<Seen>();
        for (std::int64_t node = 0; node < m_trees[place].size(); ++node) {
            const auto &likeliest = search.likeliest[static_cast<std::size_t>(node)];
            seen->likeliest.push_back(likeliest.empty() ? ScoredToken() : likeliest.front());
        }
        answer.hint = std::move(seen);
        return answer;
    }
    Generated result = search.sentence.result();
    if (result.tokens == m_baseline[place].tokens) {
        answer.output = m_baseline[place];
        answer.output.score = result.score;
    } else {
        answer.output = makeOutput(m_ids[place], std::move(result));
    }
    return answer;
}

/// Nodes of the base search's trees in front of what a variant changes; what lies below is that of the base run.
WalkState<Rows> PackedBeamBlock::stateOfBase(const StartPlace &start, const ChainRows &rows) const
{
    std::vector<std::int64_t> baseRows;
    for (const Chain &chain : rows.chains) {
        for (std::int64_t node = chain.first; node < chain.end; ++node)
            baseRows.push_back(m_nodes.first(chain.search->place) + node);
    }
    WalkState<Rows> state = stateAt(m_decoder, decoderStart(start), baseRows);
    for (std::size_t below = 0; below <= static_cast<std::size_t>(state.place); ++below) {
        const AttentionSpec *attention = spec().decoder->subLayers[below].attention();
        if (attention && !attention->readsMemory())
            rows.tell(below, m_decoder.keyValues[below],
                      [&](std::int64_t row) { return baseRows[static_cast<std::size_t>(row)]; });
    }
    return state;
}

/// Runs nodes through the decoder: what follows them, and their keys and values. With `start`, nodes of the base
/// search's trees from the states of the base run.
void PackedBeamBlock::runNodes(const RowModel &model, std::span<const Chain> chains, const StartPlace *start,
                               StackStates *keep, std::deque<Rows> &kept, const JobControl &control) const
{
    ChainRows rows(chains);
    RowExecutor executor(model, Side::Decoder, rows.sequences, control);
    executor.positions = rows.positions;
    executor.keys = [&](int place, const AttentionSpec &attention, const Rows &x) {
        const auto at = static_cast<std::size_t>(place);
        if (attention.readsMemory())
            return rows.keysOfMemory(at);
        const Rows &own = kept.emplace_back(model.keysAndValues(Side::Decoder, place, x, rows.positions));
        rows.tell(at, own, [](std::int64_t row) { return row; });
        if (keep)
            keep->keyValues[at] = own;
        return rows.keysOfPaths(at, own);
    };
    executor.gates = [&](HeadKind kind, int layer) {
        RowGates gates;
        for (const Chain &chain : chains)
            gates.push_back(chain.search->gates->at(kind, layer, chain.search->place));
        return gates;
    };
    WalkState<Rows> state;
    if (start)
        state = stateOfBase(*start, rows);
    else
        state.hidden = model.embed(Side::Decoder, rows.tokens, rows.positions);
    if (keep) {
        record(executor, *keep);
        (void)executor.runToEnd(std::move(state));
        return; // the search knows what follows
    }
    readLikeliest(model, executor.runToEnd(std::move(state)), rows);
}

/// Reads what follows nodes, by their hidden states.
void PackedBeamBlock::readLikeliest(const RowModel &model, const Rows &hidden, const ChainRows &rows) const
{
    std::vector<std::vector<std::int64_t>> histories;
    for (std::size_t c = 0; c < rows.chains.size(); ++c) {
        std::vector<std::int64_t> history;
        for (const std::int64_t node : rows.paths[c]) {
            history.push_back(rows.chains[c].search->tree.token(node));
            if (node >= rows.chains[c].first)
                histories.push_back(history);
        }
    }
    std::vector<History> read;
    for (const auto &history : histories)
        read.push_back({history});
    auto top = model.likeliest(hidden, BeamSentence::candidatesWanted(m_settings) + 1, {m_settings, m_processor, read});
    auto next = top.begin();
    for (const Chain &chain : rows.chains) {
        for (auto node = static_cast<std::size_t>(chain.first); node < static_cast<std::size_t>(chain.end); ++node) {
            chain.search->likeliest[node] = std::move(*next++);
            chain.search->ran[node] = 1;
        }
    }
}

/// Walks every search to its end, running what is missing on the way, of all searches together.
void PackedBeamBlock::finishSearches(const RowModel &model, std::vector<Search> &searches, std::deque<Rows> &kept,
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
            for (const ScoredToken &token : search.likeliest[static_cast<std::size_t>(search.beams[b])])
                candidates.push_back({sum + token.score, static_cast<std::int64_t>(b), token.token});
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
