#include "ui/dialogs/opendatadialog.h"

#include "ui/models/tasktext.h"
#include "ui/views/pagescroller.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope {

namespace {
/// The forms of data for a model's task, the default first.
std::vector<DataForm> formsFor(const ModelCard *model)
{
    if (!model)
        return {DataForm::Parallel, DataForm::Table, DataForm::RunningText};
    if (isClassifier(*model))
        return {DataForm::Table};
    if (isTranslator(*model))
        return {DataForm::Parallel, DataForm::Table};
    return {DataForm::RunningText, DataForm::Table};
}
} // namespace

OpenDataDialog::OpenDataDialog(const StudyState &state, JobQueue &queue, QWidget *parent) : QDialog(parent)
{
    constexpr QSize kUsual(1080, 560);
    setWindowTitle(tr("Choose data"));
    auto *layout = new QVBoxLayout(this);
    auto *both = new QWidget;
    auto *slots = new QHBoxLayout(both);
    slots->setContentsMargins({});
    layout->addWidget(new PageScroller(both, this), 1); // a low screen has room for the buttons at least
    const ModelCard *model = state.model();
    for (const Domain domain : kBothDomains) {
        const std::size_t index = domain == Domain::In ? 0 : 1;
        DataSlotOptions options;
        options.title = domain == Domain::In ? tr("In-domain data") : tr("Out-of-domain data");
        options.tag = QStringLiteral("preview-%1").arg(index);
        options.emptyText = tr("Leave this empty to keep the current data.");
        options.forms = formsFor(model);
        if (model && !model->host.empty())
            options.session = state.session();
        if (model && isLanguageModel(*model))
            options.tableRows = TableRows::MinimalPairs;
        if (model && isClassifier(*model) && model->problem != ProblemType::Regression)
            options.modelLabels = model->labels;
        m_slots[index] = new DataSlotEdit(options, queue, this);
        if (const auto &data = state.data(domain))
            m_slots[index]->setSource(data->origin);
        m_before[index] = m_slots[index]->source();
        slots->addWidget(m_slots[index], 1);
        connect(m_slots[index], &DataSlotEdit::acceptableChanged, this, &OpenDataDialog::refreshButtons);
    }
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Use this data"));
    connect(m_buttons, &QDialogButtonBox::accepted, this, &OpenDataDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(m_buttons);
    resize(kUsual.boundedTo(parent ? parent->window()->size() : kUsual));
    refreshButtons();
}

void OpenDataDialog::refreshButtons()
{
    const bool acceptable = m_slots[0]->isAcceptable() && m_slots[1]->isAcceptable();
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(acceptable && (m_slots[0]->source() || m_slots[1]->source()));
}

void OpenDataDialog::accept()
{
    for (const Domain domain : kBothDomains) {
        const std::size_t index = domain == Domain::In ? 0 : 1;
        const auto chosen = m_slots[index]->source();
        if (chosen && chosen != m_before[index])
            Q_EMIT dataChosen(domain, *chosen);
    }
    QDialog::accept();
}

} // namespace headscope
