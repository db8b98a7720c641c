#include "ui/dialogs/dataslotedit.h"

#include "ui/models/numbertext.h"
#include "ui/views/errorlabel.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>

namespace headscope {

namespace {
constexpr int kPreviewDelayMs = 250;
} // namespace

QString parallelFile(const QString &file)
{
    const QFileInfo info(file);
    if (!info.isFile())
        return {};
    // test.en and test.fr, test.en.gz and test.fr.gz
    const QString stem = info.baseName();
    const QString packed = info.fileName().endsWith(QLatin1String(".gz")) ? QStringLiteral(".gz")
        : info.fileName().endsWith(QLatin1String(".xz"))                  ? QStringLiteral(".xz")
                                                                          : QString();
    QStringList others = info.dir().entryList({stem + QStringLiteral(".*") + packed}, QDir::Files);
    others.removeAll(info.fileName());
    if (packed.isEmpty())
        others.removeIf([](const QString &name) {
            return name.endsWith(QLatin1String(".gz")) || name.endsWith(QLatin1String(".xz"));
        });
    return others.size() == 1 ? info.dir().filePath(others.front()) : QString();
}

DataSlotEdit::DataSlotEdit(Domain domain, JobQueue &queue, QWidget *parent)
    : QGroupBox(domain == Domain::In ? tr("In-domain data") : tr("Out-of-domain data"), parent), m_domain(domain),
      m_queue(queue), m_limit(new QSpinBox(this)), m_rows(new QTableWidget(0, 2, this)), m_summary(new QLabel(this)),
      m_error(new ErrorLabel(this)), m_timer(new QTimer(this))
{
    auto *form = new QFormLayout(this);
    form->addRow(tr("Source"), makeFileRow(m_source, tr("%1: source file").arg(title()), true));
    form->addRow(tr("Reference"), makeFileRow(m_reference, tr("%1: reference file").arg(title()), false));
    m_limit->setRange(0, 10'000'000);
    m_limit->setSpecialValueText(tr("all sentences"));
    m_limit->setSingleStep(100);
    m_limit->setGroupSeparatorShown(true);
    m_limit->setAccessibleName(tr("%1: how many sentences").arg(title()));
    form->addRow(tr("Use first"), m_limit);
    form->addRow(m_error);
    form->addRow(m_summary);
    m_rows->setHorizontalHeaderLabels({tr("Source"), tr("Reference")});
    m_rows->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_rows->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_rows->setMinimumHeight(130);
    m_rows->setAccessibleName(tr("%1: first lines").arg(title()));
    form->addRow(m_rows);
    m_timer->setSingleShot(true);
    m_timer->setInterval(kPreviewDelayMs);
    connect(m_timer, &QTimer::timeout, this, &DataSlotEdit::startPreview);
    connect(m_source, &QLineEdit::textChanged, this, &DataSlotEdit::onEdited);
    connect(m_reference, &QLineEdit::textChanged, this, &DataSlotEdit::onEdited);
    connect(m_limit, &QSpinBox::valueChanged, this, &DataSlotEdit::onEdited);
    onEdited();
}

QWidget *DataSlotEdit::makeFileRow(QLineEdit *&edit, const QString &accessibleName, bool isSource)
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    edit = new QLineEdit(row);
    edit->setClearButtonEnabled(true);
    edit->setAccessibleName(accessibleName);
    edit->setPlaceholderText(isSource ? tr("one sentence a line (.gz and .xz too)") : tr("line n translates line n"));
    auto *button = new QToolButton(row);
    button->setText(tr("…"));
    button->setToolTip(tr("Choose a file"));
    button->setAccessibleName(tr("%1: choose").arg(accessibleName));
    layout->addWidget(edit, 1);
    layout->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, target = edit, isSource] { browse(target, isSource); });
    return row;
}

void DataSlotEdit::browse(QLineEdit *edit, bool isSource)
{
    const QString start = edit->text().isEmpty() ? m_source->text() : edit->text();
    const QString file = QFileDialog::getOpenFileName(this, tr("Choose text"), start);
    if (file.isEmpty())
        return;
    edit->setText(file);
    if (isSource && m_reference->text().isEmpty())
        m_reference->setText(parallelFile(file));
}

void DataSlotEdit::setSource(const DataSource &source)
{
    m_source->setText(QString::fromStdString(source.source));
    m_reference->setText(QString::fromStdString(source.reference));
    m_limit->setValue(static_cast<int>(source.limit));
}

std::optional<DataSource> DataSlotEdit::source() const
{
    if (m_source->text().trimmed().isEmpty() && m_reference->text().trimmed().isEmpty())
        return std::nullopt;
    DataSource source;
    source.source = m_source->text().trimmed().toStdString();
    source.reference = m_reference->text().trimmed().toStdString();
    source.limit = m_limit->value();
    return source;
}

QString DataSlotEdit::errorText() const
{
    return m_error->errorText();
}

void DataSlotEdit::onEdited()
{
    const auto wanted = source();
    if (!wanted) {
        m_timer->stop();
        m_error->setError({});
        m_rows->setRowCount(0);
        m_summary->setText(tr("Leave both empty to leave this slot as it is."));
        setAcceptable(true);
        return;
    }
    setAcceptable(false);
    m_timer->start();
}

void DataSlotEdit::startPreview()
{
    const auto wanted = source();
    if (!wanted)
        return;
    const JobSpec spec{tr("Look into data"), QStringLiteral("preview-%1").arg(static_cast<int>(m_domain)),
                       JobLane::Interactive};
    m_queue.start<DataPreview>(
        spec, [source = *wanted](const JobControl &control) { return previewData(source, control); }, this,
        [this](const Result<DataPreview> &result) {
            if (result.isError()) {
                m_error->setError(QString::fromStdString(result.error().message));
                m_rows->setRowCount(0);
                m_summary->clear();
            }
            if (result.isOk())
                showPreview(result.value());
        });
}

void DataSlotEdit::showPreview(const DataPreview &preview)
{
    m_error->setError({});
    QString summary = tr("%1 sentences, %2 words each on average")
                          .arg(countText(preview.rows), numberText(preview.meanWords, 1));
    for (const std::string &warning : preview.warnings)
        summary += QStringLiteral("\n⚠ ") + QString::fromStdString(warning);
    m_summary->setText(summary);
    m_rows->setRowCount(static_cast<int>(preview.first.size()));
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const DataRow &line = preview.first[static_cast<std::size_t>(row)];
        m_rows->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(line.source)));
        m_rows->setItem(row, 1, new QTableWidgetItem(QString::fromStdString(line.reference)));
    }
    setAcceptable(true);
}

void DataSlotEdit::setAcceptable(bool acceptable)
{
    m_acceptable = acceptable;
    Q_EMIT acceptableChanged();
}

} // namespace headscope
