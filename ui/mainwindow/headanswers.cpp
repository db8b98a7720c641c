#include "ui/mainwindow/headanswers.h"

#include "ui/state/measures.h"
#include "ui/views/gridfeed.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <cstddef>
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

QStringList headAnswers(const StudyState &state, const std::vector<HeadRef> &heads)
{
    const DomainView view = state.shownDomain() == Domain::Out ? DomainView::Out : DomainView::In;
    std::vector<QStringList> values(heads.size());
    std::vector<QString> roles(heads.size());
    for (const MeasureInfo &info : measures()) {
        const GridContent content = gridContent(state, info.measure, view);
        for (std::size_t i = 0; i < heads.size(); ++i) {
            const HeadCell *cell = content.cell(heads[i]);
            if (!cell)
                continue;
            roles[i] = content.rolesText(*cell);
            if (!cell->value)
                continue;
            QString text = content.symbol + u' ' + content.valueText(*cell->value);
            if (cell->interval)
                text += u' ' + content.intervalText(*cell->interval);
            values[i] << text;
        }
    }
    QStringList answers;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        if (!roles[i].isEmpty())
            values[i].prepend(roles[i]);
        answers << (values[i].isEmpty() ? HeadAnswerWords::tr("Nothing is computed of this head yet")
                                        : values[i].join(u"; "_s));
    }
    return answers;
}

} // namespace headscope
