#pragma once

#include "core/analysis/anyspec.h"
#include "core/base/ranges.h"
#include "core/results/reportcontents.h"
#include "core/session/session.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// The content of a report (Michel et al. 2019, section 3.2). With the defaults it takes minutes if one sweep takes
/// seconds.
struct ReportSpec
{
    RunOptions run{};
    std::optional<std::int64_t> resamples{}; ///< of all bootstraps; none: those that each analysis has by itself
    std::int64_t randomOrders = 5;
    bool moreOrders = false; ///< curves by Shapley values, relevance and gates
    bool greedy = false;     ///< a curve by greedy selection: as many sweeps as there are tenths of heads
    bool search = false;     ///< Kwon et al.'s mask search
    bool noRoles = false;    ///< else what heads attend to
    std::string corpus{};    ///< for rare words, as in RolesSpec
    std::string frequencies{};
    bool relevance = false; ///< of heads; a fraction of a second for every sentence
    bool papers
        = false; ///< and all else that tables and figures of papers show: relevance, similarity, gradients, energy
    std::string runs{};   ///< the model's checkpoints over training, as in DynamicsSpec; empty: none
    bool noSpeed = false; ///< else of the model without half of its heads
    /// Fewer examples and repeats than `speed` by itself: the report's claim is about the largest batches.
    std::vector<std::int64_t> batchSizes{1, 4, 16, 64};
    std::int64_t speedExamples = 128;
    int speedRepeats = 3;
};

template<typename Visitor>
void describe(Visitor &visit, ReportSpec &spec)
{
    visit.integer(
        "resamples", spec.resamples, IntegerRange{0, kMostResamples},
        "Resamples of all bootstraps; default: as each analysis by itself, enough for Holm's correction over all heads");
    visit.integer("random-orders", spec.randomOrders, IntegerRange{0, kMostRepeats},
                  "Orders of the random pruning band; 0 = none");
    visit.flag(
        "more-orders", spec.moreOrders,
        "Also prune by Shapley values, relevance (LRP) and gates (slow: Shapley values measure every head in many "
        "orders, and gates are trained)");
    visit.flag("greedy", spec.greedy, "Also prune greedily (slow)");
    visit.flag("search", spec.search, "Also search masks by gradients, as `search`");
    visit.flag("no-roles", spec.noRoles, "Do not look for what heads attend to");
    visit.text("corpus", spec.corpus, "FILE", "Roles: text whose tokens are counted to know rare ones, as in `roles`");
    visit.text("frequencies", spec.frequencies, "FILE", "Or words and how often they occur, one a line");
    visit.flag("relevance", spec.relevance, "Relevance of heads too, as `relevance` (slow)");
    visit.flag(
        "papers", spec.papers,
        "All that the papers' tables and figures show: relevance, what heads attend to, the gradient of the loss by "
        "attention, the energy of projections (slow)");
    visit.text("runs", spec.runs, "DIR",
               "Training run with the model's checkpoints: what pruning costs over training (Figure 5), as `dynamics`");
    visit.flag("no-speed", spec.noSpeed, "Measure no speed");
    visit.integers("batch-sizes", spec.batchSizes, IntegerRange{1}, "Batch sizes that speed is measured at");
    visit.integer("speed-examples", spec.speedExamples, IntegerRange{0},
                  "Examples of each measurement of speed; 0 = all");
    visit.integer("speed-repeats", spec.speedRepeats, IntegerRange{1, kMostRepeats}, "How often speed is measured");
}

/// A report's requests that score the model under many masks, and on which set; `two`: there is an out-of-domain
/// one.
std::vector<std::pair<Domain, AnySpec>> scoredParts(const ReportSpec &spec, const HeadLayout &layout, bool two);

/// Computes all parts of a report on the data sets that the session has (in-domain at least); what the session has
/// computed already is not computed again. With two data sets, pruning orders and single heads are chosen on the other
/// one than they are reported on. Published after every part. Phases of progress name the part.
Result<ReportContents> computeReport(Session &session, const ReportSpec &spec, const JobControl &control,
                                     const Publish<ReportContents> &publish = {});

} // namespace headscope
