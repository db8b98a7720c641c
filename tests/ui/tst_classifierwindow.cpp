// The window on a classifier: on the real one where there is one, otherwise on a small one with fixed random weights.
#include "tests/support/shareddata.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/windowtest.h"
#include "ui/dialogs/opendatadialog.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/views/scorebar.h"
#include "ui/views/tablefields.h"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestClassifierWindow : public testing::WindowTest
{
    Q_OBJECT
protected:
    Material material(const QString &folder) override;

private Q_SLOTS:
    void accuracyIsShownAsPerCent();
    void anotherMetricIsOneStep();
    void attentionTellsTheLabels();
    void attentionOfPairsIsFiltered();
    void dialogOffersTheColumns();
    void wrongColumnIsToldInTheDialog();
    void unusualColumnsCanBeChosen();

private:
    QString m_pairs;
};

TestClassifierWindow::Material TestClassifierWindow::material(const QString &folder)
{
    Material material;
    m_pairs = folder + u"/pairs.tsv"_s;
    testing::writeTinyTable(m_pairs.toStdString(), 20, 3, true);
    const auto real = sharedData("models/bert-sst2-mini");
    const auto in = sharedData("data/sst2/dev.tsv");
    const auto out = sharedData("data/uci_sentiment_labelled/amazon_cells_labelled.txt");
    if (!real.empty() && !in.empty() && !out.empty()) {
        material.model = QString::fromStdString(real.string());
        material.data[0].table = in.string();
        material.data[1].table = out.string();
        material.data[1].header = false;
        material.data[1].textColumn = "1";
        material.data[1].labelColumn = "2";
        return material;
    }
    qInfo("The real model is not here (HEADSCOPE_SHARED): a small random one is used.");
    material.model = folder + u"/tiny-classifier"_s;
    testing::writeTinyClassifier(material.model.toStdString());
    for (std::size_t i = 0; i < 2; ++i) {
        material.data[i].table = folder.toStdString() + (i == 0 ? "/in.tsv" : "/out.tsv");
        testing::writeTinyTable(material.data[i].table, 40, 7 + i);
    }
    return material;
}

void TestClassifierWindow::accuracyIsShownAsPerCent()
{
    QCOMPARE(state().metricName(), u"accuracy"_s);
    const double accuracy = results(Domain::In).baseline->primary().value;
    QVERIFY(accuracy >= 0 && accuracy <= 1); // what files have
    state().clearMask();
    const QString shown = window().findChild<ScoreBar *>()->scoreText(Domain::In);
    QVERIFY2(shown.startsWith(QLocale().toString(100 * accuracy, 'f', 2) + u" %"_s), qPrintable(shown));
    const GridContent &content = window().page<HeadsPage>().model().content();
    QCOMPARE(content.format.factor, 100.0);
    QVERIFY(content.hasMcnemar());
    const HeadAblation &first = results(Domain::In).ablation->heads.front();
    QVERIFY(window().page<HeadsPage>().model().sentence(first.head).contains(u"McNemar"_s));
}

void TestClassifierWindow::anotherMetricIsOneStep()
{
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(), kPatienceMs);
    const double accuracyDelta = results(Domain::In).ablation->heads.front().delta;
    auto *box = window().findChild<QComboBox *>(u"metricBox"_s);
    for (const QString &metric : state().metricNames()) {
        box->setCurrentText(metric);
        Q_EMIT box->textActivated(metric);
        QCOMPARE(state().metricName(), metric);
        QTRY_VERIFY_WITH_TIMEOUT(isIdle() && results(Domain::Out).ablation && results(Domain::Out).baseline,
                                 kPatienceMs);
        QVERIFY2(state().error(ErrorPlace::Analysis).isEmpty(), qPrintable(state().error(ErrorPlace::Analysis)));
        QCOMPARE(QString::fromStdString(results(Domain::In).ablation->baseline.name), metric);
        QCOMPARE(QString::fromStdString(results(Domain::In).baseline->primary().name), metric);
    }
    QVERIFY(results(Domain::In).pruning.empty()); // the curve is one of accuracy
    while (state().metricName() != u"accuracy"_s)
        state().undoStack().undo();
    // Known already: nothing is computed again.
    QVERIFY(results(Domain::In).ablation && results(Domain::In).baseline);
    QCOMPARE(results(Domain::In).ablation->heads.front().delta, accuracyDelta);
    QCOMPARE(results(Domain::In).pruning.size(), std::size_t(1));
}

void TestClassifierWindow::attentionTellsTheLabels()
{
    window().showView(QStringLiteral("attention"));
    AttentionPage &page = window().page<AttentionPage>();
    state().setSentence(Domain::In, 1);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle() && state().attention(), kPatienceMs);
    QVERIFY(page.textsHtml().contains(u"Label"_s));
    QVERIFY(page.textsHtml().contains(u"Model says"_s));
    QVERIFY(page.heatMap().picture().title.contains(QString::fromStdString(state().attention()->predicted)));
    QVERIFY(!page.pairBox().isEnabled()); // one text
    // The wrong ones alone, as many as the score says
    const double accuracy = results(Domain::In).baseline->primary().value;
    QCOMPARE(page.sentences().wrongCount(), std::lround((1 - accuracy) * kExamples));
    page.sentenceList().filterBox().setCurrentIndex(1);
    QCOMPARE(static_cast<std::int64_t>(page.list().model()->rowCount()), page.sentences().wrongCount());
    page.sentenceList().filterBox().setCurrentIndex(0);
    keep(window(), u"attention"_s);
}

