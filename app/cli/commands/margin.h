#pragma once

#include "app/cli/options.h"
#include "core/results/significancerule.h"

#include <CLI/CLI.hpp>

namespace headscope::cli {

/// --margin, in per cent of the full model's score: what removed heads may cost.
inline void addMarginOption(CLI::App &command, double &percent, const char *group)
{
    command
        .add_option("--margin", percent,
                    "How many heads can go? Up to so many that the loss stays below this, in % of the full model's "
                    "score, at 95 % confidence")
        ->check(realNumber(100 * kLeastMargin, 100))
        ->capture_default_str()
        ->type_name("PERCENT")
        ->group(group);
}

/// The convention of a command with this margin.
inline SignificanceRule ruleOf(double percent)
{
    SignificanceRule rule;
    rule.margin = percent / 100;
    return rule;
}

} // namespace headscope::cli
