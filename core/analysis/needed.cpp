#include "core/analysis/needed.h"

#include "core/analysis/analysisinfo.h"
#include "core/analysis/headunits.h"
#include "core/analysis/input.h"
#include "core/analysis/minimalset.h"
#include "core/base/random.h"
#include "core/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// By how much labels that are predicted lead the others; of several labels each is above or below zero by itself.
double leadOf(const std::vector<float> &logits, const std::vector<int> &predicted, bool several)
{
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t label = 0; label < logits.size(); ++label) {
        const bool isPredicted = std::ranges::find(predicted, static_cast<int>(label)) != predicted.end();
        const auto logit = static_cast<double>(logits[label]);
        if (isPredicted || several)
            least = std::min(least, isPredicted ? logit : -logit);
        else
            most = std::max(most, logit);
    }
    return several ? least : least - most;
}

/// One example, run without sets of units, given by their places.
class Removals
{
public:
    Removals(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const NeededSpec &spec,
             const JobControl &control)
        : m_task(task), m_dataset(dataset), m_tokenizer(tokenizer), m_spec(spec), m_control(control),
          m_units(task.model().spec(), spec.by)
    {
        const HeadMask masked = m_units.whole(spec.mask);
        m_heads = m_units.firstsWithout(masked, spec.kinds);
        if (m_heads.empty())
            throw Failure(usageError("There is no head to leave out: all are masked, or left out by --kinds."));
        m_block = task.prepare({*spec.example}, masked, ReplacementPlan(spec.replacement), spec.run, control);
        const std::int64_t guesses = std::ssize(base().tokens);
        if (spec.token && (*spec.token >= guesses || *spec.token < -guesses))
            throw Failure(usageError(fmt::format("--token {}: of example {} the model guesses {} tokens.", *spec.token,
                                                 *spec.example, guesses)));
    }

    const std::vector<HeadRef> &heads() const { return m_heads; }
    const ExampleOutput &base() const { return m_block->baseline().front(); }
    std::int64_t tested() const { return std::ssize(m_isChanged); }

    /// Whether the output without each of these sets is another.
    std::vector<bool> changes(const std::vector<PlaceSet> &removed)
    {
        std::vector<PlaceSet> unknown;
        for (const PlaceSet &set : removed) {
            if (!set.empty() && !m_isChanged.contains(set) && std::ranges::find(unknown, set) == unknown.end())
                unknown.push_back(set);
        }
        (void)outputsWithout(unknown);
        std::vector<bool> result;
        for (const PlaceSet &set : removed)
            result.push_back(!set.empty() && m_isChanged.at(set));
        return result;
    }

    std::vector<ExampleOutput> outputsWithout(const std::vector<PlaceSet> &removed)
    {
        std::vector<Variant> variants;
        for (const PlaceSet &set : removed) {
            HeadMask mask;
            for (const std::size_t place : set)
                mask.set(m_heads[place], true);
            variants.push_back({m_units.whole(mask), m_spec.replacement});
        }
        std::vector<ExampleOutput> outputs(removed.size());
        constexpr std::size_t kTogether = 128;
        for (std::size_t first = 0; first < variants.size(); first += kTogether) {
            m_control.checkpoint();
            const auto some = std::span(variants).subspan(first, std::min(kTogether, variants.size() - first));
            (void)m_block->outputsOfAll(
                some, [&](std::size_t i, const std::vector<ExampleOutput> &of) { outputs[first + i] = of.front(); },
                m_control);
            m_control.progress({kPhaseNeeded, "sets of heads", tested() + std::ssize(some), 0});
        }
        for (std::size_t i = 0; i < removed.size(); ++i)
            m_isChanged[removed[i]] = !isSame(outputs[i]);
        return outputs;
    }

    /// How far an output has come from the base output: the tokens that changed, then how much less likely it became.
    std::pair<std::int64_t, double> damage(const ExampleOutput &output) const
    {
        if (!base().logits.empty()) {
            const bool several = m_task.model().spec().classifier->problem == ProblemType::MultiLabel;
            return {0, leadOf(base().logits, base().predicted, several)
                           - leadOf(output.logits, base().predicted, several)};
        }
        const std::size_t longest = std::max(base().tokens.size(), output.tokens.size());
        std::int64_t changed = 0;
        for (std::size_t i = 0; i < longest; ++i)
            changed += i >= base().tokens.size() || i >= output.tokens.size() || base().tokens[i] != output.tokens[i];
        return {changed, (base().score - base().otherScore) - (output.score - output.otherScore)};
    }