void TestClassifierWindow::attentionOfPairsIsFiltered()
{
    DataSource pairs;
    pairs.table = m_pairs.toStdString();
    pairs.limit = kExamples;
    window().controller().setData(Domain::Out, pairs);
    QTRY_VERIFY_WITH_TIMEOUT(state().data(Domain::Out) && state().data(Domain::Out)->pairs, kPatienceMs);
    AttentionPage &page = window().page<AttentionPage>();
    state().setSentence(Domain::Out, 2);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle() && state().attention() && !state().attention()->target.empty(), kPatienceMs);
    QVERIFY(page.pairBox().isEnabled());
    const auto &tokens = state().attention()->sourceTokens;
    const auto count = [&](int segment) {
        return static_cast<std::size_t>(std::count_if(
            tokens.begin(), tokens.end(), [&](const TokenLabel &token) { return token.segment == segment; }));
    };
    page.pairBox().setCurrentIndex(2); // A → B
    const AttentionTable &table = page.heatMap().picture().table;
    QCOMPARE(table.rows.size(), count(0));
    QCOMPARE(table.columns.size(), count(1));
    QVERIFY(table.hidesKeys);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        double sum = table.hiddenMass[row];
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            sum += table.weight(row, column);
        QVERIFY(qAbs(sum - 1) < 1e-5); // float32 softmax
    }
    keep(window(), u"attention-pair"_s);
    // A text of one's own has no second one
    page.typedEdit().setText(u"a good film"_s);
    QTest::keyClick(&page.typedEdit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(isIdle() && state().attention()->target.empty(), kPatienceMs);
    QVERIFY(!page.pairBox().isEnabled());
    QCOMPARE(page.pairBox().currentIndex(), 0);
}

void TestClassifierWindow::dialogOffersTheColumns()
{
    OpenDataDialog dialog(state(), window().controller().queue());
    DataSource source;
    source.table = m_pairs.toStdString();
    DataSlotEdit &slot = dialog.slot(Domain::In);
    slot.setSource(source);
    QTRY_VERIFY(slot.isAcceptable());
    QVERIFY2(slot.errorText().isEmpty(), qPrintable(slot.errorText()));
    QList<QComboBox *> columns;
    for (QComboBox *box : slot.table().findChildren<QComboBox *>())
        columns << box;
    QCOMPARE(columns.size(), 3);
    QCOMPARE(columns[0]->currentText(), u"sentence1"_s);
    QCOMPARE(columns[1]->currentText(), u"sentence2"_s);
    QCOMPARE(columns[2]->currentText(), u"label"_s);
    QVERIFY(slot.source()->textColumn.empty()); // found, not chosen
    columns[1]->setCurrentText(u"none"_s);
    QVERIFY(!slot.isAcceptable()); // looked at again
    QTRY_VERIFY(slot.isAcceptable());
    QCOMPARE(slot.source()->pairColumn, std::string("none"));
    dialog.show();
    keep(dialog, u"dialog-table"_s);
}

void TestClassifierWindow::wrongColumnIsToldInTheDialog()
{
    OpenDataDialog dialog(state(), window().controller().queue());
    DataSource source;
    source.table = m_pairs.toStdString();
    source.textColumn = "headline";
    DataSlotEdit &slot = dialog.slot(Domain::Out);
    slot.setSource(source);
    QTRY_VERIFY(!slot.errorText().isEmpty());
    QVERIFY2(slot.errorText().contains(u"headline"_s) && slot.errorText().contains(u"sentence1"_s),
             qPrintable(slot.errorText()));
    QVERIFY(!slot.isAcceptable());
}

void TestClassifierWindow::unusualColumnsCanBeChosen()
{
    QFile file(path("unusual.tsv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("headline\tverdict\na good film\t1\nthe dull dog\t0\n");
    file.close();
    OpenDataDialog dialog(state(), window().controller().queue());
    DataSource source;
    source.table = file.fileName().toStdString();
    DataSlotEdit &slot = dialog.slot(Domain::In);
    slot.setSource(source);
    QTRY_VERIFY(!slot.errorText().isEmpty());
    QVERIFY2(slot.errorText().contains(u"column"_s), qPrintable(slot.errorText()));
    const auto columns = slot.table().findChildren<QComboBox *>();
    QVERIFY(columns[0]->findText(u"headline"_s) >= 0);
    columns[0]->setCurrentText(u"headline"_s);
    columns[2]->setCurrentText(u"verdict"_s);
    QTRY_VERIFY(slot.isAcceptable());
    QVERIFY2(slot.errorText().isEmpty(), qPrintable(slot.errorText()));
    QCOMPARE(slot.source()->textColumn, std::string("headline"));
}

QTEST_MAIN(TestClassifierWindow)
#include "tst_classifierwindow.moc"

#include <cmath>
