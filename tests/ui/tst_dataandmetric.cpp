// What the window says of data that have metrics of their own, of numbers that few examples give, and of cut texts, on
// a small random language model.
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/tinylanguagemodel.h"
#include "ui/models/gridcontent.h"
#include "ui/models/tasktext.h"
#include "ui/pages/heads/headspage.h"
#include "ui/views/inspector.h"
#include "ui/views/waysbutton.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace Qt::StringLiterals;
using namespace headscope;

class TestDataAndMetric : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void pairsAreJudgedByTheirOwnMetric();
    void olderStudiesFollowTheirResults();
    void missingMetricIsSaid();
    void partialNumbersSayTheirExamples();
    void intervalsWithoutWidthSayHowLittleTheyKnow();
    void cutTextsSayWhereTheyEnd();

private:
    static constexpr int kWait = 60000;
    QString path(const QString &name) const { return m_folder.filePath(name); }
    /// All that the inspector says.
    static QString textsOf(const Inspector &inspector)
    {
        QString all;
        for (const QLabel *label : inspector.findChildren<QLabel *>())
            all += label->text() + u'\n';
        return all;
    }

    QTemporaryDir m_folder;
};

void TestDataAndMetric::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    testing::writeTinyLanguageModel(path(u"model"_s).toStdString());
    testing::writeTinyPairs(path(u"pairs.jsonl"_s).toStdString(), 24, 3);
    testing::writeTinyText(path(u"text.txt"_s).toStdString(), 12, 5);
}

/// The metric of the model is perplexity, that of minimal pairs accuracy: the study was blank although all was
/// computed.
void TestDataAndMetric::pairsAreJudgedByTheirOwnMetric()
{
    StudyState state;
    StudyController controller(state);
    DataSource pairs;
    pairs.table = path(u"pairs.jsonl"_s).toStdString();
    DataSource text;
    text.text = path(u"text.txt"_s).toStdString();
    text.windowStart = WindowStart::Bos; // some texts have one token
    controller.setData(Domain::In, pairs);
    controller.setData(Domain::Out, text);
    controller.openModel(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.rows(Domain::In) && state.rows(Domain::Out), kWait);
    QCOMPARE(state.metricName(), u"accuracy"_s);
    QCOMPARE(state.metricName(Domain::Out), QString::fromStdString(state.model()->primaryMetric));
    QVERIFY(state.metricName(Domain::Out) != u"accuracy"_s);
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::In).ablation && state.results(Domain::Out).ablation
                                 && controller.queue().isIdle(),
                             kWait);
    QCOMPARE(state.results(Domain::In).ablation->baseline.name, std::string("accuracy"));
    QCOMPARE(state.results(Domain::In).baseline->primary().name, std::string("accuracy"));
    QVERIFY(controller.works().missing().empty()); // and F5 has nothing to do
    // The key is that of the command without --metric.
    QVERIFY(state.results(Domain::In).ablation->manifest.spec.find("metric") == std::string::npos);
    const auto loss = state.metricNames(Domain::Out).back();
    state.setDomainView(DomainView::Out);
    QCOMPARE(state.metricName(), state.metricName(Domain::Out));
    state.setMetric(loss);
    QTRY_VERIFY_WITH_TIMEOUT(state.results(Domain::Out).ablation && controller.queue().isIdle(), kWait);
    QCOMPARE(QString::fromStdString(state.results(Domain::Out).ablation->baseline.name), loss);
    QVERIFY(state.results(Domain::In).ablation); // still by its own
    QVERIFY2(state.error(ErrorPlace::Analysis).isEmpty(), qPrintable(state.error(ErrorPlace::Analysis)));
}

/// A study of version 1.0.0 does not say by what its data are judged; its results do.
void TestDataAndMetric::olderStudiesFollowTheirResults()
{
    StudyState state;
    ModelCard card;
    card.primaryMetric = "perplexity";
    card.metrics = {"perplexity", "loss"};
    card.layout = madeup::layout();
    state.setModel(card, nullptr);
    DataCard data;
    data.hash = "in";
    data.rows = 1000;
    state.setData(Domain::In, data);
    QCOMPARE(state.metricName(), u"perplexity"_s);
    auto sweep = *madeup::ablation(false);
    sweep.baseline.name = "accuracy";
    state.putBack(Domain::In, {AnyResult(sweep)});
    QCOMPARE(state.metricName(), u"accuracy"_s);
    QVERIFY(state.results(Domain::In).ablation);
    QCOMPARE(state.metricNames(), (QStringList{u"accuracy"_s, u"perplexity"_s, u"loss"_s}));
}

