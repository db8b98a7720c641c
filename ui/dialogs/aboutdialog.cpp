#include "ui/dialogs/aboutdialog.h"

#include "core/session/environment.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope {

AboutDialog::AboutDialog(QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("About Headscope"));
    auto *title
        = new QLabel(tr("<h2>Headscope</h2><p>What the attention heads of a trained Transformer do, and which of "
                        "them are needed.</p><p>Free software under the GNU General Public License, version 3 "
                        "or later.</p>"),
                     this);
    title->setWordWrap(true);
    auto *facts = new QPlainTextEdit(systemInformation(), this);
    facts->setReadOnly(true);
    facts->setAccessibleName(tr("System information"));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *copy = buttons->addButton(tr("Copy system information"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, [] { QGuiApplication::clipboard()->setText(systemInformation()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(title);
    layout->addWidget(facts, 1);
    layout->addWidget(buttons);
    resize(520, 400);
}

QString AboutDialog::systemInformation()
{
    const Environment facts = environment();
    const auto text = [](const std::string &value) { return QString::fromStdString(value); };
    QStringList lines{QStringLiteral("Headscope %1").arg(text(facts.version)),
                      QStringLiteral("LibTorch %1").arg(text(facts.libtorch)),
                      QStringLiteral("BLAS %1").arg(text(facts.blas)),
                      QStringLiteral("Qt %1").arg(QString::fromLatin1(qVersion())),
                      QStringLiteral("Processor %1, %2 threads").arg(text(facts.processor)).arg(facts.threads)};
    for (const std::string &device : facts.devices)
        lines << QStringLiteral("Device %1").arg(text(device));
    for (const std::string &warning : facts.warnings)
        lines << QStringLiteral("Warning: %1").arg(text(warning));
    return lines.join(u'\n');
}

} // namespace headscope
