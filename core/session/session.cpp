#include "core/session/session.h"

#include "core/analysis/ablation.h"
#include "core/analysis/attentionmaps.h"
#include "core/analysis/confidence.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/importance.h"
#include "core/analysis/masksearch.h"
#include "core/analysis/pruning.h"
#include "core/analysis/relevance.h"
#include "core/analysis/roles.h"
#include "core/analysis/speed.h"
#include "core/data/dataset.h"
#include "core/formats/hash.h"
#include "core/model/exportpruned.h"
#include "core/model/loadmodel.h"
#include "core/model/modelfolder.h"
#include "core/packed/linear.h"
#include "core/session/manifests.h"
#include "core/session/requireheads.h"
#include "core/session/studyrecord.h"
#include "core/task/generationrunner.h"
#include "core/task/tasks.h"
#include "core/task/textwindows.h"
#include "core/tensor/device.h"
#include "core/tensor/freememory.h"
#include "core/tensor/guarded.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <headscope/version.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace headscope {
namespace {

std::string generationText(const GenerationSettings &settings)
{
    return settings.beams == 1 ? fmt::format("greedy, at most {} tokens", settings.maxLength)
                               : fmt::format("{} beams, length penalty {}, at most {} tokens", settings.beams,
                                             settings.lengthPenalty, settings.maxLength);
}

Result<Done> checkVocabulary(const Tokenizer &tokenizer, const TransformerSpec &spec, const std::string &folder)
{
    const auto check = [&](const char *side, std::int64_t pieces, std::int64_t rows) -> Result<Done> {
        if (pieces <= rows)
            return Done{};
        return badInput(fmt::format("{}: the {} vocabulary has {} entries, but the model's embedding only {} rows. "
                                    "Do the tokenizer files belong to this model?",
                                    folder, side, pieces, rows));
    };
    auto source = spec.encoder ? check("source", tokenizer.vocabularySize(), spec.encoder->vocabulary) : Result<Done>(Done{});
    if (!source.isOk() || !spec.decoder)
        return source;
    return check("target", tokenizer.targetVocabularySize(), spec.decoder->vocabulary);
}

/// References that are few and many times the same are hardly translations.
void warnOfLabels(const Dataset &dataset, std::vector<std::string> &warnings)
{
    constexpr std::size_t kFewest = 20;
    std::set<std::string> different;
    for (const Example &example : dataset.examples) {
        if (example.reference.empty() || different.size() * 10 > dataset.examples.size())
            return;
        different.insert(example.reference);
    }
    if (dataset.examples.size() < kFewest || different.size() * 10 > dataset.examples.size())
        return;
    warnings.push_back(fmt::format("{}: the {} references are only {} different texts (\"{}\" is one). Are these "
                                   "labels? Scores of a translation model against them mean nothing.",
                                   dataset.name, dataset.examples.size(), different.size(), *different.begin()));
}

/// The model with the target language's token where it begins its output; itself where no language was chosen.
std::shared_ptr<const Transformer> beginningWith(const Languages &languages, std::shared_ptr<const Transformer> model)
{
    if (languages.targetId < 0)
        return model;
    TransformerSpec spec = model->spec();
    if (languages.start == Languages::Start::StartToken)
        spec.generation.startId = languages.targetId;
    else
        spec.generation.forcedFirst = languages.targetId;
    return std::make_shared<const Transformer>(std::move(spec), model->weights());
}

/// How many heads share a key–value head.
std::int64_t headsPerKey(const TransformerSpec &spec)
{
    std::int64_t most = 1;
    for (const Side side : kBothSides) {
        for (std::size_t i = 0; spec.stack(side) && i < spec.stack(side)->subLayers.size(); ++i) {
            if (const AttentionSpec *attention = spec.stack(side)->subLayers[i].attention())
                most = std::max(most, attention->headsPerKey);
        }
    }
    return most;
}

/// Results of one kind by key: computed once per session.
template<typename T>
using Computed = std::map<std::string, T>;

} // namespace

struct Session::Impl
{
    /// One of the two data sets; replaced as a whole, so that running jobs keep theirs.
    struct Slot
    {
        DataCard card;
        Dataset dataset;
        std::shared_ptr<const Task> task;
        std::mutex mutex;
        std::vector<std::shared_ptr<ResidentBlocks>> resident; ///< one per set of run options, newest last
        std::vector<RunOptions> evaluated;                     ///< options that a score was asked for with
    };

