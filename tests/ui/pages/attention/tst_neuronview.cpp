// Neurons of a head (Vig 2019), and two sentences or masks side by side, with a real session on a tiny model and real
// events.
#include "core/analysis/evaluationspec.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/attention/headlines.h"
#include "ui/pages/attention/headlinesview.h"
#include "ui/pages/attention/neuronpicture.h"
#include "ui/pages/attention/neuronview.h"

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestNeuronView final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup() { m_page.reset(); }
    void showsHowAttentionComesAbout();
    void titlesOfNarrowHeadsAreWhole();
    void followsHeadAndSentence();
    void choosesQueriesByMouseAndKeys();
    void exportsNumbers();
    void keepsOneMaskBesideAnother();
    void keepsOneSentenceBesideAnother();
    void saysWhatTheMasksChange();
    void longTextsStayFluid();
    void looks_data();
    void looks();

private:
    static constexpr int kWait = 60000;

    void show(AttentionView view) { m_page->controls().setView(view); }
    NeuronView &neurons() { return m_page->neurons(); }
    bool showsNeuronsOf(const HeadRef &head)
    {
        return !neurons().picture().empty() && neurons().picture().neurons->head == head;
    }

    QTemporaryDir m_dir;
    StudyState m_state;
    StudyController m_controller{m_state};
    std::unique_ptr<AttentionPage> m_page;
};

void TestNeuronView::initTestCase()
{
    const std::filesystem::path folder = m_dir.path().toStdString();
    testing::writeTinyModel(folder / "model");
    testing::writeTinyCorpus(folder / "in.en", folder / "in.fr", 12, 1);
    m_controller.setAutomatic(false);
    m_controller.openModel(m_dir.filePath(u"model"_s));
    DataSource source;
    source.source = (folder / "in.en").string();
    source.reference = (folder / "in.fr").string();
    m_controller.setData(Domain::In, source);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.session() && m_state.data(Domain::In), kWait);
}

void TestNeuronView::init()
{
    failOnQtWarnings();
    m_state.setMask({}, u"none"_s);
    m_page = std::make_unique<AttentionPage>(m_state, m_controller);
    m_page->resize(1100, 760);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() && m_state.currentHead() && m_controller.queue().isIdle(), kWait);
}

void TestNeuronView::showsHowAttentionComesAbout()
{
    show(AttentionView::Neurons);
    for (const HeadKind kind : kAllHeadKinds) {
        const HeadRef head{kind, 1, 2};
        m_state.selectHead(head);
        QTRY_VERIFY_WITH_TIMEOUT(showsNeuronsOf(head), kWait);
        const NeuronPicture &picture = neurons().picture();
        const AttentionMap &map = *attentionMapOf(*m_state.attention(), head);
        QCOMPARE(std::ssize(picture.queries), map.queries);
        QCOMPARE(std::ssize(picture.keys), map.keys);
        for (std::size_t i = 0; i < map.weights.size(); ++i)
            QVERIFY(std::abs(picture.neurons->weights[i] - map.weights[i]) < 1e-6F);
        QVERIFY(picture.title.startsWith(QString::fromStdString(toText(head))));
    }
    QVERIFY(!m_page->controls().joinBox().isEnabled()); // neurons are those of tokens
    show(AttentionView::HeatMap);
    QVERIFY(m_page->controls().joinBox().isEnabled());
}

void TestNeuronView::titlesOfNarrowHeadsAreWhole()
{
    show(AttentionView::Neurons);
    const HeadRef head{HeadKind::Encoder, 0, 0};
    m_state.selectHead(head);
    QTRY_VERIFY_WITH_TIMEOUT(showsNeuronsOf(head), kWait);
    const NeuronPicture &picture = neurons().picture();
    QVERIFY(picture.neurons->width <= 8);
    const QFontMetricsF metrics(m_page->font());
    const NeuronGeometry geometry(picture, {}, QRectF(QPointF(), neuronsSize(picture)), 0, metrics);
    QVERIFY(geometry.keyVectors.width() >= metrics.horizontalAdvance(u"query q, keys k"_s));
}

void TestNeuronView::followsHeadAndSentence()
{
    show(AttentionView::Neurons);
    const HeadRef head{HeadKind::Encoder, 0, 3};
    m_state.selectHead(head);
    QTRY_VERIFY_WITH_TIMEOUT(showsNeuronsOf(head), kWait);
    const auto before = neurons().picture().neurons;
    const auto attention = m_state.attention();
    QTest::keyClick(&m_page->list(), m_state.sentenceIndex() == 0 ? Qt::Key_Down : Qt::Key_Up);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() != attention, kWait);
    QTRY_VERIFY_WITH_TIMEOUT(showsNeuronsOf(head) && neurons().picture().neurons != before, kWait);
    QCOMPARE(std::ssize(neurons().picture().keys), std::ssize(m_state.attention()->sourceTokens));
}

