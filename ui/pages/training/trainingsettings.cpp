#include "ui/pages/training/trainingsettings.h"

#include "ui/models/numbertext.h"
#include "ui/pages/training/gatesettings.h"
#include "ui/views/dataslotedit.h"
#include "ui/views/plainlabel.h"

#include <QEvent>
#include <QFileDialog>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
constexpr int kMost = 1'000'000'000;
const std::vector kAllForms{DataForm::Parallel, DataForm::Table, DataForm::RunningText};
/// Places of the box that says what training begins with.
enum Begin { NewModel, TrainedModel, FreshWeights };

struct Preset
{
    const char *name;
    std::int64_t width;
    std::int64_t layers;
    std::int64_t feedForward;
};
/// All with 8 heads.
constexpr std::array kPresets{
    Preset{QT_TRANSLATE_NOOP("headscope::TrainingSettings", "Tiny: 128, 3 + 3 × 8 heads"), 128, 3, 512},
    Preset{QT_TRANSLATE_NOOP("headscope::TrainingSettings", "Small: 256, 4 + 4 × 8 heads"), 256, 4, 1024},
    Preset{QT_TRANSLATE_NOOP("headscope::TrainingSettings", "Base: 512, 6 + 6 × 8 heads"), 512, 6, 2048}};
constexpr std::int64_t kPresetHeads = 8;

void setSizes(ModelSizes &model, const Preset &preset)
{
    model.width = preset.width;
    model.encoderLayers = model.decoderLayers = preset.layers;
    model.encoderHeads = model.decoderHeads = kPresetHeads;
    model.feedForward = preset.feedForward;
}

// Members of the parts of a configuration.
template<typename T>
auto of(T ModelSizes::*member)
{
    return [member](TrainingConfig &config) -> T & { return config.model.*member; };
}
template<typename T>
auto of(T VocabularyConfig::*member)
{
    return [member](TrainingConfig &config) -> T & { return config.vocabulary.*member; };
}
template<typename T>
auto of(T OptimizerConfig::*member)
{
    return [member](TrainingConfig &config) -> T & { return config.optimizer.*member; };
}
template<typename T>
auto of(T ScheduleConfig::*member)
{
    return [member](TrainingConfig &config) -> T & { return config.schedule.*member; };
}

/// The preset of these sizes, or the place of "Own sizes".
int presetOf(const ModelSizes &model)
{
    for (std::size_t i = 0; i < kPresets.size(); ++i) {
        ModelSizes sizes = model;
        setSizes(sizes, kPresets[i]);
        if (sizes == model)
            return static_cast<int>(i);
    }
    return static_cast<int>(kPresets.size());
}
} // namespace

std::int64_t approximateParameters(const ModelSizes &model, const VocabularyConfig &vocabulary)
{
    const std::int64_t width = model.width;
    const std::int64_t attention = 4 * (width * width + width);
    const std::int64_t feedForward = 2 * width * model.feedForward + width + model.feedForward;
    const std::int64_t norm = 2 * width;
    if (isClassifier(model)) // with positions, token types, its norm and the dense layer above it
        return (vocabulary.size + model.maxPositions + 2) * width + norm
             + model.encoderLayers * (attention + feedForward + 2 * norm) + width * width + width;
    const std::int64_t embeddings = (vocabulary.joint ? 1 : 2) * vocabulary.size * width + vocabulary.size;
    return embeddings + model.encoderLayers * (attention + feedForward + 2 * norm)
         + model.decoderLayers * (2 * attention + feedForward + 3 * norm);
}

