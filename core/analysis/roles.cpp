#include "core/analysis/roles.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentionpass.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/exampleencoding.h"
#include "core/analysis/input.h"
#include "core/analysis/keptsums.h"
#include "core/analysis/throttle.h"
#include "core/formats/rememberedhash.h"
#include "core/metrics/multiplicity.h"
#include "core/metrics/pairedtests.h"
#include "core/model/transformer.h"
#include "core/roles/treewords.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <span>

namespace headscope {
namespace {

/// Counts for relations, beside those of a fixed offset, over the data set.
struct RelationCounts
{
    struct One
    {
        std::int64_t instances = 0;
        double chance = 0;
        std::map<int, std::int64_t> atOffset; ///< instances that have a partner there

        template<typename Archive>
        void visitSums(Archive &archive)
        {
            archive(instances, chance, atOffset);
        }
    };
    std::vector<One> relations;
    std::int64_t trees = 0;
    std::int64_t treesNotAligned = 0;
    std::int64_t wordsNotAligned = 0;

    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(relations, trees, treesNotAligned, wordsNotAligned);
    }
    void add(const TreeTemplate &tree)
    {
        ++trees;
        wordsNotAligned += tree.notAligned;
        for (const RelationInstance &instance : tree.instances) {
            One &one = relations[instance.number];
            ++one.instances;
            one.chance
                += static_cast<double>(instance.partners.size()) / static_cast<double>(tree.words - 1); // not itself
            for (const int partner : instance.partners)
                ++one.atOffset[partner - instance.word];
        }
    }
    void add(const RelationCounts &other)
    {
        trees += other.trees;
        treesNotAligned += other.treesNotAligned;
        wordsNotAligned += other.wordsNotAligned;
        for (std::size_t i = 0; i < relations.size(); ++i) {
            relations[i].instances += other.relations[i].instances;
            relations[i].chance += other.relations[i].chance;
            for (const auto &[offset, count] : other.relations[i].atOffset)
                relations[i].atOffset[offset] += count;
        }
    }
    RelationDirection direction(std::size_t number, const RelationNumbers &numbers) const
    {
        const One &one = relations[number];
        RelationDirection direction{.relation = numbers.nameOf(number),
                                    .direction = RelationNumbers::directionOf(number),
                                    .instances = one.instances};
        std::int64_t most = 0;
        for (const auto &[offset, count] : one.atOffset) {
            direction.offsets.push_back({offset, count});
            if (count > most) {
                most = count;
                direction.baselineOffset = offset;
            }
        }
        if (one.instances > 0) {
            direction.baseline = static_cast<double>(most) / static_cast<double>(one.instances);
            direction.chance = one.chance / static_cast<double>(one.instances);
        }
        return direction;
    }
};

/// Counts of a part of the examples.
struct Part
{
    HeadTable<HeadCounts> heads;
    RelationCounts relations;
    std::int64_t raritySentences = 0;
    std::int64_t alignments = 0;

    template<typename Archive>
    void visitSums(Archive &archive)
    {
        archive(relations, raritySentences, alignments);
        for (HeadCounts &counts : heads.values())
            archive(counts);
    }
    void add(const Part &other)
    {
        for (std::size_t i = 0; i < heads.values().size(); ++i)
            heads.values()[i].add(other.heads.values()[i]);
        relations.add(other.relations);
        raritySentences += other.raritySentences;
        alignments += other.alignments;
    }
};

std::vector<const SentenceTree *> treesOf(const Dataset &dataset)
{
    std::vector<const SentenceTree *> trees;
    for (const Example &example : dataset.examples)
        trees.push_back(&example.tree);
    return trees;
}

/// Everything that one example is asked for beside its attention.
struct ExampleFacts
{
    Encoding encoding;
    std::optional<TreeTemplate> tree;
    std::optional<RarestTokens> rarest; ///< where it is eligible
    std::vector<std::vector<int>> sourcePieces;
    std::vector<std::vector<int>> predictingRows;
    std::vector<std::vector<int>> readingRows;
};

class RolesCounter
{
public:
    RolesCounter(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const RolesSpec &spec,
                 const ForcedPrefix &prefix, const JobControl &control)
        : m_task(task), m_dataset(dataset), m_tokenizer(tokenizer), m_spec(spec), m_control(control),
          m_numbers(treesOf(dataset)), m_prefix(prefix)
    {
        openFiles();
    }