void TestNeuronView::choosesQueriesByMouseAndKeys()
{
    m_page->typedEdit().setText(u"two girls in the park with the red ball ."_s);
    QTest::keyClick(&m_page->typedEdit(), Qt::Key_Return);
    show(AttentionView::Neurons);
    const HeadRef head{HeadKind::Decoder, 1, 1};
    m_state.selectHead(head);
    QTRY_VERIFY_WITH_TIMEOUT(
        showsNeuronsOf(head) && neurons().picture().neurons->queries.size() == m_state.attention()->targetTokens.size(),
        kWait);
    NeuronView &view = neurons();
    QVERIFY(view.picture().queries.size() > 3);
    const NeuronGeometry geometry = view.geometry();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, geometry.row(geometry.queries, 2).center().toPoint());
    QCOMPARE(view.picture().query, 2);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(view.picture().query, 3);
    QTest::keyClick(&view, Qt::Key_Up);
    QTest::keyClick(&view, Qt::Key_Up);
    QCOMPARE(view.picture().query, 1);
    QVERIFY(view.accessibleDescription().contains(view.picture().queries[1].text));
    QTest::mouseMove(view.viewport(), geometry.row(geometry.products, 0).center().toPoint());
    QTRY_COMPARE(view.picture().key, std::optional(0));
    QVERIFY2(view.readout().contains(u"softmax"_s), qPrintable(view.readout()));
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(view.picture().key, std::optional(2)); // after the query
    QVERIFY2(view.readout().contains(u"may not be seen"_s), qPrintable(view.readout()));
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.picture().key);
}

void TestNeuronView::exportsNumbers()
{
    show(AttentionView::Neurons);
    m_state.selectHead(HeadRef{HeadKind::Cross, 0, 1});
    QTRY_VERIFY_WITH_TIMEOUT(showsNeuronsOf({HeadKind::Cross, 0, 1}), kWait);
    const QList<ExportItem> items = m_page->exportItems();
    QVERIFY2(items.front().name.startsWith(u"Neurons of cross.0.1"_s), qPrintable(items.front().name));
    const std::string csv = items.front().csv();
    QCOMPARE(static_cast<std::size_t>(std::ranges::count(csv, '\n')), neurons().picture().keys.size() + 2);
    for (const ExportFormat format : {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Html})
        QVERIFY(exportedBytes(items.front(), {.format = format, .dpi = 96}).isOk());
}

void TestNeuronView::keepsOneMaskBesideAnother()
{
    show(AttentionView::HeatMap);
    const HeadRef head{HeadKind::Encoder, 1, 0};
    m_state.selectHead(head);
    QCheckBox &beside = m_page->controls().besideBox();
    QVERIFY(!m_page->keptViews().isVisible());
    const auto whole = m_state.attention();
    const AttentionTable before = m_page->heatMap().picture().table;
    QTest::mouseClick(&beside, Qt::LeftButton, {}, QPoint(8, beside.height() / 2));
    QVERIFY(m_page->keptViews().isVisible());
    m_state.setMask(HeadMask{{HeadKind::Encoder, 0, 0}, {HeadKind::Encoder, 0, 2}}, u"mask"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() != whole, kWait);
    QCOMPARE(m_page->keptViews().heatMap().picture().table, before);
    QVERIFY(!(m_page->heatMap().picture().table == before));
    QVERIFY2(m_page->keptViews().heading().contains(u"no head masked"_s), qPrintable(m_page->keptViews().heading()));
    QVERIFY2(m_page->views().heading().contains(u"encoder.0.2"_s), qPrintable(m_page->views().heading()));
    const QList<ExportItem> items = m_page->exportItems();
    QVERIFY(std::ranges::any_of(items, [](const ExportItem &item) { return item.name.endsWith(u", beside"_s); }));
    // Neurons of both, each under its own mask.
    show(AttentionView::Neurons);
    QTRY_VERIFY_WITH_TIMEOUT(showsNeuronsOf(head) && !m_page->keptViews().neurons().picture().empty(), kWait);
    QVERIFY(m_page->keptViews().neurons().picture().neurons->query != neurons().picture().neurons->query);
    QTest::mouseClick(&beside, Qt::LeftButton, {}, QPoint(8, beside.height() / 2));
    QVERIFY(!m_page->keptViews().isVisible());
    QVERIFY(m_page->views().heading().isEmpty());
}

void TestNeuronView::keepsOneSentenceBesideAnother()
{
    show(AttentionView::Lines);
    const auto first = m_state.attention();
    m_page->controls().besideBox().setChecked(true);
    QTest::keyClick(&m_page->list(), m_state.sentenceIndex() == 0 ? Qt::Key_Down : Qt::Key_Up);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() != first, kWait);
    QCOMPARE(m_page->keptViews().attention(), first);
    QCOMPARE(m_page->keptViews().lines().picture().lines.queries.size(),
             attentionTableOf(*first, *m_state.currentHead(), {}).rows.size());
    QVERIFY(m_page->keptViews().heading().contains(QString::fromStdString(first->source)));
    QVERIFY(m_page->views().heading().contains(QString::fromStdString(m_state.attention()->source)));
    // The kept side stays with its head until its own box says otherwise.
    const auto kept = m_page->keptViews().lines().picture().lines.heads;
    const HeadRef other{HeadKind::Cross, 1, 3};
    m_state.selectHead(other);
    QCOMPARE(m_page->lines().picture().lines.heads, std::vector<HeadRef>{other});
    QCOMPARE(m_page->keptViews().lines().picture().lines.heads, kept);
    QVERIFY(kept != std::vector<HeadRef>{other});
    m_page->keptViews().ownHeadBox().setCurrentIndex(static_cast<int>(m_state.layout().indexOf(other)) + 1);
    QCOMPARE(m_page->keptViews().lines().picture().lines.heads, std::vector<HeadRef>{other});
}

