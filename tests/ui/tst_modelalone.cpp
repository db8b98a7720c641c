// A model without any data set: what its weights and repeated random tokens say is computed by itself and shown.
#include "core/analysis/functionsspec.h"
#include "core/analysis/retrievalspec.h"
#include "core/analysis/weightsspec.h"
#include "core/formats/atomicfile.h"
#include "core/results/anyresult.h"
#include "core/results/detectresult.h"
#include "core/results/functionsresult.h"
#include "core/results/retrievalresult.h"
#include "core/results/weightsresult.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"
#include "ui/pages/heads/headspage.h"
#include "ui/state/measures.h"
#include "ui/state/resultkinds.h"
#include "ui/state/studycontroller.h"
#include "ui/state/workkey.h"
#include "ui/views/gridfeed.h"
#include "ui/views/inspector.h"

#include <QLabel>
#include <QMap>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <string>

using namespace Qt::StringLiterals;
using namespace headscope;

class TestModelAlone : public QObject
{
    Q_OBJECT

    static constexpr int kWait = 120000;
    QTemporaryDir m_folder;
    QString path(const QString &name) const { return m_folder.filePath(name); }

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        testing::writeTinyLanguageModel(path(u"model"_s).toStdString(), {.positions = 24});
        testing::writeTinyText(path(u"text.txt"_s).toStdString(), 12, 5);
        testing::writeTinyModel(path(u"translates"_s).toStdString());
    }
    void itFillsTheWindowBeforeDataAreChosen();
    void dataTakeTheirPlaceAndItsResultsStay();
    void whatCannotBeDetectedIsNotAskedFor();
    void resultsOfTheModelBelongToBothSlots();
    void itsGridsAreExportedOnce();
    void effectsOnTasksAreAMeasure();
    void scoresOfRetrievalAreMeasures();
};

void TestModelAlone::itFillsTheWindowBeforeDataAreChosen()
{
    StudyState state;
    StudyController controller(state);
    HeadsPage page(state, controller);
    page.resize(900, 600);
    Inspector inspector(state, controller);
    controller.openModel(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(
        state.results(Domain::In).detected && state.results(Domain::In).weights && controller.queue().isIdle(), kWait);
    QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
    QVERIFY(infoOf(state.measure()).isOfModel);
    QCOMPARE(shownContent(state, state.measure(), state.domainView()).valueCount(), std::int64_t{8});
    page.bringUpToDate();
    QVERIFY(!page.exportItems().isEmpty()); // not the request to choose data
    QVERIFY(controller.works().missing().empty());
    state.selectHead({HeadKind::Decoder, 1, 2});
    QStringList texts;
    for (const QLabel *label : inspector.findChildren<QLabel *>())
        texts << label->text();
    QVERIFY2(texts.join(u'\n').contains(u"Weights: OV eigenvalues"_s), qPrintable(texts.join(u'\n')));
    QVERIFY(texts.join(u'\n').contains(u"On repeated tokens"_s));
}

void TestModelAlone::dataTakeTheirPlaceAndItsResultsStay()
{
    StudyState state;
    StudyController controller(state);
    controller.openModel(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).detected && controller.queue().isIdle(), kWait);
    const auto detected = state.results(Domain::In).detected;
    DataSource text;
    text.text = path(u"text.txt"_s).toStdString();
    text.windowStart = WindowStart::Bos;
    controller.setData(Domain::Out, text);
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::Out).ablation && controller.queue().isIdle(), kWait);
    QVERIFY(state.measure() == Measure::AblationDelta);
    QVERIFY(state.results(Domain::Out).detected == detected);
    QVERIFY(state.results(Domain::In).detected == detected);
    QVERIFY(!state.isStale(Domain::Out, detected->manifest));
    const auto isDetection = [](const AnyResult &result) { return result.is<DetectResult>(); };
    QVERIFY(std::ranges::any_of(state.finishedResults(Domain::In), isDetection)); // saved once
    QVERIFY(std::ranges::none_of(state.finishedResults(Domain::Out), isDetection));
    controller.clearData(Domain::Out);
    QVERIFY(state.results(Domain::Out).detected == detected);
}

void TestModelAlone::whatCannotBeDetectedIsNotAskedFor()
{
    StudyState state;
    StudyController controller(state);
    controller.openModel(path(u"translates"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).weights && controller.queue().isIdle(), kWait);
    QVERIFY(!state.results(Domain::In).detected);
    QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
    QVERIFY(state.measure() == Measure::OvEigenvalues);
}

void TestModelAlone::resultsOfTheModelBelongToBothSlots()
{
    StudyState state;
    StudyController controller(state);
    controller.openModel(path(u"translates"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::Out).weights && controller.queue().isIdle(), kWait);
    QCOMPARE(tagOf(keyOf(Domain::In, AnySpec(WeightsSpec()))), tagOf(keyOf(Domain::Out, AnySpec(WeightsSpec()))));
    const AnyResult weights(state.results(Domain::Out).weights);
    state.removeResults(Domain::Out, ResultKind::Weights);
    QVERIFY(!state.results(Domain::In).weights && !state.results(Domain::Out).weights);
    state.putBack(Domain::In, {weights});
    QVERIFY(state.results(Domain::In).weights && state.results(Domain::Out).weights);
}

