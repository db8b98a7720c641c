#include "tests/support/madeuprun.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"

#include "ui/exporting/exporter.h"
#include "ui/pages/training/experimentview.h"
#include "ui/pages/training/gatesettings.h"
#include "ui/pages/training/gateview.h"
#include "ui/pages/training/trainingchart.h"
#include "ui/pages/training/trainingpage.h"
#include "ui/pages/training/trainingsettings.h"
#include "ui/views/dataslotedit.h"
#include "ui/views/errorlabel.h"
#include "ui/views/linechart.h"
#include "ui/views/readonlygrid.h"
#include "ui/views/timebar.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonObject>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

constexpr int kWait = 60'000;

struct ShownPage
{
    StudyState state;
    StudyController controller{state};
    TrainingPage page{state, controller};

    ShownPage()
    {
        controller.setAutomatic(false);
        page.resize(1180, 760);
        page.show();
    }
};

/// Every value different from its default.
TrainingConfig everything()
{
    TrainingConfig config;
    config.output = "/runs/other";
    config.startFrom = "/models/start";
    config.train.source = "/data/train.en";
    config.train.reference = "/data/train.fr";
    config.train.textColumn = "text";
    config.train.pairColumn = "pair";
    config.train.limit = 5000;
    config.train.name = "mine";
    config.validation.table = "/data/valid.tsv";
    config.validation.textColumn = "en";
    config.validation.pairColumn = "fr";
    config.validation.labelColumn = "label";
    config.validation.conllu = "/data/valid.conllu";
    config.validation.limit = 200;
    config.validation.name = "held out";
    config.model = {"marian", 320, 5, 3, 10, 5, 1280, 0, 300, "relu"};
    config.vocabulary = {12345, false, "bpe", "identity", 0.9995};
    config.optimizer = {OptimizerKind::AdamW, 0.85, 0.997, 1e-8, 0.0123, 0.75};
    config.schedule = {ScheduleKind::Cosine, 3.3e-4, 4000};
    config.gates = {.method = GateMethod::L0,
                    .kinds = {HeadKind::Cross},
                    .trained = TrainedParts::Gates,
                    .learningRate = 0.3,
                    .lambda = 0.02,
                    .initial = 1.5,
                    .heads = 7,
                    .temperature = 3,
                    .lastTemperature = 0.1,
                    .coolingSteps = 77};
    config.removedHeads = {{HeadKind::Encoder, 0, 1}};
    config.dropout = 0.3;
    config.labelSmoothing = 0.05;
    config.batchTokens = 12'345;
    config.epochs = 37;
    config.steps = 98'765;
    config.patience = 6;
    config.goal = ValidationGoal::Loss;
    config.validationBeams = 4;
    config.seed = 18'446'744'073'709'551'615ULL;
    config.device = "cuda:1";
    config.dtype = "bf16";
    config.threads = 3;
    config.saveDtype = "f16";
    config.reportSteps = 7;
    config.saveMinutes = 2.5;
    config.plain = true;
    return config;
}

TrainingConfig startable()
{
    TrainingConfig config;
    config.output = "/runs/small";
    config.train.source = "/data/train.en";
    config.train.reference = "/data/train.fr";
    config.validation.source = "/data/valid.en";
    config.validation.reference = "/data/valid.fr";
    return config;
}

void writeText(const QString &stem, int lines, int salt)
{
    const char *subjects[][2]
        = {{"a man", "un homme"}, {"a woman", "une femme"}, {"a dog", "un chien"}, {"two girls", "deux filles"}};
    const char *verbs[][2] = {{"walks", "marche"}, {"runs", "court"}, {"sleeps", "dort"}};
    const char *places[][2]
        = {{"in the park", "dans le parc"}, {"at home", "à la maison"}, {"on the grass", "sur l'herbe"}};
    QFile source(stem + u".en"_s);
    QFile target(stem + u".fr"_s);
    QVERIFY(source.open(QIODevice::WriteOnly) && target.open(QIODevice::WriteOnly));
    for (int i = 0; i < lines; ++i) {
        const int k = i * 7 + salt;
        source.write(QByteArray(subjects[k % 4][0]) + ' ' + verbs[k % 3][0] + ' ' + places[k / 4 % 3][0] + " .\n");
        target.write(QByteArray(subjects[k % 4][1]) + ' ' + verbs[k % 3][1] + ' ' + places[k / 4 % 3][1] + " .\n");
    }
}

