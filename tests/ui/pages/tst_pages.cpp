#include "tests/support/madeuproles.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/testfont.h"
#include "tests/ui/heatmap/madeupattention.h"

#include "ui/exporting/exporter.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/pruning/curvestable.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/pages/pruning/pruningsettings.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QStyleOptionSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

DataRow row(std::int64_t index)
{
    static const DataRow rows[]
        = {{"A brown dog is running through the snow-covered field.", "Un chien brun court dans le champ enneigé."},
           {"A woman reads a book.", "Une femme lit un livre."},
           {"Two children play in a park near the river.", "Deux enfants jouent dans un parc près de la rivière."}};
    return rows[index % 3];
}

} // namespace

class TestPages final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!testing::useTestFont())
            QSKIP("This machine does not have the font.");
    }
    void init() { failOnQtWarnings(); }

    void pruningSliderStandsUnderTheAxis_data();
    void pruningSliderStandsUnderTheAxis();
    void pruningShowsTheAcceptedLoss();
    void pruningDragIsOneUndoStep();
    void pruningKeysMoveTheSlider();
    void pruningFollowsMasksMadeElsewhere();
    void pruningMarksPins();
    void pruningSettingsDecideWhatGoes();
    void pruningOrderFromFile();
    void pruningReadsBadOrderFiles_data();
    void pruningReadsBadOrderFiles();
    void pruningExports();
    void pruningShowsWhichRolesAreLeft();
    void emptyPagesSayWhy();

    void attentionListsSearchesAndSorts();
    void attentionFollowsTheSelection();
    void attentionShowsTheChangeUnderTheMask();
    void attentionExports();
    void attentionSaysRolesAndNorms();
    void attentionShowsTheTree();

    void domainsShareOneScale();
    void domainsFillTheirPage();
    void domainsAreLinkedBySelection();
    void viewsZoomByWheelAndKeys();
    void viewsHaveOneMenu();
    void curvesCanBeHidden();
    void domainsExport();
    void domainsWithOneDataSet();

    void looks_data();
    void looks();
};

void TestPages::pruningSliderStandsUnderTheAxis_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("small") << QSize(700, 480);
    QTest::newRow("large") << QSize(1300, 800);
}

void TestPages::pruningSliderStandsUnderTheAxis()
{
    QFETCH(QSize, size);
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(size);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QSlider &slider = page.slider();
    QCOMPARE(slider.maximum(), 96);
    for (int removed : {0, 48, 96}) {
        slider.setValue(removed);
        QCoreApplication::processEvents();
        QStyleOptionSlider option;
        option.initFrom(&slider);
        option.minimum = 0;
        option.maximum = 96;
        option.sliderPosition = removed;
        option.sliderValue = removed;
        option.subControls = QStyle::SC_All;
        const QRect handle
            = slider.style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, &slider);
        const double handleX = slider.mapTo(&page, handle.center()).x();
        const auto [left, right] = page.chart().axisEnds();
        const double lineX = page.chart().mapTo(&page, QPoint(0, 0)).x() + left + (right - left) * removed / 96;
        QVERIFY2(std::abs(handleX - lineX) <= 2,
                 qPrintable(u"%1: %2 against %3"_s.arg(removed).arg(handleX).arg(lineX)));
    }
}

void TestPages::pruningShowsTheAcceptedLoss()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    auto *box = page.findChild<QDoubleSpinBox *>();
    QVERIFY(box != nullptr);
    page.show();
    QCOMPARE(box->value(), 100 * study.state.significance().margin);
    box->setValue(5);
    QCOMPARE(study.state.significance().margin, 0.05);
    auto rule = study.state.significance();
    rule.margin = 0.02;
    page.hide();
    study.state.setSignificance(rule); // while it is not seen
    page.show();
    QTRY_COMPARE(box->value(), 2.0);
}

