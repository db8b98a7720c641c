#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"
#include "core/model/transformer.h"
#include "core/results/anyresult.h"
#include "core/sharing/sharedmodel.h"
#include "core/task/task.h"
#include "core/tensor/execution.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The session as analyses see it (AnalysisOf::compute()).
namespace headscope {

/// One data set as analyses see it.
struct AnalysisData
{
    const Task &task;
    const Dataset &dataset;
    std::string name;
    std::string hash;
};

/// The statistics of a sweep that removes each head by itself, example by example.
struct SweptHeads
{
    RunOptions run;
    HeadMask mask{}; ///< heads off throughout
    std::vector<HeadRef> heads{};
    std::vector<std::int64_t> visited{}; ///< examples, in the order of the tables' rows
    StatisticsTable baseline{};
    std::vector<VariantStatistics> variants{}; ///< without each of `heads`
};

/// The session as an analysis sees it.
class AnalysisInput
{
public:
    virtual ~AnalysisInput() = default;

    virtual const Transformer &model() const = 0;
    virtual const Execution &execution() const = 0;
    /// Precondition: the analysis needs data (AnalysisInfo::needsData).
    virtual AnalysisData data() const = 0;
    /// The second data set, where the spec wants one (wantsSecond()).
    virtual std::optional<AnalysisData> second() const = 0;
    /// Null: the model folder has none.
    virtual const Tokenizer *tokenizer() const = 0;
    /// The states that variants start from, made now or by an earlier request; null where fast paths are off.
    virtual std::shared_ptr<ResidentBlocks> resident(const RunOptions &run, bool ofSecond = false) = 0;

    /// The statistics of a complete sweep of this data set, for analyses that look at the same outputs; kept while the
    /// data are open. Null: none of these options has run.
    virtual std::shared_ptr<const SweptHeads> sweptHeads(const RunOptions &run, const HeadMask &mask) const = 0;
    virtual void keepSweptHeads(std::shared_ptr<const SweptHeads> swept) = 0;

    /// Where what is done of the result `key` is kept until it is there.
    virtual KeptWork keptWork(const std::string &key) const = 0;

    /// This data set, and the second one, as the model of another folder reads them. What is asked of it is kept in
    /// `store`, and looked for there first. A folder without a tokenizer is read with this one's. Throws Failure.
    virtual std::unique_ptr<AnalysisInput> ofModel(const std::filesystem::path &folder,
                                                   const std::filesystem::path &store, const JobControl &control)
        = 0;

    /// This data set, or the second, as a model with other weights reads it: one that lies in no folder.
    virtual std::shared_ptr<const Task> taskOf(std::shared_ptr<const Transformer> model, bool ofSecond,
                                               const JobControl &control)
        = 0;

    /// The open model with query and key projections that its heads share. Made once.
    virtual std::shared_ptr<const SharedModel> sharedModel(const SharedProjections &how, const JobControl &control) = 0;

    /// Another analysis's result on this data set or, if there is one, of the second. Computed once.
    template<SpecStruct Spec>
    ResultOf<Spec> ask(const Spec &spec, bool ofSecond, const JobControl &control)
    {
        return *askAny(spec, ofSecond, control).template as<ResultOf<Spec>>();
    }
    /// The answer for the second data set where there is one.
    template<SpecStruct Spec>
    ResultOf<Spec> ask(const Spec &spec, const JobControl &control)
    {
        return ask(spec, second().has_value(), control);
    }

protected:
    virtual AnyResult askAny(const AnySpec &spec, bool ofSecond, const JobControl &control) = 0;
};

} // namespace headscope