/// A model so small that an epoch takes a moment.
TrainingConfig tiny(const QTemporaryDir &dir, const QString &name)
{
    TrainingConfig config;
    config.output = dir.filePath(name).toStdString();
    config.train.source = dir.filePath(u"train.en"_s).toStdString();
    config.train.reference = dir.filePath(u"train.fr"_s).toStdString();
    config.validation.source = dir.filePath(u"valid.en"_s).toStdString();
    config.validation.reference = dir.filePath(u"valid.fr"_s).toStdString();
    config.model = {"marian", 16, 1, 1, 2, 2, 32, 0, 64, "swish"};
    config.vocabulary.size = 60;
    config.schedule = {ScheduleKind::InverseSqrt, 0.01, 10};
    config.batchTokens = 64;
    config.epochs = 2;
    config.threads = 1; // threads that wait for each other take seconds on a busy machine
    config.reportSteps = 2;
    return config;
}

} // namespace

class TestTrainingPage final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        writeText(m_dir.filePath(u"train"_s), 60, 1);
        writeText(m_dir.filePath(u"valid"_s), 12, 2);
    }
    void init() { failOnQtWarnings(); }

    void formKeepsEveryValue_data();
    void formKeepsEveryValue();
    void filesReplaceATable();
    void presetsSetSizes_data();
    void presetsSetSizes();
    void parametersAreRoughlyRight();
    void labelledTextsMakeAClassifier();
    void startSaysWhyNot_data();
    void startSaysWhyNot();
    void wheelDoesNotChangeNumbers();
    void configurationIsSavedAndLoaded();
    void badConfigurationIsToldInPlace();
    void unfinishedRunCanBeResumed();
    void finishedRunIsDescribed_data();
    void finishedRunIsDescribed();
    void rowsAndCurvesAreLinked();
    void exportsCurves();
    void gatesAreShownOverUpdates();
    void closedHeadsAreMasked();
    void gatesOfTheFormFollowTheMethod();
    void openModelIsGoneOnFrom();
    void emptyPageSaysWhatItDoes();
    void trainsStopsAndResumes();
    void experimentIsKeptWithTheStudy();
    void errorOfTheTrainingIsTold();
    void looks_data();
    void looks();

private:
    QTemporaryDir m_dir;
};

void TestTrainingPage::formKeepsEveryValue_data()
{
    QTest::addColumn<TrainingConfig>("config");
    QTest::newRow("defaults") << TrainingConfig();
    QTest::newRow("everything") << everything();
    TrainingConfig fresh = everything();
    fresh.startFrom.clear();
    QTest::newRow("a new model") << fresh;
    TrainingConfig greedy = startable();
    greedy.model.activation = "an unknown one";
    QTest::newRow("unknown texts") << greedy;
}

void TestTrainingPage::formKeepsEveryValue()
{
    QFETCH(TrainingConfig, config);
    ShownPage page;
    page.page.settings().setConfig(config);
    const TrainingConfig back = page.page.settings().config();
    QCOMPARE(QString::fromStdString(trainingConfigText(back)), QString::fromStdString(trainingConfigText(config)));
    QVERIFY(back == config);
    // The form of another configuration keeps nothing of the one before.
    page.page.settings().setConfig({});
    QVERIFY(page.page.settings().config() == TrainingConfig());
}

void TestTrainingPage::filesReplaceATable()
{
    ShownPage page;
    page.page.settings().setConfig(everything());
    DataSource files = everything().validation;
    files.source = "/data/new.en";
    files.reference = "/data/new.fr";
    for (QLineEdit *edit : page.page.settings().validationData().findChildren<QLineEdit *>()) {
        if (edit->accessibleName().contains(u"source"_s))
            edit->setText(u"/data/new.en"_s);
    }
    const DataSource now = page.page.settings().config().validation;
    QCOMPARE(now.source, files.source);
    QVERIFY(now.table.empty());
}

void TestTrainingPage::presetsSetSizes_data()
{
    QTest::addColumn<int>("preset");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("feedForward");
    QTest::newRow("tiny") << 0 << 128 << 3 << 512;
    QTest::newRow("small") << 1 << 256 << 4 << 1024;
    QTest::newRow("base") << 2 << 512 << 6 << 2048;
}