void TestPages::pruningDragIsOneUndoStep()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    const int before = study.state.undoStack().count();
    page.slider().setSliderDown(true);
    for (int removed : {3, 10, 24, 31})
        page.slider().setValue(removed);
    page.slider().setSliderDown(false);
    QCOMPARE(study.state.mask().size(), 31);
    QCOMPARE(study.state.undoStack().count(), before + 1);
    study.state.undoStack().undo();
    QVERIFY(study.state.mask().empty());
    QCOMPARE(page.slider().value(), 0);
    QCOMPARE(page.chart().picture().slider, std::optional<double>(0));
}

void TestPages::pruningKeysMoveTheSlider()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    QTest::keyClick(&page.slider(), Qt::Key_Right);
    QTest::keyClick(&page.slider(), Qt::Key_Right);
    QCOMPARE(study.state.mask().size(), 2);
    QTest::keyClick(&page.slider(), Qt::Key_End);
    QCOMPARE(study.state.mask().size(), 96);
    // What the slider masks is what the curve measured.
    QTest::keyClick(&page.slider(), Qt::Key_Home);
    page.slider().setValue(48);
    QCOMPARE(study.state.mask(), madeup::pruning("importance", false)->curves[0].points[5].mask);
}

void TestPages::pruningFollowsMasksMadeElsewhere()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    study.state.setMask({{HeadKind::Cross, 3, 1}, {HeadKind::Encoder, 0, 0}}, u"test"_s);
    QCOMPARE(page.slider().value(), 2);
    QVERIFY(page.slider().accessibleDescription().contains(u"masked by hand"_s));
    QVERIFY(page.chart().picture().live.empty()); // not measured yet
    study.state.addResult(Domain::In, MadeUp::evaluation(false, study.state.mask()));
    QCOMPARE(page.chart().picture().live.size(), 1U);
    QVERIFY(page.slider().accessibleDescription().contains(u"56.70 ±0.70 (−0.22)"_s));
}

/// Pinned heads stand where the slider's way takes them away.
void TestPages::pruningMarksPins()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    QVERIFY(page.chart().picture().pins.empty());
    page.slider().setValue(48);
    const HeadRef early = *study.state.mask().begin();
    page.slider().setValue(96);
    const std::set<HeadRef> all = study.state.mask().heads();
    page.slider().setValue(48);
    const auto late
        = std::ranges::find_if(all, [&](const HeadRef &head) { return !study.state.mask().isMasked(head); });
    study.state.togglePins({*late, early});
    const std::vector<PinnedPlace> pins = page.chart().picture().pins;
    QCOMPARE(pins.size(), 2U);
    QCOMPARE(pins[0].name, QString::fromStdString(toText(early)));
    QVERIFY(pins[0].removed <= 48 && pins[1].removed > 48);
    for (const PinnedPlace &pin : pins) {
        const HeadRef head = parseHeadRef(pin.name.toStdString()).value();
        page.slider().setValue(pin.removed - 1);
        QVERIFY(!study.state.mask().isMasked(head));
        page.slider().setValue(pin.removed);
        QVERIFY(study.state.mask().isMasked(head));
    }
    QVERIFY(page.chart().accessibleDescription().contains(pins[0].name));
    study.state.togglePins({*late, early});
    QVERIFY(page.chart().picture().pins.empty());
}

void TestPages::pruningSettingsDecideWhatGoes()
{
    MadeUp study(true, false);
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    PruningSettings &settings = page.settings();
    const QList<QCheckBox *> boxes = settings.findChildren<QCheckBox *>();
    const auto box = [&](const QString &text) {
        for (QCheckBox *candidate : boxes)
            if (candidate->text().contains(text, Qt::CaseInsensitive))
                return candidate;
        return static_cast<QCheckBox *>(nullptr);
    };
    QVERIFY(box(u"encoder self"_s) && box(u"decoder self"_s));
    box(u"encoder self"_s)->setChecked(false);
    box(u"decoder self"_s)->setChecked(false);
    QCOMPARE(page.slider().maximum(), 32);
    page.slider().setValue(5);
    for (const HeadRef &head : study.state.mask())
        QCOMPARE(head.kind, HeadKind::Cross);
    // Without a curve the heads go by importance, least first.
    const HeadMask mask = study.state.mask();
    double most = 0;
    double least = 1;
    for (const HeadImportance &head : madeup::importance(false)->heads) {
        if (head.head.kind != HeadKind::Cross)
            continue;
        if (mask.isMasked(head.head))
            most = std::max(most, head.importance);
        else
            least = std::min(least, head.importance);
    }
    QVERIFY(most <= least);
    const PruningSpec spec = settings.choice().spec({}, StudyState(), Domain::In);
    QCOMPARE(spec.kinds, std::vector<HeadKind>{HeadKind::Cross});
    box(u"cross"_s)->setChecked(false);
    QVERIFY(!settings.problem().isEmpty());
}

