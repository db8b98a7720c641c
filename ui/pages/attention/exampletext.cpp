#include "ui/pages/attention/exampletext.h"

#include "ui/models/numbertext.h"
#include "ui/models/tasktext.h"
#include "ui/pages/attention/worddiff.h"

#include <QCoreApplication>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct ExampleWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::ExampleText)
};

QString escaped(const std::string &text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

/// Name and body in two columns.
class Table
{
public:
    explicit Table(const ViewPalette &palette) : m_palette(palette) { }

    void line(const QString &name, const QString &body)
    {
        m_html += u"<tr><td style='padding-right:10px;color:%1;white-space:nowrap'>%2</td><td>%3</td></tr>"_s.arg(
            m_palette.muted.name(), name, body);
    }
    QString html() const { return u"<table cellspacing='0' cellpadding='3'>"_s + m_html + u"</table>"_s; }

private:
    const ViewPalette &m_palette;
    QString m_html;
};

void addTranslation(Table &table, const ExampleFacts &facts, const ViewPalette &palette)
{
    table.line(ExampleWords::tr("Source"), escaped(facts.row ? facts.row->source : facts.attention->source));
    if (facts.row && !facts.row->reference.empty())
        table.line(ExampleWords::tr("Reference"), escaped(facts.row->reference));
    const QString own = facts.hasMasks ? ExampleWords::tr("With the masks") : ExampleWords::tr("Output");
    if (!facts.row) {
        if (!facts.hasMasks || !facts.unmasked)
            return table.line(own, escaped(facts.attention->target));
        table.line(ExampleWords::tr("Output"), escaped(facts.unmasked->target));
        const QString before = QString::fromStdString(facts.unmasked->target);
        const QString after = QString::fromStdString(facts.attention->target);
        return table.line(own,
                          before == after ? ExampleWords::tr("unchanged") : diffHtml(wordDiff(before, after), palette));
    }
    if (!facts.whole) {
        if (facts.attention && !facts.forced)
            table.line(own, escaped(facts.attention->target));
        return;
    }
    table.line(ExampleWords::tr("Output"), escaped(facts.whole->text));
    // The output behind the picture is known before those of the whole set.
    const std::string *masked = facts.masked                                       ? &facts.masked->text
                              : facts.hasMasks && facts.attention && !facts.forced ? &facts.attention->target
                                                                                   : nullptr;
    if (masked) {
        const QString before = QString::fromStdString(facts.whole->text);
        const QString after = QString::fromStdString(*masked);
        table.line(ExampleWords::tr("With the masks"),
                   before == after ? ExampleWords::tr("unchanged") : diffHtml(wordDiff(before, after), palette));
    }
}

/// "positive 0.98 ✗": marked where it is not right.
QString judged(const ExampleOutput &output, const ModelCard &model, const ViewPalette &palette)
{
    QString text = predictionText(output, model).toHtmlEscaped();
    if (isRight(output, model.problem) == false)
        text += u" <span style='color:%1'>✗ %2</span>"_s.arg(palette.warning.name(), ExampleWords::tr("wrong"));
    return text;
}

void addClassification(Table &table, const ExampleFacts &facts, const ViewPalette &palette)
{
    const ExampleOutput *known = facts.whole ? facts.whole : facts.masked;
    if (facts.row && !facts.row->reference.empty()) {
        const QString raw = QString::fromStdString(facts.row->reference);
        const QString right = known ? rightLabelsText(*known, facts.model) : QString();
        QString text = (right.isEmpty() ? raw : right).toHtmlEscaped();
        if (!right.isEmpty() && right != raw)
            text += u" <span style='color:%1'>(%2)</span>"_s.arg(
                palette.muted.name(), ExampleWords::tr("“%1” in the data").arg(raw.toHtmlEscaped()));
        table.line(ExampleWords::tr("Label"), text);
    }
    if (facts.whole)
        table.line(ExampleWords::tr("Model says"), judged(*facts.whole, facts.model, palette));
    else if (facts.hasMasks && facts.unmasked)
        table.line(ExampleWords::tr("Model says"), escaped(facts.unmasked->predicted));
    if (facts.masked)
        table.line(ExampleWords::tr("With the masks"), judged(*facts.masked, facts.model, palette));
    else if (facts.attention && (!facts.whole || facts.hasMasks))
        table.line(facts.hasMasks ? ExampleWords::tr("With the masks") : ExampleWords::tr("Model says"),
                   escaped(facts.attention->predicted));
    // The texts last: they can be long.
    const std::string &first = facts.row ? facts.row->source : facts.attention->source;
    const std::string &second = facts.row ? facts.row->pair : facts.attention->target;
    table.line(second.empty() ? ExampleWords::tr("Text") : ExampleWords::tr("Text A"), escaped(first));
    if (!second.empty())
        table.line(ExampleWords::tr("Text B"), escaped(second));
}

/// What a language model makes of a text.
QString likelihood(const ExampleOutput &output)
{
    return ExampleWords::tr("ln p = %1; %2 of %3 tokens guessed right")
        .arg(numberText(output.score, 2), countText(output.right), countText(std::ssize(output.tokens)));
}

void addText(Table &table, const ExampleFacts &facts)
{
    table.line(ExampleWords::tr("Text"), escaped(facts.row ? facts.row->source : facts.attention->source));
    if (facts.whole)
        table.line(ExampleWords::tr("Model says"), likelihood(*facts.whole));
    if (facts.masked)
        table.line(ExampleWords::tr("With the masks"), likelihood(*facts.masked));
}

} // namespace

QString exampleHtml(const ExampleFacts &facts, const ViewPalette &palette)
{
    if (!facts.row && !facts.attention)
        return {};
    Table table(palette);
    if (isClassifier(facts.model))
        addClassification(table, facts, palette);
    else if (!isTranslator(facts.model))
        addText(table, facts);
    else
        addTranslation(table, facts, palette);
    if (const QString cut = facts.attention ? cutText(*facts.attention) : QString(); !cut.isEmpty())
        table.line(ExampleWords::tr("Attention"),
                   u"<span style='color:%1'>%2</span>"_s.arg(palette.warning.name(), cut.toHtmlEscaped()));
    return table.html();
}

} // namespace headscope