void TestTrainingPage::presetsSetSizes()
{
    QFETCH(int, preset);
    QFETCH(int, width);
    QFETCH(int, layers);
    QFETCH(int, feedForward);
    ShownPage page;
    TrainingSettings &settings = page.page.settings();
    settings.setConfig(everything());
    QCOMPARE(settings.presetBox().currentText(), u"Own sizes"_s);
    settings.presetBox().setCurrentIndex(preset);
    Q_EMIT settings.presetBox().activated(preset);
    const ModelSizes model = settings.config().model;
    const ModelSizes expected{"marian", width, layers, layers, 8, 8, feedForward, 0, 300, "relu"};
    QVERIFY(model == expected);
    QCOMPARE(settings.presetBox().currentIndex(), preset);
    // Nothing else changes.
    TrainingConfig other = settings.config();
    other.model = everything().model;
    QVERIFY(other == everything());
}

void TestTrainingPage::parametersAreRoughlyRight()
{
    // Vaswani et al. 2017: 65 million for the base model with a joint vocabulary of 37000.
    ModelSizes base;
    base.width = 512;
    base.encoderLayers = base.decoderLayers = 6;
    base.feedForward = 2048;
    VocabularyConfig vocabulary;
    vocabulary.size = 37'000;
    const double millions = double(approximateParameters(base, vocabulary)) / 1e6;
    QVERIFY2(millions > 60 && millions < 66, qPrintable(QString::number(millions)));
    // Devlin et al. 2019: 110 million for the base model.
    ModelSizes bert{.family = "bert", .width = 768, .encoderLayers = 12, .encoderHeads = 12, .feedForward = 3072};
    vocabulary.size = 30'522;
    const double berts = double(approximateParameters(bert, vocabulary)) / 1e6;
    QVERIFY2(berts > 108 && berts < 111, qPrintable(QString::number(berts)));
}

/// New models are what the training data are for.
void TestTrainingPage::labelledTextsMakeAClassifier()
{
    JobQueue queue;
    TrainingSettings settings(queue);
    TrainingConfig config = startable();
    settings.setConfig(config);
    settings.show();
    QVERIFY(!isClassifier(settings.config().model));
    const auto decoders = [&] {
        int shown = 0;
        for (const QSpinBox *box : settings.findChildren<QSpinBox *>())
            shown += box->suffix().contains(u"decoder"_s) && box->isVisibleTo(&settings);
        return shown;
    };
    QCOMPARE(decoders(), 2);
    config.train = {};
    config.train.table = "/somewhere/train.tsv";
    config.validation = {};
    settings.setConfig(config);
    QVERIFY(isClassifier(settings.config().model));
    QCOMPARE(settings.config().train.table, config.train.table);
    QCOMPARE(decoders(), 0);
    settings.setConfig(startable());
    QVERIFY(!isClassifier(settings.config().model));
    QCOMPARE(decoders(), 2);
}

void TestTrainingPage::startSaysWhyNot_data()
{
    QTest::addColumn<TrainingConfig>("config");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const QString &says, auto change) {
        TrainingConfig config = startable();
        change(config);
        QTest::newRow(name) << config << says;
    };
    row("fine", QString(), [](TrainingConfig &) {});
    row("no folder", u"folder of the run"_s, [](TrainingConfig &c) { c.output.clear(); });
    row("no text", u"training data"_s, [](TrainingConfig &c) { c.train = {}; });
    row("no reference", u"reference"_s, [](TrainingConfig &c) { c.train.reference.clear(); });
    row("heads do not divide", u"cannot be divided"_s, [](TrainingConfig &c) { c.model.encoderHeads = 7; });
    row("patience without validation", u"validation"_s, [](TrainingConfig &c) {
        c.validation = {};
        c.patience = 3;
    });
}

void TestTrainingPage::startSaysWhyNot()
{
    QFETCH(TrainingConfig, config);
    QFETCH(QString, says);
    ShownPage page;
    page.page.settings().setConfig(config);
    QVERIFY2(page.page.reason().contains(says, Qt::CaseInsensitive), qPrintable(page.page.reason()));
    QCOMPARE(page.page.startButton().isEnabled(), says.isEmpty());
    QCOMPARE(page.page.reason().isEmpty(), says.isEmpty());
    QVERIFY(!page.page.stopButton().isEnabled());
    QCOMPARE(page.page.startButton().toolTip(), page.page.reason());
}

