#include "ui/views/dataslotedit.h"

#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/state/windowwords.h"
#include "ui/views/errorlabel.h"
#include "ui/views/fileedit.h"
#include "ui/views/parallelfields.h"
#include "ui/views/plainlabel.h"
#include "ui/views/tablefields.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTableWidget>
#include <QTimer>

#include <tuple>

namespace headscope {

namespace {
constexpr int kPreviewDelayMs = 250;
enum Form { ParallelForm, TableForm };

bool isEmpty(const DataSource &source)
{
    return source.source.empty() && source.reference.empty() && source.table.empty() && source.conllu.empty()
        && source.text.empty();
}
} // namespace

DataSlotEdit::DataSlotEdit(const DataSlotOptions &options, JobQueue &queue, QWidget *parent)
    : QGroupBox(options.title, parent), m_options(options), m_queue(queue), m_form(new QComboBox(this)),
      m_parallel(new ParallelFields(options.title,
                                    options.compact ? tr("one sentence a line")
                                                    : tr("one sentence a line (.gz and .xz too)"),
                                    this)),
      m_table(new TableFields(options.title, options.modelLabels, this)), m_limit(new QSpinBox(this)),
      m_summary(new PlainLabel(this)), m_error(new ErrorLabel(this)), m_timer(new QTimer(this))
{
    auto *layout = new QVBoxLayout(this);
    m_form->addItems({tr("Two text files, line by line"), tr("A table")});
    m_form->setAccessibleName(tr("%1: form").arg(title()));
    layout->addWidget(m_form);
    layout->addWidget(m_parallel);
    layout->addWidget(m_table);
    auto *form = new QFormLayout;
    if (!m_options.compact) {
        makeTrees();
        form->addRow(tr("Trees"), m_trees);
    }
    m_limit->setRange(0, 100'000'000);
    m_limit->setSpecialValueText(tr("all"));
    m_limit->setSuffix(options.forms == DataForms::Table ? tr(" rows") : tr(" sentences"));
    m_limit->setSingleStep(100);
    m_limit->setGroupSeparatorShown(true);
    m_limit->setAccessibleName(tr("%1: how many examples").arg(title()));
    form->addRow(tr("Use first"), m_limit);
    layout->addLayout(form);
    layout->addWidget(m_error);
    m_summary->setWordWrap(true);
    layout->addWidget(m_summary);
    if (m_options.compact) {
        layout->addStretch(1);
    } else {
        makeRows();
        layout->addWidget(m_rows, 1);
    }
    m_timer->setSingleShot(true);
    m_timer->setInterval(kPreviewDelayMs);
    connect(m_timer, &QTimer::timeout, this, &DataSlotEdit::startPreview);
    connect(m_form, &QComboBox::activated, this, [this](int form) {
        showForm(form == TableForm);
        onEdited();
    });
    // A file that is named is meant, whichever form was shown before.
    const auto named = [this](bool table) {
        if (m_setting)
            return;
        showForm(table);
        onEdited();
    };
    connect(m_parallel, &ParallelFields::edited, this, [named] { named(false); });
    connect(m_table, &TableFields::edited, this, [named] { named(true); });
    connect(m_limit, &QSpinBox::valueChanged, this, &DataSlotEdit::onEdited);
    showForm(options.forms == DataForms::Table);
    onEdited();
}

void DataSlotEdit::makeTrees()
{
    m_trees = new FileEdit(
        tr("%1: dependency trees").arg(title()), tr("CoNLL-U (*.conllu *.conllu.gz *.conllu.xz);;All files (*)"), this);
    m_trees->setHint(tr("dependency trees (CoNLL-U), for syntactic roles"));
    m_trees->setToolTip(tr("Dependency trees of the texts above, sentence by sentence. By itself it is a data set: its "
                           "sentences are the texts, and no references are needed to see what heads attend to"));
    connect(m_trees, &FileEdit::edited, this, &DataSlotEdit::onEdited);
    connect(m_parallel, &ParallelFields::sourceChosen, this, [this](const QString &file) {
        const QString beside = file + QStringLiteral(".conllu");
        m_trees->setStartFolder(file);
        if (m_trees->path().isEmpty() && QFileInfo(beside).isFile())
            m_trees->setPath(beside);
    });
}

void DataSlotEdit::makeRows()
{
    m_rows = new QTableWidget(0, 2, this);
    m_rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_rows->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_rows->setMinimumHeight(130);
    m_rows->setAccessibleName(tr("%1: first rows").arg(title()));
    showRows({});
}

bool DataSlotEdit::isTable() const
{
    return m_form->currentIndex() == TableForm;
}

void DataSlotEdit::showForm(bool table)
{
    m_form->setCurrentIndex(table ? TableForm : ParallelForm);
    // Also a way out of the form that is not meant here.
    m_form->setVisible(m_options.forms != (table ? DataForms::Table : DataForms::Parallel));
    m_parallel->setVisible(!table);
    m_table->setVisible(table);
    setFocusProxy(table ? static_cast<QWidget *>(m_table) : m_parallel);
}

void DataSlotEdit::setSource(const DataSource &source)
{
    m_given = source;
    m_setting = true;
    m_parallel->setSource(source);
    m_table->setSource(source);
    if (m_trees)
        m_trees->setPath(QString::fromStdString(source.conllu));
    m_limit->setValue(static_cast<int>(source.limit));
    m_setting = false;
    // What is there is shown, also in a form that the model would not be offered.
    const bool texts = !source.source.empty() || !source.reference.empty();
    showForm(texts || !source.table.empty() ? !texts : m_options.forms == DataForms::Table);
    onEdited();
}

std::optional<DataSource> DataSlotEdit::source() const
{
    DataSource source = m_given;
    if (isTable()) {
        source.source.clear();
        source.reference.clear();
        m_table->writeTo(source);
    } else {
        source.table.clear();
        m_parallel->writeTo(source);
    }
    source.limit = m_limit->value();
    if (m_trees)
        source.conllu = m_trees->path().toStdString();
    // Trees beside texts add to them; by themselves they are the texts.
    const auto texts = [](const DataSource &s) {
        return std::tuple(
            s.source, s.reference, s.table, s.source.empty() && s.table.empty() ? s.conllu : std::string());
    };
    if (texts(source) == texts(m_given))
        return isEmpty(source) ? std::nullopt : std::optional(source);
    source.name.clear(); // was that of the other files
    source.text.clear();
    source.worseColumn.clear(); // columns of the other table, for which there are no fields
    source.paradigmColumn.clear();
    if (!m_trees)
        source.conllu.clear();
    if (!isTable()) {
        DataSource parallel;
        parallel.source = source.source;
        parallel.reference = source.reference;
        parallel.conllu = source.conllu;
        parallel.limit = source.limit;
        source = parallel;
    }
    return isEmpty(source) ? std::nullopt : std::optional(source);
}

QString DataSlotEdit::errorText() const
{
    return m_error->errorText();
}

void DataSlotEdit::onEdited()
{
    if (m_setting)
        return;
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
                m_error->setError(inWindowWords(result.error().message));
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
    m_table->showPreview(preview);
    if (isTable() && preview.rows == 0 && preview.textColumn.empty()) {
        m_error->setError(tr("Which column of the table holds the texts? Choose it above."));
        m_summary->clear();
        showRows({});
        Q_EMIT acceptableChanged();
        return;
    }
    QString summary = (isTable() ? tr("%1 rows, %2 words each on average") : tr("%1 sentences, %2 words each on average"))
                          .arg(countText(preview.rows), numberText(preview.meanWords, 1));
    for (const std::string &warning : preview.warnings)
        summary += QStringLiteral("\n⚠ ") + inWindowWords(warning);
    m_summary->setText(summary);
    showRows(preview);
    setAcceptable(true);
}

void DataSlotEdit::showRows(const DataPreview &preview)
{
    QStringList lines;
    for (const DataRow &row : preview.first)
        lines << QStringLiteral("%1<br>→ %2").arg(QString::fromStdString(row.source).toHtmlEscaped(),
                                                  QString::fromStdString(row.reference).toHtmlEscaped());
    m_summary->setToolTip(lines.join(QLatin1String("<hr>")));
    if (!m_rows)
        return;
    QStringList names{isTable() ? tr("Text") : tr("Source")};
    std::vector<std::string DataRow::*> parts{&DataRow::source};
    if (isTable() && !preview.pairColumn.empty()) {
        names << tr("Second text");
        parts.push_back(&DataRow::pair);
    }
    names << (isTable() ? tr("Label") : tr("Reference"));
    parts.push_back(&DataRow::reference);
    m_rows->setColumnCount(static_cast<int>(names.size()));
    m_rows->setHorizontalHeaderLabels(names);
    m_rows->setRowCount(static_cast<int>(preview.first.size()));
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        for (std::size_t column = 0; column < parts.size(); ++column) {
            const QString text = QString::fromStdString(preview.first[static_cast<std::size_t>(row)].*parts[column]);
            auto *item = new QTableWidgetItem(text);
            item->setToolTip(plainTip(text));
            m_rows->setItem(row, static_cast<int>(column), item);
        }
    }
    QHeaderView *header = m_rows->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Stretch);
    if (isTable())
        header->setSectionResizeMode(static_cast<int>(names.size()) - 1, QHeaderView::ResizeToContents);
}

void DataSlotEdit::setAcceptable(bool acceptable)
{
    m_acceptable = acceptable;
    Q_EMIT acceptableChanged();
}

} // namespace headscope
