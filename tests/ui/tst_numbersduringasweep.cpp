// While results are being computed, everything that the window says of them says what it rests on: all pages, their
// tables, tool tips, captions, exported tables and manifests are compared with the results behind them.
#include "tests/support/madeuproles.h"
#include "tests/support/madeupsimilarity.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "ui/models/gridcontent.h"
#include "ui/models/headgridmodel.h"
#include "ui/models/numbertext.h"
#include "ui/pages/pageregistry.h"
#include "ui/views/gridexport.h"
#include "ui/views/gridfeed.h"
#include "ui/views/inspector.h"
#include "ui/views/scorebar.h"
#include "ui/views/studypanel.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTest>
#include <QTextDocumentFragment>
#include <QToolTip>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// So many examples are behind each result, all of them different: whoever says a number says of what.
struct Counts
{
    std::int64_t ablation, allButOne, importance, confidence, pruning, masked, roles, relevance, similarity, total;
};
constexpr Counts kIn{24, 56, 32, 48, 16, 40, 64, 72, 80, 1000};
constexpr Counts kOut{12, 44, 20, 28, 36, 52, 68, 76, 84, 461};
constexpr HeadRef kHead{HeadKind::Encoder, 1, 2};

const Counts &countsOf(Domain domain)
{
    return domain == Domain::In ? kIn : kOut;
}

template<typename Result>
std::shared_ptr<Result> partial(const std::shared_ptr<const Result> &whole, std::int64_t examples)
{
    auto result = std::make_shared<Result>(*whole);
    result->examples = result->manifest.examples = examples;
    result->manifest.partial = true;
    return result;
}

/// `even`: all heads of the sweeps are there, on the same examples; else every third is missing, the block is not done.
void fill(StudyState &state, bool even)
{
    state.setMask(HeadMask{kHead}, u"mask"_s);
    for (const Domain domain : kBothDomains) {
        const bool out = domain == Domain::Out;
        const Counts &counts = countsOf(domain);
        auto sweep = partial(madeup::ablation(out), counts.ablation);
        for (std::size_t i = 0; i < sweep->heads.size(); ++i) {
            sweep->heads[i].examples = counts.ablation;
            sweep->heads[i].discoveryP = std::min(1.0, 4 * sweep->heads[i].p);
        }
        if (!even)
            std::erase_if(sweep->heads, [](const HeadAblation &head) { return head.head.head % 3 == 0; });
        state.removeResults(domain, kAllResultKinds);
        state.addPartialResult(domain, sweep);
        auto layers = partial(madeup::ablation(out), counts.allButOne);
        layers->allButOne = true;
        for (HeadAblation &head : layers->heads)
            head.examples = counts.allButOne;
        state.addPartialResult(domain, layers);
        state.addPartialResult(domain, partial(madeup::importance(out), counts.importance));
        state.addPartialResult(domain, partial(madeup::confidence(out), counts.confidence));
        state.addPartialResult(domain, partial(madeup::pruning("importance", out), counts.pruning));
        state.addPartialResult(domain, partial(madeup::roles(out), counts.roles));
        state.addPartialResult(domain, partial(madeup::relevance(out), counts.relevance));
        state.addPartialResult(domain, partial(madeup::similarity(out), counts.similarity));
        auto masked = partial(MadeUp::evaluation(out, HeadMask{kHead}), counts.masked);
        masked->metrics.front().value = 50.25;
        masked->against.emplace();
        masked->against->score = 50.5;
        masked->against->delta = -0.25;
        masked->against->interval = {-0.75, 0.5};
        state.addPartialResult(domain, masked);
    }
}

void addText(QStringList &texts, const QString &text)
{
    if (!text.isEmpty())
        texts << (Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text);
}

/// What tool tips say where the mouse stands, over everything on the page that is painted.
QStringList tipsOf(QWidget &page)
{
    static const QRegularExpression painted(u"^headscope::\\w+(View|Chart|Grid)$"_s);
    QStringList tips;
    for (QWidget *widget : page.findChildren<QWidget *>()) {
        if (!widget->isVisible() || !painted.match(QString::fromLatin1(widget->metaObject()->className())).hasMatch())
            continue;
        auto *area = qobject_cast<QAbstractScrollArea *>(widget);
        QWidget *under = area ? area->viewport() : widget;
        for (int x = 0; x < 14; ++x) {
            for (int y = 0; y < 10; ++y) {
                const QPoint at((2 * x + 1) * under->width() / 28, (2 * y + 1) * under->height() / 20);
                QToolTip::hideText();
                QHelpEvent help(QEvent::ToolTip, at, under->mapToGlobal(at));
                QApplication::sendEvent(under, &help);
                addText(tips, QToolTip::isVisible() ? QToolTip::text() : QString());
            }
        }
    }
    tips.removeDuplicates();
    return tips;
}

