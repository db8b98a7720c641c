// What all pages have in common: the registry, and that hidden pages do nothing.
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "ui/pages/pageregistry.h"

#include <QComboBox>
#include <QSet>
#include <QTabWidget>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
/// Whatever a study can say of itself while somebody works with it.
void changeEverything(StudyState &state)
{
    state.addResult(Domain::In, madeup::ablation(false));
    state.addResult(Domain::Out, madeup::importance(true));
    state.addResult(Domain::In, madeup::pruning("greedy", false));
    state.setMeasure(Measure::Importance);
    state.setDomainView(DomainView::Out);
    state.selectHead({HeadKind::Encoder, 1, 2});
    state.setHoveredHead(HeadRef{HeadKind::Cross, 0, 1});
    state.toggleMask({HeadKind::Decoder, 0, 3});
    state.setMetric(u"chrF2"_s);
    state.setSentence(Domain::In, 1);
    state.setShowsRoles(false);
    RoleThresholds thresholds;
    thresholds.positional = 0.5;
    state.setRoleThresholds(thresholds);
    state.setError(ErrorPlace::Analysis, u"out of memory"_s);
    DataCard data = *state.data(Domain::Out);
    data.hash = "another";
    state.setData(Domain::Out, data);
    state.setModel(*state.model(), nullptr);
}
} // namespace

class TestPage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { failOnQtWarnings(); }
    void registryNamesPagesOnce();
    void hiddenPagesDoNothing_data();
    void hiddenPagesDoNothing();
    void exportBringsHiddenPagesUpToDate();
    void domainBoxesAreTheOneSwitch();
};

void TestPage::registryNamesPagesOnce()
{
    QSet<QString> ids{QString::fromLatin1(kStartView)};
    for (const PageEntry &page : pageRegistry()) {
        QVERIFY2(!ids.contains(page.info.id), qPrintable(page.info.id));
        ids << page.info.id;
        QVERIFY2(page.info.title.contains(u'&'), qPrintable(page.info.title));
        QCOMPARE(findPage(page.info.id)->title, page.info.title);
    }
    QCOMPARE(viewNames().size(), ids.size());
    QVERIFY(!findPage(u"no such page"_s));
}

void TestPage::hiddenPagesDoNothing_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < pageRegistry().size(); ++i)
        QTest::newRow(qPrintable(pageRegistry()[i].info.id)) << static_cast<int>(i);
}

void TestPage::hiddenPagesDoNothing()
{
    QFETCH(int, index);
    MadeUp study;
    QTabWidget tabs;
    Page &page = *pageRegistry()[static_cast<std::size_t>(index)].make(study.state, study.controller, &tabs);
    tabs.addTab(new QWidget, u"another"_s);
    tabs.addTab(&page, u"this"_s);
    tabs.resize(900, 700);
    tabs.show();
    QCOMPARE(page.refreshCount(), 0);
    changeEverything(study.state);
    QTest::qWait(250); // longer than any page waits for more of the same
    QCOMPARE(page.refreshCount(), 0);
    tabs.setCurrentIndex(1);
    QCOMPARE(page.refreshCount(), 1);
    // What it was brought up to date with is not done again.
    tabs.setCurrentIndex(0);
    tabs.setCurrentIndex(1);
    QCOMPARE(page.refreshCount(), 1);
    // Seen, it follows at once; hidden once more, it stops.
    study.state.toggleMask({HeadKind::Encoder, 0, 0});
    study.state.setError(ErrorPlace::Analysis, {});
    const int seen = page.refreshCount();
    if (pageRegistry()[static_cast<std::size_t>(index)].info.needsModel) // others are not about the study
        QVERIFY(seen > 1);
    tabs.setCurrentIndex(0);
    changeEverything(study.state);
    QTest::qWait(250);
    QCOMPARE(page.refreshCount(), seen);
}

void TestPage::exportBringsHiddenPagesUpToDate()
{
    MadeUp study;
    Page *heads = pageRegistry().front().make(study.state, study.controller, nullptr);
    const std::unique_ptr<Page> owner(heads);
    QVERIFY(!heads->exportItems().isEmpty());
    study.state.setMeasure(Measure::Importance);
    QVERIFY2(heads->exportItems().front().name.contains(u"mportance"_s), qPrintable(heads->exportItems().front().name));
    QVERIFY(heads->allExportItems().size() > 6); // three measures on two data sets
    QCOMPARE(heads->refreshCount(), 2);
}

/// A page with a choice of the data set is another place for the switch of the tool bar.
void TestPage::domainBoxesAreTheOneSwitch()
{
    MadeUp study;
    QTabWidget tabs;
    tabs.resize(900, 700);
    tabs.show();
    study.state.setSentence(Domain::In, 0);
    int boxes = 0;
    for (const PageEntry &entry : pageRegistry()) {
        Page &page = *entry.make(study.state, study.controller, &tabs);
        tabs.setCurrentIndex(tabs.addTab(&page, entry.info.id));
        study.state.setDomainView(DomainView::In);
        for (QComboBox *box : page.findChildren<QComboBox *>()) {
            const bool isChoice = box->count() == 2 && box->itemText(0).endsWith(u"n-domain"_s)
                               && box->itemText(1).endsWith(u"ut-of-domain"_s);
            if (!isChoice)
                continue;
            ++boxes;
            QVERIFY2(box->currentIndex() == 0, qPrintable(entry.info.id));
            study.state.setDomainView(DomainView::Out);
            QVERIFY2(box->currentIndex() == 1, qPrintable(entry.info.id));
            box->setCurrentIndex(0);
            Q_EMIT box->activated(0);
            QVERIFY2(study.state.domainView() == DomainView::In, qPrintable(entry.info.id));
            box->setCurrentIndex(1);
            Q_EMIT box->activated(1);
            QVERIFY2(study.state.domainView() == DomainView::Out, qPrintable(entry.info.id));
            study.state.setDomainView(DomainView::Difference);
            QVERIFY2(box->currentIndex() == 1, qPrintable(entry.info.id));
            study.state.setDomainView(DomainView::In);
        }
    }
    QVERIFY2(boxes >= 7,
             qPrintable(QString::number(boxes))); // Layers, Search, Attention, Map, Over time, Sharing, Analyses
}

QTEST_MAIN(TestPage)
#include "tst_page.moc"