TrainingSettings::TrainingSettings(JobQueue &queue, QWidget *parent)
    : QScrollArea(parent), m_queue(queue), m_fields(this, [this] { onEdited(); }), m_content(new QWidget(this))
{
    m_updating = true;
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Settings of the training"));
    auto *layout = new QVBoxLayout(m_content);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->addWidget(makeRunGroup());
    layout->addWidget(makeDataGroups());
    layout->addWidget(makeModelGroup());
    layout->addWidget(makeLearningGroup());
    m_gates = new GateSettings(m_fields, m_content);
    connect(m_gates, &GateSettings::kindsChanged, this, &TrainingSettings::onEdited);
    layout->addWidget(m_gates);
    layout->addWidget(makeMoreButton());
    QWidget *more = makeMore();
    layout->addWidget(more);
    layout->addStretch(1);
    connect(m_more, &QToolButton::toggled, this, [this, more](bool open) {
        more->setVisible(open);
        m_more->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    });
    alignLabels();
    more->hide();
    setWidget(m_content);
    for (QWidget *field : m_content->findChildren<QWidget *>()) {
        if (qobject_cast<QAbstractSpinBox *>(field) || qobject_cast<QComboBox *>(field))
            field->installEventFilter(this);
    }
    m_updating = false;
    setConfig({});
}

/// One column of fields through all groups.
void TrainingSettings::alignLabels()
{
    QList<QWidget *> labels;
    int width = 0;
    for (const QFormLayout *form : m_content->findChildren<QFormLayout *>()) {
        for (int row = 0; row < form->rowCount(); ++row) {
            const QLayoutItem *item = form->itemAt(row, QFormLayout::LabelRole);
            if (!item || !item->widget())
                continue;
            labels << item->widget();
            width = std::max(width, item->widget()->sizeHint().width());
        }
    }
    for (QWidget *label : labels)
        label->setMinimumWidth(width);
}

QFormLayout *TrainingSettings::makeForm(QWidget *parent) const
{
    auto *form = new QFormLayout(parent);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(10);
    form->setVerticalSpacing(5);
    return form;
}

QWidget *TrainingSettings::inRow(std::initializer_list<QWidget *> widgets)
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    layout->setSpacing(6);
    for (QWidget *widget : widgets)
        layout->addWidget(widget, qobject_cast<QToolButton *>(widget) ? 0 : 1);
    return row;
}

QWidget *TrainingSettings::makeFolderRow(QLineEdit *edit, const QString &dialogTitle)
{
    edit->setClearButtonEnabled(true);
    auto *button = new QToolButton(this);
    button->setText(tr("…"));
    button->setToolTip(tr("Choose a folder"));
    button->setAccessibleName(tr("%1: choose").arg(edit->accessibleName()));
    connect(button, &QToolButton::clicked, this, [this, edit, dialogTitle] {
        const QString folder = QFileDialog::getExistingDirectory(this, dialogTitle, edit->text());
        if (!folder.isEmpty())
            edit->setText(folder);
    });
    return inRow({edit, button});
}

QWidget *TrainingSettings::makeRunGroup()
{
    auto *group = new QGroupBox(tr("Run"), m_content);
    QFormLayout *form = makeForm(group);
    m_output = m_fields.folder(tr("Folder of the run"), &TrainingConfig::output);
    m_output->setPlaceholderText(tr("gets a model for every epoch"));
    form->addRow(tr("&Folder"), makeFolderRow(m_output, tr("Folder of the run")));
    m_begin = new QComboBox(group);
    m_begin->addItems(
        {tr("a new model"), tr("a trained model to start from"), tr("the shape of a model, fresh weights")});
    m_begin->setAccessibleName(tr("Begin with"));
    form->addRow(tr("&Begin with"), m_begin);
    m_startFrom = m_fields.folder(tr("Starting model"), &TrainingConfig::startFrom);
    m_startFrom->setPlaceholderText(tr("model folder"));
    m_useOpen = new QToolButton(group);
    m_useOpen->setText(tr("Open one"));
    m_useOpen->setToolTip(tr("Takes the model that is open in this window, and the in-domain data to validate on"));
    m_startRow = inRow({makeFolderRow(m_startFrom, tr("Starting model")), m_useOpen});
    form->addRow(QString(), m_startRow);
    connect(m_useOpen, &QToolButton::clicked, this, &TrainingSettings::useOpen);
    connect(m_begin, &QComboBox::currentIndexChanged, this, &TrainingSettings::onEdited);
    return group;
}