/// Data sets differ in what heads do with them, not in the weights.
void TestModelAlone::itsGridsAreExportedOnce()
{
    StudyState state;
    StudyController controller(state);
    controller.openModel(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(
        state.results(Domain::In).detected && state.results(Domain::In).weights && controller.queue().isIdle(), kWait);
    controller.setAutomatic(false);
    DataSource text;
    text.text = path(u"text.txt"_s).toStdString();
    text.windowStart = WindowStart::Bos;
    for (const Domain domain : kBothDomains)
        controller.setData(domain, text);
    QTRY_VERIFY_WITH_TIMEOUT(state.data(Domain::In) && state.data(Domain::Out) && controller.queue().isIdle(), kWait);
    HeadsPage page(state, controller);
    QMap<QString, int> items;
    for (const ExportItem &item : page.allExportItems())
        ++items[item.name];
    QCOMPARE(
        std::ranges::count_if(items.keys(), [](const QString &name) { return name.contains(u"the model alone"_s); }),
        std::ranges::count_if(measures(), [&](const MeasureInfo &info) {
            return info.isOfModel && info.manifest(state.results(Domain::In), HeadUnit::Head);
        }));
    for (auto item = items.cbegin(); item != items.cend(); ++item)
        QVERIFY2(item.value() == 1 && !item.key().contains(u"minus"_s), qPrintable(item.key()));
}

/// Function vectors are asked for, and need no data either.
void TestModelAlone::effectsOnTasksAreAMeasure()
{
    StudyState state;
    StudyController controller(state);
    Inspector inspector(state, controller);
    controller.openModel(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).weights && controller.queue().isIdle(), kWait);
    QVERIFY(!state.results(Domain::In).functions);
    (void)writeFileAtomically(path(u"words.csv"_s).toStdString(),
                              "input,output\na,man\ndog,the\nred,runs\nin,park\ntwo,girls\n")
        .valueOrThrow();
    FunctionsSpec spec;
    spec.tasks = path(u"words.csv"_s).toStdString();
    spec.promptTemplate = "{input} {output} . ";
    spec.shots = 2;
    spec.meanPrompts = spec.prompts = 8;
    controller.works().start(Domain::In, spec);
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).functions && state.results(Domain::In).functions->masking
                                 && controller.queue().isIdle(),
                             kWait);
    QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
    QVERIFY(state.results(Domain::Out).functions == state.results(Domain::In).functions);
    state.setMeasure(Measure::FunctionEffect);
    const GridContent content = shownContent(state, state.measure(), state.domainView());
    QCOMPARE(content.valueCount(), std::int64_t{8});
    QVERIFY(content.cell({HeadKind::Decoder, 1, 2})->interval);
    state.selectHead({HeadKind::Decoder, 1, 2});
    QStringList texts;
    for (const QLabel *label : inspector.findChildren<QLabel *>())
        texts << label->text();
    QVERIFY2(texts.join(u'\n').contains(u"Effect on tasks in prompts"_s), qPrintable(texts.join(u'\n')));
}

/// So are retrieval heads, which give two numbers.
void TestModelAlone::scoresOfRetrievalAreMeasures()
{
    StudyState state;
    StudyController controller(state);
    Inspector inspector(state, controller);
    controller.openModel(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).weights && controller.queue().isIdle(), kWait);
    (void)writeFileAtomically(path(u"needles.csv"_s).toStdString(),
                              "needle,question,answer\na dull film,a dull,film\ntwo girls never,two girls,never\n")
        .valueOrThrow();
    (void)writeFileAtomically(path(u"haystack.txt"_s).toStdString(), "a man runs . red dog .\n").valueOrThrow();
    RetrievalSpec spec;
    spec.needles = path(u"needles.csv"_s).toStdString();
    spec.haystack = path(u"haystack.txt"_s).toStdString();
    spec.promptTemplate = "{context} the {question}";
    spec.lengths = {18};
    spec.run.decoding.newTokens = 4;
    spec.countWrong = true;
    controller.works().start(Domain::In, spec);
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).retrieval && controller.queue().isIdle(), kWait);
    QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
    for (const Measure measure : {Measure::RetrievalScore, Measure::QuestionScore}) {
        state.setMeasure(measure);
        const GridContent content = shownContent(state, state.measure(), state.domainView());
        QCOMPARE(content.valueCount(), std::int64_t{8});
        QVERIFY(content.cell({HeadKind::Decoder, 1, 2})->interval);
        QCOMPARE(content.cell({HeadKind::Decoder, 1, 2})->examples, std::int64_t{2});
    }
    state.selectHead({HeadKind::Decoder, 1, 2});
    QStringList texts;
    for (const QLabel *label : inspector.findChildren<QLabel *>())
        texts << label->text();
    QVERIFY2(texts.join(u'\n').contains(u"Retrieval score"_s), qPrintable(texts.join(u'\n')));
}

QTEST_MAIN(TestModelAlone)
#include "tst_modelalone.moc"
