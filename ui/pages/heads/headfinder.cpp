#include "ui/pages/heads/headfinder.h"

#include "ui/models/headquery.h"
#include "ui/models/numbertext.h"
#include "ui/views/elidedlabel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>

namespace headscope {

HeadFinder::HeadFinder(StudyState &state, const HeadGridModel &model, QWidget *parent)
    : QWidget(parent), m_state(state), m_model(model), m_words(new QLineEdit(this)), m_found(new ElidedLabel(this))
{
    setFocusProxy(m_words);
    m_words->setObjectName(QStringLiteral("headQuery"));
    m_words->setAccessibleName(tr("Search heads"));
    m_words->setPlaceholderText(tr("Search heads ( / )"));
    m_words->setToolTip(
        tr("An address or its beginning (cross.3), a role (positional), p, holm, rank or value with <, <=, >, "
           ">= or = (p<0.01), masked, pinned, significant. Several words: all must hold. Enter keeps "
           "what is selected, Escape does not."));
    m_words->setClearButtonEnabled(true);
    m_words->setMinimumWidth(90);
    m_words->installEventFilter(this);
    // Its room is there before there is anything to say.
    m_found->setFixedWidth(fontMetrics().horizontalAdvance(headsText(8888)) + 4);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->setSpacing(6);
    row->addWidget(m_words, 1);
    row->addWidget(m_found);
    connect(m_words, &QLineEdit::textEdited, this, &HeadFinder::find);
    connect(m_words, &QLineEdit::returnPressed, this, [this] { close(true); });
}

void HeadFinder::open()
{
    m_words->selectAll();
    m_words->setFocus(Qt::ShortcutFocusReason);
}

/// What was selected before is known from when it gets the keys, by whichever way.
bool HeadFinder::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_words && event->type() == QEvent::FocusIn && !m_isSearching) {
        m_isSearching = true;
        m_before = m_state.selection();
        m_currentBefore = m_state.currentHead();
    } else if (watched == m_words && event->type() == QEvent::FocusOut) {
        m_isSearching = false;
    }
    return QWidget::eventFilter(watched, event);
}

void HeadFinder::find()
{
    const HeadQuery query = findHeads(m_words->text(), m_model.content(), m_model.mask(), m_model.pins());
    const bool asked = !m_words->text().trimmed().isEmpty();
    m_found->setText(!query.problem.isEmpty() ? query.problem : asked ? headsText(std::ssize(query.heads)) : QString());
    if (asked && query.problem.isEmpty())
        m_state.setSelection(query.heads, query.heads.empty() ? std::nullopt : std::optional(*query.heads.begin()));
}

void HeadFinder::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        return close(false);
    QWidget::keyPressEvent(event);
}

void HeadFinder::close(bool keeps)
{
    if (!keeps) {
        m_words->clear();
        m_found->setText({});
        m_state.setSelection(m_before, m_currentBefore);
    }
    Q_EMIT closed();
}

} // namespace headscope