QWidget *TrainingSettings::makeDataGroups()
{
    auto *groups = new QWidget(m_content);
    auto *layout = new QVBoxLayout(groups);
    layout->setContentsMargins({});
    m_train = new DataSlotEdit({tr("Training data"), u"training-preview"_s, tr("The training data."), true, kAllForms},
                               m_queue, groups);
    m_validation = new DataSlotEdit(
        {tr("Validation data"), u"validation-preview"_s,
         tr("Measured after every epoch. Without them there is no score and no best epoch."), true, kAllForms},
        m_queue, groups);
    for (DataSlotEdit *slot : {m_train, m_validation}) {
        layout->addWidget(slot);
        connect(slot, &DataSlotEdit::edited, this, &TrainingSettings::onEdited);
        connect(slot, &DataSlotEdit::acceptableChanged, this, &TrainingSettings::onEdited);
    }
    return groups;
}

QWidget *TrainingSettings::makeModelGroup()
{
    m_model = new QGroupBox(tr("Model"), m_content);
    QFormLayout *form = makeForm(m_model);
    m_preset = new QComboBox(m_model);
    m_preset->setAccessibleName(tr("Size of the model"));
    for (const Preset &preset : kPresets)
        m_preset->addItem(tr(preset.name));
    m_preset->addItem(tr("Own sizes"));
    connect(m_preset, &QComboBox::activated, this, &TrainingSettings::usePreset);
    form->addRow(tr("Si&ze"), m_preset);
    form->addRow(tr("&Width"), m_fields.count(tr("Model width"), of(&ModelSizes::width), 2, 16384));
    auto *encoder = m_fields.count(tr("Encoder layers"), of(&ModelSizes::encoderLayers), 1, 100);
    QSpinBox *decoder = m_fields.count(tr("Decoder layers"), of(&ModelSizes::decoderLayers), 1, 100);
    form->addRow(tr("&Layers"), inRow({encoder, decoder}));
    auto *heads = m_fields.count(tr("Heads of an encoder layer"), of(&ModelSizes::encoderHeads), 1, 1024);
    auto *others = m_fields.count(tr("Heads of a decoder layer"), of(&ModelSizes::decoderHeads), 1, 1024);
    form->addRow(tr("&Heads"), inRow({heads, others}));
    for (QSpinBox *box : {encoder, heads})
        box->setSuffix(tr(" encoder"));
    for (QSpinBox *box : {decoder, others})
        box->setSuffix(tr(" decoder"));
    m_ofTranslation = {decoder, others};
    form->addRow(tr("Fee&d-forward"),
                 m_fields.count(tr("Feed-forward width"), of(&ModelSizes::feedForward), 1, 131072));
    auto *pieces = m_fields.count(tr("Vocabulary"), of(&VocabularyConfig::size), 16, 1 << 20);
    pieces->setSuffix(tr(" pieces"));
    form->addRow(tr("&Vocabulary"), pieces);
    m_ofTranslation << m_fields.flag(tr("one for both languages"), of(&VocabularyConfig::joint));
    form->addRow(QString(), m_ofTranslation.last());
    m_parameters = new PlainLabel(m_model);
    m_parameters->setWordWrap(true);
    form->addRow(m_parameters);
    return m_model;
}

