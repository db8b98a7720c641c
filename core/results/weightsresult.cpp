#include "core/results/weightsresult.h"

#include "core/base/result.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>

namespace headscope {
namespace {

constexpr std::array kInputs{CompositionInput::Query, CompositionInput::Key, CompositionInput::Value};

} // namespace

bool composes(const HeadRef &receiver, CompositionInput input, const HeadRef &sender)
{
    if (receiver.kind == HeadKind::Encoder)
        return sender.kind == HeadKind::Encoder && sender.layer < receiver.layer;
    if (receiver.kind == HeadKind::Cross && input != CompositionInput::Query)
        return sender.kind == HeadKind::Encoder;
    if (sender.kind == HeadKind::Encoder)
        return false;
    // A layer's attention to itself is in front of its cross-attention.
    const bool isBefore = receiver.kind == HeadKind::Cross && sender.kind == HeadKind::Decoder;
    return sender.layer < receiver.layer || (isBefore && sender.layer == receiver.layer);
}

namespace {

using Lists = std::array<std::vector<double>, 3>;

std::optional<double> numberOf(const WeightsResult &result, const HeadRef &receiver, CompositionInput input,
                               const HeadRef &sender, Lists HeadComposition::*lists)
{
    const auto found = std::ranges::find(result.composition, receiver, &HeadComposition::head);
    if (found == result.composition.end() || !composes(receiver, input, sender))
        return std::nullopt;
    const std::vector<double> &numbers = ((*found).*lists)[static_cast<std::size_t>(input)];
    std::size_t place = 0;
    for (const HeadWeightNumbers &head : result.heads) {
        if (head.head == sender)
            return place < numbers.size() ? std::optional(numbers[place]) : std::nullopt;
        place += composes(receiver, input, head.head) ? 1 : 0;
    }
    return std::nullopt;
}

} // namespace

std::optional<double> compositionOf(const WeightsResult &result, const HeadRef &receiver, CompositionInput input,
                                    const HeadRef &sender)
{
    return numberOf(result, receiver, input, sender, &HeadComposition::of);
}

std::optional<double> kernelOf(const WeightsResult &result, const HeadRef &receiver, CompositionInput input,
                               const HeadRef &sender)
{
    return numberOf(result, receiver, input, sender, &HeadComposition::kernelsOf);
}

void checkWeights(const WeightsResult &result)
{
    for (const HeadComposition &composition : result.composition) {
        for (const CompositionInput input : kInputs) {
            const auto senders = std::ranges::count_if(result.heads, [&](const HeadWeightNumbers &head) {
                return composes(composition.head, input, head.head);
            });
            const auto kernels = std::ssize(composition.kernels(input));
            if (kernels != senders && kernels != 0)
                throw Failure(badInput("The projection kernels of " + toText(composition.head) + " are "
                                       + std::to_string(kernels) + " numbers for the " + std::to_string(senders)
                                       + " heads before it."));
            if (std::ssize(composition.scores(input)) != senders)
                throw Failure(badInput("The composition of " + toText(composition.head) + " has "
                                       + std::to_string(composition.scores(input).size()) + " numbers for the "
                                       + std::to_string(senders) + " heads before it."));
        }
    }
}

} // namespace headscope