    Part part() const
    {
        Part part;
        part.heads = HeadTable<HeadCounts>(m_task.layout(), HeadCounts({}, 0, 0, {}));
        for (const HeadRef &head : m_task.layout().heads())
            part.heads.at(head)
                = HeadCounts(head, m_numbers.size(), m_spec.evidence, {m_spec.specialTokens, m_spec.renormalize});
        part.relations.relations.resize(m_numbers.size());
        return part;
    }

    Part count(const SeenBatch &seen) const;

    void fill(const Part &part, RolesResult &result) const
    {
        result.measure = m_spec.measure;
        result.specialTokens = m_spec.specialTokens;
        result.renormalized = m_spec.renormalize;
        result.sinks = windowOf(m_spec).sinks;
        result.window = windowOf(m_spec).neighbours;
        result.prefix = m_prefix.name();
        result.relations.clear();
        for (std::size_t number = 0; number < m_numbers.size(); ++number)
            result.relations.push_back(part.relations.direction(number, m_numbers));
        result.trees = part.relations.trees;
        result.treesNotAligned = part.relations.treesNotAligned;
        result.wordsNotAligned = part.relations.wordsNotAligned;
        result.raritySentences = part.raritySentences;
        if (m_rarity) {
            result.rarityFrom = m_rarity->description();
            result.rarityApproximate = m_rarity->isApproximate();
        }
        result.alignments = part.alignments;
        result.heads.clear();
        for (const HeadCounts &counts : part.heads.values())
            result.heads.push_back(counts.scores(m_numbers, result));
        testRoleDetectors(result);
    }

private:
    void openFiles();
    void testRoleDetectors(RolesResult &result) const;
    ExampleFacts facts(std::int64_t id, const AttentionBatch &batch, std::size_t row,
                       const std::vector<std::uint8_t> &realSource, Part &part) const;
    void addAlignment(std::int64_t id, const std::vector<std::int64_t> &target, ExampleFacts &facts, Part &part) const;
    AttentionTokens tokensOf(HeadKind kind, const AttentionBatch &batch, std::size_t row,
                             const ExampleFacts &facts) const;
    ExampleTemplate templateOf(HeadKind kind, std::int64_t id, const AttentionTokens &tokens,
                               const ExampleFacts &facts) const;

