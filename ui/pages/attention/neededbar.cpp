#include "ui/pages/attention/neededbar.h"

#include "ui/models/numbertext.h"
#include "ui/models/tasktext.h"
#include "ui/views/flowlayout.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>
#include <cstddef>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
/// A text of the model, short enough to stand among others.
QString quoted(const std::string &text)
{
    constexpr qsizetype kMost = 40;
    const QString whole = QString::fromStdString(text).simplified();
    return u"“%1”"_s.arg(whole.size() > kMost ? QString(whole.left(kMost) + u'…') : whole);
}
} // namespace

NeededBar::NeededBar(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller)
{
    m_compute = new QPushButton(tr("Heads it &needs"), this);
    m_guess = new QComboBox(this);
    m_guess->addItems({tr("for the last guess"), tr("for all guesses")});
    m_guess->setAccessibleName(tr("Which of the model's guesses are to stay"));
    m_guess->setToolTip(tr("The guess of the text's last token, or those of all its tokens"));
    m_sets = new QComboBox(this);
    m_sets->setAccessibleName(tr("Set of heads that is marked"));
    m_sets->setToolTip(tr("The set whose heads are marked among the thumbnails"));
    m_sets->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_note = new PlainLabel(this);
    m_note->setWordWrap(true);
    auto *layout = new FlowLayout(this);
    addWidgets(*layout, {m_compute, m_guess, m_sets, m_note});
    connect(m_compute, &QPushButton::clicked, this, &NeededBar::compute);
    connect(m_sets, &QComboBox::currentIndexChanged, this, [this] {
        m_note->setText(noteText());
        Q_EMIT changed();
    });
    refresh();
}

QString NeededBar::note() const
{
    return m_note->text();
}

void NeededBar::setExample(std::int64_t row)
{
    m_row = row;
    refresh();
}

QString NeededBar::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    return m_row < 0 ? tr("Choose an example of the data set: of a text that is typed this is not computed.")
                     : QString();
}

NeededSpec NeededBar::spec() const
{
    NeededSpec spec;
    spec.run = m_controller.runOptions();
    spec.example = m_row;
    if (m_state.model() && isLanguageModel(*m_state.model()) && m_guess->currentIndex() == 0)
        spec.token = -1;
    return spec;
}

void NeededBar::compute()
{
    if (whyNot().isEmpty())
        m_controller.start(m_state.sentenceDomain(), spec());
}

void NeededBar::refresh()
{
    const auto before = m_result;
    m_result.reset();
    if (m_row >= 0) {
        for (const auto &one : m_state.results(m_state.sentenceDomain()).needed) { // the last one asked for
            if (one->example == m_row)
                m_result = one;
        }
    }
    const QString why = whyNot();
    const bool isRunning = m_controller.isComputing(ResultKind::Needed);
    m_compute->setEnabled(why.isEmpty() && !isRunning);
    m_compute->setToolTip(!why.isEmpty()
                              ? why
                              : tr("Looks for the few heads with which alone the output of this example stays, and for "
                                   "the few without which it is another; masks are left out of account"));
    m_guess->setVisible(m_state.model() && isLanguageModel(*m_state.model()));
    if (m_result != before)
        showSets();
    m_sets->setVisible(m_result != nullptr);
    m_note->setText(noteText());
    m_note->setVisible(!m_note->text().isEmpty());
}

void NeededBar::showSets()
{
    {
        const QSignalBlocker blocker(m_sets);
        m_sets->clear();
        if (m_result) {
            m_sets->addItem(tr("mark no heads"));
            for (const NeededSet &set : m_result->sets)
                m_sets->addItem(textOf(set));
            m_sets->setCurrentIndex(m_sets->count() > 1 ? 1 : 0);
        }
    }
    Q_EMIT changed();
}

const NeededSet *NeededBar::chosen() const
{
    const int index = m_sets->currentIndex() - 1;
    return m_result && index >= 0 && index < static_cast<int>(m_result->sets.size())
             ? &m_result->sets[static_cast<std::size_t>(index)]
             : nullptr;
}

QString NeededBar::textOf(const NeededSet &set) const
{
    const auto of = static_cast<int>(m_result->heads.size());
    const auto heads = static_cast<int>(set.heads.size());
    if (set.goal == NeededGoal::Keep)
        return tr("%n of %1 heads keep %2", nullptr, heads).arg(countText(of), quoted(m_result->output));
    return tr("without %n of %1 heads: %2", nullptr, heads).arg(countText(of), quoted(set.output));
}

QString NeededBar::proofText(const NeededSet &set) const
{
    if (set.heads.empty())
        return tr("The output stays without any of the heads: it comes from the rest of the model.");
    switch (set.proof) {
    case MinimalityProof::NoOne:
        return tr("No single head of the set can be left out; other sets may be smaller.");
    case MinimalityProof::NoPart:
        return tr("No part of the set would do; other sets may be smaller.");
    case MinimalityProof::Smallest:
        return tr("No smaller set of heads would do.");
    }
    return {};
}

QString NeededBar::noteText() const
{
    if (m_controller.isComputing(ResultKind::Needed))
        return tr("Running the example without heads…");
    if (!m_result)
        return m_state.error(ErrorPlace::Analysis);
    QString text = staleText(m_state, m_state.sentenceDomain(), m_result->manifest);
    if (!text.isEmpty())
        text += u' ';
    if (m_result->keeping == std::ssize(m_result->sets))
        text += tr("No set of heads was found without which the output changes.") + u' ';
    const NeededSet *set = chosen();
    return set ? QString(text + proofText(*set)) : text.trimmed();
}

} // namespace headscope