QWidget *TrainingSettings::makeLearningGroup()
{
    auto *group = new QGroupBox(tr("Learning"), m_content);
    QFormLayout *form = makeForm(group);
    form->addRow(tr("&Epochs"), m_fields.count(tr("Epochs"), &TrainingConfig::epochs, 1, 100000));
    auto *batch = m_fields.count(tr("Batch"), &TrainingConfig::batchTokens, 16, 1 << 22);
    batch->setSuffix(tr(" tokens"));
    batch->setSingleStep(512);
    batch->setToolTip(tr("Tokens of one update, of the longer side, padding included"));
    form->addRow(tr("Ba&tch"), batch);
    auto *rate = m_fields.number(tr("Learning rate"), of(&ScheduleConfig::learningRate), 0, 10);
    rate->setToolTip(tr("The highest, reached at the end of the warm-up"));
    form->addRow(tr("Learning &rate"), rate);
    auto *warmUp = m_fields.count(tr("Warm-up"), of(&ScheduleConfig::warmupSteps), 0, kMost);
    warmUp->setSuffix(tr(" updates"));
    form->addRow(tr("Warm-&up"), warmUp);
    form->addRow(tr("S&chedule"), m_fields.choice(tr("Schedule of the learning rate"), of(&ScheduleConfig::kind),
                                                  std::vector<std::pair<ScheduleKind, QString>>{
                                                      {ScheduleKind::InverseSqrt, tr("inverse square root")},
                                                      {ScheduleKind::Cosine, tr("cosine")},
                                                      {ScheduleKind::Constant, tr("constant")}}));
    form->addRow(tr("Dr&opout"), m_fields.number(tr("Dropout"), &TrainingConfig::dropout, 0, 0.9));
    form->addRow(tr("Label s&moothing"),
                 m_fields.number(tr("Label smoothing"), &TrainingConfig::labelSmoothing, 0, 0.9));
    auto *patience = m_fields.count(tr("Patience"), &TrainingConfig::patience, 0, 100000);
    patience->setSpecialValueText(tr("no early stop"));
    patience->setSuffix(tr(" epochs"));
    patience->setToolTip(tr("Stops after this many epochs without a better validation"));
    form->addRow(tr("&Patience"), patience);
    form->addRow(tr("Seed"), m_fields.seed(tr("Seed"), &TrainingConfig::seed));
    form->addRow(
        tr("&Number type"),
        m_fields.choice(tr("Number type of the matrix products"), &TrainingConfig::dtype,
                        std::vector<std::pair<std::string, QString>>{
                            {"auto", tr("auto (bf16 where it is fast)")}, {"f32", u"f32"_s}, {"bf16", u"bf16"_s}}));
    return group;
}

QWidget *TrainingSettings::makeMoreButton()
{
    m_more = new QToolButton(m_content);
    m_more->setObjectName(u"moreSettings"_s);
    m_more->setText(tr("More settings"));
    m_more->setCheckable(true);
    m_more->setArrowType(Qt::RightArrow);
    m_more->setAutoRaise(true);
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setFocusPolicy(Qt::StrongFocus);
    return m_more;
}

QWidget *TrainingSettings::makeMore()
{
    auto *more = new QWidget(m_content);
    QFormLayout *form = makeForm(more);
    form->setContentsMargins({});
    addOptimizer(*form);
    addRunning(*form);
    return more;
}

