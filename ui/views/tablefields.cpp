#include "ui/views/tablefields.h"

#include "ui/models/tasktext.h"
#include "ui/views/fileedit.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSpinBox>

#include <algorithm>

namespace headscope {

namespace {
const QString kNone = QStringLiteral("none"); ///< the column that switches pairs or labels off

QString joined(const std::vector<std::string> &labels)
{
    QStringList names;
    for (const std::string &label : labels)
        names << QString::fromStdString(label);
    return names.join(QStringLiteral(", "));
}
} // namespace

bool isTableName(const QString &file)
{
    QString name = file.toLower();
    for (const char *packed : {".gz", ".xz"}) {
        if (name.endsWith(QLatin1String(packed)))
            name.chop(3);
    }
    return name.endsWith(QLatin1String(".tsv")) || name.endsWith(QLatin1String(".csv"))
        || name.endsWith(QLatin1String(".jsonl"));
}

TableFields::TableFields(const QString &title, TableRows rows, const std::vector<std::string> &modelLabels,
                         QWidget *parent)
    : SourceFields(parent),
      m_file(
          new FileEdit(tr("%1: table").arg(title),
                       tr("Tables (*.tsv *.csv *.jsonl *.txt *.tsv.gz *.csv.gz *.jsonl.gz *.txt.gz *.tsv.xz *.csv.xz "
                          "*.jsonl.xz *.txt.xz);;All files (*)"),
                       this)),
      m_header(new QCheckBox(tr("First line names the columns"), this)),
      m_quoted(new QCheckBox(tr("Quoted fields"), this)), m_labelMap(new QLineEdit(this)),
      m_labels(new PlainLabel(this)), m_modelLabels(joined(modelLabels))
{
    chooseColumns(rows);
    m_file->setHint(tr(".tsv, .csv or .jsonl (.gz and .xz too)"));
    m_labelMap->setPlaceholderText(tr("only where they differ: 1=positive, no=neutral+contradiction"));
    m_labelMap->setAccessibleName(tr("%1: label mapping").arg(title));
    m_labelMap->setClearButtonEnabled(true);
    m_labels->setWordWrap(true);
    QWidget *checks = makeChecks();
    auto *form = new QFormLayout(this);
    form->setContentsMargins({});
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Table"), m_file);
    form->addRow(tr("Columns"), makeColumns(title));
    form->addRow(QString(), checks);
    if (rows == TableRows::MinimalPairs)
        form->addRow(tr("Questions"), makeQuestions(title));
    form->addRow(tr("Labels mean"), m_labelMap);
    form->addRow(QString(), m_labels);
    const bool mapped = !modelLabels.empty();
    form->labelForField(m_labelMap)->setVisible(mapped);
    m_labelMap->setVisible(mapped);
    setFocusProxy(m_file);
    connect(m_file, &FileEdit::edited, this, [this] {
        forgetColumns();
        changed();
    });
    connect(m_labelMap, &QLineEdit::textChanged, this, &TableFields::changed);
    m_labels->hide();
}

/// What the columns of such rows are to say.
void TableFields::chooseColumns(TableRows rows)
{
    const ColumnEdit text{tr("Text"), nullptr, &DataSource::textColumn, &DataPreview::textColumn, {}};
    if (rows == TableRows::MinimalPairs)
        m_columns = {text,
                     {tr("Worse text"), nullptr, &DataSource::worseColumn, &DataPreview::worseColumn, {}},
                     {tr("Paradigm"), nullptr, &DataSource::paradigmColumn, &DataPreview::paradigmColumn, {}}};
    else
        m_columns = {text,
                     {tr("Second text"), nullptr, &DataSource::pairColumn, &DataPreview::pairColumn, {}},
                     {tr("Label"), nullptr, &DataSource::labelColumn, &DataPreview::labelColumn, {}}};
}

/// How the file is written.
QWidget *TableFields::makeChecks()
{
    m_header->setChecked(true);
    m_header->setToolTip(tr("Without a header line the columns are called 1, 2, …"));
    m_quoted->setToolTip(tr("A .tsv with quoted fields, as spreadsheets write them; .csv always has quoted fields"));
    auto *checks = new QWidget(this);
    auto *row = new QHBoxLayout(checks);
    row->setContentsMargins({});
    addWidgets(*row, {m_header, m_quoted});
    row->addStretch(1);
    connect(m_header, &QCheckBox::toggled, this, [this](bool header) {
        if (m_filling)
            return;
        forgetColumns();
        // Columns without names are called by numbers: mostly the text is the first and the label the last.
        if (!header) {
            choose(m_columns[kText], QStringLiteral("1"));
            choose(m_columns.back(), QString::number(std::max<std::size_t>(m_columnCount, 2)));
        }
        changed();
    });
    connect(m_quoted, &QCheckBox::toggled, this, &TableFields::changed);
    return checks;
}

QWidget *TableFields::makeColumns(const QString &title)
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        auto *box = new QComboBox(row);
        // Editable: a name can also be given where the columns could not be read.
        box->setEditable(true);
        box->setInsertPolicy(QComboBox::NoInsert);
        box->lineEdit()->setPlaceholderText(i == kText ? tr("found by its name") : kNone);
        box->setAccessibleName(tr("%1: column of %2").arg(title, m_columns[i].name.toLower()));
        box->lineEdit()->setAccessibleName(box->accessibleName());
        letShrink(*box, 7);
        auto *cell = new QVBoxLayout;
        cell->setSpacing(1);
        auto *label = new QLabel(m_columns[i].name, row);
        label->setBuddy(box);
        addWidgets(*cell, {label, box});
        layout->addLayout(cell, 1);
        m_columns[i].box = box;
        connect(box, &QComboBox::currentTextChanged, this, [this, i](const QString &text) {
            if (m_filling)
                return;
            m_columns[i].chosen = text.trimmed().toStdString();
            changed();
        });
    }
    return row;
}

