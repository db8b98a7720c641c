#include "core/task/packedblock.h"

#include "core/tensor/parallel.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace headscope {
namespace {

/// A margin must be beyond what two logits can be wrong by, each by more than was ever seen.
constexpr float kSafety = 4;
/// Rows of a piece: enough for products to run at full speed, few enough to stay within some 100 MB.
constexpr std::int64_t kRowsTogether = 6144;
constexpr std::int64_t kFewestRows = 512;

} // namespace

/// One kind of products.
struct PackedBlock::Tier
{
    Products products = Products::Exact;
    std::atomic<float> error = 0; ///< the largest of a logit on the base run

    float allowed() const { return kSafety * error; }
};

/// What one call of outputsOfAll sees of a tier.
struct PackedBlock::Course
{
    struct OfTier
    {
        std::atomic<float> error = 0; ///< the largest of those that the next tier ran again
        std::atomic<std::int64_t> passedOn = 0;
    };
    std::deque<OfTier> tiers;
};

static void raise(std::atomic<float> &to, float value)
{
    for (float seen = to; seen < value && !to.compare_exchange_weak(seen, value);) {
    }
}

PackedBlock::PackedBlock(const PackedModels &models, const HeadLayout &layout, const HeadMask &base,
                         const std::vector<Products> &tiers)
    : m_models(models), m_layout(layout), m_base(base), m_baseFactors(base, layout)
{
    for (Products products : tiers)
        m_tiers.emplace_back().products = products;
    m_tiers.emplace_back().products = Products::Exact;
}

PackedBlock::~PackedBlock() = default;

VariantFactors::VariantFactors(const HeadMask &mask, const HeadLayout &layout)
{
    for (const HeadLayout::Block &block : layout.blocks()) {
        auto &layers = m_layers[static_cast<std::size_t>(block.kind)];
        layers.resize(block.layers.size());
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            std::vector<float> factors;
            for (int head : block.layers[layer])
                factors.push_back(mask.isMasked({block.kind, static_cast<int>(layer), head}) ? 0.0F : 1.0F);
            if (std::ranges::any_of(factors, [](float factor) { return factor != 1.0F; }))
                layers[layer] = std::move(factors);
        }
    }
}

const float *VariantFactors::at(HeadKind kind, int layer) const
{
    const auto &layers = m_layers[static_cast<std::size_t>(kind)];
    const auto index = static_cast<std::size_t>(layer);
    return index < layers.size() && !layers[index].empty() ? layers[index].data() : nullptr;
}

/// Variants that start at one place, and what is known of them so far.
struct PackedBlock::Group
{
    StartPlace start;
    std::vector<std::size_t> variants; ///< places in the list that was asked for
    std::deque<VariantFactors> factors;
    std::vector<std::vector<ExampleOutput>> outputs; ///< per variant
    std::deque<std::atomic<std::int64_t>> left;      ///< per variant, examples to come
};

std::deque<PackedBlock::Group> PackedBlock::grouped(std::span<const Variant> variants,
                                                    const OutputsOfVariant &done) const
{
    std::map<StartPlace, std::vector<std::size_t>> byStart;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        std::optional<StartPlace> first;
        for (const HeadRef &head : variants[v].mask) {
            if (!m_base.isMasked(head) && (!first || StartPlace::of(head) < *first))
                first = StartPlace::of(head);
        }
        if (first)
            byStart[*first].push_back(v);
        else
            done(v, m_baseline);
    }
    std::deque<Group> groups;
    for (auto &[start, members] : byStart) {
        Group &group = groups.emplace_back();
        group.start = start;
        group.variants = std::move(members);
        for (std::size_t v : group.variants) {
            HeadMask mask = m_base;
            for (const HeadRef &head : variants[v].mask)
                mask.set(head, true);
            group.factors.emplace_back(mask, m_layout);
            group.left.emplace_back(std::ssize(m_baseline));
        }
        group.outputs.resize(group.variants.size());
    }
    return groups;
}

ProductProof PackedBlock::outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                       const JobControl &control) const
{
    return runAll(variants, 0, done, control);
}

ProductProof PackedBlock::runAll(std::span<const Variant> variants, std::size_t firstTier, const OutputsOfVariant &done,
                                 const JobControl &control) const
{
    const torch::NoGradGuard noGrad;
    std::deque<Group> groups = grouped(variants, done);
    struct Member
    {
        std::size_t variant; ///< in its group
        std::int64_t place;
    };
    struct Piece
    {
        Group *group;
        std::vector<Member> members;
        std::int64_t rows = 0;
    };
    // Few variants (a click) make small pieces, so that all cores have some.
    std::int64_t examplesRows = 0;
    for (std::int64_t place = 0; place < std::ssize(m_baseline); ++place)
        examplesRows += rowsOf(place);
    const std::int64_t rowsTogether
        = std::clamp(examplesRows * std::ssize(variants) / (4 * threadPlan().workers), kFewestRows, kRowsTogether);
    std::vector<Piece> pieces;
    for (Group &group : groups) {
        bool fresh = true;
        for (std::size_t v = 0; v < group.variants.size(); ++v) {
            for (std::int64_t place = 0; place < std::ssize(m_baseline); ++place) {
                if (fresh || pieces.back().rows + rowsOf(place) > rowsTogether)
                    pieces.push_back({&group, {}, 0});
                fresh = false;
                pieces.back().members.push_back({v, place});
                pieces.back().rows += rowsOf(place);
            }
        }
    }
    Course course;
    course.tiers.resize(m_tiers.size());
    std::mutex mutex;
    parallelFor(std::ssize(pieces), [&](std::int64_t p) {
        control.checkpoint();
        const Piece &piece = pieces[static_cast<std::size_t>(p)];
        Group &group = *piece.group;
        std::vector<Pair> pairs;
        for (const Member &member : piece.members)
            pairs.push_back({&group.factors[member.variant], member.place});
        std::vector<Answer> answers = answer(group.start, pairs, firstTier, course, control);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const Member &member = piece.members[i];
            auto &outputs = group.outputs[member.variant];
            {
                const std::scoped_lock lock(mutex);
                if (outputs.empty())
                    outputs.resize(m_baseline.size());
            }
            outputs[static_cast<std::size_t>(member.place)] = std::move(answers[i].output);
            if (--group.left[member.variant] == 0) {
                done(group.variants[member.variant], outputs);
                outputs = {};
            }
        }
    });
    ProductProof proof;
    for (const Piece &piece : pieces)
        proof.runs += std::ssize(piece.members);
    for (std::size_t t = firstTier; t + 1 < m_tiers.size(); ++t)
        proof.tiers.push_back({m_tiers[t].products == Products::Half ? "bf16" : "split bf16",
                               std::max(m_tiers[t].error.load(), course.tiers[t].error.load()), m_tiers[t].allowed(),
                               course.tiers[t].passedOn});
    return proof;
}