void TestPages::pruningOrderFromFile()
{
    QTemporaryDir dir;
    QFile file(dir.filePath(u"order.txt"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("# mine\ncross.1.2\nencoder.0.7  # why not\n\ndecoder.3.3\n");
    file.close();
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    page.settings().setOrderFile(file.fileName());
    QTRY_COMPARE(page.settings().fileOrder().size(), std::size_t(3));
    QVERIFY(page.settings().problem().isEmpty());
    page.slider().setValue(2);
    QCOMPARE(study.state.mask(), HeadMask({{HeadKind::Cross, 1, 2}, {HeadKind::Encoder, 0, 7}}));
    page.slider().setValue(40); // the file names three
    QCOMPARE(study.state.mask().size(), 3);
    QCOMPARE(page.slider().value(), 3);
}

void TestPages::pruningReadsBadOrderFiles_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("says");
    QTest::newRow("no head") << "cross.1.2\nhello\n"_ba << u"line 2: "_s;
    QTest::newRow("empty") << "\n# nothing\n"_ba << u"no heads in it"_s;
}

void TestPages::pruningReadsBadOrderFiles()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, says);
    QTemporaryDir dir;
    QFile file(dir.filePath(u"order.txt"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.show();
    page.settings().setOrderFile(file.fileName());
    QTRY_VERIFY2(page.settings().problem().contains(says), qPrintable(page.settings().problem()));
    QVERIFY(page.settings().fileOrder().empty());
    page.settings().setOrderFile(dir.filePath(u"missing"_s));
    QTRY_VERIFY2(page.settings().problem().contains(u"missing"_s), qPrintable(page.settings().problem()));
}

void TestPages::pruningExports()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    const QList<ExportItem> items = page.exportItems();
    QCOMPARE(items.size(), 1);
    QTemporaryDir dir;
    const QString svg = dir.filePath(u"a.svg"_s);
    QVERIFY(exportItem(items[0], svg, {.format = ExportFormat::Svg}).isOk());
    QFile file(svg);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("heads removed") && text.contains("Ablation") && text.contains("order from out-of-domain"));
    QVERIFY(items[0].csv().find("in,test_2016_flickr,random,0,0,BLEU,56.92") != std::string::npos);
    const auto manifests = nlohmann::json::parse(items[0].manifestJson);
    QCOMPARE(manifests.size(), 5U);
}

void TestPages::pruningShowsWhichRolesAreLeft()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(900, 600);
    page.show();
    // Not known yet, its place is kept, and nothing of it is exported.
    QVERIFY(!page.roleStrip().isHidden());
    QCOMPARE(page.exportItems().size(), 1);
    study.state.addResult(Domain::In, madeup::roles());
    QVERIFY(!page.roleStrip().isHidden());
    QCOMPARE(page.roleStrip().picture().series.order, u"importance"_s);
    // It goes with the order that is chosen, and stays in line with the chart.
    page.settings().setOrder(u"ablation"_s);
    QCOMPARE(page.roleStrip().picture().series.order, u"ablation"_s);
    QCOMPARE(page.roleStrip().picture().series.candidates, page.chart().picture().series.candidates);
    QCOMPARE(page.exportItems().size(), 2);
    QVERIFY(renderToImage(page.exportItems()[1], {}).isOk());
    // Other thresholds, other roles.
    const std::int64_t before = page.roleStrip().picture().series.most;
    RoleThresholds strict;
    strict.positional = 1;
    study.state.setRoleThresholds(strict);
    QVERIFY(page.roleStrip().picture().series.most < before);
    page.roleBox().setChecked(false);
    QVERIFY(page.roleStrip().isHidden());
    // Random orders know no heads.
    MadeUp random(false, false);
    random.state.addResult(Domain::In, madeup::roles());
    random.state.addResult(Domain::In, madeup::pruning("random", false, 10));
    PruningPage other(random.state, random.controller);
    other.show();
    QCOMPARE(other.exportItems().size(), 1);
}

