#include "ui/dialogs/opendatadialog.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope {

OpenDataDialog::OpenDataDialog(const StudyState &state, JobQueue &queue, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Choose data"));
    auto *layout = new QVBoxLayout(this);
    for (const Domain domain : kBothDomains) {
        const std::size_t index = domain == Domain::In ? 0 : 1;
        DataSlotOptions options;
        options.title = domain == Domain::In ? tr("In-domain data") : tr("Out-of-domain data");
        options.tag = QStringLiteral("preview-%1").arg(index);
        options.emptyText = tr("Leave both empty to leave this slot as it is.");
        m_slots[index] = new DataSlotEdit(options, queue, this);
        if (const auto &data = state.data(domain))
            m_slots[index]->setSource(data->origin);
        m_before[index] = m_slots[index]->source();
        layout->addWidget(m_slots[index]);
        connect(m_slots[index], &DataSlotEdit::acceptableChanged, this, &OpenDataDialog::refreshButtons);
    }
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Use this data"));
    connect(m_buttons, &QDialogButtonBox::accepted, this, &OpenDataDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(m_buttons);
    resize(720, 640);
    refreshButtons();
}

void OpenDataDialog::refreshButtons()
{
    const bool acceptable = m_slots[0]->isAcceptable() && m_slots[1]->isAcceptable();
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(acceptable && (m_slots[0]->source() || m_slots[1]->source()));
}

void OpenDataDialog::accept()
{
    for (const Domain domain : kBothDomains) {
        const std::size_t index = domain == Domain::In ? 0 : 1;
        const auto chosen = m_slots[index]->source();
        if (chosen && chosen != m_before[index])
            Q_EMIT dataChosen(domain, *chosen);
    }
    QDialog::accept();
}

} // namespace headscope