    Execution execution;
    LoadedModel model;
    std::shared_ptr<const Tokenizer> tokenizer;
    ModelCard card;

    mutable std::mutex mutex; ///< guards what follows
    std::array<std::shared_ptr<Slot>, 2> slots;
    std::tuple<Computed<EvaluationResult>, Computed<AblationResult>, Computed<ImportanceResult>,
               Computed<ConfidenceResult>, Computed<PruningResult>, Computed<SearchResult>,
               Computed<RolesResult>, Computed<RelevanceResult>>
        computed;

    std::shared_ptr<Slot> slot(Domain domain) const
    {
        const std::scoped_lock lock(mutex);
        return slots[static_cast<std::size_t>(domain)];
    }

    std::shared_ptr<Slot> requireSlot(Domain domain) const
    {
        auto found = slot(domain);
        if (!found)
            throw Failure(usageError(domain == Domain::In ? "No in-domain data set is open."
                                                          : "No out-of-domain data set is open."));
        return found;
    }

    /// A second data set that a result depends on.
    struct Second
    {
        std::shared_ptr<Slot> slot; ///< none: there is none
        const char *option;         ///< of the command line that names it
    };

    /// The other slot where `wanted`.
    Second second(bool wanted, Domain domain, const char *option) const
    {
        return {wanted ? requireSlot(otherDomain(domain)) : nullptr, option};
    }

    /// Throws Failure where languages have to be chosen first. Models without a decoder only read.
    void requireLanguages() const
    {
        if (!tokenizer)
            return;
        const Languages &languages = tokenizer->languages();
        const bool reads = !model.transformer->spec().decoder;
        (void)(reads ? languages.requireSource() : languages.requireBoth()).valueOrThrow();
    }

    /// The options that chose the model's languages, beside those of an analysis.
    nlohmann::json withLanguages(nlohmann::json spec) const
    {
        return headscope::withLanguages(std::move(spec), card.sourceLanguage, card.targetLanguage);
    }

    /// `content`: what else decides the numbers, but is no option.
    Manifest manifest(const char *analysis, const Slot &slot, const nlohmann::json &spec,
                      const Second &second = {nullptr, ""}, const std::string &content = {}) const
    {
        Manifest manifest;
        manifest.analysis = analysis;
        manifest.version = HEADSCOPE_VERSION;
        manifest.model = card.folder.string();
        manifest.weightsHash = card.weightsHash;
        manifest.settingsHash = settingsHash(card);
        manifest.data = slot.card.name;
        manifest.dataHash = slot.card.hash;
        const DataSource &origin = slot.card.origin;
        for (const std::string *file : {&origin.source, &origin.table, &origin.text, &origin.conllu}) {
            if (manifest.dataFile.empty())
                manifest.dataFile = *file;
        }
        manifest.totalExamples = slot.card.rows;
        const nlohmann::json asked = withLanguages(spec);
        nlohmann::json decisive = asked;
        if (!slot.card.origin.labelMap.empty())
            decisive["label-map"] = slot.card.origin.labelMap;
        if (slot.card.origin.stride > 0)
            decisive["stride"] = slot.card.origin.stride;
        if (second.slot)
            decisive[second.option] = second.slot->card.hash;
        if (!content.empty())
            decisive["content"] = content;
        manifest.spec = decisive.dump();
        manifest.command = commandLine(analysis, manifest.model, slot.card.origin, asked);
        if (second.slot)
            manifest.command += secondDataOption(second.option, second.slot->card.origin);
        stamp(manifest);
        return manifest;
    }

    /// Where and when.
    void stamp(Manifest &manifest) const
    {
        manifest.device = card.device;
        manifest.dtype = card.dtype;
        manifest.libtorch = libtorchVersion();
        manifest.created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    }

    /// States for a single score. The first score is cheapest without; whoever comes again wants them kept.
    std::shared_ptr<ResidentBlocks> residentForScore(Slot &slot, const RunOptions &run) const
    {
        bool again = false;
        {
            const std::scoped_lock lock(slot.mutex);
            again = std::ranges::find(slot.evaluated, run) != slot.evaluated.end();
            if (!again)
                slot.evaluated.push_back(run);
        }
        return resident(slot, run, again);
    }

