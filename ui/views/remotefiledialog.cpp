#include "ui/views/remotefiledialog.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope {

RemoteFileDialog::RemoteFileDialog(const ListFolder &list, const QString &host, const QString &folder, JobQueue &queue,
                                   QWidget *parent)
    : QDialog(parent), m_view(new RemoteFolderView(queue, this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("Choose a file on %1").arg(host));
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_buttons);
    resize(560, 460);
    QPushButton *open = m_buttons->button(QDialogButtonBox::Open);
    open->setEnabled(false);
    connect(m_view, &RemoteFolderView::chosenChanged, open, [this, open] { open->setEnabled(isFileChosen()); });
    connect(m_view, &RemoteFolderView::activated, this, &RemoteFileDialog::accept);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &RemoteFileDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_view->start(list, folder);
}

bool RemoteFileDialog::isFileChosen() const
{
    const auto chosen = m_view->chosen();
    return chosen && !chosen->entry.folder;
}

void RemoteFileDialog::accept()
{
    if (!isFileChosen())
        return;
    Q_EMIT fileChosen(m_view->chosen()->path);
    QDialog::accept();
}

} // namespace headscope
