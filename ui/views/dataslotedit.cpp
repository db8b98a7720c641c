#include "ui/views/dataslotedit.h"

#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/state/windowwords.h"
#include "ui/views/errorlabel.h"
#include "ui/views/fileedit.h"
#include "ui/views/parallelfields.h"
#include "ui/views/plainlabel.h"
#include "ui/views/remotefiledialog.h"
#include "ui/views/runningtextfields.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTableWidget>
#include <QTimer>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>
#include <utility>

namespace headscope {

namespace {
constexpr int kPreviewDelayMs = 250;

bool isEmpty(const DataSource &source)
{
    return source.source.empty() && source.reference.empty() && source.table.empty() && source.conllu.empty()
        && source.text.empty();
}
} // namespace

DataSlotEdit::DataSlotEdit(const DataSlotOptions &options, JobQueue &queue, QWidget *parent)
    : QGroupBox(options.title, parent), m_options(options), m_queue(queue), m_forms(new QComboBox(this)),
      m_table(new TableFields(options.title, options.tableRows, options.modelLabels, this)),
      m_summary(new PlainLabel(this)), m_error(new ErrorLabel(this)), m_timer(new QTimer(this))
{
    const QString lines = options.compact ? tr("one sentence a line") : tr("one sentence a line (.gz and .xz too)");
    m_fields = {new ParallelFields(options.title, lines, this), m_table, new RunningTextFields(options.title, this)};
    auto *layout = new QVBoxLayout(this);
    m_forms->setAccessibleName(tr("%1: form").arg(title()));
    layout->addWidget(m_forms);
    for (SourceFields *fields : m_fields)
        layout->addWidget(fields);
    auto *form = new QFormLayout;
    if (!m_options.compact) {
        makeTrees();
        form->addRow(tr("Trees"), m_trees);
    }
    makeLimit(); // not before the fields: Tab goes to what is above it first
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
    if (m_options.session)
        chooseElsewhere();
    m_timer->setSingleShot(true);
    m_timer->setInterval(kPreviewDelayMs);
    connectAll();
    showForm(options.forms.front());
    onEdited();
}

void DataSlotEdit::makeLimit()
{
    m_limit = new QSpinBox(this);
    m_limit->setRange(0, 100'000'000);
    m_limit->setSpecialValueText(tr("all"));
    m_limit->setSingleStep(100);
    m_limit->setGroupSeparatorShown(true);
    m_limit->setAccessibleName(tr("%1: how many examples").arg(title()));
}

void DataSlotEdit::connectAll()
{
    connect(m_timer, &QTimer::timeout, this, &DataSlotEdit::startPreview);
    connect(m_forms, &QComboBox::activated, this, [this] {
        showForm(static_cast<DataForm>(m_forms->currentData().toInt()));
        onEdited();
    });
    for (std::size_t form = 0; form < kDataForms; ++form) {
        // A file that is named is meant, whichever form was shown before.
        connect(m_fields[form], &SourceFields::edited, this, [this, form] {
            if (m_setting)
                return;
            showForm(static_cast<DataForm>(form));
            onEdited();
        });
    }
    connect(m_limit, &QSpinBox::valueChanged, this, &DataSlotEdit::onEdited);
}

void DataSlotEdit::makeTrees()
{
    m_trees = new FileEdit(tr("%1: dependency trees").arg(title()),
                           tr("CoNLL-U (*.conllu *.conllu.gz *.conllu.xz);;All files (*)"), this);
    m_trees->setHint(tr("dependency trees (CoNLL-U), for syntactic roles"));
    m_trees->setToolTip(tr("Dependency trees of the texts above, sentence by sentence. Without texts above, its "
                           "sentences are the data set; no references are needed to see what heads attend to"));
    connect(m_trees, &FileEdit::edited, this, &DataSlotEdit::onEdited);
    connect(&fields(DataForm::Parallel), &SourceFields::sourceChosen, this, [this](const QString &file) {
        const QString beside = file + QStringLiteral(".conllu");
        m_trees->setStartFolder(file);
        if (m_trees->path().isEmpty() && QFileInfo(beside).isFile())
            m_trees->setPath(beside);
    });
}

/// Files are those of the machine that the session computes on.
void DataSlotEdit::chooseElsewhere()
{
    for (FileEdit *edit : findChildren<FileEdit *>()) {
        edit->setChooser([this, edit](const QString &start, const std::function<void(const QString &)> &chosen) {
            const auto list
                = [session = m_options.session](const std::filesystem::path &folder, const JobControl &control) {
                      return session->list(folder, control);
                  };
            const QString host = QString::fromStdString(m_options.session->card().host);
            const QString folder = start.isEmpty() ? QString() : QFileInfo(start).path();
            auto *dialog = new RemoteFileDialog(list, host, folder, m_queue, edit);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            connect(dialog, &RemoteFileDialog::fileChosen, edit, chosen);
            dialog->open();
        });
    }
}

void DataSlotEdit::makeRows()
{
    m_rows = new QTableWidget(0, 2, this);
    m_rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_rows->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_rows->setMinimumHeight(130);
    m_rows->setAccessibleName(tr("%1: first rows").arg(title()));
    m_rows->setTabKeyNavigation(false); // Tab leaves it
    showRows({});
}

void DataSlotEdit::showForm(DataForm form)
{
    m_form = form;
    // The forms on offer, and the current one.
    std::vector<DataForm> offered = m_options.forms;
    if (std::ranges::find(offered, form) == offered.end())
        offered.push_back(form);
    const std::array names{tr("Two text files, line by line"), tr("A table"), tr("Running text")};
    const std::array units{tr(" sentences"), tr(" rows"), tr(" texts")};
    m_forms->clear();
    for (const DataForm one : offered)
        m_forms->addItem(names[static_cast<std::size_t>(one)], static_cast<int>(one));
    m_forms->setCurrentIndex(m_forms->findData(static_cast<int>(form)));
    m_forms->setVisible(offered.size() > 1);
    m_limit->setSuffix(units[static_cast<std::size_t>(form)]);
    for (SourceFields *one : m_fields)
        one->setVisible(one == &fields(form));
    // What comes first: Tab passes over all that stands before it.
    setFocusProxy(offered.size() > 1 ? static_cast<QWidget *>(m_forms) : &fields(form));
}

void DataSlotEdit::setSource(const DataSource &source)
{
    m_given = source;
    m_setting = true;
    for (SourceFields *one : m_fields)
        one->setSource(source);
    if (m_trees)
        m_trees->setPath(QString::fromStdString(source.conllu));
    m_limit->setValue(static_cast<int>(source.limit));
    m_setting = false;
    showForm(formOf(source));
    onEdited();
}

DataForm DataSlotEdit::formOf(const DataSource &source) const
{
    DataForm form = m_options.forms.front();
    for (std::size_t i = 0; i < kDataForms; ++i) {
        if (m_fields[i]->holds(source))
            form = static_cast<DataForm>(i);
    }
    return form;
}

void DataSlotEdit::clearTo(const DataSource &like)
{
    setSource({});
    showForm(formOf(like));
}

std::optional<DataSource> DataSlotEdit::source() const
{
    // A fresh one, so that nothing is left of the other forms.
    DataSource source;
    fields(m_form).writeTo(source);
    source.limit = m_limit->value();
    if (m_trees && source.text.empty())
        source.conllu = m_trees->path().toStdString();
    if (isEmpty(source))
        return std::nullopt;
    // For unchanged files, options without a field here stay as they were. Trees beside texts add to them; by
    // themselves they are the texts.
    const auto files = [](const DataSource &s) {
        return std::tuple(s.source, s.reference, s.table, s.text,
                          s.source.empty() && s.table.empty() ? s.conllu : std::string());
    };
    if (files(source) != files(m_given))
        return source;
    DataSource same = m_given;
    fields(m_form).writeTo(same);
    same.limit = source.limit;
    same.conllu = m_trees ? source.conllu : m_given.conllu;
    return same;
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
    const JobSpec spec{tr("Preview data"), m_options.tag, JobLane::Interactive};
    m_queue.start<DataPreview>(
        spec,
        [source = *wanted, session = m_options.session](const JobControl &control) {
            return session ? session->preview(source, control) : previewData(source, control);
        },
        this,
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
    const auto count = static_cast<int>(preview.rows);
    const std::array summaries{tr("%Ln sentences, %1 words each on average", nullptr, count),
                               tr("%Ln rows, %1 words each on average", nullptr, count),
                               tr("%Ln texts, %1 words each on average", nullptr, count)};
    QString summary = summaries[static_cast<std::size_t>(m_form)].arg(numberText(preview.meanWords, 1));
    for (const std::string &warning : preview.warnings)
        summary += QStringLiteral("\n⚠ ") + inWindowWords(warning);
    m_summary->setText(summary);
    showRows(preview);
    setAcceptable(true);
}

/// What a row shows.
std::vector<DataSlotEdit::RowPart> DataSlotEdit::partsOf(const DataPreview &preview) const
{
    if (m_form == DataForm::Parallel)
        return {{tr("Source"), &DataRow::source}, {tr("Reference"), &DataRow::reference}};
    if (m_form == DataForm::RunningText)
        return {{tr("Text"), &DataRow::source}};
    if (preview.questions)
        return {{tr("Prompt"), &DataRow::source}, {tr("Choices"), &DataRow::pair}, {tr("Answer"), &DataRow::reference}};
    if (!preview.worseColumn.empty())
        return {
            {tr("Text"), &DataRow::source}, {tr("Worse text"), &DataRow::pair}, {tr("Paradigm"), &DataRow::reference}};
    if (!preview.pairColumn.empty())
        return {
            {tr("Text"), &DataRow::source}, {tr("Second text"), &DataRow::pair}, {tr("Label"), &DataRow::reference}};
    return {{tr("Text"), &DataRow::source}, {tr("Label"), &DataRow::reference}};
}

void DataSlotEdit::showRows(const DataPreview &preview)
{
    QStringList lines;
    for (const DataRow &row : preview.first)
        lines << QStringLiteral("%1<br>→ %2")
                     .arg(QString::fromStdString(row.source).toHtmlEscaped(),
                          QString::fromStdString(row.reference).toHtmlEscaped());
    m_summary->setToolTip(lines.join(QLatin1String("<hr>")));
    if (!m_rows)
        return;
    const std::vector<RowPart> parts = partsOf(preview);
    QStringList names;
    for (const auto &part : parts)
        names << part.first;
    m_rows->setColumnCount(static_cast<int>(names.size()));
    m_rows->setHorizontalHeaderLabels(names);
    m_rows->setRowCount(static_cast<int>(preview.first.size()));
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        for (std::size_t column = 0; column < parts.size(); ++column) {
            const QString text
                = QString::fromStdString(preview.first[static_cast<std::size_t>(row)].*parts[column].second);
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