    /// The states of a slot under these options; null where there are none and none are to be made.
    std::shared_ptr<ResidentBlocks> resident(Slot &slot, const RunOptions &run, bool make) const
    {
        const std::scoped_lock lock(slot.mutex);
        for (const auto &blocks : slot.resident) {
            if (blocks->run() == run)
                return blocks;
        }
        if (!make || run.plain)
            return nullptr;
        if (slot.resident.size() >= 2)
            slot.resident.erase(slot.resident.begin());
        slot.resident.push_back(std::make_shared<ResidentBlocks>(slot.task, run));
        return slot.resident.back();
    }

    /// Throws Failure when the weights were written to since the model was opened.
    void requireUnchanged(const JobControl &control) const
    {
        (void)model.checkpoint->checkUnchanged(card.weightsHash, control).valueOrThrow();
    }

    /// Hands on only what was computed from unchanged weights, and says in its manifest that it is partial.
    template<typename T>
    Publish<T> checked(const Publish<T> &publish, const JobControl &control) const
    {
        if (!publish)
            return {};
        return [this, publish, control](const T &partial) {
            requireUnchanged(control);
            T marked = partial;
            marked.manifest.partial = true;
            marked.manifest.examples = partial.examples;
            publish(marked);
        };
    }

    /// Answers from what was computed before, or runs `work` and remembers its result.
    template<typename T, typename Work>
    Result<T> computeOnce(const Manifest &manifest, const JobControl &control, Work &&work)
    {
        const std::string key = manifest.key();
        {
            const std::scoped_lock lock(mutex);
            const auto &known = std::get<Computed<T>>(computed);
            if (const auto found = known.find(key); found != known.end())
                return found->second;
        }
        return guarded([&]() -> T {
            const auto start = std::chrono::steady_clock::now();
            T result = work();
            requireUnchanged(control);
            result.manifest.examples = result.examples;
            result.manifest.seconds
                = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            const std::scoped_lock lock(mutex);
            std::get<Computed<T>>(computed)[key] = result;
            return result;
        });
    }

    /// One order, or several random ones, over the heads that `spec` lets go. `onStep`: see stepwiseOrder().
    std::vector<PruningOrder> pruningOrders(Session &session, Domain domain, const PruningSpec &spec,
                                            const JobControl &control,
                                            const std::function<void(const PruningOrder &)> &onStep);
    PruningOrder stepwisePruningOrder(Slot &slot, const PruningSpec &spec, const JobControl &control,
                                      const std::function<void(const PruningOrder &)> &onStep) const;
    HeadValues importanceOf(Session &session, Domain domain, const ImportanceSpec &spec, const JobControl &control) const;
};

