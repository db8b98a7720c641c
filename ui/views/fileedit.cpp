#include "ui/views/fileedit.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

namespace headscope {

FileEdit::FileEdit(const QString &accessibleName, const QString &filter, QWidget *parent)
    : QWidget(parent), m_edit(new QLineEdit(this)), m_filter(filter)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_edit->setClearButtonEnabled(true);
    m_edit->setAccessibleName(accessibleName);
    auto *button = new QToolButton(this);
    button->setText(tr("…"));
    button->setToolTip(tr("Choose"));
    button->setAccessibleName(tr("%1: choose").arg(accessibleName));
    layout->addWidget(m_edit, 1);
    layout->addWidget(button);
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::textChanged, this, &FileEdit::edited);
    connect(button, &QToolButton::clicked, this, &FileEdit::browse);
}

QString FileEdit::path() const
{
    return m_edit->text().trimmed();
}

void FileEdit::setPath(const QString &path)
{
    m_edit->setText(path);
}

void FileEdit::setHint(const QString &text)
{
    m_edit->setPlaceholderText(text);
}

void FileEdit::browse()
{
    const QString from = path().isEmpty() ? m_start : path();
    if (m_chooser)
        return m_chooser(from, [this](const QString &file) { take(file); });
    const QString file = m_folders ? QFileDialog::getExistingDirectory(this, tr("Choose a folder"), from)
                                   : QFileDialog::getOpenFileName(this, tr("Choose a file"), from, m_filter);
    if (!file.isEmpty())
        take(file);
}

void FileEdit::take(const QString &file)
{
    m_edit->setText(file);
    Q_EMIT chosen(file);
}

} // namespace headscope
