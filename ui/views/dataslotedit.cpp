#include "ui/views/dataslotedit.h"

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

DataSlotEdit::DataSlotEdit(const DataSlotOptions &options, JobQueue &queue, QWidget *parent)
    : QGroupBox(options.title, parent), m_options(options), m_queue(queue), m_limit(new QSpinBox(this)),
      m_summary(new QLabel(this)), m_error(new ErrorLabel(this)), m_timer(new QTimer(this))
{
    auto *form = new QFormLayout(this);
    form->addRow(tr("Source"), makeFileRow(m_source, tr("%1: source file").arg(title()), true));
    form->addRow(tr("Reference"), makeFileRow(m_reference, tr("%1: reference file").arg(title()), false));
    m_limit->setRange(0, 100'000'000);
    m_limit->setSpecialValueText(tr("all sentences"));
    m_limit->setSingleStep(100);
    m_limit->setGroupSeparatorShown(true);
    m_limit->setAccessibleName(tr("%1: how many sentences").arg(title()));
    form->addRow(tr("Use first"), m_limit);
    form->addRow(m_error);
    m_summary->setWordWrap(true);
    form->addRow(m_summary);
    if (!m_options.compact) {
        makeRows();
        form->addRow(m_rows);
    }
    m_timer->setSingleShot(true);
    m_timer->setInterval(kPreviewDelayMs);
    connect(m_timer, &QTimer::timeout, this, &DataSlotEdit::startPreview);
    connect(m_source, &QLineEdit::textChanged, this, &DataSlotEdit::onEdited);
    connect(m_reference, &QLineEdit::textChanged, this, &DataSlotEdit::onEdited);
    connect(m_limit, &QSpinBox::valueChanged, this, &DataSlotEdit::onEdited);
    onEdited();
}

void DataSlotEdit::makeRows()
{
    m_rows = new QTableWidget(0, 2, this);
    m_rows->setHorizontalHeaderLabels({tr("Source"), tr("Reference")});
    m_rows->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_rows->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_rows->setMinimumHeight(130);
    m_rows->setAccessibleName(tr("%1: first lines").arg(title()));
}

QWidget *DataSlotEdit::makeFileRow(QLineEdit *&edit, const QString &accessibleName, bool isSource)
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    edit = new QLineEdit(row);
    edit->setClearButtonEnabled(true);
    edit->setAccessibleName(accessibleName);
    edit->setPlaceholderText(isSource ? sourceHint() : tr("line n translates line n"));
    auto *button = new QToolButton(row);
    button->setText(tr("…"));
    button->setToolTip(tr("Choose a file"));
    button->setAccessibleName(tr("%1: choose").arg(accessibleName));
    layout->addWidget(edit, 1);
    layout->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, target = edit, isSource] { browse(target, isSource); });
    return row;
}

QString DataSlotEdit::sourceHint() const
{
    if (!m_given.table.empty())
        return QString::fromStdString(m_given.table);
    return m_options.compact ? tr("one sentence a line") : tr("one sentence a line (.gz and .xz too)");
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
    m_given = source;
    m_source->setText(QString::fromStdString(source.source));
    m_reference->setText(QString::fromStdString(source.reference));
    m_limit->setValue(static_cast<int>(source.limit));
    m_source->setPlaceholderText(sourceHint());
    onEdited();
}

std::optional<DataSource> DataSlotEdit::source() const
{
    DataSource source = m_given;
    source.source = m_source->text().trimmed().toStdString();
    source.reference = m_reference->text().trimmed().toStdString();
    source.limit = m_limit->value();
    if (source.source.empty() && source.reference.empty() && source.table.empty())
        return std::nullopt;
    if (source.source != m_given.source || source.reference != m_given.reference) {
        source.table.clear();
        source.name.clear(); // was that of the other files
    }
    return source;
}

QString DataSlotEdit::errorText() const
{
    return m_error->errorText();
}

void DataSlotEdit::onEdited()
{
    const auto wanted = source();
    m_error->setError({}); // was of other files
    if (!wanted) {
        m_timer->stop();
        showRows({});
        m_summary->setText(m_options.emptyText);
        setAcceptable(true);
    } else {
        setAcceptable(false);
        m_timer->start();
    }
    Q_EMIT edited();
}

void DataSlotEdit::startPreview()
{
    const auto wanted = source();
    if (!wanted)
        return;
    const JobSpec spec{tr("Look into data"), m_options.tag, JobLane::Interactive};
    m_queue.start<DataPreview>(
        spec, [source = *wanted](const JobControl &control) { return previewData(source, control); }, this,
        [this](const Result<DataPreview> &result) {
            if (result.isError()) {
                m_error->setError(QString::fromStdString(result.error().message));
                showRows({});
                m_summary->clear();
                Q_EMIT acceptableChanged();
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
    showRows(preview.first);
    setAcceptable(true);
}

void DataSlotEdit::showRows(const std::vector<DataRow> &rows)
{
    QStringList lines;
    for (const DataRow &row : rows)
        lines << QStringLiteral("%1<br>→ %2").arg(QString::fromStdString(row.source).toHtmlEscaped(),
                                                  QString::fromStdString(row.reference).toHtmlEscaped());
    m_summary->setToolTip(lines.join(QLatin1String("<hr>")));
    if (!m_rows)
        return;
    m_rows->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const DataRow &line = rows[static_cast<std::size_t>(row)];
        m_rows->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(line.source)));
        m_rows->setItem(row, 1, new QTableWidgetItem(QString::fromStdString(line.reference)));
    }
}

void DataSlotEdit::setAcceptable(bool acceptable)
{
    m_acceptable = acceptable;
    Q_EMIT acceptableChanged();
}

} // namespace headscope