void TestTrainingPage::wheelDoesNotChangeNumbers()
{
    ShownPage page;
    const TrainingConfig before = page.page.settings().config();
    for (QSpinBox *box : page.page.settings().findChildren<QSpinBox *>()) {
        QWheelEvent wheel({5, 5}, box->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, {}, Qt::NoScrollPhase,
                          false);
        if (box->isVisible() && !box->hasFocus())
            QCoreApplication::sendEvent(box, &wheel);
    }
    QVERIFY(page.page.settings().config() == before);
}

void TestTrainingPage::configurationIsSavedAndLoaded()
{
    const QString file = m_dir.filePath(u"saved.json"_s);
    TrainingConfig config = everything();
    config.train.name.clear(); // the file has no names
    config.validation.name.clear();
    ShownPage page;
    page.page.settings().setConfig(config);
    page.page.saveConfig(file);
    page.page.settings().setConfig({});
    page.page.loadConfig(file);
    QVERIFY(page.page.settings().config() == config);
}

void TestTrainingPage::badConfigurationIsToldInPlace()
{
    const QString name = m_dir.filePath(u"bad.json"_s);
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"epocs\": 3}");
    file.close();
    ShownPage page;
    page.page.loadConfig(name);
    const auto errors = page.page.findChildren<ErrorLabel *>();
    const auto told = [&](const QString &text) {
        return std::any_of(errors.begin(), errors.end(),
                           [&](ErrorLabel *label) { return label->errorText().contains(text); });
    };
    QVERIFY(told(u"epocs"_s));
    page.page.saveConfig(u"/no/such/folder/x.json"_s);
    QVERIFY(told(u"x.json"_s));
}

void TestTrainingPage::unfinishedRunCanBeResumed()
{
    ShownPage page;
    page.page.settings().setConfig(startable());
    QCOMPARE(page.page.startButton().text().remove(u'&'), u"Start"_s);
    page.page.showReport(madeup::run(2400));
    QCOMPARE(page.page.startButton().text().remove(u'&'), u"Resume"_s);
    QVERIFY2(page.page.statusText().contains(u"Unfinished</b> at update 2,400"_s), qPrintable(page.page.statusText()));
    QCOMPARE(page.page.chart().picture().series.epochs, 20.0);
    QCOMPARE(page.page.epochs().rowCount(), 12);
    // Another folder: another run, whose curves are not there.
    page.page.settings().outputEdit().setText(u"/runs/else"_s);
    QCOMPARE(page.page.startButton().text().remove(u'&'), u"Start"_s);
    QTRY_VERIFY(!page.page.training().report());
    QVERIFY(page.page.chart().picture().series.empty());
}

void TestTrainingPage::finishedRunIsDescribed_data()
{
    QTest::addColumn<TrainingState>("state");
    QTest::addColumn<QString>("says");
    QTest::newRow("finished") << TrainingState::Finished
                              << u"Finished</b> after 20 epochs · best epoch 9, BLEU 40.20"_s;
    QTest::newRow("early") << TrainingState::StoppedEarly << u"Stopped early</b> after 20 epochs"_s;
}

void TestTrainingPage::finishedRunIsDescribed()
{
    QFETCH(TrainingState, state);
    QFETCH(QString, says);
    ShownPage page;
    page.page.settings().setConfig(startable());
    TrainingReport report = madeup::run(4000);
    report.state = state;
    page.page.showReport(report);
    QVERIFY2(page.page.statusText().contains(says), qPrintable(page.page.statusText()));
    QCOMPARE(page.page.startButton().text().remove(u'&'), u"Start"_s);
}

void TestTrainingPage::rowsAndCurvesAreLinked()
{
    ShownPage page;
    page.page.settings().setConfig(startable());
    page.page.showReport(madeup::run(1200));
    QSignalSpy opened(&page.page, &TrainingPage::modelRequested);
    page.page.table().setCurrentIndex(page.page.epochs().index(3, 0));
    QCOMPARE(page.page.chart().picture().cursor, std::optional(4.0));
    QVERIFY(page.page.chart().accessibleDescription().contains(u"epoch 4"_s));
    QTest::keyClick(&page.page.chart(), Qt::Key_Right);
    QCOMPARE(page.page.table().currentIndex().row(), 4);
    Q_EMIT page.page.table().activated(page.page.epochs().index(4, 2));
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened.first().first().toString(), u"/runs/small/epoch-005"_s);
    // The next report leaves the choice where it is.
    page.page.showReport(madeup::run(1400));
    QCOMPARE(page.page.table().currentIndex().row(), 4);
}