std::vector<PackedBlock::Answer> PackedBlock::answer(const StartPlace &start, std::span<const Pair> pairs,
                                                     std::size_t tier, Course &course,
                                                     const JobControl &control) const
{
    const Tier &own = m_tiers[tier];
    const PackedModel &model = m_models.with(own.products);
    const bool isExact = own.products == Products::Exact;
    std::vector<Answer> answers = run(start, pairs, {model, isExact ? 0 : 2 * own.allowed()}, control);
    if (isExact)
        return answers;
    std::vector<bool> passed(answers.size(), false);
    const auto passOn = [&](const std::function<bool(const Answer &)> &isMeant) {
        std::vector<std::size_t> meant;
        std::vector<Pair> again;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (!passed[i] && isMeant(answers[i])) {
                meant.push_back(i);
                again.push_back(pairs[i]);
                passed[i] = true;
            }
        }
        if (again.empty())
            return true;
        course.tiers[tier].passedOn += std::ssize(again);
        std::vector<Answer> better = answer(start, again, tier + 1, course, control);
        float error = 0;
        for (std::size_t i = 0; i < meant.size(); ++i) {
            error = std::max(error, std::abs(answers[meant[i]].probe - better[i].probe));
            answers[meant[i]] = std::move(better[i]);
        }
        raise(course.tiers[tier].error, error);
        return error <= own.allowed();
    };
    if (!passOn([](const Answer &answer) { return answer.doubtful; }))
        passOn([](const Answer &) { return true; });
    return answers;
}

std::vector<ExampleOutput> PackedBlock::outputs(const Variant &variant, const JobControl &control) const
{
    std::vector<ExampleOutput> outputs;
    runAll({&variant, 1}, showsLogits() ? m_tiers.size() - 1 : 0,
           [&](std::size_t, const auto &made) { outputs = made; }, control);
    return outputs;
}

void PackedBlock::measureErrors(const std::function<float(const PackedModel &quick)> &errorOf)
{
    for (Tier &tier : m_tiers) {
        if (tier.products != Products::Exact)
            raise(tier.error, errorOf(m_models.with(tier.products)));
    }
}

std::vector<std::span<const std::int64_t>> PackedBlock::inParts(const std::vector<std::int64_t> &ids)
{
    const auto workers = static_cast<std::size_t>(threadPlan().workers);
    const std::size_t size = std::max<std::size_t>(16, (ids.size() + workers - 1) / workers);
    std::vector<std::span<const std::int64_t>> parts;
    for (std::size_t first = 0; first < ids.size(); first += size)
        parts.push_back(std::span(ids).subspan(first, std::min(size, ids.size() - first)));
    return parts;
}

std::vector<Rows> PackedBlock::keep(const std::vector<std::vector<Rows>> &parts)
{
    std::vector<Rows> layers;
    for (std::size_t layer = 0; layer < parts.front().size(); ++layer) {
        std::vector<Rows> pieces;
        for (const auto &part : parts)
            pieces.push_back(part[layer]);
        layers.push_back(joined(pieces));
        m_memory += layers.back().bytes();
    }
    return layers;
}

HeadFactors PackedBlock::factorsOf(std::span<const Pair> pairs, HeadKind kind, int layer)
{
    HeadFactors factors;
    for (const Pair &pair : pairs)
        factors.push_back(pair.factors->at(kind, layer));
    return factors;
}

std::vector<std::int64_t> PackedBlock::placesOf(std::span<const Pair> pairs)
{
    std::vector<std::int64_t> places;
    for (const Pair &pair : pairs)
        places.push_back(pair.place);
    return places;
}

HeadFactors PackedBlock::baseFactors(std::int64_t count, HeadKind kind, int layer) const
{
    return HeadFactors(static_cast<std::size_t>(count), m_baseFactors.at(kind, layer));
}

std::vector<Products> quickProducts(const RunOptions &run, bool decisionsOnly, Products quickest)
{
    if (!decisionsOnly || run.products == ProductChoice::Exact
        || (run.products == ProductChoice::Auto && !areHalvesFast()))
        return {};
    const bool half = run.products == ProductChoice::Half
                      || (run.products == ProductChoice::Auto && quickest == Products::Half);
    return half ? std::vector{Products::Half, Products::Split} : std::vector{Products::Split};
}

} // namespace headscope
