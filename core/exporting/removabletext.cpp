#include "core/exporting/removabletext.h"

#include "core/exporting/numbers.h"

#include <fmt/format.h>

namespace headscope {
namespace {

std::string whyText(const RemovableHeads &answer)
{
    switch (answer.why) {
    case NoAnswer::None:
        break;
    case NoAnswer::SeveralOrders:
        return "a band of several orders has no answer";
    case NoAnswer::NothingRemoved:
        return "nothing was removed";
    case NoAnswer::NotPaired:
        return "not known: no differences from the full model were tested; compute the result again, with resamples";
    case NoAnswer::Partial:
        return fmt::format("cannot be told with {} of {} examples", answer.examples, answer.totalExamples);
    case NoAnswer::TooFewExamples:
        return fmt::format("cannot be told with {} examples", answer.examples);
    }
    return {};
}

} // namespace

std::string removableText(const RemovableHeads &answer, std::string_view metric, double share)
{
    if (answer.why != NoAnswer::None)
        return whyText(answer);
    const ScoreText text(metric);
    const std::string margin = fmt::format("less than {:g} % of the score ({} {}; 95 % confidence)", 100 * share,
                                           text.number(answer.margin), text.unit());
    const std::string within = answer.withinMargin ? fmt::format("up to {} heads cost {}", *answer.withinMargin, margin)
                                                   : fmt::format("whether any cost {} cannot be told with {} examples",
                                                                 margin, answer.examples);
    return within
         + (answer.firstLoss ? fmt::format("; first significant loss at {} heads", answer.firstLossAt)
                             : fmt::format("; no significant loss up to {} heads", answer.withoutLoss));
}

} // namespace headscope