void TestPages::emptyPagesSayWhy()
{
    StudyState state;
    StudyController controller(state);
    PruningPage pruning(state, controller);
    AttentionPage attention(state, controller);
    DomainsPage domains(state, controller);
    for (QWidget *page : std::initializer_list<QWidget *>{&pruning, &attention, &domains}) {
        page->resize(900, 600);
        page->show();
        QVERIFY(!page->grab().isNull());
    }
    QVERIFY(pruning.chart().accessibleDescription().contains(u"No model is open"_s));
    QVERIFY(!pruning.slider().isEnabled());
    QCOMPARE(attention.heatMap().accessibleName(), u"Attention heat map, empty"_s);
    QVERIFY(domains.scatter().accessibleDescription().contains(u"No model is open"_s));
    QVERIFY(pruning.exportItems().isEmpty() && attention.exportItems().isEmpty() && domains.exportItems().isEmpty());
}

void TestPages::attentionListsSearchesAndSorts()
{
    MadeUp study;
    AttentionPage page(study.state, study.controller);
    QAbstractItemModelTester tester(&page.sentences(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    page.setSentences(Domain::In, 3, row);
    page.resize(1000, 700);
    page.show();
    const QAbstractItemModel &shown = *page.list().model();
    QCOMPARE(shown.rowCount(), 3);
    page.searchEdit().setText(u"LIVRE"_s); // in the reference, whatever the case
    QCOMPARE(shown.rowCount(), 1);
    QVERIFY(shown.index(0, 0).data().toString().contains(u"A woman reads"_s));
    page.searchEdit().clear();
    for (QComboBox *box : page.findChildren<QComboBox *>()) {
        if (box->accessibleName().startsWith(u"Order"_s))
            box->setCurrentIndex(1); // shortest first
    }
    QVERIFY(shown.index(0, 0).data().toString().contains(u"A woman reads"_s));
}

void TestPages::attentionFollowsTheSelection()
{
    MadeUp study;
    AttentionPage page(study.state, study.controller);
    page.resize(1000, 700);
    page.show();
    QCOMPARE(page.headBox().count(), 96);
    // It opens on the head that is needed most.
    const auto ablation = madeup::ablation(false);
    const auto needed = std::min_element(ablation->heads.begin(), ablation->heads.end(),
                                         [](const auto &a, const auto &b) { return a.delta < b.delta; });
    QCOMPARE(study.state.currentHead(), needed->head);
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttention()));
    study.state.selectHead({HeadKind::Cross, 2, 5});
    QCOMPARE(page.headBox().currentText(), u"cross.2.5"_s);
    QVERIFY(page.heatMap().picture().title.startsWith(u"cross.2.5"_s));
    QCOMPARE(page.heatMap().picture().table.rows.size(), 12U);
    QCOMPARE(page.heatMap().picture().table.columns.size(), 15U);
    page.headBox().setCurrentIndex(0);
    Q_EMIT page.headBox().activated(0);
    QCOMPARE(study.state.currentHead(), (HeadRef{HeadKind::Encoder, 0, 0}));
    QVERIFY(!page.heatMap().picture().masked);
    study.state.toggleMask({HeadKind::Encoder, 0, 0});
    QVERIFY(page.heatMap().picture().masked);
}

