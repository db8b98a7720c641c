// What comes from files, models and data is shown as it is: never taken for HTML, and no image that it names is loaded.
#include "tests/support/madeuproles.h"
#include "tests/support/madeupstate.h"
#include "tests/support/nowarnings.h"
#include "tests/ui/heatmap/madeupattention.h"

#include "ui/models/plaintip.h"
#include "ui/pages/attention/attentionpage.h"
#include "ui/pages/domains/domainspage.h"
#include "ui/pages/heads/headspage.h"
#include "ui/pages/layers/layerspage.h"
#include "ui/pages/pruning/pruningpage.h"
#include "ui/pages/roles/rolespage.h"
#include "ui/state/windowwords.h"
#include "ui/views/inspector.h"
#include "ui/views/scorebar.h"
#include "ui/views/studypanel.h"

#include <QAbstractItemView>
#include <QLabel>
#include <QSpinBox>
#include <QTest>
#include <QTextBrowser>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
const std::string kHostile = "<img src='/etc/picture.png'><b>bold</b>";
const QString kTag = u"<img"_s;

/// Whether Qt would take `text` for HTML and find a tag of the data in it.
bool rendersTag(const QString &text)
{
    return Qt::mightBeRichText(text) && text.contains(kTag);
}
} // namespace

class TestStrangeData final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { Q_INIT_RESOURCE(headscope); } // icons
    void init() { failOnQtWarnings(); }
    void labelsShowItAsItIs();
    void tipsShowItAsItIs();
    void textsOfTheAttentionPageShowItAsItIs();
    void headsMaskedByHandAreCountedAmongAll();
    void errorsOfAttentionAreSaidOnItsPage();
    void whatCannotBeReadIsNotStillBeingRead();
    void fieldsAreCalledByTheirNames();
    void studyPanelKeepsItsWidth();

private:
    /// A study in which everything that comes from outside is hostile.
    struct Hostile : MadeUp
    {
        Hostile();
        std::vector<std::unique_ptr<QWidget>> pages;
        QList<QWidget *> widgets;
        template<typename T>
        T *add()
        {
            auto page = std::make_unique<T>(state, controller);
            T *made = page.get();
            pages.push_back(std::move(page));
            made->show();
            return made;
        }
    };
};

TestStrangeData::Hostile::Hostile()
{
    ModelCard card = *state.model();
    card.folder = "/models/" + kHostile;
    card.family = kHostile;
    card.labels = {kHostile, "b"};
    card.generation = kHostile;
    card.warnings = {kHostile};
    state.setModel(card, nullptr);
    for (const Domain domain : kBothDomains) {
        DataCard data;
        data.name = kHostile;
        data.hash = "x";
        data.rows = 3;
        data.warnings = {kHostile};
        data.origin.source = "/data/" + kHostile;
        data.labels = {{kHostile, 2}};
        state.setData(domain, data);
        state.addResult(domain, madeup::ablation(domain == Domain::Out));
        auto roles = std::make_shared<RolesResult>(*madeup::roles(domain == Domain::Out));
        roles->rarityFrom = kHostile;
        for (RelationDirection &relation : roles->relations)
            relation.relation = kHostile;
        state.addResult(domain, roles);
    }
    auto attention = std::make_shared<AttentionResult>(madeUpAttention());
    attention->source = kHostile;
    attention->target = kHostile;
    attention->predicted = kHostile;
    for (TokenLabel &token : attention->sourceTokens)
        token.text = kHostile;
    state.setAttention(attention);
    state.selectHead(state.layout().heads().front());
    for (const ErrorPlace place :
         {ErrorPlace::Model, ErrorPlace::Study, ErrorPlace::InData, ErrorPlace::OutData, ErrorPlace::Analysis})
        state.setError(place, QString::fromStdString(kHostile));
}

void TestStrangeData::labelsShowItAsItIs()
{
    Hostile study;
    study.add<StudyPanel>();
    study.add<Inspector>();
    study.add<ScoreBar>();
    study.add<HeadsPage>();
    study.add<LayersPage>();
    study.add<PruningPage>();
    study.add<DomainsPage>();
    study.add<RolesPage>();
    study.add<AttentionPage>();
    int shown = 0;
    for (const auto &page : study.pages) {
        for (const QLabel *label : page->findChildren<QLabel *>()) {
            const QString where = QString::fromLatin1(page->metaObject()->className()) + u": "_s + label->text();
            shown += label->text().contains(u"bold"_s) ? 1 : 0;
            if (label->textFormat() != Qt::PlainText)
                QVERIFY2(!label->text().contains(kTag), qPrintable(where));
            QVERIFY2(!rendersTag(label->toolTip()), qPrintable(where));
        }
    }
    QVERIFY2(shown >= 8, qPrintable(QString::number(shown))); // it did reach them
}