void TestTrainingPage::exportsCurves()
{
    ShownPage page;
    QVERIFY(page.page.exportItems().isEmpty());
    page.page.settings().setConfig(startable());
    page.page.showReport(madeup::run(2400));
    const QList<ExportItem> items = page.page.exportItems();
    QCOMPARE(items.size(), 1);
    QVERIFY(items[0].caption.contains(u"29,000 examples"_s));
    QVERIFY(items[0].csv().starts_with("kind,step,epoch,"));
    QVERIFY(items[0].manifestJson.find("\"epochs\"") != std::string::npos);
    // The manifest is the run's, whatever the form holds by now.
    TrainingConfig config;
    config.output = "/runs/of-this-curve";
    page.page.training().showReport(madeup::run(2400), config);
    QVERIFY(page.page.exportItems()[0].manifestJson.find("/runs/of-this-curve") != std::string::npos);
    const QString svg = m_dir.filePath(u"curves.svg"_s);
    QVERIFY(exportItem(items[0], svg, {.format = ExportFormat::Svg}).isOk());
    QFile file(svg);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    for (const char *words : {"validation", "loss (nats per target token)", "BLEU (points)", "best: epoch 9"})
        QVERIFY2(text.contains(words), words);
}

void TestTrainingPage::gatesAreShownOverUpdates()
{
    ShownPage page;
    page.page.settings().setConfig(startable());
    page.page.showReport(madeup::run(1200));
    GateView &gates = page.page.gates();
    QVERIFY(gates.isHidden()); // this run has none
    const TrainingReport report = madeup::runWithGates(1200);
    page.page.showReport(report);
    QTRY_VERIFY(gates.isVisible());
    QCOMPARE(gates.time().slider().value(), 59); // the newest of 60 points
    const auto shown
        = [&](int head) { return *gates.grid().picture().content.cells[static_cast<std::size_t>(head)].value; };
    QCOMPARE(shown(0), report.points[59].closed.at({HeadKind::Encoder, 0, 0}));
    gates.time().slider().setFocus();
    QTest::keyClick(&gates.time().slider(), Qt::Key_Home);
    QCOMPARE(shown(0), report.points[0].closed.at({HeadKind::Encoder, 0, 0}));
    const ColorScale scale = gates.grid().picture().scale;
    QTest::keyClick(&gates.time().slider(), Qt::Key_End);
    QVERIFY(gates.grid().picture().scale == scale); // colours can be compared over time
    QVERIFY2(gates.grid().accessibleDescription().contains(u"update 1,200"_s),
             qPrintable(gates.grid().accessibleDescription()));

    const LineSeries series = gates.chart().series();
    QCOMPARE(series.lines.size(), 2U);
    QCOMPARE(series.lines[0].points.size(), 60U);
    double open = 0;
    for (const auto &[head, closed] : report.points[30].closed)
        open += 1 - closed;
    QCOMPARE(series.lines[0].points[30].y, 100 * open / 12);
    QCOMPARE(series.lines[1].points.back().y, 100.0); // the last epoch is the best so far
    QVERIFY(QTest::qWaitForWindowExposed(&page.page));
    gates.chart().repaint();
    QTest::mouseClick(&gates.chart(), Qt::LeftButton, {},
                      gates.chart().at(620, series.lines[0].points[30].y).toPoint());
    const int clicked = gates.time().slider().value();
    QVERIFY2(std::abs(clicked - 30) <= 1, qPrintable(QString::number(clicked))); // a pixel is about one point
    gates.chart().setFocus();
    QTest::keyClick(&gates.chart(), Qt::Key_Right);
    QCOMPARE(gates.time().slider().value(), clicked + 1);
    // Played from the beginning to the end.
    gates.time().slider().setValue(57);
    QTest::mouseClick(&gates.time().playButton(), Qt::LeftButton);
    QTRY_COMPARE(gates.time().slider().value(), 59);
    QTRY_COMPARE(gates.time().playButton().text().remove(u'&'), u"Play"_s);
    QCOMPARE(page.page.exportItems().size(), 6); // with the score by heads left, open heads by kind and by layer
    // Any of these figures is in the box; that of the updates comes first.
    QVERIFY(gates.figureChart().isHidden());
    for (int figure = 1; figure < gates.figureBox().count(); ++figure) {
        gates.figureBox().setCurrentIndex(figure);
        QVERIFY(gates.chart().isHidden());
        const bool needsRoles = gates.figureBox().currentText().contains(u"role"_s);
        QCOMPARE(gates.figureChart().series().empty(), needsRoles);
    }
}

