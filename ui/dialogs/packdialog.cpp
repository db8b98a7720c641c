#include "ui/dialogs/packdialog.h"

#include "core/results/studypack.h"
#include "ui/views/errorlabel.h"
#include "ui/views/plainlabel.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <system_error>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

const QString kPackSuffix = u".zip"_s;

qint64 sizeOfModel(const std::filesystem::path &folder)
{
    qint64 bytes = 0;
    for (const auto &file : packedModelFiles(folder)) {
        std::error_code failed;
        const auto size = std::filesystem::file_size(file, failed);
        bytes += failed ? 0 : static_cast<qint64>(size);
    }
    return bytes;
}

} // namespace

PackDialog::PackDialog(const std::filesystem::path &model, const QString &proposal, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Pack study"));
    auto *about = new PlainLabel(this);
    about->setText(
        tr("Puts the study with its results and its data into one file, which opens on any machine with File > "
           "Open study."));
    about->setWordWrap(true);
    m_file = new QLineEdit(this);
    m_file->setText(QDir::toNativeSeparators(proposal + kPackSuffix));
    m_file->setMinimumWidth(420);
    auto *label = new QLabel(tr("&File:"), this);
    label->setBuddy(m_file);
    auto *choose = new QToolButton(this);
    choose->setText(tr("…"));
    choose->setToolTip(tr("Choose where to put the file"));
    choose->setAccessibleName(choose->toolTip());
    m_model
        = new QCheckBox(tr("Pack the &model, too (%1)").arg(QLocale().formattedDataSize(sizeOfModel(model), 1)), this);
    auto *note
        = new QLabel(tr("Without it the results can be seen, and nothing new is computed where the model is not in "
                        "the same folder as here."),
                     this);
    note->setWordWrap(true);
    note->setIndent(22);
    m_problem = new ErrorLabel(this);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_pack = buttons->addButton(tr("&Pack"), QDialogButtonBox::AcceptRole);
    auto *line = new QHBoxLayout;
    line->addWidget(label);
    line->addWidget(m_file, 1);
    line->addWidget(choose);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(about);
    layout->addLayout(line);
    layout->addWidget(m_problem);
    layout->addWidget(m_model);
    layout->addWidget(note);
    layout->addWidget(buttons);
    connect(choose, &QToolButton::clicked, this, &PackDialog::browse);
    connect(m_file, &QLineEdit::textChanged, this, &PackDialog::refresh);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
}

QString PackDialog::file() const
{
    const QString name = QDir::fromNativeSeparators(m_file->text().trimmed());
    return name.isEmpty() || name.endsWith(kPackSuffix) ? name : name + kPackSuffix;
}

bool PackDialog::withModel() const
{
    return m_model->isChecked();
}

QString PackDialog::problem() const
{
    const QFileInfo info(file());
    if (file().isEmpty() || info.completeBaseName().isEmpty())
        return tr("Enter a name for the file.");
    if (info.exists())
        return tr("There is a file with this name. Choose a new one.");
    if (!info.dir().exists())
        return tr("There is no folder %1.").arg(QDir::toNativeSeparators(info.absolutePath()));
    return {};
}

void PackDialog::browse()
{
    const QString chosen
        = QFileDialog::getSaveFileName(this, tr("Choose where to put the file"), file(), tr("Packed studies (*.zip)"),
                                       nullptr, QFileDialog::DontConfirmOverwrite);
    if (!chosen.isEmpty())
        m_file->setText(QDir::toNativeSeparators(chosen));
}

void PackDialog::refresh()
{
    m_problem->setError(problem());
    m_pack->setEnabled(problem().isEmpty());
}

} // namespace headscope