void TestPages::attentionShowsTheChangeUnderTheMask()
{
    MadeUp study;
    AttentionPage page(study.state, study.controller);
    page.setSentences(Domain::In, 3, row);
    page.resize(1000, 700);
    page.show();
    study.state.setSentence(Domain::In, 0);
    QVERIFY(page.textsHtml().contains(u"champ enneigé"_s));
    QVERIFY(!page.textsHtml().contains(u"line-through"_s));
    study.state.setMask({{HeadKind::Cross, 3, 1}}, u"test"_s);
    const SentenceList &list = page.sentenceList();
    QVERIFY2(list.count().contains(u"not known yet"_s), qPrintable(list.count()));
    auto some = std::make_shared<EvaluationResult>(*MadeUp::evaluation(false, study.state.mask()));
    some->outputs.pop_back(); // as far as it has come
    study.state.addResult(Domain::In, std::shared_ptr<const EvaluationResult>(std::move(some)));
    QVERIFY2(list.count().contains(u"1 of 2 so far"_s), qPrintable(list.count()));
    study.state.addResult(Domain::In, MadeUp::evaluation(false, study.state.mask()));
    QVERIFY(page.textsHtml().contains(u"line-through\">brun"_s));
    QCOMPARE(page.sentences().changedCount(), 2);
    QVERIFY2(list.count().contains(u", 2 with another output"_s), qPrintable(list.count()));
    QVERIFY(page.sentences().index(0).data().toString().startsWith(u"≠"_s));
    study.state.setSentence(Domain::In, 1);
    QVERIFY(page.textsHtml().contains(u"unchanged"_s));
    study.state.clearMask();
    QCOMPARE(page.sentences().changedCount(), 0);
}

void TestPages::attentionExports()
{
    MadeUp study;
    AttentionPage page(study.state, study.controller);
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttention()));
    study.state.selectHead({HeadKind::Encoder, 2, 5});
    const QList<ExportItem> items = page.exportItems();
    QCOMPARE(items.size(), 3); // the view that is shown first
    QCOMPARE(items[0].name, u"Attention of encoder.2.5"_s);
    const std::string csv = items[0].csv();
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 226); // a line for every query and key
    const Result<QImage> image = renderToImage(items[0], {});
    QVERIFY(image.isOk() && image.value().width() > 800);
}

void TestPages::attentionSaysRolesAndNorms()
{
    MadeUp study;
    AttentionPage page(study.state, study.controller);
    page.show();
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttention()));
    study.state.selectHead({HeadKind::Encoder, 0, 6});
    QVERIFY(!page.heatMap().picture().title.contains(u"rare word"_s));
    study.state.addResult(Domain::In, madeup::roles());
    QVERIFY(page.heatMap().picture().title.endsWith(u"rare word (80 %)"_s));
    // Where norms are not known, weights are shown, and it is said why.
    QVERIFY(page.measureBox().toolTip().contains(u"not known"_s));
    const AttentionTable weights = page.heatMap().picture().table;
    page.measureBox().setCurrentIndex(1);
    QCOMPARE(page.heatMap().picture().table, weights);
    QVERIFY(page.heatMap().picture().legendLabel.startsWith(u"attention weight"_s));
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttentionWithTree()));
    QVERIFY(!page.measureBox().toolTip().contains(u"not known"_s));
    QVERIFY(!(page.heatMap().picture().table.weights == weights.weights));
    QVERIFY(page.heatMap().picture().legendLabel.contains(u"norm"_s));
    QVERIFY(page.exportItems()[0].caption.startsWith(u"Norm-weighted"_s));
    // Rollout is of all heads of the layers so far; cross-attention has none.
    page.measureBox().setCurrentIndex(2);
    QVERIFY(page.heatMap().picture().table.empty()); // computed as a job
    QTRY_VERIFY(!page.heatMap().picture().table.empty());
    const HeatMapPicture first = page.heatMap().picture();
    QVERIFY(first.title.contains(u"rollout through layers 0 to 0"_s));
    study.state.selectHead({HeadKind::Encoder, 0, 1});
    QCOMPARE(page.heatMap().picture().table.weights, first.table.weights);
    study.state.selectHead({HeadKind::Encoder, 1, 1});
    QTRY_VERIFY(!page.heatMap().picture().table.empty());
    QVERIFY(page.heatMap().picture().table.weights != first.table.weights);
    study.state.selectHead({HeadKind::Cross, 0, 1});
    QVERIFY(page.heatMap().picture().legendLabel.startsWith(u"attention weight"_s));
}