void TestTrainingPage::closedHeadsAreMasked()
{
    ShownPage page;
    page.page.settings().setConfig(startable());
    page.page.showReport(madeup::runWithGates(1200));
    GateView &gates = page.page.gates();
    QTRY_VERIFY(gates.isVisible());
    QVERIFY(!gates.applyButton().isEnabled()); // no model is open
    QVERIFY2(gates.applyButton().toolTip().contains(u"Open an epoch"_s), qPrintable(gates.applyButton().toolTip()));
    MadeUp study(false); // has as many encoder heads, and more
    TrainingPage other(study.state, study.controller);
    other.resize(1180, 760);
    other.show();
    other.showReport(madeup::runWithGates(1200));
    QTRY_VERIFY(other.gates().applyButton().isEnabled() && other.gates().applyButton().isVisible());
    QCoreApplication::sendPostedEvents(); // it has just been given its place
    QTest::mouseClick(&other.gates().applyButton(), Qt::LeftButton);
    QVERIFY(study.state.mask() == *madeup::runWithGates(1200).epochs.back().mask);
    QVERIFY(!other.gates().applyButton().isEnabled()); // exactly these are masked already
    study.state.setMask({}, u"none"_s);
    QVERIFY(other.gates().applyButton().isEnabled());
}

void TestTrainingPage::gatesOfTheFormFollowTheMethod()
{
    ShownPage page;
    TrainingSettings &settings = page.page.settings();
    TrainingConfig config = startable();
    config.gates = {.method = GateMethod::Subset,
                    .kinds = {HeadKind::Encoder, HeadKind::Decoder},
                    .trained = TrainedParts::Gated,
                    .learningRate = 0.2,
                    .heads = 9};
    settings.setConfig(config);
    QVERIFY(settings.config() == config);
    QVERIFY2(page.page.reason().isEmpty(), qPrintable(page.page.reason()));
    const auto field = [&](const QString &name) {
        for (QWidget *widget : settings.gates().findChildren<QWidget *>()) {
            if (widget->accessibleName() == name)
                return widget;
        }
        return static_cast<QWidget *>(nullptr);
    };
    QVERIFY(!field(u"Heads that stay"_s)->isHidden() && field(u"Lambda"_s)->isHidden());
    settings.gates().methodBox().setFocus();
    QTest::keyClick(&settings.gates().methodBox(), Qt::Key_Up);
    QCOMPARE(settings.config().gates.method, GateMethod::L0);
    QVERIFY(field(u"Heads that stay"_s)->isHidden() && !field(u"Lambda"_s)->isHidden());
    QTest::keyClick(&settings.gates().methodBox(), Qt::Key_Up);
    QVERIFY(field(u"Lambda"_s)->isHidden());
    QVERIFY2(page.page.reason().isEmpty(), qPrintable(page.page.reason())); // what was frozen went with the gates
}

void TestTrainingPage::openModelIsGoneOnFrom()
{
    MadeUp study(false);
    TrainingPage page(study.state, study.controller);
    page.resize(1180, 760);
    page.show();
    TrainingSettings &settings = page.settings();
    settings.beginBox().setFocus();
    QTest::keyClick(&settings.beginBox(), Qt::Key_Down);
    QTRY_VERIFY(settings.useOpenButton().isVisible());
    QTest::mouseClick(&settings.useOpenButton(), Qt::LeftButton);
    const TrainingConfig config = settings.config();
    QCOMPARE(config.startFrom.filename(), study.state.model()->folder);
    QVERIFY(!config.freshWeights);
    QCOMPARE(config.validation, study.state.data(Domain::In)->origin);
    QTest::keyClick(&settings.beginBox(), Qt::Key_Down);
    QVERIFY(settings.config().freshWeights);
    QCOMPARE(settings.config().startFrom, config.startFrom);
}

