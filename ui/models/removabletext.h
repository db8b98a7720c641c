#pragma once

#include "core/results/removableheads.h"

#include <QString>

namespace headscope {

/// "1 %": a margin as the window says it.
QString marginText(const SignificanceRule &rule);
/// Why it cannot be told how many heads can go, as a part of a sentence; empty where there is an answer.
QString noAnswerText(const RemovableHeads &answer);
/// "up to 9 heads for less than 1 %", "for less than 1 %: cannot be told with 150 examples".
QString withinMarginText(const RemovableHeads &answer, const SignificanceRule &rule);
/// "first significant loss at 19 heads", "no significant loss up to 96 heads".
QString firstLossText(const RemovableHeads &answer);
/// Both, or why there is no answer.
QString removableText(const RemovableHeads &answer, const SignificanceRule &rule);

} // namespace headscope
