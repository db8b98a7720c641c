#pragma once

#include "core/results/pathsresult.h"
#include "core/task/patchedruns.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace headscope {

/// Heads whose contexts are the donor's, everywhere or at a position: of one attention, or of one stack, the first ones
/// in front, where no estimates are asked for.
struct PathSender
{
    std::vector<HeadRef> heads;
    std::int64_t position = PatchCell::kEverywhere;
};

/// An input of heads of one attention; no heads: the output.
struct PathReceiver
{
    std::vector<HeadRef> heads{};
    PathInput input = PathInput::Logits;

    bool isOutput() const { return heads.empty(); }
};

/// A path of a pair.
struct PathCell
{
    std::int64_t pair = 0; ///< place among the pairs of the runs
    const PathSender *sender = nullptr;
    const PathReceiver *receiver = nullptr;
};

/// Whether there is a way from the sender to the receiver without another head.
bool reaches(const TransformerSpec &spec, const PathSender &sender, const PathReceiver &receiver);

/// Path patching (Wang et al. 2023; Goldowsky-Dill et al. 2023): the base text with the sender's contexts of the donor,
/// in which all other heads keep those of the base run, and feed-forward layers too or are computed anew; of it only
/// the receiver's queries, keys or values count, or the output. These go into a second run of the base text, in which
/// everything after the receiver is computed anew. A sender's changed states are made once for all its receivers, each
/// attention that has receivers once for all of them, and the second run starts there.
class PathRuns
{
public:
    PathRuns(const PatchedRuns &runs, PathFeedForward feedForward);

    /// The scores of paths, in their order. Precondition: reaches(). `done` hears how many more are done, from any
    /// thread.
    std::vector<AnswerScores> scores(std::span<const PathCell> cells,
                                     const std::function<void(std::int64_t)> &done = {}) const;
    /// The same by two whole runs of every path, in padded batches.
    std::vector<AnswerScores> scoresPlainly(std::span<const PathCell> cells,
                                            const std::function<void(std::int64_t)> &done = {}) const;

    /// First-order estimates of what paths change `of` by: of sender and receiver, for the pairs `some`, [pair][path].
    /// The change of the sender's context, times how the receiver's input depends on it, times the gradient of `of` by
    /// that input (edge attribution, Syed et al. 2023; with m points between donor and base, EAP-IG of Hanna et al.
    /// 2024, is not computed). Pairs of `paths` do not count.
    std::vector<std::vector<double>> estimates(const std::vector<std::int64_t> &some, std::span<const PathCell> paths,
                                               const PatchedRuns::OfScores &of) const;

private:
    class Executor;
    class Gradients;
    struct Lane;
    struct Piece;

    StartPlace placeOf(const std::vector<HeadRef> &heads) const;
    void recordFeedForward();
    /// In a batch of one row a path, by the plain path: contexts of senders in the attention `at` [B, H, T, Dh], and
    /// inputs of receivers' heads [B, H, T, …].
    void sendContexts(std::span<const PathCell> cells, const StartPlace &at,
                      const std::map<StartPlace, torch::Tensor> &donor, torch::Tensor &value) const;
    void receiveInputs(std::span<const PathCell> cells, const StartPlace &at, WalkPart part, const torch::Tensor &sent,
                       torch::Tensor &value) const;
    std::vector<Piece> piecesOf(std::span<const PathCell> cells) const;

    const PatchedRuns &m_runs;
    PathFeedForward m_feedForward;
    std::map<StartPlace, Rows> m_outputs; ///< of frozen feed-forward layers in the base run
};

} // namespace headscope
