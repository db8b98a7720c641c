#include "core/task/pathruns.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope {
namespace {

std::vector<WalkPart> partsOf(PathInput input)
{
    switch (input) {
    case PathInput::Query:
        return {WalkPart::Query};
    case PathInput::Key:
        return {WalkPart::Key};
    case PathInput::Value:
        return {WalkPart::Value};
    case PathInput::All:
        return {WalkPart::Query, WalkPart::Key, WalkPart::Value};
    case PathInput::Logits:
        break;
    }
    return {};
}

bool isInput(WalkPart part)
{
    return part == WalkPart::Query || part == WalkPart::Key || part == WalkPart::Value;
}

/// Columns of heads in an attention.
std::vector<std::int64_t> columnsOf(const TransformerSpec &spec, const std::vector<HeadRef> &heads)
{
    std::vector<std::int64_t> columns;
    for (const HeadRef &head : heads) {
        const std::vector<int> &all = spec.attention(head.kind, head.layer).heads;
        columns.push_back(std::ranges::find(all, head.head) - all.begin());
    }
    return columns;
}

using Parts = std::map<std::pair<StartPlace, WalkPart>, torch::Tensor>;

} // namespace

void PathRuns::sendContexts(std::span<const PathCell> cells, const StartPlace &at,
                            const std::map<StartPlace, torch::Tensor> &donor, torch::Tensor &value) const
{
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const PathSender &sender = *cells[i].sender;
        for (const HeadRef &head : sender.heads) {
            if (placeOf({head}) != at)
                continue;
            const std::int64_t column = columnsOf(m_runs.spec(), {head}).front();
            auto to = value[static_cast<std::int64_t>(i)][column];
            const auto from = donor.at(at)[static_cast<std::int64_t>(i)][column];
            if (sender.position == PatchCell::kEverywhere)
                to.copy_(from);
            else
                to[sender.position].copy_(from[sender.position]);
        }
    }
}

void PathRuns::receiveInputs(std::span<const PathCell> cells, const StartPlace &at, WalkPart part,
                             const torch::Tensor &sent, torch::Tensor &value) const
{
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const PathReceiver &receiver = *cells[i].receiver;
        if (receiver.isOutput() || placeOf(receiver.heads) != at)
            continue;
        const auto parts = partsOf(receiver.input);
        if (std::ranges::find(parts, part) == parts.end())
            continue;
        for (const std::int64_t column : columnsOf(m_runs.spec(), receiver.heads))
            value[static_cast<std::int64_t>(i)][column].copy_(sent[static_cast<std::int64_t>(i)][column]);
    }
}

std::vector<AnswerScores> PathRuns::scoresPlainly(std::span<const PathCell> cells,
                                                  const std::function<void(std::int64_t)> &done) const
{
    std::vector<PatchCell> pairs; // of the batches
    for (const PathCell &cell : cells)
        pairs.push_back({cell.pair, &cell.sender->heads});
    const auto readOf = [&](std::span<const PatchCell> some, const std::vector<std::int64_t> &ofPairs) {
        const auto own = cells.subspan(static_cast<std::size_t>(some.data() - pairs.data()), some.size());
        const auto donor = m_runs.partsOfDonor(ofPairs, WalkPart::Context);
        Parts base, first;
        (void)m_runs.readEdited(ofPairs, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
            base[{{side, place}, part}] = value;
        });
        auto read = m_runs.readEdited(ofPairs, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
            const StartPlace at{side, place};
            first[{at, part}] = value;
            if (part == WalkPart::FeedForward && m_feedForward == PathFeedForward::Frozen)
                value = base.at({at, part});
            if (part != WalkPart::Context)
                return;
            value = base.at({at, part}).clone();
            sendContexts(own, at, donor, value);
        });
        const auto second
            = m_runs.readEdited(ofPairs, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
                  if (!isInput(part))
                      return;
                  value = value.clone();
                  receiveInputs(own, {side, place}, part, first.at({{side, place}, part}), value);
              });
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (!own[i].receiver->isOutput())
                read[static_cast<std::int64_t>(i)].copy_(second[static_cast<std::int64_t>(i)]);
        }
        return read;
    };
    return m_runs.inBatches(pairs, readOf, done);
}

/// How a score depends on the inputs of attentions, and these on contexts without other heads between.
class PathRuns::Gradients
{
public:
    Gradients(const PathRuns &paths, const std::vector<std::int64_t> &some, const PatchedRuns::OfScores &of)
        : m_paths(paths), m_some(some), m_of(of), m_donor(runs().partsOfDonor(some, WalkPart::Context))
    {
        const torch::AutoGradMode withGradients(true);
        readInputs();
        readDirect();
    }

