#include "core/relevance/rule.h"

#include "core/relevance/alphabetarule.h"
#include "core/relevance/gradientrules.h"

namespace headscope {

std::unique_ptr<const PropagationRule> makePropagationRule(RelevanceRule rule, bool attentionConstant,
                                                           const JobControl &control)
{
    switch (rule) {
    case RelevanceRule::AlphaBeta:
        return std::make_unique<AlphaBetaRule>(attentionConstant, control);
    case RelevanceRule::Epsilon:
        return std::make_unique<EpsilonRule>();
    case RelevanceRule::AttnLrp:
        return std::make_unique<GradientRule>(false);
    case RelevanceRule::CpLrp:
        return std::make_unique<GradientRule>(true);
    }
    return nullptr;
}

} // namespace headscope