/// Everything that can be read of a widget and its children.
QStringList textsOf(QWidget &widget)
{
    QStringList texts;
    QList<QWidget *> all = widget.findChildren<QWidget *>();
    all << &widget;
    for (QWidget *one : all) {
        addText(texts, one->toolTip());
        addText(texts, one->accessibleName());
        addText(texts, one->accessibleDescription());
        if (const auto *label = qobject_cast<QLabel *>(one))
            addText(texts, label->text());
        if (const auto *view = qobject_cast<QAbstractItemView *>(one); view && view->model()) {
            const QAbstractItemModel &model = *view->model();
            for (int row = 0; row < model.rowCount(); ++row) {
                for (int column = 0; column < model.columnCount(); ++column) {
                    for (const int role : {Qt::ToolTipRole, Qt::AccessibleTextRole, Qt::AccessibleDescriptionRole})
                        addText(texts, model.index(row, column).data(role).toString());
                }
            }
        }
    }
    return texts;
}

/// Numbers of examples that are named without "of all": only those of the results.
QString wrongCount(const QString &text)
{
    static const std::set<qlonglong> known = [] {
        std::set<qlonglong> all;
        for (const Counts &counts : {kIn, kOut})
            all.insert({counts.ablation, counts.allButOne, counts.importance, counts.confidence, counts.pruning,
                        counts.masked, counts.roles, counts.relevance, counts.similarity});
        return all;
    }();
    static const QRegularExpression named(u"([0-9][0-9,]*)(?: of ([0-9][0-9,]*))? examples"_s);
    for (auto at = named.globalMatch(text); at.hasNext();) {
        const auto match = at.next();
        const qlonglong count = QLocale().toLongLong(match.captured(1));
        if (!known.contains(count) || match.captured(2).isEmpty())
            return match.captured(0);
    }
    return {};
}

} // namespace

class TestNumbersDuringASweep : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Q_INIT_RESOURCE(headscope); } // icons
    void init() { failOnQtWarnings(); }
    void pagesSayWhatTheyRestOn_data();
    void pagesSayWhatTheyRestOn();
    void gridsAreTheResults_data();
    void gridsAreTheResults();
    void panelsAreTheResults();
};

void TestNumbersDuringASweep::pagesSayWhatTheyRestOn_data()
{
    QTest::addColumn<bool>("even");
    QTest::newRow("block under way") << false;
    QTest::newRow("block done") << true;
}

void TestNumbersDuringASweep::pagesSayWhatTheyRestOn()
{
    QFETCH(bool, even);
    MadeUp study;
    fill(study.state, even);
    study.state.selectHead(kHead);
    QTabWidget tabs;
    tabs.resize(1200, 800);
    tabs.show();
    int named = 0;
    int exported = 0;
    std::map<QString, int> tips;
    for (const PageEntry &entry : pageRegistry()) {
        if (!entry.info.needsModel) // not about the study
            continue;
        Page &page = *entry.make(study.state, study.controller, &tabs);
        tabs.setCurrentIndex(tabs.addTab(&page, entry.info.id));
        for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference}) {
            study.state.setDomainView(view);
            for (const MeasureInfo &info : measures()) {
                study.state.setMeasure(info.measure);
                QTest::qWait(even ? 0 : 1);
                page.bringUpToDate();
                QStringList texts = textsOf(page);
                for (const QString &tip : tipsOf(page)) {
                    static const QRegularExpression value(u"[0-9]\\.[0-9]{2}"_s); // no address of a head
                    QVERIFY2(!tip.contains(value) || tip.contains(u" examples"_s),
                             qPrintable(entry.info.id + u": no n in “"_s + tip + u'”'));
                    ++tips[entry.info.id];
                    texts << tip;
                }
                for (const ExportItem &item : page.allExportItems()) {
                    addText(texts, item.caption);
                    ++exported;
                    // A manifest says that its result is not complete.
                    static const QRegularExpression whole(u"\"examples\": *(1000|461)\\b"_s);
                    QVERIFY2(!QString::fromStdString(item.manifestJson).contains(whole),
                             qPrintable(entry.info.id + u' ' + item.name));
                }
                for (const QString &text : std::as_const(texts)) {
                    const QString wrong = wrongCount(text);
                    QVERIFY2(wrong.isEmpty(), qPrintable(entry.info.id + u": “"_s + wrong + u"” in “"_s + text + u'”'));
                    named += text.contains(u" examples"_s);
                    if (!even && info.measure == Measure::AblationDelta && entry.info.id == u"heads"_s) {
                        static const QRegularExpression tested(u"\\bp [0-9<]|rank [0-9]"_s);
                        QVERIFY2(!text.contains(tested), qPrintable(text));
                    }
                }
            }
        }
    }
    for (const QString &page : {u"heads"_s, u"domains"_s, u"map"_s})
        QVERIFY2(tips[page] > 20, qPrintable(u"%1: %2 tool tips"_s.arg(page).arg(tips[page])));
    QVERIFY2(named > 500 && exported > 50, qPrintable(u"%1 texts, %2 exports"_s.arg(named).arg(exported)));
}