void TestPages::attentionShowsTheTree()
{
    MadeUp study;
    AttentionPage page(study.state, study.controller);
    page.resize(1000, 700);
    page.show();
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttention()));
    study.state.selectHead({HeadKind::Cross, 1, 2});
    QVERIFY(page.treeBox().isHidden());
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttentionWithTree()));
    QVERIFY(!page.treeBox().isHidden());
    QCOMPARE(page.heatMap().picture().arcs.size(), 11U);
    QCOMPARE(page.heatMap().picture().table.columns[2].tag, u"NOUN"_s);
    const QImage calm = page.heatMap().grab().toImage();
    // Arcs of the word under the mouse stand out.
    page.heatMap().setFocus();
    QTest::keyClick(&page.heatMap(), Qt::Key_Right);
    QTest::keyClick(&page.heatMap(), Qt::Key_Right);
    QVERIFY(page.heatMap().grab().toImage() != calm);
    page.treeBox().setChecked(false);
    QVERIFY(page.heatMap().picture().arcs.empty());
    QVERIFY(page.heatMap().picture().table.columns[2].tag.isEmpty());
    page.treeBox().setChecked(true);
    study.state.selectHead({HeadKind::Decoder, 1, 2});
    QVERIFY(page.heatMap().picture().arcs.empty());
}

void TestPages::domainsShareOneScale()
{
    MadeUp study;
    DomainsPage page(study.state, study.controller);
    page.show();
    const ColorScale scale = page.grid(DomainView::In).scale();
    QCOMPARE(page.grid(DomainView::Out).scale(), scale);
    QCOMPARE(scale.minimum(), -scale.maximum());
    QCOMPARE(page.grid(DomainView::Difference).scale(), scale);
    for (const HeadAblation &head : madeup::ablation(false)->heads)
        QVERIFY(scale.minimum() <= head.delta && head.delta <= scale.maximum());
    study.state.setMeasure(Measure::Importance);
    QCOMPARE(page.grid(DomainView::Out).scale(), page.grid(DomainView::In).scale());
    QCOMPARE(page.grid(DomainView::In).scale().kind(), ScaleKind::Sequential);
    QCOMPARE(page.grid(DomainView::Difference).scale().kind(), ScaleKind::Diverging);
}

/// In, out and difference stand in one row with the same geometry at every size, over a scatter of the whole width.
void TestPages::domainsFillTheirPage()
{
    MadeUp study;
    DomainsPage page(study.state, study.controller);
    page.show();
    for (const QSize &size : {QSize(704, 640), QSize(1190, 660), QSize(2000, 1280)}) {
        page.resize(QSizeF(QSizeF(size) * testing::fontScale()).toSize());
        QCoreApplication::processEvents();
        const HeadGridView &in = page.grid(DomainView::In);
        const HeadGridView &out = page.grid(DomainView::Out);
        const HeadGridView &difference = page.grid(DomainView::Difference);
        const auto topOf = [&](const QWidget &widget) { return widget.mapTo(&page, QPoint()).y(); };
        const auto leftOf = [&](const QWidget &widget) { return widget.mapTo(&page, QPoint()).x(); };
        QCOMPARE(topOf(out), topOf(in));
        QCOMPARE(topOf(difference), topOf(in));
        QVERIFY(leftOf(in) < leftOf(out) && leftOf(out) < leftOf(difference));
        QCOMPARE(out.size().height(), in.size().height());
        QCOMPARE(out.gridGeometry().cell(), in.gridGeometry().cell());
        QCOMPARE(difference.gridGeometry().cell(), in.gridGeometry().cell());
        QVERIFY2(in.gridGeometry().cell() >= 10, qPrintable(QString::number(in.gridGeometry().cell())));
        QVERIFY(topOf(page.scatter()) > topOf(in) + in.height());
        QVERIFY(page.scatter().width() > page.width() - 40);
        QVERIFY2(page.scatter().height() >= 150, qPrintable(QString::number(page.scatter().height())));
    }
}