void TestTrainingPage::emptyPageSaysWhatItDoes()
{
    ShownPage page;
    QVERIFY(page.page.chart().accessibleDescription().contains(u"press Start"_s));
    QVERIFY(page.page.statusText().isEmpty());
    for (QWidget *widget : page.page.findChildren<QWidget *>()) {
        const bool field
            = qobject_cast<QAbstractSpinBox *>(widget) || qobject_cast<QComboBox *>(widget)
           || (qobject_cast<QLineEdit *>(widget) && !qobject_cast<QAbstractSpinBox *>(widget->parentWidget()));
        if (field)
            QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
    }
}

void TestTrainingPage::experimentIsKeptWithTheStudy()
{
    TrainingConfig config = tiny(m_dir, u"kept-experiment"_s);
    config.epochs = 1;
    QJsonObject kept;
    {
        ShownPage page;
        QVERIFY(page.page.arrangement().isEmpty()); // nothing has begun
        page.page.settings().setConfig(config);
        page.page.tabs().setCurrentIndex(1);
        page.page.experiment().setVaried(Varied::Heads);
        page.page.experiment().values().setText(u"2"_s);
        QTRY_VERIFY(page.page.experiment().startButton().isEnabled());
        QTest::mouseClick(&page.page.experiment().startButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!page.page.experiment().experiment().isRunning(), kWait);
        QVERIFY2(page.page.experiment().experiment().error().isEmpty(),
                 qPrintable(page.page.experiment().experiment().error()));
        page.page.experiment().refreshForm({}); // whatever the form does meanwhile, what is known of the runs stays
        kept = page.page.arrangement();
        QVERIFY(!kept.isEmpty());
    }
    ShownPage page;
    page.page.setArrangement(kept);
    QCOMPARE(page.page.tabs().currentIndex(), 1);
    QVERIFY(page.page.settings().config() == config);
    QCOMPARE(page.page.experiment().values().text(), u"2"_s);
    // Its runs are on the disk.
    QTRY_VERIFY(page.page.experiment().hasBegun());
    QCOMPARE(page.page.experiment().model().index(0, ExperimentModel::StateColumn).data().toString(), u"finished"_s);
    // A study without an experiment leaves the form as it is.
    page.page.setArrangement({});
    QVERIFY(page.page.settings().config() == config);
}