Session::Session(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Session::~Session() = default;

Result<std::shared_ptr<Session>> Session::open(const std::filesystem::path &folder, const ModelOptions &options,
                                               const JobControl &control)
{
    return guarded([&] {
        const auto device = parseDevice(options.device).valueOrThrow();
        const auto dtype = parseDtype(options.dtype).valueOrThrow();
        auto impl = std::make_unique<Impl>();
        impl->execution = Execution(device, dtype, options.threads);
        impl->model = loadModel(folder, impl->execution.tensorOptions(), control).valueOrThrow();
        const TokenizerOptions languages{options.sourceLanguage, options.targetLanguage};
        impl->tokenizer = openTokenizer(folder, impl->model.config, languages).valueOrThrow();
        if (impl->tokenizer)
            impl->model.transformer = beginningWith(impl->tokenizer->languages(), impl->model.transformer);
        const TransformerSpec &spec = impl->model.transformer->spec();

        ModelCard &card = impl->card;
        card.folder = folder;
        card.family = spec.family;
        card.task = taskKind(spec).name;
        card.parameters = impl->model.parameters;
        card.width = static_cast<int>(spec.width);
        card.layout = impl->model.transformer->layout();
        card.device = device.str();
        card.dtype = dtypeName(dtype);
        if (spec.classifier) {
            card.problem = spec.classifier->problem;
            card.labels = spec.classifier->labels;
        } else if (spec.isEncoderDecoder()) {
            card.generation = generationText(spec.generation);
        }
        card.metrics = taskKind(spec).judgingMetrics(spec);
        card.primaryMetric = card.metrics.empty() ? std::string() : card.metrics.front();
        card.warnings = impl->model.warnings;
        std::ranges::copy(headWarnings(card.layout), std::back_inserter(card.warnings));
        if (const std::int64_t shared = headsPerKey(spec); shared > 1)
            card.warnings.push_back(fmt::format("{} heads share each key–value head: heads here are query heads, and so are "
                                                "masks of them.", shared));
        if (impl->tokenizer) {
            (void)checkVocabulary(*impl->tokenizer, spec, folder.string()).valueOrThrow();
            card.tokenizer = impl->tokenizer->description();
            const Languages &known = impl->tokenizer->languages();
            card.languages = known.known;
            card.sourceLanguage = known.source;
            card.targetLanguage = known.target;
            if (const auto chosen = known.requireBoth(); spec.decoder && !chosen.isOk())
                card.warnings.push_back(chosen.error().message);
        } else {
            card.warnings.emplace_back("The folder has no tokenizer files: only data with input_ids (.jsonl) can be "
                                       "used.");
        }
        if (dtype != torch::kFloat32)
            card.warnings.emplace_back("Computing in bf16: outputs can differ from those in f32.");
        card.weightsHash = impl->model.checkpoint->contentHash(control).valueOrThrow();
        card.files = hashModelFiles(folder).valueOrThrow();
        returnFreeMemory();
        return std::shared_ptr<Session>(new Session(std::move(impl)));
    });
}

const ModelCard &Session::card() const { return m_impl->card; }

Result<DataCard> Session::setData(Domain domain, const DataSource &source, const JobControl &control)
{
    return guarded([&] {
        m_impl->requireLanguages();
        auto slot = std::make_shared<Impl::Slot>();
        slot->dataset = readDataset(source, control).valueOrThrow();
        const TransformerSpec &spec = m_impl->model.transformer->spec();
        if (!spec.encoder)
            slot->dataset
                = inWindows(std::move(slot->dataset), spec, m_impl->tokenizer.get(), control).valueOrThrow();
        slot->task
            = makeTask({m_impl->model.transformer, m_impl->tokenizer, m_impl->execution}, slot->dataset, control).valueOrThrow();
        const DataFacts facts = slot->task->facts();
        slot->card = {.name = slot->dataset.name,
                      .origin = slot->dataset.origin,
                      .hash = slot->dataset.hash,
                      .rows = slot->task->size(),
                      .meanWords = slot->dataset.meanWords,
                      .pairs = facts.pairs,
                      .labels = facts.labels,
                      .warnings = slot->dataset.warnings};
        slot->card.references = slot->task->hasReferences();
        slot->card.trees = !slot->dataset.treesHash.empty();
        slot->card.sourceHash = slot->dataset.sourceHash;
        slot->card.referenceHash = slot->dataset.referenceHash;
        slot->card.treesHash = slot->dataset.treesHash;
        std::ranges::copy(facts.warnings, std::back_inserter(slot->card.warnings));
        if (spec.isEncoderDecoder())
            warnOfLabels(slot->dataset, slot->card.warnings);
        const std::scoped_lock lock(m_impl->mutex);
        m_impl->slots[static_cast<std::size_t>(domain)] = slot;
        return slot->card;
    });
}

void Session::clearData(Domain domain)
{
    const std::scoped_lock lock(m_impl->mutex);
    m_impl->slots[static_cast<std::size_t>(domain)].reset();
}

std::optional<DataCard> Session::data(Domain domain) const
{
    const auto slot = m_impl->slot(domain);
    return slot ? std::optional(slot->card) : std::nullopt;
}

DataRow Session::row(Domain domain, std::int64_t index) const
{
    const Example &example = m_impl->requireSlot(domain)->dataset.examples.at(static_cast<std::size_t>(index));
    return {.source = example.source, .reference = example.reference, .pair = example.pair, .tree = example.tree};
}

Result<EvaluationResult> Session::evaluate(Domain domain, const EvaluationSpec &spec, const JobControl &control,
                                           const Publish<EvaluationResult> &publish)
{
    return guarded([&] {
        const auto slot = m_impl->requireSlot(domain);
        const Manifest manifest = m_impl->manifest("evaluate", *slot, decidingOptions(spec));
        const auto run = [&] {
            const auto resident = m_impl->residentForScore(*slot, spec.run);
            EvaluationResult result
                = headscope::evaluate(*slot->task, spec, manifest, resident.get(), control,
                                      m_impl->checked(publish, control));
            if (!resident) // interactive work comes again at once
                returnFreeMemory();
            return result;
        };
        if (spec.outputs || spec.scores) { // too large to remember
            EvaluationResult result = run();
            m_impl->requireUnchanged(control);
            result.manifest.examples = result.examples;
            result.manifest.seconds = result.seconds;
            return result;
        }
        return m_impl->computeOnce<EvaluationResult>(manifest, control, run).valueOrThrow();
    });
}

Result<AblationResult> Session::ablate(Domain domain, const AblationSpec &spec, const JobControl &control,
                                       const Publish<AblationResult> &publish)
{
    return guarded([&] {
        const auto slot = m_impl->requireSlot(domain);
        const bool replaces = spec.replacement != Replacement::Zero;
        const auto reference = m_impl->second(replaces && spec.referenceFromOther, domain, "reference-on");
        const Manifest manifest = m_impl->manifest("ablate", *slot, decidingOptions(spec), reference);
        const auto work = [&] {
            const auto resident = m_impl->resident(*slot, spec.run, true);
            AblationResult result
                = headscope::ablate(*slot->task, spec, manifest, resident.get(), control,
                                    m_impl->checked(publish, control),
                                    reference.slot ? reference.slot->task.get() : nullptr);
            if (replaces)
                result.referenceData = (reference.slot ? *reference.slot : *slot).card.name;
            return result;
        };
        return m_impl->computeOnce<AblationResult>(manifest, control, work).valueOrThrow();
    });
}

Result<BestHeadsResult> Session::bestHeads(Domain domain, AblationSpec spec, const JobControl &control,
                                           const Publish<AblationResult> &publish)
{
    return guarded([&] {
        spec.allButOne = true;
        const auto chosenOn = m_impl->second(true, domain, "choose-on");
        const Domain other = otherDomain(domain);
        const AblationResult choose = ablate(other, spec, control, publish).valueOrThrow();
        const AblationResult report = ablate(domain, spec, control, publish).valueOrThrow();
        BestHeadsResult result = headscope::bestHeads(choose, report).valueOrThrow();
        const auto slot = m_impl->requireSlot(domain);
        Manifest manifest = m_impl->manifest("ablate", *slot, decidingOptions(spec), chosenOn);
        manifest.examples = report.examples;
        manifest.seconds = choose.manifest.seconds + report.manifest.seconds;
        result.manifest = std::move(manifest);
        return result;
    });
}

Result<SearchResult> Session::search(Domain domain, const SearchSpec &spec, const JobControl &control,
                                     const Publish<SearchResult> &publish)
{
    return guarded([&] {
        requireHeads(m_impl->card, "search");
        const auto slot = m_impl->requireSlot(domain);
        slot->task->requireReferences();
        const auto other = m_impl->second(spec.searchOnOther, domain, "search-on");
        const auto &searched = other.slot ? *other.slot : *slot;
        const Manifest manifest = m_impl->manifest("search", *slot, decidingOptions(spec), other);
        const auto name = [&](SearchResult result) {
            result.searchData = searched.card.name;
            result.searchedOnEvaluated = searched.card.hash == slot->card.hash;
            return result;
        };
        const auto work = [&] {
            const auto resident = m_impl->resident(*slot, spec.run, true);
            return name(searchMasks(*slot->task, *searched.task, spec, manifest, resident.get(), control,
                                    [&, show = m_impl->checked(publish, control)](const SearchResult &partial) {
                                        if (show)
                                            show(name(partial));
                                    }));
        };
        return m_impl->computeOnce<SearchResult>(manifest, control, work).valueOrThrow();
    });
}

Result<ImportanceResult> Session::importance(Domain domain, const ImportanceSpec &spec, const JobControl &control,
                                             const Publish<ImportanceResult> &publish)
{
    return guarded([&] {
        requireHeads(m_impl->card, "importance");
        const auto slot = m_impl->requireSlot(domain);
        const Manifest manifest = m_impl->manifest("importance", *slot, decidingOptions(spec));
        return m_impl
            ->computeOnce<ImportanceResult>(
                manifest, control,
                [&] {
                    return headscope::importance(*slot->task, spec, manifest, control,
                                                 m_impl->checked(publish, control));
                })
            .valueOrThrow();
    });
}

Result<ConfidenceResult> Session::confidence(Domain domain, const RunOptions &run, const JobControl &control,
                                             const Publish<ConfidenceResult> &publish)
{
    return guarded([&] {
        const auto slot = m_impl->requireSlot(domain);
        Manifest manifest = m_impl->manifest("confidence", *slot, decidingOptions(run));
        manifest.command.clear(); // no command of its own yet
        return m_impl
            ->computeOnce<ConfidenceResult>(
                manifest, control,
                [&] {
                    return headscope::confidence(*slot->task, run, manifest, control,
                                                 m_impl->checked(publish, control));
                })
            .valueOrThrow();
    });
}

Result<RolesResult> Session::roles(Domain domain, const RolesSpec &spec, const JobControl &control,
                                   const Publish<RolesResult> &publish)
{
    return guarded([&] {
        const auto slot = m_impl->requireSlot(domain);
        std::string content = slot->dataset.treesHash; // files are what is in them, whatever their names
        for (const std::string *file : {&spec.corpus, &spec.frequencies, &spec.alignments})
            content += file->empty() ? std::string() : ' ' + hashFile(*file, control).valueOrThrow();
        const Manifest manifest = m_impl->manifest("roles", *slot, decidingOptions(spec), {nullptr, ""}, content);
        return m_impl
            ->computeOnce<RolesResult>(manifest, control,
                                       [&] {
                                           return headscope::roles(*slot->task, slot->dataset, m_impl->tokenizer.get(),
                                                                   spec, manifest, control,
                                                                   m_impl->checked(publish, control));
                                       })
            .valueOrThrow();
    });
}

Result<RelevanceResult> Session::relevance(Domain domain, const RelevanceSpec &spec, const JobControl &control,
                                           const Publish<RelevanceResult> &publish)
{
    return guarded([&] {
        requireHeads(m_impl->card, "relevance");
        const auto slot = m_impl->requireSlot(domain);
        checkRelevance(spec);
        const Manifest manifest = m_impl->manifest("relevance", *slot, decidingOptions(spec));
        return m_impl
            ->computeOnce<RelevanceResult>(
                manifest, control,
                [&] {
                    return headscope::relevance(*slot->task, spec, manifest, control,
                                                 m_impl->checked(publish, control));
                })
            .valueOrThrow();
    });
}

namespace {

bool isStepwise(const PruningSpec &spec)
{
    return spec.order == "greedy" || (spec.order == "importance" && spec.reestimate);
}

/// By what data an order is chosen; random ones and files by none.
bool isChosenByData(const std::string &order)
{
    return order == "importance" || order == "ablation" || order == "greedy";
}

} // namespace

/// Importance estimated anew before every step, with the heads removed so far masked ("exact pruning", METHODS 1.6); or
/// greedy: the exact score without each of the others.
PruningOrder Session::Impl::stepwisePruningOrder(Slot &slot, const PruningSpec &spec, const JobControl &control,
                                                 const std::function<void(const PruningOrder &)> &onStep) const
{
    const Task &task = *slot.task;
    const std::int64_t candidates
        = std::ssize(restrictOrder(task.layout().heads(), spec.kinds, spec.atLeastPerLayer));
    const bool greedy = spec.order == "greedy";
    const auto counts = greedy ? pruningSchedule(candidates, std::max<std::int64_t>(1, spec.greedyStep))
                               : pruningSchedule(candidates, spec.step, spec.rounding);
    const auto resident = greedy ? this->resident(slot, spec.run, true) : nullptr;
    const auto valuesOf = [&](const HeadMask &removed) {
        if (greedy)
            return scoresWithoutEach(task, spec.run, spec.kinds, removed, resident.get(), control);
        const ImportanceSpec importanceSpec{spec.run, removed, spec.reduction, spec.normalization};
        const auto estimate = headscope::importance(task, importanceSpec, {}, control, {});
        HeadValues values;
        for (const HeadImportance &head : estimate.heads) {
            if (!removed.isMasked(head.head)
                && (spec.kinds.empty() || std::ranges::find(spec.kinds, head.head.kind) != spec.kinds.end()))
                values[head.head] = head.importance;
        }
        return values;
    };
    return stepwiseOrder(counts, spec.atLeastPerLayer, spec.reverse, task.layout(), valuesOf, onStep);
}

HeadValues Session::Impl::importanceOf(Session &session, Domain domain, const ImportanceSpec &spec,
                                       const JobControl &control) const
{
    const auto result = session.importance(domain, spec, control).valueOrThrow();
    HeadValues values;
    for (const HeadImportance &head : result.heads)
        values[head.head] = head.importance;
    return values;
}

std::vector<PruningOrder> Session::Impl::pruningOrders(Session &session, Domain domain, const PruningSpec &spec,
                                                       const JobControl &control,
                                                       const std::function<void(const PruningOrder &)> &onStep)
{
    const auto ordered = [&](HeadValues values) {
        for (auto &[head, value] : values)
            value = spec.reverse ? -value : value; // ties stay in the order of addresses either way
        return orderByValue(values);
    };
    const auto reversed = [&](PruningOrder order) {
        if (spec.reverse)
            std::ranges::reverse(order);
        return order;
    };
    std::vector<PruningOrder> orders;
    if (isStepwise(spec)) {
        orders.push_back(stepwisePruningOrder(*requireSlot(domain), spec, control, onStep));
    } else if (spec.order == "random") {
        const std::int64_t count = std::max<std::int64_t>(1, spec.randomOrders);
        for (PruningOrder &order : randomOrders(card.layout, count, spec.run.seed))
            orders.push_back(reversed(std::move(order)));
    } else if (spec.order == "ablation") {
        AblationSpec ablation{.run = spec.run, .mask = {}, .resamples = spec.resamples};
        const auto result = session.ablate(domain, ablation, control).valueOrThrow();
        orders.push_back(ordered(worthOf(result))); // whose removal hurts least goes first
    } else if (spec.order == "importance") {
        orders.push_back(
            ordered(importanceOf(session, domain, {spec.run, {}, spec.reduction, spec.normalization}, control)));
    } else {
        orders.push_back(reversed(readPruningOrder(spec.order, card.layout).valueOrThrow()));
    }
    for (PruningOrder &order : orders) {
        if (!isStepwise(spec)) // those know already
            order = restrictOrder(order, spec.kinds, spec.atLeastPerLayer);
        if (order.empty())
            throw Failure(usageError("Nothing to prune: no head is of the chosen kinds, or every layer keeps all its "
                                     "heads."));
    }
    return orders;
}

Result<PruningResult> Session::prune(Domain domain, const PruningSpec &spec, const JobControl &control,
                                     const Publish<PruningResult> &publish)
{
    return guarded([&] {
        requireHeads(m_impl->card, "prune");
        const auto slot = m_impl->requireSlot(domain);
        slot->task->requireReferences();
        const bool byData = isChosenByData(spec.order);
        const auto other = m_impl->second(spec.orderOnOther && byData, domain, "order-on");
        const Domain orderDomain = !other.slot ? domain : otherDomain(domain);
        // A file is what is in it, whatever its name.
        const std::string content
            = byData || spec.order == "random" ? std::string() : hashFile(spec.order, control).valueOrThrow();
        const Manifest manifest = m_impl->manifest("prune", *slot, decidingOptions(spec), other, content);
        const auto name = [&](PruningCurve curve) {
            if (byData) {
                const DataCard &card = (other.slot ? *other.slot : *slot).card;
                curve.orderData = card.name;
                curve.chosenOnEvaluated = card.hash == slot->card.hash;
            }
            return curve;
        };
        const auto work = [&] {
            PruningResult result;
            result.manifest = manifest;
            const Metric &metric = *slot->task->metrics()[slot->task->primaryMetric(spec.run)];
            result.metric = metric.name();
            result.better = metric.better();
            const auto resident = m_impl->resident(*slot, spec.run, true);
            const auto show = [&](const PruningCurve &curve) {
                if (publish) {
                    m_impl->requireUnchanged(control);
                    PruningResult partial = result;
                    partial.manifest.partial = true;
                    partial.curves.push_back(name(curve));
                    publish(partial);
                }
            };
            std::vector<std::vector<HeadKind>> selections{spec.kinds};
            if (spec.eachKind) {
                selections.clear();
                for (const HeadLayout::Block &block : slot->task->layout().blocks()) {
                    if (spec.kinds.empty() || std::ranges::find(spec.kinds, block.kind) != spec.kinds.end())
                        selections.push_back({block.kind});
                }
            }
            for (const auto &kinds : selections) {
                PruningSpec one = spec;
                one.kinds = kinds;
                PruningCurve growing; // while an order is made, what it has come to
                growing.order = spec.order;
                growing.kinds = kinds;
                growing.candidates
                    = std::ssize(restrictOrder(m_impl->card.layout.heads(), kinds, spec.atLeastPerLayer));
                const auto onStep = [&](const PruningOrder &order) {
                    if (!publish)
                        return;
                    if (growing.points.empty())
                        growing.points.push_back(
                            pruningPoint(*slot->task, one, {}, growing.candidates, resident.get(), control));
                    growing.points.push_back(
                        pruningPoint(*slot->task, one, HeadMask(order), growing.candidates, resident.get(), control));
                    show(growing);
                };
                const auto orders = m_impl->pruningOrders(*this, orderDomain, one, control, onStep);
                result.curves.push_back(
                    name(pruningCurve(*slot->task, one, orders, spec.order, resident.get(), control, show)));
            }
            result.examples = slot->card.rows;
            return result;
        };
        return m_impl->computeOnce<PruningResult>(manifest, control, work).valueOrThrow();
    });
}

Result<AttentionResult> Session::attention(const std::string &source, const std::string &target, const HeadMask &mask,
                                           const RunOptions &run, const JobControl &control, const SentenceTree &tree)
{
    return guarded([&] {
        if (!m_impl->tokenizer)
            throw Failure(badInput("The model folder has no tokenizer, so attention cannot be shown for text."));
        m_impl->requireLanguages();
        const Transformer &model = *m_impl->model.transformer;
        Manifest manifest;
        manifest.analysis = "attention";
        manifest.version = HEADSCOPE_VERSION;
        manifest.model = m_impl->card.folder.string();
        manifest.weightsHash = m_impl->card.weightsHash;
        manifest.settingsHash = settingsHash(m_impl->card);
        nlohmann::json spec = m_impl->withLanguages(decidingOptions(run));
        spec["mask"] = toText(mask);
        spec["text"] = source;
        spec["target"] = target;
        manifest.spec = spec.dump();
        // As options: what stands beside the text, and only what was chosen.
        nlohmann::json asked = spec;
        asked.erase("target");
        if (!target.empty())
            asked[model.spec().isEncoderDecoder() ? "target" : "pair"] = target;
        manifest.command = commandLine("attention", manifest.model, {}, asked);
        m_impl->stamp(manifest);
        manifest.examples = manifest.totalExamples = 1;
        AttentionResult result
            = model.spec().isEncoderDecoder()
                  ? attentionMaps(model, *m_impl->tokenizer, source, target, mask,
                                  decodingSettings(model.spec(), run.decoding), tree, std::move(manifest), control)
                  : attentionMaps(model, *m_impl->tokenizer, source, target, mask, tree, std::move(manifest), control);
        m_impl->requireUnchanged(control);
        return result;
    });
}

Result<PrunedCard> Session::prunedCard(const HeadMask &mask) const
{
    return guarded([&] { return headscope::prunedCard(m_impl->model, mask); });
}

Result<PrunedCard> Session::exportPruned(const ExportSpec &spec, const std::filesystem::path &folder,
                                         const JobControl &control) const
{
    return guarded([&] {
        m_impl->requireUnchanged(control);
        PrunedExport what{.mask = spec.mask, .form = spec.form};
        if (spec.compensation) {
            const auto slot = m_impl->requireSlot(*spec.compensation);
            what.means = slot->task->meanContexts(control);
            what.reference = slot->card.name;
        }
        return headscope::exportPruned(m_impl->model, m_impl->card.folder, what, folder, control).valueOrThrow();
    });
}

Result<SpeedResult> Session::speed(Domain domain, const SpeedSpec &spec, const JobControl &control,
                                   const Publish<SpeedResult> &publish)
{
    return guarded([&] {
        requireHeads(m_impl->card, "speed");
        const auto slot = m_impl->requireSlot(domain);
        Manifest manifest = m_impl->manifest("speed", *slot, decidingOptions(spec));
        SpeedSpec decided = spec;
        if (!decided.mask) {
            const auto order = orderByValue(m_impl->importanceOf(*this, domain, {.run = spec.run}, control));
            const auto count = static_cast<std::ptrdiff_t>(static_cast<double>(order.size())
                                                           * std::clamp(spec.fraction, 0.0, 1.0));
            decided.mask = HeadMask(PruningOrder(order.begin(), order.begin() + count));
        }
        const auto start = std::chrono::steady_clock::now();
        SpeedResult result
            = measureSpeed(*slot->task, decided, std::move(manifest), control, m_impl->checked(publish, control));
        m_impl->requireUnchanged(control);
        result.manifest.examples = result.examples;
        result.manifest.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        returnFreeMemory();
        return result;
    });
}

Environment environment(int threads)
{
    ProcessorReport report = processorReport(threads);
    if (!hasPackedProducts())
        report.warnings.emplace_back("Built without oneDNN: sweeps on the processor take two to five times as long. Remedy: "
                                     "apt install libdnnl-dev, then build again.");
    else
        report.blas += areHalvesFast() ? "; sweeps: oneDNN in bf16 (AMX)" : "; sweeps: oneDNN";
    return {.version = HEADSCOPE_VERSION,
            .libtorch = report.libtorch,
            .blas = report.blas,
            .threads = report.threads,
            .processor = report.processor,
            .devices = report.devices,
            .warnings = report.warnings};
}

} // namespace headscope