// The picture's decoder says it before the whole set has been run.
void TestNeuronView::saysWhatTheMasksChange()
{
    m_controller.start(Domain::In, EvaluationSpec{});
    QTRY_VERIFY_WITH_TIMEOUT(m_state.results(Domain::In).baseline && m_controller.queue().isIdle(), kWait);
    const SentenceModel &sentences = m_page->sentences();
    const auto whole = m_state.attention();
    m_state.setMask(HeadMask{{HeadKind::Encoder, 0, 0}, {HeadKind::Cross, 0, 1}, {HeadKind::Cross, 1, 2}}, u"mask"_s);
    QVERIFY2(m_page->sentenceList().count().contains(u"not known yet"_s), qPrintable(m_page->sentenceList().count()));
    m_controller.queue().cancelAll();
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() != whole && m_controller.queue().isIdle(), kWait);
    const std::string said = m_state.attention()->target;
    const QString before = m_page->textsHtml();
    m_controller.start(Domain::In, EvaluationSpec{.mask = m_state.mask()});
    QTRY_VERIFY_WITH_TIMEOUT(sentences.comparedCount() == sentences.rowCount() && m_controller.queue().isIdle(), kWait);
    const std::int64_t row = m_state.sentenceIndex();
    QCOMPARE(sentences.maskedOutput(row)->text, said);
    QCOMPARE(before, m_page->textsHtml());
    QCOMPARE(before.contains(u"unchanged"_s), !sentences.isChanged(row));
    std::int64_t changed = 0;
    for (int i = 0; i < sentences.rowCount(); ++i)
        changed += sentences.wholeOutput(i)->text != sentences.maskedOutput(i)->text;
    QVERIFY(changed > 0);
    QVERIFY2(m_page->sentenceList().count().contains(u", %1 with another output"_s.arg(changed)),
             qPrintable(m_page->sentenceList().count()));
}

void TestNeuronView::longTextsStayFluid()
{
    constexpr std::int64_t kTokens = 512;
    constexpr std::int64_t kWidth = 64;
    auto made = std::make_shared<NeuronResult>();
    made->head = {HeadKind::Encoder, 0, 0};
    made->width = kWidth;
    made->scale = 1 / 8.0;
    for (int i = 0; i < kTokens; ++i)
        made->queries.push_back({"▁word" + std::to_string(i), i, false, i});
    made->keys = made->queries;
    for (std::int64_t i = 0; i < kTokens * kWidth; ++i) {
        made->query.push_back(static_cast<float>(std::sin(static_cast<double>(i))));
        made->key.push_back(static_cast<float>(std::cos(static_cast<double>(3 * i))));
    }
    made->bias.assign(kTokens * kTokens, 0);
    made->logits.assign(kTokens * kTokens, 0);
    made->weights.assign(kTokens * kTokens, 1.0F / kTokens);
    NeuronView view;
    view.resize(1200, 800);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.setPicture(neuronPicture(made));
    QElapsedTimer timer;
    double longest = 0;
    for (int step = 0; step < 40; ++step) {
        timer.restart();
        view.verticalScrollBar()->setValue(step * 200);
        view.setQuery(step * 12);
        view.viewport()->repaint();
        longest = std::max(longest, static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    QCOMPARE(view.picture().query, 468);
    qInfo("512 tokens, neurons: longest frame %.1f ms", longest);
}

void TestNeuronView::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestNeuronView::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    if (dark) {
        m_page->setPalette(darkPalette());
        m_page->setAutoFillBackground(true);
    }
    show(AttentionView::Neurons);
    const HeadRef head{HeadKind::Encoder, 1, 2};
    m_state.selectHead(head);
    QTRY_VERIFY_WITH_TIMEOUT(showsNeuronsOf(head), kWait);
    neurons().setFocus();
    QTest::keyClick(&neurons(), Qt::Key_Right);
    keepPicture(*m_page, u"attention-neurons"_s + suffix);
    show(AttentionView::Lines);
    m_page->controls().besideBox().setChecked(true);
    const auto whole = m_state.attention();
    m_state.setMask(HeadMask{{HeadKind::Encoder, 0, 0}}, u"mask"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_state.attention() != whole, kWait);
    QCoreApplication::processEvents();
    keepPicture(*m_page, u"attention-beside"_s + suffix);
}

QTEST_MAIN(TestNeuronView)
#include "tst_neuronview.moc"