void TrainingSettings::addOptimizer(QFormLayout &form)
{
    using Texts = std::vector<std::pair<std::string, QString>>;
    form.addRow(tr("Optimizer"),
                m_fields.choice(tr("Optimizer"), of(&OptimizerConfig::kind),
                                std::vector<std::pair<OptimizerKind, QString>>{{OptimizerKind::Adam, tr("Adam")},
                                                                               {OptimizerKind::AdamW, tr("AdamW")}}));
    auto *beta1 = m_fields.number(tr("Beta 1"), of(&OptimizerConfig::beta1), 0, 1);
    auto *beta2 = m_fields.number(tr("Beta 2"), of(&OptimizerConfig::beta2), 0, 1);
    form.addRow(tr("Betas"), inRow({beta1, beta2}));
    form.addRow(tr("Epsilon"), m_fields.number(tr("Epsilon"), of(&OptimizerConfig::epsilon), 0, 1));
    form.addRow(tr("Weight decay"), m_fields.number(tr("Weight decay"), of(&OptimizerConfig::weightDecay), 0, 10));
    auto *clip = m_fields.number(tr("Largest gradient norm"), of(&OptimizerConfig::clipNorm), 0, 1e9);
    clip->setToolTip(tr("0 = gradients are never clipped"));
    form.addRow(tr("Clip norm"), clip);
    form.addRow(tr("Activation"),
                m_fields.choice(tr("Activation"), of(&ModelSizes::activation),
                                Texts{{"swish", u"swish"_s}, {"relu", u"relu"_s}, {"gelu", u"gelu"_s}}));
    form.addRow(tr("Positions"), m_fields.count(tr("Most positions"), of(&ModelSizes::maxPositions), 8, 65536));
    form.addRow(tr("Pieces by"), m_fields.choice(tr("Kind of vocabulary"), of(&VocabularyConfig::type),
                                                 Texts{{"unigram", tr("unigram")}, {"bpe", tr("byte pairs")}}));
    form.addRow(tr("Normalization"), m_fields.choice(tr("Normalization"), of(&VocabularyConfig::normalization),
                                                     Texts{{"nmt_nfkc", u"nmt_nfkc"_s},
                                                           {"nmt_nfkc_cf", u"nmt_nfkc_cf"_s},
                                                           {"nfkc", u"nfkc"_s},
                                                           {"nfkc_cf", u"nfkc_cf"_s},
                                                           {"identity", tr("none")}}));
    form.addRow(tr("Coverage"),
                m_fields.number(tr("Share of the characters that get a piece"), of(&VocabularyConfig::coverage), 0, 1));
}

void TrainingSettings::addRunning(QFormLayout &form)
{
    using Texts = std::vector<std::pair<std::string, QString>>;
    auto *steps = m_fields.count(tr("Most updates"), &TrainingConfig::steps, 0, kMost);
    steps->setSpecialValueText(tr("as the epochs have"));
    form.addRow(tr("Updates"), steps);
    form.addRow(tr("Best by"), m_fields.choice(tr("What the best epoch means"), &TrainingConfig::goal,
                                               std::vector<std::pair<ValidationGoal, QString>>{
                                                   {ValidationGoal::Score, tr("score (BLEU, accuracy)")},
                                                   {ValidationGoal::Loss, tr("validation loss")}}));
    form.addRow(tr("Beams"), m_fields.count(tr("Beams of the validation"), &TrainingConfig::validationBeams, 1, 64));
    form.addRow(tr("Device"), m_fields.choice(tr("Device"), &TrainingConfig::device,
                                              Texts{{"auto", tr("auto")}, {"cpu", u"cpu"_s}, {"cuda", u"cuda"_s}}));
    auto *threads = m_fields.count(tr("Threads"), &TrainingConfig::threads, 0, 1024);
    threads->setSpecialValueText(tr("one per core"));
    form.addRow(tr("Threads"), threads);
    form.addRow(tr("Kept as"), m_fields.choice(tr("Number type of the epochs' weights"), &TrainingConfig::saveDtype,
                                               Texts{{"f32", u"f32"_s}, {"f16", u"f16"_s}, {"bf16", u"bf16"_s}}));
    auto *report = m_fields.count(tr("Point of the curve"), &TrainingConfig::reportSteps, 1, kMost);
    report->setPrefix(tr("every "));
    report->setSuffix(tr(" updates"));
    form.addRow(tr("Curve"), report);
    auto *save = m_fields.number(tr("State is saved"), &TrainingConfig::saveMinutes, 0.01, 1e6);
    save->setPrefix(tr("every "));
    save->setSuffix(tr(" min"));
    form.addRow(tr("State"), save);
    form.addRow(QString(), m_fields.flag(tr("plain operations (slow, to compare)"), &TrainingConfig::plain));
}

QSize TrainingSettings::minimumSizeHint() const
{
    // As wide as its fields need, so that it scrolls only up and down.
    return {m_content->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width() + 2, 200};
}

bool TrainingSettings::eventFilter(QObject *watched, QEvent *event)
{
    // Scrolling the form must not change the numbers that pass under the mouse.
    const auto *field = qobject_cast<QWidget *>(watched);
    if (event->type() == QEvent::Wheel && field && !field->hasFocus()) {
        event->ignore();
        return true;
    }
    return QScrollArea::eventFilter(watched, event);
}