void TestDataAndMetric::missingMetricIsSaid()
{
    MadeUp study(false);
    HeadsPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    auto *ways = page.findChild<WaysButton *>();
    QVERIFY(ways && !ways->isVisible());
    study.state.setMetric(u"chrF2"_s);
    page.bringUpToDate();
    QStringList texts;
    for (const QLabel *label : page.findChildren<QLabel *>())
        texts << label->text();
    QVERIFY2(texts.filter(u"values by BLEU, none by chrF2"_s).size() == 1, qPrintable(texts.join(u'|')));
    QVERIFY(ways->isVisible());
    Q_EMIT ways->menu()->aboutToShow();
    QVERIFY2(ways->menu()->actions().front()->text().contains(u"BLEU"_s),
             qPrintable(ways->menu()->actions().front()->text()));
    ways->menu()->actions().front()->trigger();
    QCOMPARE(study.state.metricName(), u"BLEU"_s);
    page.bringUpToDate();
    QVERIFY(!ways->isVisible());
}

void TestDataAndMetric::partialNumbersSayTheirExamples()
{
    MadeUp study(false);
    Inspector inspector(study.state, study.controller);
    inspector.show();
    const HeadRef head = study.state.layout().heads().front();
    study.state.selectHead(head);
    QVERIFY2(!textsOf(inspector).contains(u" of 1,000 examples"_s), qPrintable(textsOf(inspector)));
    auto sweep = *madeup::ablation(false);
    sweep.manifest.partial = true;
    sweep.examples = 24;
    for (HeadAblation &one : sweep.heads)
        one.examples = 24;
    study.state.addPartialResult(Domain::In, AnyResult(sweep));
    QTRY_VERIFY2(inspector.findChildren<QLabel *>().size() > 0
                     && textsOf(inspector).contains(u"24 of 1,000 examples"_s),
                 qPrintable(textsOf(inspector)));
    const GridContent content = ablationContent(study.state.layout(), sweep);
    const QString value = content.valueText(*content.cell(head)->value);
    const QString facts = textsOf(inspector);
    QVERIFY2(facts.contains(value) && !facts.contains(u"<b>"_s + value + u"</b>"_s), qPrintable(facts));
    // Beside the number, not only among the details.
    const qsizetype at = facts.indexOf(value);
    QVERIFY2(facts.mid(at, 200).contains(u"24 of 1,000 examples"_s), qPrintable(facts.mid(at, 200)));
}

/// 0.00 [0.00, 0.00] of 8 examples: up to 3/8 of others may differ.
void TestDataAndMetric::intervalsWithoutWidthSayHowLittleTheyKnow()
{
    MadeUp study(false);
    auto sweep = *madeup::ablation(false);
    sweep.manifest.examples = sweep.manifest.totalExamples = 8;
    sweep.examples = 8;
    for (HeadAblation &one : sweep.heads)
        one.examples = 8;
    HeadAblation &silent = sweep.heads.front();
    silent.delta = 0;
    silent.interval = {0, 0};
    const GridContent content = ablationContent(study.state.layout(), sweep);
    QCOMPARE(content.alikeText(*content.cell(silent.head)),
             u"8 examples alike: up to 38 % of others may differ (95 %)"_s);
    QCOMPARE(content.alikeText(*content.cell(sweep.heads[1].head)), QString());
    study.state.addResult(Domain::In, AnyResult(sweep));
    Inspector inspector(study.state, study.controller);
    inspector.show();
    study.state.selectHead(silent.head);
    QTRY_VERIFY2(textsOf(inspector).contains(u"8 examples alike: up to 38 %"_s), qPrintable(textsOf(inspector)));
    study.state.selectHead(sweep.heads[1].head);
    QTRY_VERIFY2(!textsOf(inspector).contains(u"alike"_s), qPrintable(textsOf(inspector)));
}

/// The map of a typed text ends where the model's positions do, and the whole text stood beside it.
void TestDataAndMetric::cutTextsSayWhereTheyEnd()
{
    StudyState state;
    StudyController controller(state);
    controller.setAutomatic(false);
    controller.openModel(path(u"model"_s));
    QTRY_VERIFY_WITH_TIMEOUT(state.session(), kWait);
    Inspector inspector(state, controller);
    inspector.show();
    state.selectHead(state.layout().heads().front());
    const QString word = u"dog "_s;
    for (const int words : {5, 60}) {
        DataRow row;
        row.source = word.repeated(words).trimmed().toStdString();
        controller.requestAttention(row);
        QTRY_VERIFY_WITH_TIMEOUT(state.attention() && state.attention()->source == row.source, kWait);
        const bool isCut = words == 60;
        QCOMPARE(state.attention()->cut, isCut);
        QCOMPARE(cutText(*state.attention()).isEmpty(), !isCut);
        const QString end = u"cut: %1 tokens fit into the model"_s.arg(std::ssize(state.attention()->sourceTokens));
        QTRY_VERIFY2(textsOf(inspector).contains(end) == isCut, qPrintable(textsOf(inspector)));
    }
}

QTEST_MAIN(TestDataAndMetric)
#include "tst_dataandmetric.moc"
