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

std::optional<double> compositionOf(const WeightsResult &result, const HeadRef &receiver, CompositionInput input,
                                    const HeadRef &sender)
{
    const auto found = std::ranges::find(result.composition, receiver, &HeadComposition::head);
    if (found == result.composition.end() || !composes(receiver, input, sender))
        return std::nullopt;
    std::size_t place = 0;
    for (const HeadWeightNumbers &head : result.heads) {
        if (head.head == sender)
            return found->scores(input).at(place);
        place += composes(receiver, input, head.head) ? 1 : 0;
    }
    return std::nullopt;
}

void checkWeights(const WeightsResult &result)
{
    for (const HeadComposition &composition : result.composition) {
        for (const CompositionInput input : kInputs) {
            const auto senders = std::ranges::count_if(result.heads, [&](const HeadWeightNumbers &head) {
                return composes(composition.head, input, head.head);
            });
            if (std::ssize(composition.scores(input)) != senders)
                throw Failure(badInput("The composition of " + toText(composition.head) + " has "
                                       + std::to_string(composition.scores(input).size()) + " numbers for the "
                                       + std::to_string(senders) + " heads before it."));
        }
    }
}

} // namespace headscope
