#include "core/session/localsession.h"

#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/askedspec.h"
#include "core/analysis/attentionmaps.h"
#include "core/analysis/collaborate.h"
#include "core/analysis/collaboratespec.h"
#include "core/analysis/evaluation.h"
#include "core/analysis/input.h"
#include "core/analysis/neurons.h"
#include "core/base/process.h"
#include "core/base/ranges.h"
#include "core/data/dataset.h"
#include "core/engine/workfolder.h"
#include "core/formats/hash.h"
#include "core/io/adapter.h"
#include "core/io/hubcache.h"
#include "core/model/exportpruned.h"
#include "core/model/loadmodel.h"
#include "core/model/modelfolder.h"
#include "core/results/anyresult.h"
#include "core/results/attentionresult.h"
#include "core/results/corrections.h"
#include "core/results/evaluationresult.h"
#include "core/results/neuronresult.h"
#include "core/results/optionsjson.h"
#include "core/results/resultstore.h"
#include "core/session/cards.h"
#include "core/session/manifests.h"
#include "core/session/requireheads.h"
#include "core/session/studyrecord.h"
#include "core/sharing/sharedmodels.h"
#include "core/task/continuations.h"
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
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {
namespace {

/// Whether the tokenizer's ids are rows of the model's tables; what is odd without being wrong goes to `warnings`.
Result<Done> checkVocabulary(Tokenizer &tokenizer, const TransformerSpec &spec, const std::string &folder,
                             std::vector<std::string> &warnings)
{
    const auto check
        = [&](const char *side, std::int64_t entries, std::int64_t needed, std::int64_t rows) -> Result<Done> {
        if (needed > rows)
            return badInput(fmt::format("{}: the {} vocabulary has {} entries, but the model's embedding only {} rows. "
                                        "Do the tokenizer files belong to this model?",
                                        folder, side, needed, rows));
        if (entries > rows) {
            tokenizer.limitIds(rows);
            warnings.push_back(fmt::format("Tokens that were added to the {} vocabulary have no row in the model's "
                                           "embedding ({} entries, {} rows): texts that hold one are refused.",
                                           side, entries, rows));
        }
        if (entries * 10 < rows * 9) // tables are rounded up, but not by that much
            warnings.push_back(
                fmt::format("The {} vocabulary has only {} entries for the {} rows of the model's "
                            "embedding. Is a file of the tokenizer cut short, or another model's? Scores "
                            "would then be meaningless.",
                            side, entries, rows));
        return Done{};
    };
    const bool isOneStack = !spec.encoder || !spec.decoder;
    if (spec.encoder) {
        const auto source
            = check("source", tokenizer.vocabularySize(), tokenizer.neededVocabulary(), spec.encoder->vocabulary);
        if (!source.isOk())
            return source;
    }
    if (!spec.decoder)
        return Done{};
    const std::int64_t entries = tokenizer.targetVocabularySize();
    const bool isAlike = isOneStack || entries == tokenizer.vocabularySize();
    return check("target", entries, isAlike ? tokenizer.neededVocabulary() : entries, spec.decoder->vocabulary);
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

/// Throws Failure (usage) for parts of a data set that the model has no use for, so that they are not left out in
/// silence.
void requireReadable(const DataSource &source, const TransformerSpec &spec)
{
    if (source.windowStart != WindowStart::None && (spec.encoder || spec.classifier))
        throw Failure(
            usageError("--window-start is for causal language models, which read from left to right; leave it "
                       "out."));
    if (!source.bleuTokenize.empty() && !spec.translates())
        throw Failure(usageError("--bleu-tokenize is for models that translate or summarise; leave it out."));
    if (!source.reference.empty() && !spec.translates() && !spec.classifier)
        throw Failure(usageError("The model does not translate, so references mean nothing to it: leave --reference "
                                 "out. Language models are measured by running text (--text-file) or by minimal pairs "
                                 "(--data)."));
}

/// Throws Failure for tokens of a shown sentence that the model does not know: the sentence may come in a message.
void requireTokens(const std::vector<TokenLabel> &tokens, const TransformerSpec &spec)
{
    const std::int64_t known = spec.decoder ? spec.decoder->vocabulary : 0;
    for (const TokenLabel &token : tokens) {
        if (spec.decoder && (token.id < 0 || token.id >= known))
            throw Failure(usageError(
                fmt::format("the sentence has a token {}, and the model's vocabulary {} entries", token.id, known)));
    }
}

} // namespace

/// One model of this machine and two data sets.
class LocalSession final : public Session
{
public:
    static Result<std::shared_ptr<LocalSession>> open(const std::filesystem::path &folder, const ModelOptions &options,
                                                      const JobControl &control);

    const ModelCard &card() const override { return m_card; }
    Result<FolderListing> list(const std::filesystem::path &folder, const JobControl &control) const override
    {
        return listFolder(folder, control);
    }
    Result<DataPreview> preview(const DataSource &source, const JobControl &control) const override
    {
        return previewData(source, control);
    }
    Result<DataCard> setData(Domain domain, const DataSource &source, const JobControl &control) override;
    void clearData(Domain domain) override;
    std::optional<DataCard> data(Domain domain) const override;
    std::shared_ptr<const DataRows> rows(Domain domain) const override;
    Result<AnyResult> runAny(Domain domain, const AnySpec &spec, const JobControl &control,
                             const Publish<AnyResult> &publish) override;
    Result<std::vector<AnyResult>> unfinished(Domain domain, const JobControl &control) override;
    void release(const std::vector<std::string> &keys) override
    {
        if (!m_work)
            return;
        const std::scoped_lock lock(m_mutex);
        for (const std::string &key : keys) {
            m_work->release(key);
            for (const std::string &part : std::exchange(m_parts[key], {}))
                m_work->release(part);
        }
    }
    void keepWorkIn(const std::filesystem::path &folder) override;
    Result<AttentionResult> attention(const std::string &source, const std::optional<std::string> &target,
                                      const HeadMask &mask, const RunOptions &run, const JobControl &control,
                                      const SentenceTree &tree) override;
    Result<NeuronResult> neurons(const AttentionResult &shown, const HeadRef &head, const HeadMask &mask,
                                 const JobControl &control) override;
    Result<PrunedCard> prunedCard(const HeadMask &mask, const JobControl &control) const override;
    Result<PrunedCard> exportPruned(const ExportSpec &spec, const std::filesystem::path &folder,
                                    const JobControl &control) const override;
    Result<Done> exportShared(const CollaborateSpec &spec, const std::filesystem::path &folder,
                              const JobControl &control) const override;

private:
    class Request;
    class SlotRows;

    LocalSession() = default;

    /// One of the two data sets; replaced as a whole, so that running jobs keep theirs.
    struct Slot
    {
        DataCard card;
        Dataset dataset;
        std::shared_ptr<const Task> task;
        std::mutex mutex;
        std::vector<std::shared_ptr<ResidentBlocks>> resident; ///< one per set of run options, newest last
        std::vector<std::shared_ptr<const SweptHeads>> swept;  ///< newest last
        bool givesNumbers = false; ///< on all examples, although some weights are no usual numbers
    };

    std::shared_ptr<const SharedModel> sharedModel(const SharedProjections &how, const JobControl &control) const
    {
        return m_sharedModels.made(*m_model.transformer, how, m_execution, control);
    }

    std::shared_ptr<Slot> slot(Domain domain) const
    {
        const std::scoped_lock lock(m_mutex);
        return m_slots[static_cast<std::size_t>(domain)];
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

    /// Throws Failure where languages have to be chosen first. Models without a decoder only read.
    void requireLanguages() const
    {
        if (!m_tokenizer)
            return;
        const Languages &languages = m_tokenizer->languages();
        const bool reads = !m_model.transformer->spec().saysTokens();
        (void)(reads ? languages.requireSource() : languages.requireBoth()).valueOrThrow();
    }

    /// Throws Failure where the model gives no number on an example. Only weights that are no usual numbers can do
    /// that, so that other models are not asked.
    void requireNumbers(Slot &slot, const RunOptions &run, const JobControl &control) const
    {
        if (m_model.doubtful.empty())
            return;
        {
            const std::scoped_lock lock(slot.mutex);
            if (slot.givesNumbers)
                return;
        }
        if (const auto example = firstWithoutNumber(*slot.task, run, control))
            throw Failure(badInput(fmt::format(
                "The model gives no number on example {} (counted from 0), so that nothing is computed. Weights that are "
                "not finite or too large: {}. Is the file damaged?",
                *example, m_model.doubtful)));
        const std::scoped_lock lock(slot.mutex);
        slot.givesNumbers = true;
    }

    /// The options that chose the model's languages, beside those of an analysis.
    nlohmann::json withLanguages(nlohmann::json spec) const
    {
        return headscope::withLanguages(std::move(spec), m_card.sourceLanguage, m_card.targetLanguage);
    }

    /// A manifest of this model, without what was asked of it.
    Manifest manifest(const char *analysis) const
    {
        Manifest manifest;
        manifest.analysis = analysis;
        manifest.version = HEADSCOPE_VERSION;
        manifest.model = m_card.folder.string();
        manifest.weightsHash = m_card.weightsHash;
        manifest.settingsHash = settingsHash(m_card);
        return manifest;
    }

    /// The manifest of an analysis of the model alone; `content` as below.
    Manifest manifest(const char *analysis, const nlohmann::json &spec, const std::string &content) const
    {
        Manifest manifest = this->manifest(analysis);
        const nlohmann::json asked = withLanguages(spec);
        nlohmann::json decisive = asked;
        if (!content.empty())
            decisive["content"] = content;
        manifest.spec = decisive.dump();
        manifest.corrections = correctionsOf(manifest, m_card);
        manifest.command = commandLine(analysis, manifest.model, {}, asked);
        stamp(manifest);
        return manifest;
    }

    /// `content`: what else decides the numbers, but is no option.
    Manifest manifest(const char *analysis, const Slot &slot, const nlohmann::json &spec,
                      const Second &second = {nullptr, ""}, const std::string &content = {}) const
    {
        Manifest manifest = this->manifest(analysis);
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
        decisive.update(decidingOptions(slot.card.origin));
        if (const std::string bleu = slot.task->bleuTokenizer(); bleu != "13a" && !decisive.contains("bleu-tokenize"))
            decisive["bleu-tokenize"] = bleu; // chosen for the language
        if (second.slot)
            decisive[second.option] = second.slot->card.hash;
        if (!content.empty())
            decisive["content"] = content;
        manifest.spec = decisive.dump();
        manifest.corrections = correctionsOf(manifest, m_card);
        manifest.command = commandLine(analysis, manifest.model, slot.card.origin, asked);
        if (second.slot)
            manifest.command += secondDataOption(second.option, second.slot->card.origin, slot.card.origin);
        stamp(manifest);
        return manifest;
    }

    /// Where and when.
    void stamp(Manifest &manifest) const
    {
        manifest.device = m_card.device;
        manifest.dtype = m_card.dtype;
        manifest.libtorch = libtorchVersion();
        manifest.created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    }

    /// The states of a slot under these options; null where fast paths are off.
    std::shared_ptr<ResidentBlocks> resident(Slot &slot, const RunOptions &run) const
    {
        const std::scoped_lock lock(slot.mutex);
        for (const auto &blocks : slot.resident) {
            if (blocks->run() == run)
                return blocks;
        }
        if (run.plain)
            return nullptr;
        if (slot.resident.size() >= 2)
            slot.resident.erase(slot.resident.begin());
        slot.resident.push_back(std::make_shared<ResidentBlocks>(slot.task, run));
        return slot.resident.back();
    }

    /// Throws Failure when the weights were written to since the model was opened.
    void requireUnchanged(const JobControl &control) const
    {
        (void)m_model.checkpoint->checkUnchanged(m_card.weightsHash, control).valueOrThrow();
    }

    /// How long something has been computed, before it was stopped and since.
    struct Watch
    {
        double before = 0;
        std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

        double seconds() const
        {
            return before + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
    };

    /// Publishes only results of unchanged weights, and marks them as partial in the manifest. `keep`: they are kept in
    /// the work folder, too. `watch`: since when it has been computed.
    template<typename T>
    Publish<T> checked(const Publish<AnyResult> &publish, bool keep, const Watch &watch,
                       const JobControl &control) const
    {
        if (!publish)
            return {};
        return [this, publish, keep, watch, control](const T &partial) {
            requireUnchanged(control);
            T marked = partial;
            marked.manifest.partial = true;
            marked.manifest.examples = partial.examples;
            marked.manifest.seconds = watch.seconds();
            const AnyResult result = std::move(marked);
            if (keep && m_work)
                m_work->keepPartial(result);
            publish(result);
        };
    }

    /// The manifest of what `spec` asks for. `slot` is null where no data are needed. Throws Failure.
    template<SpecStruct Spec>
    Manifest manifestFor(const Spec &spec, const std::shared_ptr<Slot> &slot, const std::shared_ptr<Slot> &second,
                         const JobControl &control) const
    {
        std::string contents;
        if constexpr (requires { AnalysisOf<Spec>::contents(spec, control); })
            contents = AnalysisOf<Spec>::contents(spec, control);
        if (!slot)
            return manifest(AnalysisOf<Spec>::kInfo.name, decidingOptions(spec), contents);
        if constexpr (requires { AnalysisOf<Spec>::contents(spec, slot->dataset, control); })
            contents = AnalysisOf<Spec>::contents(spec, slot->dataset, control);
        return manifest(AnalysisOf<Spec>::kInfo.name, *slot, decidingOptions(spec), {second, secondOption<Spec>()},
                        contents);
    }

    /// The result of `work(watch)`, with how long it took. `keptKey`: of what the work folder has of it already; empty:
    /// nothing.
    template<typename Work>
    AnyResult stamped(Work &&work, const std::string &keptKey, const JobControl &control) const
    {
        const Watch watch{keptKey.empty() ? 0 : m_work->secondsSpent(keptKey)};
        auto result = work(watch);
        requireUnchanged(control);
        result.manifest.examples = result.examples;
        if (result.manifest.dataHash.empty()) // of generated examples, if any
            result.manifest.totalExamples = result.examples;
        result.manifest.seconds = watch.seconds();
        return AnyResult(std::move(result));
    }

    /// From the store or the work folder, where it is whole; else made and put there.
    template<typename T, typename Make>
    AnyResult stored(const std::string &key, Make &&make) const
    {
        if (m_work && !m_store) {
            if (const auto found = m_work->find(key); found && found->is<T>())
                return *found;
            AnyResult result = make();
            if constexpr (!std::is_same_v<T, EvaluationResult>) // one score for every click
                m_work->keep(result);
            return result;
        }
        if (m_store && m_store->contains(key)) {
            if (const auto found = m_store->load(key); found.isOk()) { // a damaged result is computed again
                if (const auto kept = found.value().as<T>(); kept && !kept->manifest.partial)
                    return found.value();
            }
        }
        AnyResult result = make();
        if (m_store) {
            auto saved = m_store->save(result);
            if (m_storeIsAsked) // else it is computed again
                (void)std::move(saved).valueOrThrow();
        }
        if (m_work) // a sweep's journal is of no use any more
            m_work->release(key);
        return result;
    }

    /// Answers from what was computed before, or runs `work` and remembers its result. Who asks for what is being
    /// computed computes it as well: an urgent job that waited for a batch job, which lets it pass, would wait for
    /// ever.
    template<typename T, typename Work>
    AnyResult computeOnce(const Manifest &manifest, const std::string &keptKey, const JobControl &control, Work &&work)
    {
        const std::string key = manifest.key();
        {
            const std::scoped_lock lock(m_mutex);
            if (const auto found = m_computed.find(key); found != m_computed.end() && found->second.is<T>())
                return found->second;
        }
        const AnyResult result = stored<T>(key, [&] { return stamped(work, keptKey, control); });
        const std::scoped_lock lock(m_mutex);
        m_computed.insert_or_assign(key, result);
        return result;
    }

    std::shared_ptr<LocalSession> openBeside(const std::filesystem::path &folder, const JobControl &control) const;
    template<SpecStruct Spec>
    AnyResult answer(Domain domain, const Spec &spec, const JobControl &control, const Publish<AnyResult> &publish);

    ModelOptions m_options; ///< as it was opened
    Execution m_execution;
    LoadedModel m_model;
    std::vector<ModelCopy> m_copies; ///< on other devices
    std::shared_ptr<const Tokenizer> m_tokenizer;
    ModelCard m_card;
    mutable SharedModels m_sharedModels; ///< of m_model
    std::optional<ResultStore> m_store;  ///< where results are looked for and kept, besides `m_computed`
    bool m_storeIsAsked = false;         ///< somebody named it
    std::optional<WorkFolder> m_work;    ///< where they are until they are released, and what is not done yet

    mutable std::mutex m_mutex; ///< guards what follows
    std::array<std::shared_ptr<Slot>, 2> m_slots;
    std::map<std::string, AnyResult> m_computed;             ///< once per session, by key
    std::map<std::string, std::vector<std::string>> m_parts; ///< keys of what results of a key asked for themselves
    std::set<std::string> m_begun;                           ///< keys of results whose work is kept
};

Result<std::shared_ptr<Session>> openLocalSession(const std::filesystem::path &folder, const ModelOptions &options,
                                                  const JobControl &control)
{
    auto session = LocalSession::open(folder, options, control);
    if (session.isCancelled())
        return Result<std::shared_ptr<Session>>::cancelled();
    if (session.isError())
        return session.error();
    return std::shared_ptr<Session>(session.value());
}

Result<std::shared_ptr<LocalSession>> LocalSession::open(const std::filesystem::path &named,
                                                         const ModelOptions &options, const JobControl &control)
{
    return guarded([&] {
        requirePath(named);
        if (!isWithin(options.threads, kThreadsRange))
            throw Failure(
                usageError(fmt::format("{} processor threads: not {}.", options.threads, rangeText(kThreadsRange))));
        const std::filesystem::path folder = modelFolder(named).valueOrThrow();
        const auto devices = parseDevices(options.device).valueOrThrow();
        const auto dtype = parseDtype(options.dtype).valueOrThrow();
        auto session = std::shared_ptr<LocalSession>(new LocalSession);
        session->m_options = options;
        if (!options.workFolder.empty())
            session->m_work.emplace(options.workFolder);
        session->m_execution = Execution(devices.front(), dtype, options.threads);
        session->m_model = loadModel(folder, session->m_execution.tensorOptions(), control).valueOrThrow();
        const TokenizerOptions languages{options.sourceLanguage, options.targetLanguage};
        const auto withTokenizer = folderOfTokenizer(folder).valueOrThrow();
        auto tokenizer = openTokenizer(withTokenizer, session->m_model.config, languages).valueOrThrow();
        if (tokenizer)
            (void)checkVocabulary(*tokenizer, session->m_model.transformer->spec(), folder.string(),
                                  session->m_model.warnings)
                .valueOrThrow();
        session->m_tokenizer = std::move(tokenizer);
        if (session->m_tokenizer)
            session->m_model.transformer
                = beginningWith(session->m_tokenizer->languages(), session->m_model.transformer);
        for (const torch::Device &other : std::span(devices).subspan(1)) {
            const Execution there(other, dtype, options.threads);
            const LoadedModel copy = loadModel(folder, there.tensorOptions(), control).valueOrThrow();
            session->m_copies.push_back(
                {std::make_shared<const Transformer>(session->m_model.transformer->spec(), copy.transformer->weights()),
                 there});
        }
        if (!hasRoomForProducts()) // the weights may have taken it
            throw Failure(resourceError(fmt::format("{}: {}", folder.string(), kNoRoomForProducts)));
        ModelCard &card = session->m_card;
        card = modelCard(session->m_model, session->m_tokenizer.get());
        card.folder = folder;
        if (options.device == "cuda:all")
            card.device = options.device;
        card.weightsHash = session->m_model.checkpoint->contentHash(control).valueOrThrow();
        card.files = hashModelFiles(folder).valueOrThrow();
        returnFreeMemory();
        return session;
    });
}

/// Another model with the options of this one.
std::shared_ptr<LocalSession> LocalSession::openBeside(const std::filesystem::path &folder,
                                                       const JobControl &control) const
{
    auto other = open(folder, m_options, control).valueOrThrow();
    if (!other->m_tokenizer) { // trainers that save weights often leave it out
        other->m_tokenizer = m_tokenizer;
        other->m_card.files.insert(m_card.files.begin(), m_card.files.end());
    }
    return other;
}

Result<DataCard> LocalSession::setData(Domain domain, const DataSource &source, const JobControl &control)
{
    return guarded([&] {
        requireLanguages();
        auto slot = std::make_shared<Slot>();
        slot->dataset = readDataset(source, control).valueOrThrow();
        const TransformerSpec &spec = m_model.transformer->spec();
        requireReadable(source, spec);
        if (spec.saysTokens() && !spec.encoder)
            slot->dataset = inWindows(std::move(slot->dataset), spec, m_tokenizer.get(), control).valueOrThrow();
        slot->task = makeTask({m_model.transformer, m_tokenizer, m_execution, m_copies}, slot->dataset, control)
                         .valueOrThrow();
        slot->card = dataCard(slot->dataset, *slot->task);
        const std::scoped_lock lock(m_mutex);
        m_slots[static_cast<std::size_t>(domain)] = slot;
        return slot->card;
    });
}

void LocalSession::clearData(Domain domain)
{
    const std::scoped_lock lock(m_mutex);
    m_slots[static_cast<std::size_t>(domain)].reset();
}

std::optional<DataCard> LocalSession::data(Domain domain) const
{
    const auto slot = this->slot(domain);
    return slot ? std::optional(slot->card) : std::nullopt;
}

class LocalSession::SlotRows final : public DataRows
{
public:
    explicit SlotRows(std::shared_ptr<const Slot> slot) : m_slot(std::move(slot)) { }

    std::int64_t size() const override { return std::ssize(m_slot->dataset.examples); }
    DataRow at(std::int64_t index) const override
    {
        const Example &example = m_slot->dataset.examples.at(static_cast<std::size_t>(index));
        return {.source = example.source,
                .reference = example.reference,
                .pair = example.pair,
                .tree = example.tree,
                .isPair = example.secondText().has_value()};
    }

private:
    std::shared_ptr<const Slot> m_slot;
};

std::shared_ptr<const DataRows> LocalSession::rows(Domain domain) const
{
    const auto slot = this->slot(domain);
    return slot ? std::make_shared<const SlotRows>(slot) : nullptr;
}

/// The session's side of one request.
class LocalSession::Request final : public AnalysisInput
{
public:
    /// `key`: of the result that is asked for.
    Request(LocalSession &session, std::string key, Domain domain, std::shared_ptr<Slot> slot,
            std::shared_ptr<Slot> second, std::shared_ptr<LocalSession> owned = nullptr)
        : m_owned(std::move(owned)), m_session(session), m_key(std::move(key)), m_domain(domain),
          m_slot(std::move(slot)), m_second(std::move(second))
    {
    }

    const Transformer &model() const override { return *m_session.m_model.transformer; }
    const Execution &execution() const override { return m_session.m_execution; }
    AnalysisData data() const override { return viewOf(*m_slot); }
    std::optional<AnalysisData> second() const override
    {
        return m_second ? std::optional(viewOf(*m_second)) : std::nullopt;
    }
    const Tokenizer *tokenizer() const override { return m_session.m_tokenizer.get(); }
    std::shared_ptr<ResidentBlocks> resident(const RunOptions &run, bool ofSecond) override
    {
        return m_session.resident(ofSecond ? *m_second : *m_slot, run);
    }
    std::shared_ptr<const SweptHeads> sweptHeads(const RunOptions &run, const HeadMask &mask) const override
    {
        const std::scoped_lock lock(m_slot->mutex);
        const auto found = std::ranges::find_if(m_slot->swept,
                                                [&](const auto &one) { return one->run == run && one->mask == mask; });
        return found == m_slot->swept.end() ? nullptr : *found;
    }
    void keepSweptHeads(std::shared_ptr<const SweptHeads> swept) override
    {
        constexpr std::size_t kMost = 2;
        const std::scoped_lock lock(m_slot->mutex);
        std::erase_if(m_slot->swept,
                      [&](const auto &one) { return one->run == swept->run && one->mask == swept->mask; });
        if (m_slot->swept.size() == kMost)
            m_slot->swept.erase(m_slot->swept.begin());
        m_slot->swept.push_back(std::move(swept));
    }
    KeptWork keptWork(const std::string &key) const override
    {
        return m_session.m_work ? KeptWork(*m_session.m_work, key) : KeptWork();
    }
    std::unique_ptr<AnalysisInput> ofModel(const std::filesystem::path &folder, const std::filesystem::path &store,
                                           const JobControl &control) override
    {
        const auto other = m_session.openBeside(folder, control);
        other->m_storeIsAsked = !store.empty();
        if (other->m_storeIsAsked)
            other->m_store.emplace(store);
        else if (m_session.m_work)
            other->m_store.emplace(m_session.m_work->checkpoints());
        const auto read = [&](const std::shared_ptr<Slot> &slot, Domain domain) -> std::shared_ptr<Slot> {
            if (!slot)
                return nullptr;
            if (other->setData(domain, slot->card.origin, control).valueOrThrow().hash != slot->card.hash)
                throw Failure(badInput(slot->card.name + " was changed since it was opened. Open it again."));
            return other->slot(domain);
        };
        auto slot = read(m_slot, m_domain);
        auto second = read(m_second, otherDomain(m_domain));
        return std::make_unique<Request>(*other, m_key, m_domain, std::move(slot), std::move(second), other);
    }

    std::shared_ptr<const Task> taskOf(std::shared_ptr<const Transformer> model, bool ofSecond,
                                       const JobControl &control) override
    {
        return makeTask({std::move(model), m_session.m_tokenizer, m_session.m_execution, {}},
                        (ofSecond ? m_second : m_slot)->dataset, control)
            .valueOrThrow();
    }

    std::shared_ptr<const SharedModel> sharedModel(const SharedProjections &how, const JobControl &control) override
    {
        return m_session.sharedModel(how, control);
    }

protected:
    AnyResult askAny(const AnySpec &spec, bool ofSecond, const JobControl &control) override
    {
        const Domain domain = ofSecond ? otherDomain(m_domain) : m_domain;
        AnyResult part = m_session.runAny(domain, spec, control, {}).valueOrThrow();
        if (const Manifest *manifest = manifestOf(part); manifest && m_session.m_work) {
            const std::scoped_lock lock(m_session.m_mutex);
            m_session.m_parts[m_key].push_back(manifest->key());
        }
        return part;
    }

private:
    static AnalysisData viewOf(const Slot &slot) { return {*slot.task, slot.dataset, slot.card.name, slot.card.hash}; }

    std::shared_ptr<LocalSession> m_owned; ///< m_session, if nothing else refers to it
    LocalSession &m_session;
    std::string m_key;
    Domain m_domain;
    std::shared_ptr<Slot> m_slot; ///< null: of the model alone
    std::shared_ptr<Slot> m_second;
};

template<SpecStruct Spec>
AnyResult LocalSession::answer(Domain domain, const Spec &spec, const JobControl &control,
                               const Publish<AnyResult> &publish)
{
    using Answer = ResultOf<Spec>;
    const AnalysisInfo &info = AnalysisOf<Spec>::kInfo;
    if (info.needsHeads)
        requireHeads(m_card, info.name);
    checkOptions(spec);
    checkOptions(spec.run);
    requireKnownHeads(spec, m_card.layout);
    if constexpr (requires { AnalysisOf<Spec>::check(spec); })
        AnalysisOf<Spec>::check(spec);
    const auto slot = info.needsData ? requireSlot(domain) : nullptr;
    const auto second = wantsSecond(spec) ? requireSlot(otherDomain(domain)) : nullptr;
    const Manifest manifest = manifestFor(spec, slot, second, control);
    const std::string keptKey = m_work && info.keepsWork ? manifest.key() : std::string();
    if (!keptKey.empty()) {
        const std::scoped_lock lock(m_mutex);
        m_begun.insert(keptKey);
    }
    Request request(*this, manifest.key(), domain, slot, second);
    const auto work = [&](const Watch &watch) {
        if (slot)
            requireNumbers(*slot, spec.run, control);
        if (second)
            requireNumbers(*second, spec.run, control);
        return AnalysisOf<Spec>::compute(
            spec, request, manifest, control,
            checked<Answer>(publish, info.keepsWork && isRemembered(spec), watch, control));
    };
    return isRemembered(spec) ? computeOnce<Answer>(manifest, keptKey, control, work) : stamped(work, keptKey, control);
}

Result<AnyResult> LocalSession::runAny(Domain domain, const AnySpec &spec, const JobControl &control,
                                       const Publish<AnyResult> &publish)
{
    return guarded([&] { return spec.visit([&](const auto &one) { return answer(domain, one, control, publish); }); });
}

Result<std::vector<AnyResult>> LocalSession::unfinished(Domain domain, const JobControl &control)
{
    return guarded([&] {
        std::vector<AnyResult> found;
        if (!m_work)
            return found;
        const auto slot = requireSlot(domain);
        const auto other = this->slot(otherDomain(domain));
        for (AnyResult &partial : m_work->partials()) {
            const Manifest *kept = manifestOf(partial);
            if (!kept || kept->weightsHash != m_card.weightsHash || kept->dataHash != slot->card.hash)
                continue;
            bool isOfThis = false;
            forEachAnalysis([&](auto spec) {
                using Spec = decltype(spec);
                if (!partial.is<ResultOf<Spec>>() || AnalysisOf<Spec>::kInfo.name != kept->analysis)
                    return;
                try {
                    spec = specOf<Spec>(nlohmann::json::parse(kept->spec));
                    const auto second = wantsSecond(spec) ? other : nullptr;
                    isOfThis = isOfThis || manifestFor(spec, slot, second, control).key() == kept->key();
                } catch (const nlohmann::json::exception &) { // of another version
                } catch (const Failure &) {                   // a file that it names is gone
                }
            });
            if (isOfThis)
                found.push_back(std::move(partial));
        }
        return found;
    });
}

void LocalSession::keepWorkIn(const std::filesystem::path &folder)
{
    if (!m_work)
        return;
    std::set<std::string> keys;
    for (const Domain domain : {Domain::In, Domain::Out}) {
        if (!slot(domain))
            continue;
        const Result<std::vector<AnyResult>> left = unfinished(domain, JobControl());
        if (!left.isOk())
            continue;
        for (const AnyResult &partial : left.value())
            keys.insert(manifestOf(partial)->key());
    }
    {
        const std::scoped_lock lock(m_mutex);
        keys.insert(m_begun.begin(), m_begun.end());
    }
    m_work->moveTo(folder, keys);
}

Result<AttentionResult> LocalSession::attention(const std::string &source, const std::optional<std::string> &target,
                                                const HeadMask &mask, const RunOptions &run, const JobControl &control,
                                                const SentenceTree &tree)
{
    return guarded([&] {
        if (!m_tokenizer)
            throw Failure(badInput("The model folder has no tokenizer, so attention cannot be shown for text."));
        checkOptions(run);
        requireKnownHeads(mask, m_card.layout, "--mask");
        requireLanguages();
        const Transformer &model = *m_model.transformer;
        Manifest manifest;
        manifest.analysis = "attention";
        manifest.version = HEADSCOPE_VERSION;
        manifest.model = m_card.folder.string();
        manifest.weightsHash = m_card.weightsHash;
        manifest.settingsHash = settingsHash(m_card);
        nlohmann::json spec = withLanguages(decidingOptions(run));
        spec["mask"] = toText(mask);
        spec["text"] = source;
        spec["target"] = target.value_or(std::string());
        const bool isEmptyPair = !model.spec().translates() && target && target->empty();
        if (isEmptyPair)
            spec["empty-pair"] = true;
        manifest.spec = spec.dump();
        // The chosen options besides the text.
        nlohmann::json asked = spec;
        asked.erase("target");
        asked.erase("empty-pair");
        if (target && !target->empty())
            asked[model.spec().translates() ? "target" : "pair"] = *target;
        manifest.command = commandLine("attention", manifest.model, {}, asked);
        if (isEmptyPair)
            manifest.command += " --pair ''";
        stamp(manifest);
        manifest.examples = manifest.totalExamples = 1;
        std::optional<GenerationSettings> goesOn;
        if (run.decoding.newTokens && model.spec().saysTokens() && !model.spec().encoder)
            goesOn = textContinuationSettings(model.spec(), run.decoding, m_tokenizer);
        AttentionResult result
            = model.spec().translates()
                ? attentionMaps(model, *m_tokenizer, source, target.value_or(std::string()), mask,
                                decodingSettings(model.spec(), run.decoding), tree, std::move(manifest), control)
                : attentionMaps(model, *m_tokenizer, source, target, mask, tree, goesOn ? &*goesOn : nullptr,
                                std::move(manifest), control);
        requireUnchanged(control);
        return result;
    });
}

Result<NeuronResult> LocalSession::neurons(const AttentionResult &shown, const HeadRef &head, const HeadMask &mask,
                                           const JobControl &control)
{
    return guarded([&] {
        if (!m_tokenizer)
            throw Failure(badInput("The model folder has no tokenizer, so neurons cannot be shown for text."));
        requireKnownHeads(mask, m_card.layout, "--mask");
        requireTokens(shown.targetTokens, m_model.transformer->spec());
        Manifest manifest = shown.manifest; // the same sentence under the same model
        NeuronResult result
            = headscope::neurons(*m_model.transformer, *m_tokenizer, shown, head, mask, std::move(manifest), control);
        requireUnchanged(control);
        return result;
    });
}

Result<PrunedCard> LocalSession::prunedCard(const HeadMask &mask, const JobControl &) const
{
    return guarded([&] {
        requireKnownHeads(mask, m_card.layout, "--mask");
        return headscope::prunedCard(m_model, mask);
    });
}

Result<PrunedCard> LocalSession::exportPruned(const ExportSpec &spec, const std::filesystem::path &folder,
                                              const JobControl &control) const
{
    return guarded([&] {
        requirePath(folder);
        requireKnownHeads(spec.mask, m_card.layout, "--export-mask");
        requireUnchanged(control);
        PrunedExport what{.mask = spec.mask, .form = spec.form};
        if (spec.compensation) {
            const auto slot = requireSlot(*spec.compensation);
            what.means = slot->task->meanContexts(control);
            what.reference = slot->card.name;
        }
        return headscope::exportPruned(m_model, m_card.folder, what, folder, control).valueOrThrow();
    });
}

Result<Done> LocalSession::exportShared(const CollaborateSpec &spec, const std::filesystem::path &folder,
                                        const JobControl &control) const
{
    return guarded([&] {
        requireUnchanged(control);
        if (spec.ranks.empty())
            throw Failure(usageError("--export needs --ranks: the width of the model to write."));
        requirePath(folder);
        checkOptions(spec);
        checkWidths(spec, *m_model.transformer);
        const auto shared = sharedModel(sharedProjections(spec, spec.ranks.front()), control);
        return saveShared(m_model, m_card.folder, *shared->model, folder, control).valueOrThrow();
    });
}

} // namespace headscope
