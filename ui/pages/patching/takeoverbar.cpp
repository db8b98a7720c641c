#include "ui/pages/patching/takeoverbar.h"

#include "ui/models/numbertext.h"
#include "ui/views/pageparts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace headscope {

TakeoverBar::TakeoverBar(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller)
{
    m_remove = new QPushButton(this);
    m_replacement = new QComboBox(this);
    m_replacement->addItem(tr("nothing instead"), static_cast<int>(Replacement::Zero));
    m_replacement->addItem(tr("its mean instead"), static_cast<int>(Replacement::Mean));
    m_replacement->addItem(tr("another text’s instead"), static_cast<int>(Replacement::Resample));
    m_replacement->setAccessibleName(tr("What replaces the head's context"));
    m_replacement->setToolTip(tr(
        "Nothing, which the model has never seen; the mean over the data set; or what the head makes of another text, "
        "as a control"));
    m_results = new QComboBox(this);
    m_results->setAccessibleName(tr("Which removal is shown"));
    m_results->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    addWidgets(*layout, {m_remove, m_replacement});
    layout->addStretch(1);
    layout->addWidget(m_results);
    connect(m_remove, &QPushButton::clicked, this, &TakeoverBar::remove);
    connect(m_results, &QComboBox::activated, this, [this](int index) {
        m_result
            = index >= 0 && index < static_cast<int>(m_all.size()) ? m_all[static_cast<std::size_t>(index)] : nullptr;
        Q_EMIT changed();
    });
    refresh();
}

QString TakeoverBar::whyNot() const
{
    if (const QString why = m_controller.whyNotReady(); !why.isEmpty())
        return why;
    if (!m_state.data(m_state.shownDomain()))
        return tr("No data set is open.");
    return m_state.currentHead() ? QString() : tr("Click the head that is to be removed.");
}

TakeoverSpec TakeoverBar::spec() const
{
    TakeoverSpec spec;
    spec.run = m_controller.runOptions();
    spec.head = toText(*m_state.currentHead());
    spec.replacement = static_cast<Replacement>(m_replacement->currentData().toInt());
    return spec;
}

void TakeoverBar::remove()
{
    if (whyNot().isEmpty())
        m_controller.start(m_state.shownDomain(), spec());
}

void TakeoverBar::refresh()
{
    const auto &head = m_state.currentHead();
    m_remove->setText(head ? tr("&Remove %1").arg(QString::fromStdString(toText(*head))) : tr("&Remove the head"));
    const QString why = whyNot();
    m_remove->setEnabled(why.isEmpty() && !m_controller.isComputing(ResultKind::Takeover));
    m_remove->setToolTip(why.isEmpty()
                             ? tr("Removes the selected head, and compares what all others add to the answer by "
                                  "themselves")
                             : why);
    const auto &now = m_state.results(m_state.shownDomain()).takeovers;
    if (now == m_all)
        return;
    const bool isNew = now.size() > m_all.size();
    m_all = now;
    const QSignalBlocker blocker(m_results);
    m_results->clear();
    for (const auto &one : m_all) {
        const QString name = QString::fromStdString(toText(one->head));
        m_results->addItem(one->replacement == Replacement::Zero   ? tr("without %1").arg(name)
                           : one->replacement == Replacement::Mean ? tr("%1: its mean").arg(name)
                                                                   : tr("%1: of another text").arg(name));
    }
    const auto kept = std::ranges::find(m_all, m_result);
    if (isNew || kept == m_all.end())
        m_result = m_all.empty() ? nullptr : m_all.back();
    m_results->setCurrentIndex(static_cast<int>(std::ranges::find(m_all, m_result) - m_all.begin()));
    Q_EMIT changed();
}

QString TakeoverBar::summary() const
{
    if (!m_result)
        return {};
    const ValueFormat format;
    QString text = staleText(m_state, m_state.shownDomain(), m_result->manifest);
    if (!text.isEmpty())
        text += u' ';
    text
        += tr("%1 adds %2 by itself to the difference of the answers’ logits. Without it the difference goes from %3 to %4 "
              "(%5 examples).")
               .arg(QString::fromStdString(toText(m_result->head)), format.difference(m_result->own),
                    format.number(m_result->whole.mean), format.number(m_result->without.mean),
                    countText(m_result->examples))
         + u' '
         + tr("Other heads: %1, all else: %2.")
               .arg(format.difference(m_result->others.mean), format.difference(m_result->rest.mean));
    if (!std::isnan(m_result->repaired)) {
        const auto share = [](double value) -> QString { return numberText(100 * value, 0) + u" %"_s; };
        text += u' ' + tr("Made good: %1").arg(share(m_result->repaired));
        if (!std::isnan(m_result->repairedInterval.low))
            text += u" [%1, %2]"_s.arg(share(m_result->repairedInterval.low), share(m_result->repairedInterval.high));
        text += u'.';
    }
    if (m_result->ownAnswers)
        text += u' ' + tr("The answer is what the model says, the other one what is next likely.");
    return text;
}

} // namespace headscope