void TrainingSettings::setConfig(const TrainingConfig &config)
{
    m_updating = true;
    m_given = config;
    m_fields.show(config);
    m_train->setSource(config.train);
    m_validation->setSource(config.validation);
    m_begin->setCurrentIndex(config.startFrom.empty() ? NewModel : config.freshWeights ? FreshWeights : TrainedModel);
    m_gates->setKinds(config.gates.kinds);
    m_updating = false;
    onEdited();
}

TrainingConfig TrainingSettings::config() const
{
    TrainingConfig config = m_given;
    m_fields.take(config);
    config.freshWeights = m_begin->currentIndex() == FreshWeights;
    config.gates.kinds = m_gates->kinds();
    if (config.gates.method == GateMethod::None)
        config.gates.trained = TrainedParts::All; // of gates that are not there
    config.train = m_train->source().value_or(DataSource());
    if (m_begin->currentIndex() == NewModel) {
        config.startFrom.clear();
        config.model.family = config.train.table.empty() ? "marian" : "bert"; // what the data are for
    }
    if (m_given.startFrom.empty() != (m_begin->currentIndex() == NewModel) || config.freshWeights)
        config.model.sharedWidth = 0; // of a model that begins another way
    config.validation = m_validation->source().value_or(DataSource());
    return config;
}

QString TrainingSettings::problem() const
{
    const TrainingConfig config = this->config();
    if (config.output.empty())
        return tr("Choose the folder of the run.");
    if (!isGiven(config.train))
        return tr("Choose the training data.");
    if (m_begin->currentIndex() != NewModel && m_startFrom->text().trimmed().isEmpty())
        return tr("Choose the folder of the starting model.");
    for (const DataSlotEdit *slot : {m_train, m_validation}) {
        if (!slot->errorText().isEmpty())
            return tr("%1: see the message there.").arg(slot->title());
    }
    return {};
}

void TrainingSettings::setOpenModel(const std::optional<ModelCard> &model, const DataSource &data)
{
    m_openModel = model;
    m_openData = data;
    m_useOpen->setVisible(model.has_value());
}

/// The open model, with data that it reads.
void TrainingSettings::useOpen()
{
    TrainingConfig config = this->config();
    config.startFrom = m_openModel->folder;
    config.validation = m_openData;
    const bool translates = m_openModel->layout.block(HeadKind::Cross) != nullptr;
    const bool fits = translates == !config.train.source.empty();
    if (!fits)
        config.train = {};
    setConfig(config);
    if (!fits)
        m_train->clearTo(m_openData);
}

void TrainingSettings::setLocked(bool locked)
{
    m_content->setEnabled(!locked);
}

void TrainingSettings::usePreset(int index)
{
    if (index >= static_cast<int>(kPresets.size()))
        return refreshModel();
    TrainingConfig config = this->config();
    setSizes(config.model, kPresets[static_cast<std::size_t>(index)]);
    m_updating = true;
    m_fields.show(config);
    m_updating = false;
    onEdited();
}

void TrainingSettings::refreshModel()
{
    const TrainingConfig config = this->config();
    const bool fresh = m_begin->currentIndex() == NewModel;
    m_startRow->setVisible(!fresh);
    m_model->setEnabled(fresh);
    for (QWidget *field : std::as_const(m_ofTranslation))
        field->setVisible(!isClassifier(config.model));
    m_gates->refresh();
    m_preset->setCurrentIndex(presetOf(config.model));
    const std::int64_t parameters = approximateParameters(config.model, config.vocabulary);
    m_parameters->setText(fresh ? (isClassifier(config.model) ? tr("A classifier (BERT) of about %1") : tr("About %1"))
                                      .arg(parametersText(parameters))
                                : tr("Sizes and vocabulary are those of the starting model."));
}

void TrainingSettings::onEdited()
{
    if (m_updating)
        return;
    refreshModel();
    Q_EMIT changed();
}

} // namespace headscope