    /// Estimates of every head at every position: by attention [B, H, T] in double.
    const std::map<StartPlace, torch::Tensor> &to(const PathReceiver &receiver)
    {
        const auto [at, isNew] = m_known.try_emplace({receiver.heads, receiver.input});
        if (isNew) {
            runs().m_control.checkpoint();
            at->second = estimatesTo(receiver);
        }
        return at->second;
    }

private:
    const PatchedRuns &runs() const { return m_paths.m_runs; }
    torch::Tensor scoreOf(const torch::Tensor &read) const
    {
        const auto [answer, wrong] = runs().logProbabilities(read, m_some);
        return m_of(answer, wrong).sum();
    }

    /// Gradients of the score by every query, key and value.
    void readInputs()
    {
        std::vector<std::pair<StartPlace, WalkPart>> names;
        std::vector<torch::Tensor> inputs;
        const auto score
            = scoreOf(runs().readEdited(m_some, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
                  if (!isInput(part))
                      return;
                  if (!value.requires_grad())
                      value.requires_grad_(true);
                  names.push_back({{side, place}, part});
                  inputs.push_back(value);
              }));
        const auto found = torch::autograd::grad({score}, inputs, {}, false, false, true);
        for (std::size_t i = 0; i < names.size(); ++i)
            m_inputs[names[i]] = found[i].defined() ? found[i] : torch::zeros_like(inputs[i]);
    }

    /// A run in which no context depends on another one.
    void readDirect()
    {
        m_output
            = scoreOf(runs().readEdited(m_some, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
                  if (part == WalkPart::Context) {
                      value = value.detach().requires_grad_(true);
                      m_places.push_back({side, place});
                      m_contexts.push_back(value);
                  } else if (part == WalkPart::FeedForward && m_paths.m_feedForward == PathFeedForward::Frozen) {
                      value = value.detach();
                  } else if (isInput(part)) {
                      m_direct[{{side, place}, part}] = value;
                  }
              }));
    }

    std::map<StartPlace, torch::Tensor> estimatesTo(const PathReceiver &receiver) const
    {
        std::map<StartPlace, torch::Tensor> estimates;
        std::vector<torch::Tensor> ends, slopes;
        if (receiver.isOutput()) {
            ends.push_back(m_output);
            slopes.emplace_back(torch::ones_like(m_output));
        }
        for (const WalkPart part : partsOf(receiver.input)) {
            const std::pair key{m_paths.placeOf(receiver.heads), part};
            if (!m_direct.at(key).requires_grad())
                continue; // nothing comes before it
            const torch::Tensor &gradients = m_inputs.at(key);
            auto mask = torch::zeros({gradients.size(1)}, gradients.options());
            mask.index_fill_(0, indexTensor(columnsOf(runs().spec(), receiver.heads), mask.device()), 1);
            ends.push_back(m_direct.at(key));
            slopes.push_back(gradients * mask.view({1, -1, 1, 1}));
        }
        if (ends.empty() || !ends.front().requires_grad())
            return estimates;
        const auto found = torch::autograd::grad(ends, m_contexts, slopes, true, false, true);
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            if (found[i].defined())
                estimates[m_places[i]] = ((m_donor.at(m_places[i]) - m_contexts[i].detach()) * found[i])
                                             .to(torch::kFloat64)
                                             .sum(-1)
                                             .to(torch::kCPU)
                                             .contiguous();
        }
        return estimates;
    }

    const PathRuns &m_paths;
    const std::vector<std::int64_t> &m_some;
    const PatchedRuns::OfScores &m_of;
    std::map<StartPlace, torch::Tensor> m_donor;
    Parts m_inputs, m_direct;
    std::vector<StartPlace> m_places;
    std::vector<torch::Tensor> m_contexts;
    torch::Tensor m_output;
    std::map<std::tuple<std::vector<HeadRef>, PathInput>, std::map<StartPlace, torch::Tensor>> m_known;
};

std::vector<std::vector<double>> PathRuns::estimates(const std::vector<std::int64_t> &some,
                                                     std::span<const PathCell> paths,
                                                     const PatchedRuns::OfScores &of) const
{
    const torch::AutoGradMode withGradients(true);
    Gradients gradients(*this, some, of);
    std::vector<std::vector<double>> all(some.size(), std::vector<double>(paths.size(), 0));
    for (std::size_t path = 0; path < paths.size(); ++path) {
        const PathSender &sender = *paths[path].sender;
        const auto &found = gradients.to(*paths[path].receiver);
        const auto layer = found.find(placeOf(sender.heads));
        if (layer == found.end())
            continue;
        for (std::size_t i = 0; i < some.size(); ++i) {
            const std::int64_t positions = m_runs.rowsOf(layer->first.side).length(some[i]);
            for (const std::int64_t column : columnsOf(m_runs.spec(), sender.heads)) {
                const auto own = layer->second[static_cast<std::int64_t>(i)][column];
                const double *values = own.data_ptr<double>();
                for (std::int64_t t = 0; t < positions; ++t) {
                    if (sender.position == PatchCell::kEverywhere || sender.position == t)
                        all[i][path] += values[t];
                }
            }
        }
    }
    return all;
}

} // namespace headscope
