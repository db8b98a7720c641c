#include "ui/mainwindow/headanswers.h"

#include "ui/state/measures.h"
#include "ui/views/gridfeed.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <iterator>
#include <optional>
#include <string_view>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
struct HeadAnswerWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadAnswer)
};
} // namespace

NamedHeads namedHeads(const QString &text, const HeadLayout &layout)
{
    static const QRegularExpression address(
        u"(?:^|\\s)(?:(?<kind>[a-z]+)\\.)?(?:(?<layer>\\d+)\\.(?<head>\\d+)|l(?<l>\\d+)h(?<h>\\d+))(?=$|[\\s?,])"_s,
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch found = address.match(text);
    if (!found.hasMatch())
        return {{}, text};
    const auto number = [&](const char16_t *name, const char16_t *other) {
        const QString one = found.captured(QStringView(name));
        return (one.isEmpty() ? found.captured(QStringView(other)) : one).toInt();
    };
    const int layer = number(u"layer", u"l");
    const int head = number(u"head", u"h");
    const QString kind = found.captured(u"kind"_s).toLower();
    NamedHeads named;
    for (const HeadRef &one : layout.heads()) {
        const std::string_view name = headKindName(one.kind);
        const bool isKind = QString::fromUtf8(name.data(), std::ssize(name)).startsWith(kind);
        if (isKind && one.layer == layer && one.head == head)
            named.heads.push_back(one);
    }
    named.rest = named.heads.empty() ? text : QString(text).remove(found.capturedStart(), found.capturedLength());
    return named;
}

QString headAnswer(const StudyState &state, const HeadRef &head)
{
    const DomainView view = state.shownDomain() == Domain::Out ? DomainView::Out : DomainView::In;
    QStringList parts;
    QString roles;
    for (const MeasureInfo &info : measures()) {
        const GridContent content = gridContent(state, info.measure, view);
        const HeadCell *cell = content.cell(head);
        if (!cell)
            continue;
        roles = content.rolesText(*cell);
        if (!cell->value)
            continue;
        QString text = content.symbol + u' ' + content.valueText(*cell->value);
        if (cell->interval)
            text += u' ' + content.intervalText(*cell->interval);
        parts << text;
    }
    if (!roles.isEmpty())
        parts.prepend(roles);
    if (parts.isEmpty())
        return HeadAnswerWords::tr("Nothing is computed of this head yet");
    return parts.join(u"; "_s);
}

} // namespace headscope
