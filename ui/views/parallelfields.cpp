#include "ui/views/parallelfields.h"

#include "ui/views/fileedit.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>

namespace headscope {

QString parallelFile(const QString &file)
{
    const QFileInfo info(file);
    if (!info.isFile())
        return {};
    // test.en and test.fr, test.en.gz and test.fr.gz
    const QString stem = info.baseName();
    const QString packed = info.fileName().endsWith(QLatin1String(".gz")) ? QStringLiteral(".gz")
                         : info.fileName().endsWith(QLatin1String(".xz")) ? QStringLiteral(".xz")
                                                                          : QString();
    QStringList others = info.dir().entryList({stem + QStringLiteral(".*") + packed}, QDir::Files);
    others.removeAll(info.fileName());
    others.removeIf([](const QString &name) { return isTreesName(name); }); // trees of one of them
    if (packed.isEmpty())
        others.removeIf([](const QString &name) {
            return name.endsWith(QLatin1String(".gz")) || name.endsWith(QLatin1String(".xz"));
        });
    return others.size() == 1 ? info.dir().filePath(others.front()) : QString();
}

bool isTreesName(const QString &file)
{
    for (const char *ending : {".conllu", ".conllu.gz", ".conllu.xz"}) {
        if (file.endsWith(QLatin1String(ending), Qt::CaseInsensitive))
            return true;
    }
    return false;
}

ParallelFields::ParallelFields(const QString &title, const QString &hint, QWidget *parent)
    : SourceFields(parent), m_source(new FileEdit(tr("%1: source file").arg(title), {}, this)),
      m_reference(new FileEdit(tr("%1: reference file").arg(title), {}, this)), m_bleu(new QComboBox(this))
{
    m_source->setHint(hint);
    m_reference->setHint(tr("line n translates line n"));
    auto *form = new QFormLayout(this);
    form->setContentsMargins({});
    form->addRow(tr("Source"), m_source);
    form->addRow(tr("Reference"), m_reference);
    m_bleu->addItem(tr("as the language needs"));
    m_bleu->addItems({QStringLiteral("13a"), QStringLiteral("zh"), QStringLiteral("char"), QStringLiteral("none"),
                      QStringLiteral("flores200:")});
    m_bleu->setEditable(true);
    m_bleu->setInsertPolicy(QComboBox::NoInsert);
    m_bleu->setAccessibleName(tr("%1: how BLEU cuts texts into words").arg(title));
    m_bleu->lineEdit()->setAccessibleName(m_bleu->accessibleName());
    m_bleu->setToolTip(
        tr("Tokenizers of sacreBLEU; of a model that translates. zh is for Chinese, char for languages "
           "without blanks between words, flores200: takes the path of FLORES-200's SentencePiece model"));
    form->addRow(tr("BLEU's words"), m_bleu);
    setFocusProxy(m_source);
    connect(m_bleu, &QComboBox::currentTextChanged, this, &ParallelFields::edited);
    connect(m_source, &FileEdit::edited, this, [this] {
        m_reference->setStartFolder(m_source->path());
        Q_EMIT edited();
    });
    connect(m_reference, &FileEdit::edited, this, &ParallelFields::edited);
    connect(m_source, &FileEdit::chosen, this, [this](const QString &file) {
        if (m_reference->path().isEmpty())
            m_reference->setPath(parallelFile(file));
        Q_EMIT sourceChosen(file);
    });
}

void ParallelFields::setSource(const DataSource &source)
{
    m_source->setPath(QString::fromStdString(source.source));
    m_reference->setPath(QString::fromStdString(source.reference));
    m_bleu->setCurrentText(source.bleuTokenize.empty() ? m_bleu->itemText(0)
                                                       : QString::fromStdString(source.bleuTokenize));
}

void ParallelFields::writeTo(DataSource &source) const
{
    source.source = m_source->path().toStdString();
    source.reference = m_reference->path().toStdString();
    const QString bleu = m_bleu->currentText().trimmed();
    source.bleuTokenize = bleu == m_bleu->itemText(0) ? std::string() : bleu.toStdString();
}

} // namespace headscope