void TestPages::domainsAreLinkedBySelection()
{
    MadeUp study;
    DomainsPage page(study.state, study.controller);
    page.resize(1200, 900);
    page.show();
    QCOMPARE(page.scatter().picture().series.points.size(), 96U);
    const HeadRef head{HeadKind::Decoder, 2, 4};
    study.state.selectHead(head);
    QCOMPARE(page.scatter().picture().current, head);
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QCoreApplication::processEvents();
    (void)page.grab(); // marks are where they were painted
    const auto &all = page.scatter().picture().series.points;
    const auto lone = *std::min_element(all.begin(), all.end(), [](auto &a, auto &b) { return a.x < b.x; });
    QTest::mouseClick(&page.scatter(), Qt::LeftButton, {}, *page.scatter().markPosition(lone.head));
    QCOMPARE(study.state.currentHead(), lone.head);
    QTest::mouseMove(&page.scatter(), *page.scatter().markPosition(lone.head) + QPoint(1, 1));
    QTRY_COMPARE(study.state.hoveredHead(), lone.head);
    study.state.setMeasure(Measure::Confidence);
    QVERIFY(page.scatter().picture().series.low >= 0);
}

/// Ctrl with the wheel and with + and − zooms what the pointer or the keys are at, Ctrl+0 shows all of it again.
void TestPages::viewsZoomByWheelAndKeys()
{
    MadeUp study;
    DomainsPage page(study.state, study.controller);
    page.resize(1200, 900);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    (void)page.grab();
    const auto wheel = [](QWidget *widget, Qt::KeyboardModifiers modifiers) {
        const QPointF at(widget->rect().center());
        QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(widget, &event);
    };
    HeadGridView &grid = page.grid(DomainView::In);
    wheel(grid.viewport(), Qt::NoModifier);
    QVERIFY(!grid.isZoomed());
    const double cell = grid.gridGeometry().cell();
    wheel(grid.viewport(), Qt::ControlModifier);
    QVERIFY(grid.isZoomed() && grid.gridGeometry().cell() > cell);
    wheel(&page.scatter(), Qt::ControlModifier);
    QVERIFY(page.scatter().isZoomed());
    page.scatter().setFocus();
    QTest::keyClick(&page.scatter(), Qt::Key_0, Qt::ControlModifier);
    QVERIFY(!page.scatter().isZoomed());
    QTest::keyClick(&page.scatter(), Qt::Key_Plus, Qt::ControlModifier);
    QVERIFY(page.scatter().isZoomed());
    QVERIFY(grid.isZoomed()); // each by itself
}

void TestPages::viewsHaveOneMenu()
{
    MadeUp study;
    DomainsPage page(study.state, study.controller);
    page.resize(1200, 900);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    study.state.selectHead({HeadKind::Cross, 1, 2});
    const QPoint at = page.scatter().rect().center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, page.scatter().mapToGlobal(at));
    QCoreApplication::sendEvent(&page.scatter(), &event);
    auto *menu = page.findChild<QMenu *>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY(menu);
    QStringList texts;
    QAction *zoom = nullptr;
    for (QAction *action : menu->actions()) {
        texts << action->text().remove(u'&');
        if (texts.back().startsWith(u"Zoom in"_s))
            zoom = action;
    }
    for (const QString &wanted : {u"Copy picture and table"_s, u"Export…"_s, u"Show the selected heads on"_s})
        QVERIFY2(texts.contains(wanted), qPrintable(texts.join(u", "_s)));
    QVERIFY(zoom);
    (void)page.grab();
    zoom->trigger();
    QVERIFY(page.scatter().isZoomed());
    QSignalSpy requested(&page, &Page::pageRequested);
    for (QMenu *sub : menu->findChildren<QMenu *>()) {
        for (QAction *action : sub->actions()) {
            if (action->text().remove(u'&') == u"Map"_s)
                action->trigger();
        }
    }
    QCOMPARE(requested.count(), 1);
    QCOMPARE(requested.front().front().toString(), u"map"_s);
    menu->close();
}

