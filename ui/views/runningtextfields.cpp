#include "ui/views/runningtextfields.h"

#include "ui/views/fileedit.h"

#include <QComboBox>
#include <QFormLayout>
#include <QSpinBox>

namespace headscope {

RunningTextFields::RunningTextFields(const QString &title, QWidget *parent)
    : SourceFields(parent), m_file(new FileEdit(tr("%1: text file").arg(title), {}, this)), m_unit(new QComboBox(this)),
      m_stride(new QSpinBox(this)), m_predictions(new QComboBox(this)), m_start(new QComboBox(this))
{
    m_file->setHint(tr("running text (.gz and .xz too)"));
    m_unit->addItems({tr("a line"), tr("a document (between blank lines)"), tr("the whole file")}); // TextUnit's order
    m_unit->setAccessibleName(tr("%1: what one text is").arg(title));
    m_stride->setRange(0, 1 << 20);
    m_stride->setSpecialValueText(tr("no overlap"));
    m_stride->setSuffix(tr(" tokens"));
    m_stride->setAccessibleName(tr("%1: stride of windows").arg(title));
    m_stride->setToolTip(
        tr("Texts longer than the model's maximum length are cut into windows. Each begins this many tokens "
           "after the one before; shared tokens are context in the second"));
    m_predictions->addItems({tr("as many tokens as it reads"), tr("one fewer, as Hugging Face's guide")}); // its order
    m_predictions->setAccessibleName(tr("%1: what a window predicts").arg(title));
    m_start->addItems(
        {tr("as the tokenizer begins the text"), tr("with the model's first token")}); // WindowStart's order
    m_start->setAccessibleName(tr("%1: what windows begin with").arg(title));
    m_start->setToolTip(
        tr("Tokenizers that put a token before texts put it before the first window only; later windows begin in the "
           "middle of the text. With the model's first token before every window, first words count too"));
    auto *form = new QFormLayout(this);
    form->setContentsMargins({});
    form->addRow(tr("Text"), m_file);
    form->addRow(tr("One text is"), m_unit);
    form->addRow(tr("Stride of windows"), m_stride);
    form->addRow(tr("It predicts"), m_predictions);
    form->addRow(tr("Windows begin"), m_start);
    setFocusProxy(m_file);
    connect(m_file, &FileEdit::edited, this, &SourceFields::edited);
    connect(m_file, &FileEdit::chosen, this, &SourceFields::sourceChosen);
    connect(m_unit, &QComboBox::currentIndexChanged, this, &SourceFields::edited);
    connect(m_stride, &QSpinBox::valueChanged, this, &SourceFields::edited);
    connect(m_predictions, &QComboBox::currentIndexChanged, this, &SourceFields::edited);
    connect(m_start, &QComboBox::currentIndexChanged, this, &SourceFields::edited);
}

void RunningTextFields::setSource(const DataSource &source)
{
    m_file->setPath(QString::fromStdString(source.text));
    m_unit->setCurrentIndex(static_cast<int>(source.textUnit));
    m_stride->setValue(static_cast<int>(source.stride));
    m_predictions->setCurrentIndex(static_cast<int>(source.windowPredictions));
    m_start->setCurrentIndex(static_cast<int>(source.windowStart));
}

void RunningTextFields::writeTo(DataSource &source) const
{
    source.text = m_file->path().toStdString();
    source.textUnit = static_cast<TextUnit>(m_unit->currentIndex());
    source.stride = m_stride->value();
    source.windowPredictions = static_cast<WindowPredictions>(m_predictions->currentIndex());
    source.windowStart = static_cast<WindowStart>(m_start->currentIndex());
}

} // namespace headscope