    const Task &m_task;
    const Dataset &m_dataset;
    const Tokenizer *m_tokenizer;
    const RolesSpec &m_spec;
    const JobControl &m_control;
    RelationNumbers m_numbers;
    const ForcedPrefix &m_prefix;
    std::unique_ptr<Rarity> m_rarity;
    std::vector<WordAlignment> m_alignments;
};

void RolesCounter::openFiles()
{
    const bool needsText = !m_spec.corpus.empty() || !m_spec.frequencies.empty() || !m_spec.alignments.empty();
    if (needsText && !m_tokenizer)
        throw Failure(
            badInput("The model folder has no tokenizer: rare words and alignments need the text of tokens."));
    if (!m_spec.corpus.empty() && !m_spec.frequencies.empty())
        throw Failure(usageError("Rare words are found either by a corpus or by word frequencies; give one of them."));
    if (!m_spec.corpus.empty())
        m_rarity = Rarity::fromCorpus(m_spec.corpus, *m_tokenizer, m_task.model().spec().saysTokens(), m_control)
                       .valueOrThrow();
    else if (!m_spec.frequencies.empty())
        m_rarity = Rarity::fromWordCounts(m_spec.frequencies, m_control).valueOrThrow();
    else
        m_rarity = Rarity::fromVocabulary(m_tokenizer);
    if (m_spec.alignments.empty())
        return;
    if (m_prefix.isOwnOutput() || !m_task.layout().block(HeadKind::Cross))
        throw Failure(
            usageError("Alignments are of sentences and their references: they need a translation model, a data "
                       "set with references, and the decoder forced to them (without --own-output)."));
    m_alignments = readAlignments(m_spec.alignments, m_control).valueOrThrow();
    if (std::ssize(m_alignments) < m_task.size())
        throw Failure(badInput(fmt::format("{} has {} lines for the {} sentence pairs of {}", m_spec.alignments,
                                           m_alignments.size(), m_task.size(), m_dataset.name)));
}

void RolesCounter::testRoleDetectors(RolesResult &result) const
{
    result.sieveThreshold = m_spec.sieveThreshold;
    std::vector<RoleDetectorScore *> scores;
    for (HeadRoleScores &head : result.heads) {
        for (RoleDetectorScore &score : head.detectors) {
            score.p = oneSidedTTest(score.score - m_spec.sieveThreshold, score.standardError, score.sentences);
            scores.push_back(&score);
        }
    }
    const std::vector<double> adjusted = holmAdjusted(pValuesOf(scores));
    for (std::size_t i = 0; i < scores.size(); ++i)
        scores[i]->pAdjusted = adjusted[i];
}

ExampleFacts RolesCounter::facts(std::int64_t id, const AttentionBatch &batch, std::size_t row,
                                 const std::vector<std::uint8_t> &realSource, Part &part) const
{
    const Example &example = m_dataset.examples[static_cast<std::size_t>(id)];
    ExampleFacts facts;
    facts.encoding = encodingOf(example, batch.textOf(row), realSource, m_tokenizer, m_task.model().spec());
    if (!example.tree.empty()) {
        facts.tree = treeTemplate(example.tree, tokensInTree(facts.encoding, example.tree), m_numbers);
        if (facts.tree)
            part.relations.add(*facts.tree);
        else
            ++part.relations.treesNotAligned;
    }
    RarestTokens rarest = rarestTokens(m_rarity->ranks(facts.encoding, example.source), realSource);
    if (rarest.eligible) {
        ++part.raritySentences;
        facts.rarest = std::move(rarest);
    }
    if (!m_alignments.empty())
        addAlignment(id, batch.targets[row], facts, part);
    return facts;
}

void RolesCounter::addAlignment(std::int64_t id, const std::vector<std::int64_t> &target, ExampleFacts &facts,
                                Part &part) const
{
    const WordAlignment &gold = m_alignments[static_cast<std::size_t>(id)];
    const Example &example = m_dataset.examples[static_cast<std::size_t>(id)];
    if (gold.empty() || !example.labels.empty())
        return;
    const Encoding encoded = m_tokenizer->encodeTarget(example.reference).valueOrThrow();
    const auto wordCount = [](const Encoding &encoding) {
        return static_cast<std::size_t>(encoding.words.empty() ? 0 : std::ranges::max(encoding.words) + 1);
    };
    facts.sourcePieces = piecesOfWords(facts.encoding.words, wordCount(facts.encoding));
    facts.predictingRows = piecesOfWords(encoded.words, wordCount(encoded));
    for (auto &rows : facts.predictingRows) // what did not fit was not said
        std::erase_if(rows, [&](int row_) { return row_ >= static_cast<int>(target.size()); });
    facts.readingRows = facts.predictingRows;
    for (auto &rows : facts.readingRows) {
        for (int &one : rows)
            ++one; // what is said in a row is read in the next
        std::erase_if(rows, [&](int one) { return one >= static_cast<int>(target.size()); });
    }
    for (const AlignedWords &link : gold) {
        if (link.source >= std::ssize(facts.sourcePieces) || link.target >= std::ssize(facts.predictingRows))
            throw Failure(
                badInput(fmt::format("{}: line {} links the words {} and {}, but the sentences have {} and {}. Words "
                                     "are separated by blanks and counted from 0",
                                     m_spec.alignments, id + 1, link.source, link.target, facts.sourcePieces.size(),
                                     facts.predictingRows.size())));
    }
    ++part.alignments;
}

AttentionTokens RolesCounter::tokensOf(HeadKind kind, const AttentionBatch &batch, std::size_t row,
                                       const ExampleFacts &facts) const
{
    AttentionTokens tokens = attentionTokens(batch, kind, row);
    if (kind != HeadKind::Cross)
        return tokens;
    tokens.keyTexts = facts.encoding.pieces;
    for (const std::int64_t target : batch.targets[row])
        tokens.predictedTexts.push_back(m_tokenizer && !m_tokenizer->isSpecial(target) ? m_tokenizer->pieceText(target)
                                                                                       : std::string());
    return tokens;
}

/// Points to the facts.
ExampleTemplate RolesCounter::templateOf(HeadKind kind, std::int64_t id, const AttentionTokens &tokens,
                                         const ExampleFacts &facts) const
{
    ExampleTemplate one;
    one.index = id;
    one.tokens = attentionTemplate(tokens, windowOf(m_spec));
    if (kind == m_task.textKind()) {
        if (facts.tree)
            one.tree = &*facts.tree;
        const Encoding &encoding = facts.encoding;
        one.detectors = roleDetectorKeys(
            one.tokens, {&m_dataset.examples[static_cast<std::size_t>(id)].tree, one.tree,
                         encoding.segments.size() == encoding.ids.size() ? &encoding.segments : nullptr});
        if (facts.rarest)
            one.skippedQueries = &facts.rarest->rarest;
    } else if (kind == HeadKind::Decoder) {
        one.detectors = roleDetectorKeys(one.tokens, {});
    }
    if ((kind == m_task.textKind() || kind == HeadKind::Cross) && facts.rarest)
        one.rarest = &*facts.rarest;
    if (kind == HeadKind::Cross && !facts.sourcePieces.empty()) {
        one.alignment = &m_alignments[static_cast<std::size_t>(id)];
        one.sourcePieces = &facts.sourcePieces;
        one.predictingRows = &facts.predictingRows;
        one.readingRows = &facts.readingRows;
    }
    return one;
}

Part RolesCounter::count(const SeenBatch &seen) const
{
    Part part = this->part();
    const auto &[ids, batch] = seen;
    std::vector<ExampleFacts> facts;
    std::map<HeadKind, std::vector<ExampleTemplate>> templates;
    for (std::size_t row = 0; row < ids.size(); ++row) {
        const AttentionTokens source = attentionTokens(batch, m_task.textKind(), row);
        facts.push_back(this->facts(ids[row], batch, row, source.realKeys, part));
    }
    for (const HeadLayout::Block &block : m_task.layout().blocks()) {
        for (std::size_t row = 0; row < ids.size(); ++row)
            templates[block.kind].push_back(
                templateOf(block.kind, ids[row], tokensOf(block.kind, batch, row, facts[row]), facts[row]));
    }
    forEachHead(batch, m_task.layout(), m_spec.measure,
                [&](const HeadRef &head, std::size_t row, const HeadAttention &attention) {
                    part.heads.at(head).add(attention, templates.at(head.kind)[row]);
                });
    return part;
}

} // namespace