void TestTrainingPage::trainsStopsAndResumes()
{
    QElapsedTimer timer;
    timer.start();
    ShownPage page;
    QAbstractItemModelTester tester(&page.page.epochs(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    page.page.settings().setConfig(tiny(m_dir, u"run"_s));
    QVERIFY2(page.page.startButton().isEnabled(), qPrintable(page.page.reason()));
    QTest::mouseClick(&page.page.startButton(), Qt::LeftButton);
    QVERIFY(page.page.training().isRunning());
    QVERIFY(page.page.stopButton().isEnabled() && !page.page.startButton().isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!page.page.training().isRunning(), kWait);
    QVERIFY2(page.page.training().error().isEmpty(), qPrintable(page.page.training().error()));
    QVERIFY2(page.page.statusText().contains(u"Finished</b> after 2 epochs"_s), qPrintable(page.page.statusText()));
    QCOMPARE(page.page.epochs().rowCount(), 2);
    const TrainingSeries &series = page.page.chart().picture().series;
    QVERIFY(series.trainLoss.size() > 4 && series.validationLoss.size() == 2 && series.score.size() == 2);
    QVERIFY(series.bestEpoch);
    QVERIFY(QFile::exists(page.page.epochs().index(1, 0).data(EpochModel::FolderRole).toString() + u"/config.json"_s));

    // A longer one is stopped on its way, told where, and gone on with.
    TrainingConfig config = tiny(m_dir, u"long"_s);
    config.epochs = 400;
    page.page.settings().setConfig(config);
    QTest::mouseClick(&page.page.startButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page.page.epochs().rowCount() >= 3, kWait);
    QCOMPARE(page.page.chart().picture().series.epochs, 400.0);
    QVERIFY2(page.page.statusText().contains(u" of 400"_s), qPrintable(page.page.statusText()));
    keepPicture(page.page, u"page-training-running"_s);
    QTest::mouseClick(&page.page.stopButton(), Qt::LeftButton);
    QVERIFY(page.page.statusText().contains(u"Stopping"_s) && !page.page.stopButton().isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!page.page.training().isRunning(), kWait);
    QTRY_VERIFY_WITH_TIMEOUT(page.controller.queue().isIdle(), kWait);
    QVERIFY2(page.page.statusText().contains(u"Stopped at update"_s), qPrintable(page.page.statusText()));
    QCOMPARE(page.page.startButton().text().remove(u'&'), u"Resume"_s);
    const std::int64_t stopped = *page.page.training().stoppedAt();
    const int epochs = page.page.epochs().rowCount();
    config.epochs = epochs + 1;
    page.page.settings().setConfig(config);
    QTest::mouseClick(&page.page.startButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!page.page.training().isRunning(), kWait);
    QVERIFY2(page.page.training().error().isEmpty(), qPrintable(page.page.training().error()));
    QCOMPARE(page.page.epochs().rowCount(), epochs + 1);
    // Progress is told before an update, not after it.
    QVERIFY(std::abs(page.page.training().report()->resumedFrom - stopped) <= 1);
    QVERIFY2(timer.elapsed() < 15'000, qPrintable(QString::number(timer.elapsed())));

    // Another window opens the run from its folder.
    ShownPage other;
    other.page.openPath(m_dir.filePath(u"long"_s));
    QTRY_VERIFY_WITH_TIMEOUT(other.page.epochs().rowCount() == epochs + 1, kWait);
    QVERIFY(other.page.settings().config().model == config.model);
    QVERIFY2(other.page.statusText().contains(u"Finished"_s), qPrintable(other.page.statusText()));
}

void TestTrainingPage::errorOfTheTrainingIsTold()
{
    ShownPage page;
    TrainingConfig config = tiny(m_dir, u"uneven"_s);
    config.train.reference = m_dir.filePath(u"valid.fr"_s).toStdString();
    page.page.settings().setConfig(config);
    // The look into the files finds it before anything starts.
    QTRY_VERIFY_WITH_TIMEOUT(!page.page.settings().trainData().errorText().isEmpty(), kWait);
    QVERIFY(page.page.reason().contains(u"Training data"_s));
    QVERIFY(!page.page.startButton().isEnabled());
    // Trouble of the run itself: its folder is a file.
    config = tiny(m_dir, u"train.en"_s);
    page.page.settings().setConfig(config);
    QTest::mouseClick(&page.page.startButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!page.page.training().isRunning(), kWait);
    QVERIFY(!page.page.training().error().isEmpty());
    QVERIFY(page.page.startButton().isEnabled());
}

void TestTrainingPage::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestTrainingPage::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    ShownPage page;
    if (dark) {
        page.page.setPalette(darkPalette());
        page.page.setAutoFillBackground(true);
    }
    page.page.settings().setConfig(startable());
    TrainingReport report = madeup::run(2500);
    report.warnings = {"12 sentence pairs are longer than 512 pieces and were left out."};
    page.page.showReport(report);
    page.page.table().setCurrentIndex(page.page.epochs().index(6, 0));
    QCoreApplication::processEvents();
    QCOMPARE(page.page.grab().toImage().pixelColor(3, 3).lightnessF() < 0.5, dark);
    keepPicture(page.page, u"page-training"_s + suffix);
    TrainingConfig gated = startable();
    gated.startFrom = "/models/start";
    gated.gates.method = GateMethod::L0;
    page.page.settings().setConfig(gated);
    page.page.showReport(madeup::runWithGates(2500));
    page.page.gates().time().setMoment(45);
    QCoreApplication::processEvents();
    page.page.settings().verticalScrollBar()->setValue(page.page.settings().verticalScrollBar()->maximum());
    keepPicture(page.page, u"page-training-gates"_s + suffix);
    page.page.settings().setConfig(startable());
    page.page.showReport(report);
    page.page.findChild<QToolButton *>(u"moreSettings"_s)->setChecked(true);
    page.page.resize(1000, 620);
    QCoreApplication::processEvents();
    page.page.settings().verticalScrollBar()->setValue(page.page.settings().verticalScrollBar()->maximum());
    keepPicture(page.page, u"small-training"_s + suffix);
}

QTEST_MAIN(TestTrainingPage)
#include "tst_trainingpage.moc"
