#include "ui/pages/heads/headfinder.h"

#include "ui/models/headquery.h"
#include "ui/models/numbertext.h"
#include "ui/views/plainlabel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

namespace headscope {

HeadFinder::HeadFinder(StudyState &state, const HeadGridModel &model, QWidget *parent)
    : QWidget(parent), m_state(state), m_model(model), m_words(new QLineEdit(this)), m_found(new PlainLabel(this))
{
    setFocusProxy(m_words);
    m_words->setObjectName(QStringLiteral("headQuery"));
    m_words->setAccessibleName(tr("Find heads"));
    m_words->setPlaceholderText(tr("cross.3   positional   p<0.01   rank<=10   value>0.5   masked"));
    m_words->setToolTip(
        tr("An address or its beginning, a role, p, holm, rank or value with <, <=, >, >= or =, masked, pinned, "
           "significant. Several words: all must hold."));
    m_words->setClearButtonEnabled(true);
    auto *done = new QToolButton(this);
    done->setText(tr("Done"));
    done->setAutoRaise(true);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 4, 0, 0);
    row->addWidget(m_words, 2);
    row->addWidget(m_found, 1);
    row->addWidget(done);
    connect(m_words, &QLineEdit::textChanged, this, &HeadFinder::find);
    connect(m_words, &QLineEdit::returnPressed, this, [this] { close(true); });
    connect(done, &QToolButton::clicked, this, [this] { close(true); });
    hide();
}

void HeadFinder::open()
{
    if (!isVisible()) {
        m_before = m_state.selection();
        m_currentBefore = m_state.currentHead();
    }
    show();
    m_words->selectAll();
    m_words->setFocus(Qt::ShortcutFocusReason);
    find();
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
    if (!keeps)
        m_state.setSelection(m_before, m_currentBefore);
    hide();
    Q_EMIT closed();
}

} // namespace headscope