    bool isSame(const ExampleOutput &output) const
    {
        return m_spec.token ? guessOf(base()) == guessOf(output) : m_task.measure().samePrediction(base(), output);
    }

    std::string textOf(const ExampleOutput &output) const
    {
        if (m_spec.token)
            return m_tokenizer ? m_tokenizer->pieceText(guessOf(output)) : std::to_string(guessOf(output));
        const Example &example = m_dataset.examples[static_cast<std::size_t>(*m_spec.example)];
        if (!example.worse.empty() && output.text.empty()) // of a minimal pair the likelier sentence
            return output.score > output.otherScore ? example.source : example.worse;
        if (example.choices.size() > 1 && output.text.empty())
            return example
                .choices[static_cast<std::size_t>(std::ranges::max_element(output.choices) - output.choices.begin())];
        if (!output.text.empty() || output.tokens.empty())
            return output.text;
        if (m_tokenizer)
            return m_tokenizer->decode(output.tokens);
        std::string ids;
        for (const std::int64_t token : output.tokens)
            ids += (ids.empty() ? "" : " ") + std::to_string(token);
        return ids;
    }

private:
    std::int64_t guessOf(const ExampleOutput &output) const
    {
        const std::int64_t place = *m_spec.token < 0 ? std::ssize(output.tokens) + *m_spec.token : *m_spec.token;
        return output.tokens.at(static_cast<std::size_t>(place));
    }

    const Task &m_task;
    const Dataset &m_dataset;
    const Tokenizer *m_tokenizer;
    const NeededSpec &m_spec;
    const JobControl &m_control;
    HeadUnits m_units;
    std::vector<HeadRef> m_heads;
    std::shared_ptr<const PreparedBlock> m_block;
    std::map<PlaceSet, bool> m_isChanged; ///< by what was removed
};

PlaceSet complement(const PlaceSet &set, std::size_t size)
{
    PlaceSet others;
    for (std::size_t place = 0; place < size; ++place) {
        if (!std::ranges::binary_search(set, place))
            others.push_back(place);
    }
    return others;
}

HasProperty hasGoal(Removals &removals, NeededGoal goal)
{
    if (goal == NeededGoal::Flip)
        return [&](const std::vector<PlaceSet> &sets) { return removals.changes(sets); };
    return [&](const std::vector<PlaceSet> &sets) {
        std::vector<PlaceSet> removed;
        for (const PlaceSet &set : sets)
            removed.push_back(complement(set, removals.heads().size()));
        std::vector<bool> changed = removals.changes(removed);
        changed.flip();
        return changed;
    };
}

/// The last places of `order`, the fewest of 1, 2, 4, …, all of them, that have the property.
std::optional<std::vector<std::size_t>> lastOf(const std::vector<std::size_t> &order, const HasProperty &hasProperty)
{
    for (std::size_t count = 1;; count *= 2) {
        const auto all = static_cast<std::ptrdiff_t>(std::min(count, order.size()));
        const std::vector<std::size_t> last(order.end() - all, order.end());
        PlaceSet set = last;
        std::ranges::sort(set);
        if (hasProperty({set}).front())
            return last;
        if (count >= order.size())
            return std::nullopt;
    }
}

/// Minimal sets by their places, with the strongest proof of each.
using FoundSets = std::map<PlaceSet, MinimalityProof>;

FoundSets setsFor(NeededGoal goal, Removals &removals, const std::vector<std::size_t> &byDamage, const NeededSpec &spec)
{
    const HasProperty property = hasGoal(removals, goal);
    FoundSets found;
    Random random(spec.run.seed);
    std::vector<std::size_t> order = byDamage;
    for (std::int64_t i = 0; i < spec.orders; ++i) {
        if (i > 0)
            shuffle(order, random);
        const auto start = goal == NeededGoal::Keep ? std::optional(order) : lastOf(order, property);
        if (!start)
            continue;
        const MinimalSet set = minimalSet(*start, order.size(), property, spec.most);
        MinimalityProof &proof = found.try_emplace(set.places, set.proof).first->second;
        proof = std::max(proof, set.proof);
    }
    // Sets that change the output may do so only together, so that growing ones miss them: all are tried then, small
    // ones first, as far as that is allowed.
    if (found.empty()) {
        if (const auto set = smallestSet(byDamage.size(), property, spec.most))
            found.emplace(set->places, set->proof);
    }
    return found;
}