RolesResult roles(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const RolesSpec &spec,
                  Manifest manifest, const JobControl &control, const Publish<RolesResult> &publish,
                  const KeptWork &kept)
{
    RolesResult result;
    result.manifest = std::move(manifest);
    const AttentionPass pass(task, {spec.run, spec.mask, spec.measure != AttentionMeasure::Weights, spec.ownOutput},
                             kPhaseRoles, control);
    const RolesCounter counter(task, dataset, tokenizer, spec, pass.prefix(), control);
    Part total = counter.part();
    Throttle throttle(std::chrono::milliseconds(500));
    KeptSums keptSums(kept);
    const std::int64_t before = keptSums.resume(total, [&](std::int64_t examples) { return pass.says(examples); });
    result.examples = before;
    pass.run([&](const SeenBatch &seen) { return counter.count(seen); }, [&](const Part &part) { total.add(part); },
             [&](std::int64_t examples) {
                 result.examples = examples;
                 keptSums.keep(total, examples);
                 if (publish && throttle.isDue()) {
                     counter.fill(total, result);
                     publish(result);
                 }
             },
             before);
    counter.fill(total, result);
    return result;
}

RolesResult AnalysisOf<RolesSpec>::compute(const RolesSpec &spec, AnalysisInput &input, Manifest manifest,
                                           const JobControl &control, const Publish<RolesResult> &publish)
{
    const AnalysisData data = input.data();
    const KeptWork kept = input.keptWork(manifest.key());
    return roles(data.task, data.dataset, input.tokenizer(), spec, std::move(manifest), control, publish, kept);
}

std::string AnalysisOf<RolesSpec>::contents(const RolesSpec &spec, const Dataset &dataset, const JobControl &control)
{
    std::string content = dataset.treesHash; // files are what is in them, whatever their names
    for (const std::string *file : {&spec.corpus, &spec.frequencies, &spec.alignments})
        content += file->empty() ? std::string() : ' ' + rememberedHash(*file, control).valueOrThrow();
    return content;
}

} // namespace headscope