/// The table beside the chart says what a legend would, and how many heads can go; an unticked curve is not drawn.
void TestPages::curvesCanBeHidden()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.resize(1100, 700);
    page.show();
    CurvesTable &table = page.curves();
    const auto all = page.chart().picture().series.curves.size();
    QCOMPARE(static_cast<std::size_t>(table.rowCount()), all);
    int row = -1;
    for (int i = 0; i < table.rowCount(); ++i) {
        if (table.item(i, CurvesTable::NameColumn)->text().contains(u"Ablation"_s) && row < 0)
            row = i;
    }
    QVERIFY(row >= 0);
    QVERIFY(table.item(row, CurvesTable::FreeColumn)->text() != u"–"_s);
    table.item(row, CurvesTable::NameColumn)->setCheckState(Qt::Unchecked);
    QCOMPARE(page.chart().picture().series.curves.size(), all - 1);
    QCOMPARE(static_cast<std::size_t>(table.rowCount()), all);
    table.item(row, CurvesTable::NameColumn)->setCheckState(Qt::Checked);
    QCOMPARE(page.chart().picture().series.curves.size(), all);
    QVERIFY(page.chart().picture().legend == PruningPicture::Legend::None);
}

void TestPages::domainsExport()
{
    MadeUp study;
    DomainsPage page(study.state, study.controller);
    const QList<ExportItem> items = page.exportItems();
    QCOMPARE(items.size(), 5);
    for (const ExportItem &item : items) {
        QVERIFY2(!item.manifestJson.empty(), qPrintable(item.name));
        QVERIFY(!item.csv().empty());
        QVERIFY(renderToImage(item, {}).isOk());
    }
    QCOMPARE(nlohmann::json::parse(items[0].manifestJson).size(), 2U);
}

void TestPages::domainsWithOneDataSet()
{
    MadeUp study(false);
    DomainsPage page(study.state, study.controller);
    page.show();
    QVERIFY(page.scatter().picture().series.empty());
    QVERIFY(page.scatter().accessibleDescription().contains(u"out-of-domain"_s));
    QCOMPARE(page.exportItems().size(), 1);
}

void TestPages::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestPages::looks()
{
    QFETCH(bool, dark);
    const QString suffix = dark ? u"-dark"_s : u"-light"_s;
    MadeUp study;
    PruningPage pruning(study.state, study.controller);
    AttentionPage attention(study.state, study.controller);
    DomainsPage domains(study.state, study.controller);
    for (QWidget *page : std::initializer_list<QWidget *>{&pruning, &attention, &domains}) {
        if (dark) {
            page->setPalette(darkPalette());
            page->setAutoFillBackground(true);
        }
        page->resize(1180, 760);
        page->show();
    }
    attention.setSentences(Domain::In, 3, row);
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttention()));
    study.state.selectHead({HeadKind::Cross, 2, 2});
    study.state.setSentence(Domain::In, 0);
    pruning.slider().setValue(29);
    study.state.addResult(Domain::In, MadeUp::evaluation(false, study.state.mask()));
    study.state.addResult(Domain::Out, MadeUp::evaluation(true, study.state.mask()));
    QCoreApplication::processEvents();
    QCOMPARE(pruning.grab().toImage().pixelColor(3, 3).lightnessF() < 0.5, dark);
    keepPicture(pruning, u"page-pruning"_s + suffix);
    keepPicture(attention, u"page-attention"_s + suffix);
    keepPicture(domains, u"page-domains"_s + suffix);
    study.state.addResult(Domain::In, madeup::roles());
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttentionWithTree()));
    study.state.selectHead({HeadKind::Encoder, 1, 5});
    attention.measureBox().setCurrentIndex(1);
    keepPicture(attention, u"page-attention-tree"_s + suffix);
    QCoreApplication::processEvents();
    keepPicture(pruning, u"page-pruning-roles"_s + suffix);
    // As in a window of 1280 × 800 with its docks open.
    for (QWidget *page : std::initializer_list<QWidget *>{&pruning, &attention, &domains})
        page->resize(730, 620);
    QCoreApplication::processEvents();
    keepPicture(pruning, u"small-pruning"_s + suffix);
    keepPicture(attention, u"small-attention"_s + suffix);
    keepPicture(domains, u"small-domains"_s + suffix);
}

QTEST_MAIN(TestPages)
#include "tst_pages.moc"
