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

std::vector<AnswerScores> PathRuns::scoresPlainly(std::span<const PathCell> cells,
                                                  const std::function<void(std::int64_t)> &done) const
{
    const TransformerSpec &spec = m_runs.spec();
    std::vector<PatchCell> pairs; // of the batches
    for (const PathCell &cell : cells)
        pairs.push_back({cell.pair, &cell.sender->heads});
    const auto readOf = [&](std::span<const PatchCell> some, const std::vector<std::int64_t> &ofPairs) {
        const PathCell *own = &cells[static_cast<std::size_t>(some.data() - pairs.data())];
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
            for (std::size_t i = 0; i < some.size(); ++i) {
                const PathSender &sender = *own[i].sender;
                for (const HeadRef &head : sender.heads) {
                    if (placeOf({head}) != at)
                        continue;
                    const std::int64_t column = columnsOf(spec, {head}).front();
                    auto to = value[static_cast<std::int64_t>(i)][column];
                    const auto from = donor.at(at)[static_cast<std::int64_t>(i)][column];
                    if (sender.position == PatchCell::kEverywhere)
                        to.copy_(from);
                    else
                        to[sender.position].copy_(from[sender.position]);
                }
            }
        });
        const auto second
            = m_runs.readEdited(ofPairs, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
                  if (!isInput(part))
                      return;
                  value = value.clone();
                  for (std::size_t i = 0; i < some.size(); ++i) {
                      const PathReceiver &receiver = *own[i].receiver;
                      if (receiver.isOutput() || placeOf(receiver.heads) != StartPlace{side, place})
                          continue;
                      const auto parts = partsOf(receiver.input);
                      if (std::ranges::find(parts, part) == parts.end())
                          continue;
                      for (const std::int64_t column : columnsOf(spec, receiver.heads))
                          value[static_cast<std::int64_t>(i)][column].copy_(
                              first.at({{side, place}, part})[static_cast<std::int64_t>(i)][column]);
                  }
              });
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (!own[i].receiver->isOutput())
                read[static_cast<std::int64_t>(i)].copy_(second[static_cast<std::int64_t>(i)]);
        }
        return read;
    };
    return m_runs.inBatches(pairs, readOf, done);
}

std::vector<std::vector<double>> PathRuns::estimates(const std::vector<std::int64_t> &some,
                                                     std::span<const PathCell> paths,
                                                     const PatchedRuns::OfScores &of) const
{
    const TransformerSpec &spec = m_runs.spec();
    const auto donor = m_runs.partsOfDonor(some, WalkPart::Context);
    const torch::AutoGradMode withGradients(true);
    const auto scoreOf = [&](const torch::Tensor &read) {
        const auto [answer, wrong] = m_runs.logProbabilities(read, some);
        return of(answer, wrong).sum();
    };
    // How the score depends on every query, key and value.
    std::vector<std::pair<StartPlace, WalkPart>> names;
    std::vector<torch::Tensor> inputs;
    const auto score
        = scoreOf(m_runs.readEdited(some, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
              if (!isInput(part))
                  return;
              if (!value.requires_grad())
                  value.requires_grad_(true);
              names.push_back({{side, place}, part});
              inputs.push_back(value);
          }));
    Parts gradients;
    {
        const auto found = torch::autograd::grad({score}, inputs, {}, false, false, true);
        for (std::size_t i = 0; i < names.size(); ++i)
            gradients[names[i]] = found[i].defined() ? found[i] : torch::zeros_like(inputs[i]);
    }
    // How these depend on every context without other heads between.
    std::vector<StartPlace> places;
    std::vector<torch::Tensor> contexts;
    Parts direct;
    const auto output
        = scoreOf(m_runs.readEdited(some, true, [&](Side side, int place, WalkPart part, torch::Tensor &value) {
              if (part == WalkPart::Context) {
                  value = value.detach().requires_grad_(true);
                  places.push_back({side, place});
                  contexts.push_back(value);
              } else if (part == WalkPart::FeedForward && m_feedForward == PathFeedForward::Frozen) {
                  value = value.detach();
              } else if (isInput(part)) {
                  direct[{{side, place}, part}] = value;
              }
          }));

    // By receiver, estimates of every head at every position: [B, H, T] in double.
    using Receiver = std::tuple<std::vector<HeadRef>, PathInput>;
    std::map<Receiver, std::map<StartPlace, torch::Tensor>> known;
    const auto estimated = [&](const PathReceiver &receiver) -> const std::map<StartPlace, torch::Tensor> & {
        const auto [at, isNew] = known.try_emplace({receiver.heads, receiver.input});
        if (!isNew)
            return at->second;
        m_runs.m_control.checkpoint();
        std::vector<torch::Tensor> ends, slopes;
        if (receiver.isOutput()) {
            ends.push_back(output);
            slopes.emplace_back(torch::ones_like(output));
        }
        for (const WalkPart part : partsOf(receiver.input)) {
            const std::pair key{placeOf(receiver.heads), part};
            if (!direct.at(key).requires_grad())
                continue; // nothing comes before it
            auto mask = torch::zeros({gradients.at(key).size(1)}, gradients.at(key).options());
            mask.index_fill_(0, indexTensor(columnsOf(spec, receiver.heads), mask.device()), 1);
            ends.push_back(direct.at(key));
            slopes.push_back(gradients.at(key) * mask.view({1, -1, 1, 1}));
        }
        if (ends.empty() || !ends.front().requires_grad())
            return at->second;
        const auto found = torch::autograd::grad(ends, contexts, slopes, true, false, true);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (found[i].defined())
                at->second[places[i]] = ((donor.at(places[i]) - contexts[i].detach()) * found[i])
                                            .to(torch::kFloat64)
                                            .sum(-1)
                                            .to(torch::kCPU)
                                            .contiguous();
        }
        return at->second;
    };
    std::vector<std::vector<double>> all(some.size(), std::vector<double>(paths.size(), 0));
    for (std::size_t path = 0; path < paths.size(); ++path) {
        const PathSender &sender = *paths[path].sender;
        const auto &found = estimated(*paths[path].receiver);
        const auto layer = found.find(placeOf(sender.heads));
        if (layer == found.end())
            continue;
        for (std::size_t i = 0; i < some.size(); ++i) {
            const std::int64_t positions = m_runs.rowsOf(layer->first.side).length(some[i]);
            for (const std::int64_t column : columnsOf(spec, sender.heads)) {
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