void addSets(NeededGoal goal, const FoundSets &found, Removals &removals, NeededResult &result)
{
    std::vector<PlaceSet> sets;
    for (const auto &[places, proof] : found)
        sets.push_back(places);
    std::ranges::stable_sort(sets, {}, [](const PlaceSet &set) { return set.size(); });
    for (const PlaceSet &places : sets) {
        NeededSet set{.goal = goal, .proof = found.at(places)};
        for (const std::size_t place : places) {
            set.heads.push_back(removals.heads()[place]);
            ++(goal == NeededGoal::Keep ? result.heads[place].keeping : result.heads[place].flipping);
        }
        const PlaceSet removed = goal == NeededGoal::Flip ? places : complement(places, removals.heads().size());
        set.output = removed.empty() ? result.output : removals.textOf(removals.outputsWithout({removed}).front());
        result.sets.push_back(std::move(set));
    }
}

} // namespace

void AnalysisOf<NeededSpec>::check(const NeededSpec &spec)
{
    if (!spec.example)
        throw Failure(usageError("Say which example: --example 12 (rows are counted from 0)."));
    if (spec.replacement == Replacement::Resample)
        throw Failure(
            usageError("--replace resample: whether an output stays would hang on the example that is drawn; take "
                       "zero or mean."));
    if (spec.replacement == Replacement::Optimal || spec.replacement == Replacement::Window)
        throw Failure(usageError("--replace optimal and window are of ablate; take zero or mean."));
}

namespace {

/// Whether there is an output to keep. Throws Failure.
void checkOutput(const Task &task, const NeededSpec &spec)
{
    if (*spec.example >= task.size())
        throw Failure(usageError(
            fmt::format("--example {}: the data set has {} examples, counted from 0.", *spec.example, task.size())));
    const auto &classifier = task.model().spec().classifier;
    if (classifier && classifier->problem == ProblemType::Regression)
        throw Failure(usageError("The model says a number, which every head changes: there is no output to keep."));
    if (spec.token && (classifier || task.generates()))
        throw Failure(usageError("--token is for language models, which guess every token of a text that is given."));
}

} // namespace

NeededResult needed(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const NeededSpec &spec,
                    Manifest manifest, const JobControl &control)
{
    checkOutput(task, spec);
    const Example &example = dataset.examples[static_cast<std::size_t>(*spec.example)];
    Removals removals(task, dataset, tokenizer, spec, control);
    NeededResult result;
    result.manifest = std::move(manifest);
    result.example = *spec.example;
    result.text = example.source;
    result.pair = example.pair;
    result.output = removals.textOf(removals.base());
    result.by = spec.by;
    result.replacement = spec.replacement;

    std::vector<PlaceSet> alone;
    for (std::size_t place = 0; place < removals.heads().size(); ++place)
        alone.push_back({place});
    const std::vector<ExampleOutput> outputs = removals.outputsWithout(alone);
    const std::vector<bool> changes = removals.changes(alone);
    for (std::size_t place = 0; place < alone.size(); ++place)
        result.heads.push_back({removals.heads()[place], changes[place]});
    std::vector<std::size_t> byDamage(alone.size());
    std::iota(byDamage.begin(), byDamage.end(), std::size_t{0});
    for (const NeededGoal goal : {NeededGoal::Keep, NeededGoal::Flip}) {
        // Among heads that change nothing alone, those that keep the output are the likeliest to change it together.
        std::ranges::stable_sort(byDamage, {}, [&](std::size_t place) {
            return std::tuple(bool(changes[place]), removals.damage(outputs[place]), result.heads[place].keeping);
        });
        addSets(goal, setsFor(goal, removals, byDamage, spec), removals, result);
        if (goal == NeededGoal::Keep)
            result.keeping = std::ssize(result.sets);
    }
    result.tested = removals.tested();
    return result;
}

NeededResult AnalysisOf<NeededSpec>::compute(const NeededSpec &spec, AnalysisInput &input, Manifest manifest,
                                             const JobControl &control, const Publish<NeededResult> &)
{
    const AnalysisData data = input.data();
    return needed(data.task, data.dataset, input.tokenizer(), spec, std::move(manifest), control);
}

std::vector<std::string> AnalysisOf<NeededSpec>::remarks(const NeededResult &result)
{
    std::vector<std::string> remarks;
    const auto isEmpty = [](const NeededSet &set) { return set.goal == NeededGoal::Keep && set.heads.empty(); };
    if (std::ranges::any_of(result.sets, isEmpty))
        remarks.push_back("the output stays even without all of these heads: it comes from the rest of the model");
    if (result.keeping == std::ssize(result.sets))
        remarks.push_back(
            areAllWithin(result.heads.size(), result.tested + 1) // the whole model is not run again
                ? "there is no set of heads without which the output changes: all were tried"
                : "no set of heads was found without which the output changes; not all were tried (--most)");
    return remarks;
}

} // namespace headscope
