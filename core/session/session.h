#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/base/folderlisting.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/data/datarows.h"
#include "core/data/datasource.h"
#include "core/model/prunedcard.h"
#include "core/results/anyresult.h"
#include "core/results/attentionresult.h"
#include "core/results/cards.h"
#include "core/results/neuronresult.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {

struct ModelOptions
{
    /// The machine that holds the folder and computes: a host name for `ssh`, or a command that runs headscope-cli
    /// there ("docker exec -i box headscope-cli"). Empty: this one.
    std::string host{};
    std::string device = "auto"; ///< auto, cpu, cuda, cuda:N, cuda:all
    std::string dtype = "f32";   ///< f32, bf16
    int threads = 0;             ///< 0 = one per core
    /// Languages of a multilingual model, by the codes that its card lists; empty: as its folder says, where it does.
    std::string sourceLanguage{};
    std::string targetLanguage{};
    /// A folder of this machine in which work that takes long is kept until Session::release(), so that it goes on
    /// after a stop or a kill; empty: nowhere. On another machine the core there keeps it in a folder of its own.
    std::filesystem::path workFolder{};
};
/// The one that the programs use: in the user's folder for what can be made anew. Empty: there is none.
std::filesystem::path usualWorkFolder();

/// The two data slots of a study.
enum class Domain { In, Out };
inline constexpr Domain otherDomain(Domain domain)
{
    return domain == Domain::In ? Domain::Out : Domain::In;
}

/// A model without some of its heads, as it is to be written.
struct ExportSpec
{
    HeadMask mask{}; ///< the heads to go
    ExportForm form = ExportForm::Full;
    /// Bias compensation (the guide's numbers.md, Ablation): output biases take the removed heads' mean outputs over
    /// this data set, which should not be the one that the model is then judged by. None: no compensation.
    std::optional<Domain> compensation{};
};

/// The one door through which programs reach the core: one model and two data sets, on this machine or on another.
/// All functions that compute take a JobControl, may be called from any thread, and return "cancelled" within
/// 200 ms of a cancel. `publish` is called on the calling thread with complete partial results.
/// A result of the same key is computed once per session and then answered at once; one that was begun before, by this
/// program or another, goes on where it was (ModelOptions::workFolder).
class Session
{
public:
    /// Reads config.json, tokenizer files and weights, where `options.host` says. Errors name the file, what was found
    /// and expected, or a language that the model does not know, or say why the other machine cannot be reached.
    static Result<std::shared_ptr<Session>> open(const std::filesystem::path &folder, const ModelOptions &options,
                                                 const JobControl &control);
    virtual ~Session() = default;
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    virtual const ModelCard &card() const = 0;

    /// The content of a folder of the machine that the model is on, and a look at data files there.
    virtual Result<FolderListing> list(const std::filesystem::path &folder, const JobControl &control) const = 0;
    virtual Result<DataPreview> preview(const DataSource &source, const JobControl &control) const = 0;

    /// Reads and tokenizes a data set into a slot, replacing what was there.
    virtual Result<DataCard> setData(Domain domain, const DataSource &source, const JobControl &control) = 0;
    virtual void clearData(Domain domain) = 0;
    virtual std::optional<DataCard> data(Domain domain) const = 0;
    virtual std::shared_ptr<const DataRows> rows(Domain domain) const = 0; ///< null: the slot is empty

    /// Computes what the spec asks for of a data set (analyses.h is the table). Partial results are published as the
    /// analysis says.
    template<SpecStruct Spec>
    Result<ResultOf<Spec>> run(Domain domain, const Spec &spec, const JobControl &control,
                               const std::type_identity_t<Publish<ResultOf<Spec>>> &publish = {})
    {
        using Answer = ResultOf<Spec>;
        Publish<AnyResult> publishAny;
        if (publish)
            publishAny = [&](const AnyResult &partial) { publish(*partial.as<Answer>()); };
        const Result<AnyResult> result = runAny(domain, spec, control, publishAny);
        if (result.isCancelled())
            return Result<Answer>::cancelled();
        if (result.isError())
            return result.error();
        return *result.value().template as<Answer>();
    }
    virtual Result<AnyResult> runAny(Domain domain, const AnySpec &spec, const JobControl &control,
                                     const Publish<AnyResult> &publish = {})
        = 0;
    /// The known part of results of this data set that were begun, by this program or another, and not finished:
    /// running what they were asked for (askedspec.h) goes on with them.
    virtual Result<std::vector<AnyResult>> unfinished(Domain domain, const JobControl &control) = 0;
    /// Somebody else holds the results with these keys (Manifest::key()) now: what is kept of them in the work folder
    /// is removed. Of results that are not finished all work is lost.
    virtual void release(const std::vector<std::string> &keys) = 0;
    /// Work is kept in this folder of this machine from now on, a study's for instance; what is kept of this model and
    /// these data goes there, as well as the disk allows. Nothing happens where none is kept, or on another machine.
    virtual void keepWorkIn(const std::filesystem::path &folder) = 0;
    /// Attention of every head on one sentence. `target`: what the decoder is made to say (empty: the model's own
    /// translation under `mask`); models that read pairs: the second text (nothing: there is none; it may be empty).
    /// `tree`: of the source; its words are found among the tokens.
    virtual Result<AttentionResult> attention(const std::string &source, const std::optional<std::string> &target,
                                              const HeadMask &mask, const RunOptions &run, const JobControl &control,
                                              const SentenceTree &tree = {})
        = 0;
    /// How one head comes to the attention `shown` of a sentence, under `mask`. Errors: no such head.
    virtual Result<NeuronResult> neurons(const AttentionResult &shown, const HeadRef &head, const HeadMask &mask,
                                         const JobControl &control)
        = 0;
    /// Describes the model without these heads, at once. Errors: a head that does not exist.
    virtual Result<PrunedCard> prunedCard(const HeadMask &mask, const JobControl &control) const = 0;
    /// Writes the model without some heads as a new Hugging Face folder, small or in full shape (the guide's
    /// numbers.md, Removed heads): the same outputs as under the mask or, with compensation, as with the heads replaced
    /// by their means. `heads.json` in it says what was removed and who can open it. Errors: a folder that is not empty
    /// or unwritable.
    virtual Result<PrunedCard> exportPruned(const ExportSpec &spec, const std::filesystem::path &folder,
                                            const JobControl &control) const = 0;
    /// Writes the model with query and key projections that heads share as a new folder, which Headscope opens: the
    /// first width and method of the spec. Errors: no width, rotary positions, a folder that is not empty or
    /// unwritable.
    virtual Result<Done> exportShared(const CollaborateSpec &spec, const std::filesystem::path &folder,
                                      const JobControl &control) const = 0;

protected:
    Session() = default;
};

} // namespace headscope