QWidget *TableFields::makeQuestions(const QString &title)
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    m_prompt = new QLineEdit(row);
    m_prompt->setPlaceholderText(tr("prompt: Question: {question}\\nAnswer:"));
    m_prompt->setToolTip(tr("What the model reads of a row, with names of columns in braces. Empty: as "
                            "lm-evaluation-harness asks the questions of ARC, HellaSwag, MMLU and BoolQ, otherwise the "
                            "context of the row"));
    m_prompt->setAccessibleName(tr("%1: prompt of questions").arg(title));
    m_prompt->setClearButtonEnabled(true);
    m_cloze = new QCheckBox(tr("Last word"), row);
    m_cloze->setToolTip(tr("The last word of each text is asked for, as LAMBADA does"));
    m_shots = new QSpinBox(row);
    m_shots->setRange(0, 100);
    m_shots->setPrefix(tr("shots: "));
    m_shots->setToolTip(tr("Questions that stand before every question with their answers: the first ones of the table "
                           "beside this"));
    m_shots->setAccessibleName(tr("%1: shots").arg(title));
    m_shotsFile
        = new FileEdit(tr("%1: table of shots").arg(title), tr("Tables (*.tsv *.csv *.jsonl);;All files (*)"), row);
    m_shotsFile->setHint(tr("table of shots"));
    layout->addWidget(m_prompt, 2);
    addWidgets(*layout, {m_cloze, m_shots});
    layout->addWidget(m_shotsFile, 1);
    connect(m_prompt, &QLineEdit::textChanged, this, &TableFields::changed);
    connect(m_cloze, &QCheckBox::toggled, this, &TableFields::changed);
    connect(m_shots, &QSpinBox::valueChanged, this, &TableFields::changed);
    connect(m_shotsFile, &FileEdit::edited, this, &TableFields::changed);
    return row;
}

void TableFields::changed()
{
    if (!m_filling)
        Q_EMIT edited();
}

/// The columns of another table are called otherwise.
void TableFields::forgetColumns()
{
    if (m_filling)
        return;
    m_filling = true;
    for (ColumnEdit &column : m_columns) {
        column.chosen.clear();
        column.box->clear();
        column.box->clearEditText();
    }
    m_filling = false;
}

void TableFields::choose(ColumnEdit &column, const QString &name)
{
    column.chosen = name.toStdString();
    const QScopedValueRollback filling(m_filling, true);
    column.box->setEditText(name);
}

void TableFields::setSource(const DataSource &source)
{
    m_filling = true;
    m_file->setPath(QString::fromStdString(source.table));
    m_header->setChecked(source.header);
    m_quoted->setChecked(source.quoted);
    m_labelMap->setText(QString::fromStdString(source.labelMap));
    if (m_prompt) {
        m_prompt->setText(QString::fromStdString(source.prompt));
        m_cloze->setChecked(source.cloze);
        m_shots->setValue(static_cast<int>(source.shots));
        m_shotsFile->setPath(QString::fromStdString(source.shotsFile));
    }
    for (ColumnEdit &column : m_columns) {
        column.chosen = source.*column.source;
        column.box->setEditText(QString::fromStdString(column.chosen));
    }
    m_filling = false;
}

void TableFields::writeTo(DataSource &source) const
{
    source.table = m_file->path().toStdString();
    source.header = m_header->isChecked();
    source.quoted = m_quoted->isChecked();
    source.labelMap = m_labelMap->text().trimmed().toStdString();
    if (m_prompt) {
        source.prompt = m_prompt->text().toStdString();
        source.cloze = m_cloze->isChecked();
        source.shots = m_shotsFile->path().isEmpty() ? 0 : m_shots->value(); // a number waits for its table
        source.shotsFile = m_shotsFile->path().toStdString();
    }
    for (const ColumnEdit &column : m_columns)
        source.*column.source = column.chosen;
}

void TableFields::showPreview(const DataPreview &preview)
{
    m_filling = true;
    m_columnCount = preview.columns.size();
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        QComboBox *box = m_columns[i].box;
        const QString shown = QString::fromStdString(preview.*m_columns[i].found);
        box->clear();
        if (i != kText)
            box->addItem(kNone);
        for (const std::string &name : preview.columns)
            box->addItem(QString::fromStdString(name));
        box->setCurrentIndex(box->findText(shown));
        box->setEditText(shown.isEmpty() && i != kText ? kNone : shown);
    }
    m_filling = false;
    QStringList lines;
    if (!m_modelLabels.isEmpty())
        lines << tr("The model's labels: %1").arg(m_modelLabels);
    if (!preview.labels.empty())
        lines << tr("Labels of the data: %1").arg(labelCountsText(preview.labels));
    m_labels->setText(lines.join(u'\n'));
    m_labels->setVisible(!lines.isEmpty());
}

} // namespace headscope