void TestNumbersDuringASweep::gridsAreTheResults_data()
{
    pagesSayWhatTheyRestOn_data();
}

/// Value, interval and examples of every cell: in its tool tip and in the exported table.
void TestNumbersDuringASweep::gridsAreTheResults()
{
    QFETCH(bool, even);
    MadeUp study;
    fill(study.state, even);
    for (const Domain domain : kBothDomains) {
        const DomainView view = domain == Domain::In ? DomainView::In : DomainView::Out;
        const auto &sweep = *study.state.results(domain).ablation;
        HeadGridModel model;
        model.setContent(gridContent(study.state, Measure::AblationDelta, view));
        const ValueFormat format = metricFormat(u"BLEU"_s);
        const std::string csv = gridCsv(model.content(), study.state.mask());
        std::map<QString, QStringList> rows;
        for (const QString &line : QString::fromStdString(csv).split(u'\n'))
            rows[line.section(u',', 0, 0)] = line.split(u',');
        const QStringList columns = rows[u"head"_s];
        for (const HeadRef &head : study.state.layout().heads()) {
            const auto found = std::ranges::find(sweep.heads, head, &HeadAblation::head);
            const QString tip = model.indexOf(head).data(Qt::AccessibleTextRole).toString();
            const QStringList row = rows[QString::fromStdString(toText(head))];
            const auto number = [&](const char *column) { return row.at(columns.indexOf(QLatin1String(column))); };
            if (found == sweep.heads.end()) {
                QVERIFY2(number("value").isEmpty() || std::isnan(number("value").toDouble()), qPrintable(tip));
                continue;
            }
            const Counts &counts = countsOf(domain);
            QVERIFY2(tip.contains(u"%1 of %2 examples"_s.arg(countText(counts.ablation), countText(counts.total))),
                     qPrintable(tip));
            QVERIFY2(tip.contains(format.difference(found->delta)), qPrintable(tip));
            QVERIFY2(tip.contains(format.interval(found->interval, true)), qPrintable(tip));
            QCOMPARE(number("value").toDouble(), found->delta);
            QCOMPARE(number("ci_low").toDouble(), found->interval.low);
            QCOMPARE(number("ci_high").toDouble(), found->interval.high);
            QCOMPARE(number("examples").toLongLong(), qlonglong(counts.ablation));
            if (even)
                QCOMPARE(number("p").toDouble(), found->p);
            else
                QVERIFY(number("p").isEmpty() && number("rank").isEmpty() && number("p_bh").isEmpty());
        }
    }
}

/// Score bar, inspector and study panel.
void TestNumbersDuringASweep::panelsAreTheResults()
{
    MadeUp study;
    fill(study.state, true);
    study.state.selectHead(kHead);
    ScoreBar bar(study.state, study.controller);
    const ValueFormat format = metricFormat(u"BLEU"_s);
    for (const Domain domain : kBothDomains) {
        const QString text = bar.scoreText(domain);
        QVERIFY2(text.contains(countText(countsOf(domain).masked)) && text.contains(countText(countsOf(domain).total)),
                 qPrintable(text));
        QVERIFY2(text.contains(format.difference(-0.25)), qPrintable(text));
        QVERIFY2(text.contains(format.score(50.25)), qPrintable(text));
    }
    Inspector inspector(study.state, study.controller);
    QString said;
    for (const QLabel *label : inspector.findChildren<QLabel *>())
        said += QTextDocumentFragment::fromHtml(label->text()).toPlainText() + u'\n';
    StudyPanel panel(study.state, study.controller);
    QString listed;
    for (QTreeWidgetItemIterator item(panel.findChild<QTreeWidget *>()); *item; ++item)
        listed += (*item)->text(0) + u' ' + (*item)->text(1) + u'\n';
    for (const Domain domain : kBothDomains) {
        const Counts &counts = countsOf(domain);
        for (const std::int64_t count : {counts.ablation, counts.importance, counts.confidence}) {
            const QString text = u"%1 of %2 examples"_s.arg(countText(count), countText(counts.total));
            QVERIFY2(said.contains(text), qPrintable(text + u" in "_s + said));
            const QString stage = u"◐ %1/%2"_s.arg(countText(count), countText(counts.total));
            QVERIFY2(listed.contains(stage), qPrintable(stage + u" in "_s + listed));
        }
        const HeadAblation &head
            = *std::ranges::find(study.state.results(domain).ablation->heads, kHead, &HeadAblation::head);
        QVERIFY2(said.contains(format.difference(head.delta)), qPrintable(said));
        QVERIFY2(said.contains(format.interval(head.interval, true)), qPrintable(said));
    }
}

QTEST_MAIN(TestNumbersDuringASweep)
#include "tst_numbersduringasweep.moc"