void TestStrangeData::tipsShowItAsItIs()
{
    QVERIFY(!rendersTag(plainTip(QString::fromStdString(kHostile))));
    QCOMPARE(plainTip(u"a < b, line\nbreak"_s), u"a < b, line\nbreak"_s);
    Hostile study;
    study.add<RolesPage>();
    AttentionPage *attention = study.add<AttentionPage>();
    attention->setSentences(Domain::In, 3, [](std::int64_t) { return DataRow{kHostile, kHostile}; });
    study.add<HeadsPage>();
    study.add<StudyPanel>();
    int tips = 0;
    const auto walk = [&](const QAbstractItemModel &model, const QModelIndex &parent, auto &&self) -> void {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            for (int column = 0; column < model.columnCount(parent); ++column) {
                const QModelIndex index = model.index(row, column, parent);
                const QString tip = index.data(Qt::ToolTipRole).toString();
                tips += tip.contains(u"bold"_s) ? 1 : 0;
                QVERIFY2(!rendersTag(tip), qPrintable(tip));
            }
            self(model, model.index(row, 0, parent), self);
        }
    };
    for (const auto &page : study.pages) {
        for (const QAbstractItemView *view : page->findChildren<QAbstractItemView *>()) {
            if (view->model())
                walk(*view->model(), {}, walk);
        }
        QVERIFY(!rendersTag(page->toolTip()));
    }
    QVERIFY2(tips >= 3, qPrintable(QString::number(tips)));
}

void TestStrangeData::textsOfTheAttentionPageShowItAsItIs()
{
    Hostile study;
    AttentionPage *page = study.add<AttentionPage>();
    page->setSentences(Domain::In, 3, [](std::int64_t) { return DataRow{kHostile, kHostile}; });
    page->resize(900, 700);
    bool found = false;
    for (const QTextEdit *texts : page->findChildren<QTextEdit *>()) {
        found = found || texts->toPlainText().contains(QString::fromStdString(kHostile));
        QVERIFY(!texts->toHtml().contains(u"<img"_s));
    }
    QVERIFY(found);
}

/// The text of the first label in `page` that contains `part`; empty: there is none.
static QString labelWith(const QWidget &page, const QString &part)
{
    for (const QLabel *label : page.findChildren<QLabel *>()) {
        if (label->isVisibleTo(&page) && label->text().contains(part))
            return label->text();
    }
    return {};
}

void TestStrangeData::headsMaskedByHandAreCountedAmongAll()
{
    MadeUp study;
    PruningPage page(study.state, study.controller);
    page.show();
    for (QSpinBox *box : page.findChildren<QSpinBox *>()) {
        if (box->suffix().contains(u"a layer"_s))
            box->setValue(4); // half of the heads are on the curve
    }
    const std::vector<HeadRef> heads = study.state.layout().heads();
    study.state.setMask(HeadMask(std::vector<HeadRef>(heads.begin(), heads.begin() + 68)), u"by hand"_s);
    const QString text = labelWith(page, u"heads removed"_s);
    QVERIFY2(text.contains(u"68 of 96"_s) && text.contains(u"71 %"_s), qPrintable(text));
}

void TestStrangeData::errorsOfAttentionAreSaidOnItsPage()
{
    MadeUp study;
    AttentionPage page(study.state, study.controller);
    page.show();
    study.state.setAttention(std::make_shared<AttentionResult>(madeUpAttention())); // of an earlier sentence
    study.state.setError(ErrorPlace::Attention, u"The text has 700 tokens"_s);
    QVERIFY(!labelWith(page, u"700"_s).isEmpty());
    study.state.setError(ErrorPlace::Attention, {});
    QVERIFY(labelWith(page, u"700"_s).isEmpty());
}

void TestStrangeData::whatCannotBeReadIsNotStillBeingRead()
{
    MadeUp study; // reopened: shown, but not read yet
    PruningPage pruning(study.state, study.controller);
    AttentionPage attention(study.state, study.controller);
    LayersPage layers(study.state, study.controller);
    for (QWidget *page : std::initializer_list<QWidget *>{&pruning, &attention, &layers})
        page->show();
    const QString reading = u"still being read"_s;
    QVERIFY(!labelWith(pruning, reading).isEmpty() && !labelWith(attention, reading).isEmpty());
    study.state.setError(ErrorPlace::Model, u"There is no such folder"_s);
    for (const QWidget *page : std::initializer_list<const QWidget *>{&pruning, &attention, &layers})
        QVERIFY2(labelWith(*page, reading).isEmpty(), qPrintable(labelWith(*page, reading)));
    QVERIFY(!labelWith(pruning, u"could not be read"_s).isEmpty());
    QVERIFY(!labelWith(attention, u"could not be read"_s).isEmpty());
}

void TestStrangeData::fieldsAreCalledByTheirNames()
{
    const QString text
        = inWindowWords("The label \"x\" is none of the model's. Say what it means with --label-map, or give "
                        "--text-column; add --no-header and --quoted. --label-column too.");
    QVERIFY2(!text.contains(u"--"_s), qPrintable(text));
    QVERIFY(text.contains(u"Labels mean"_s) && text.contains(u"First line names the columns"_s));
}

void TestStrangeData::studyPanelKeepsItsWidth()
{
    MadeUp study;
    const StudyPanel panel(study.state, study.controller);
    QVERIFY2(panel.minimumWidth() >= 140, qPrintable(QString::number(panel.minimumWidth())));
}

QTEST_MAIN(TestStrangeData)
#include "tst_strangedata.moc"
