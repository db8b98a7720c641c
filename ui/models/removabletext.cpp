#include "ui/models/removabletext.h"

#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

namespace headscope {

namespace {

struct RemovableWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::RemovableHeads)
};

} // namespace

QString marginText(const SignificanceRule &rule)
{
    return RemovableWords::tr("%1 %").arg(QLocale().toString(100 * rule.margin, 'g', 4));
}

QString noAnswerText(const RemovableHeads &answer)
{
    switch (answer.why) {
    case NoAnswer::None:
        return {};
    case NoAnswer::SeveralOrders:
        return RemovableWords::tr("a band of several orders has no answer");
    case NoAnswer::NothingRemoved:
        return RemovableWords::tr("nothing was removed");
    case NoAnswer::NotPaired:
        return RemovableWords::tr("has to be computed again: there are no tests against the full model");
    case NoAnswer::Partial:
        return RemovableWords::tr("cannot be told with %1 of %2 examples")
            .arg(countText(answer.examples), countText(answer.totalExamples));
    case NoAnswer::TooFewExamples:
        return RemovableWords::tr("cannot be told with %Ln examples", nullptr, static_cast<int>(answer.examples));
    }
    return {};
}

QString withinMarginText(const RemovableHeads &answer, const SignificanceRule &rule)
{
    if (answer.withinMargin)
        return RemovableWords::tr("up to %Ln heads for less than %1", nullptr, static_cast<int>(*answer.withinMargin))
            .arg(marginText(rule));
    return RemovableWords::tr("for less than %1: cannot be told with %2 examples")
        .arg(marginText(rule), countText(answer.examples));
}

QString firstLossText(const RemovableHeads &answer)
{
    return answer.firstLoss
             ? RemovableWords::tr("first significant loss at %Ln heads", nullptr, static_cast<int>(answer.firstLossAt))
             : RemovableWords::tr("no significant loss up to %Ln heads", nullptr, static_cast<int>(answer.withoutLoss));
}

QString removableText(const RemovableHeads &answer, const SignificanceRule &rule)
{
    if (answer.why != NoAnswer::None)
        return noAnswerText(answer);
    return RemovableWords::tr("%1, %2").arg(withinMarginText(answer, rule), firstLossText(answer));
}

} // namespace headscope
