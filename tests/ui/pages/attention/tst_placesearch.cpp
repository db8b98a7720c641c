// The search for sentences in which a head does something, on a tiny model with real events.
#include "core/exporting/csv.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "tests/support/tinymodel.h"
#include "ui/heatmap/heatmapview.h"
#include "ui/pages/attention/attentionpage.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestPlaceSearch final : public QObject
{
    Q_OBJECT

private:
    static constexpr int kWait = 120'000;
    PlaceSearch &places() { return m_page->places(); }
    bool isIdle() { return m_controller.queue().isIdle(); }

    QTemporaryDir m_dir;
    StudyState m_state;
    StudyController m_controller{m_state};
    std::unique_ptr<AttentionPage> m_page;

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path folder = m_dir.path().toStdString();
        testing::writeTinyModel(folder / "model");
        m_controller.setAutomatic(false);
        m_controller.openModel(m_dir.filePath(u"model"_s));
        DataSource source;
        source.source = (folder / "in.en").string();
        source.reference = (folder / "in.fr").string();
        testing::writeTinyCorpus(source.source, source.reference, 60, 1);
        m_controller.setData(Domain::In, source);
        QTRY_VERIFY_WITH_TIMEOUT(m_state.session() && m_state.data(Domain::In) && isIdle(), kWait);
        m_page = std::make_unique<AttentionPage>(m_state, m_controller);
        m_page->resize(1200, 800);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        m_page->sentenceTabs().setCurrentWidget(&places());
    }
    void init() { failOnQtWarnings(); }

    void bestPlacesAreListedAndShown()
    {
        m_state.selectHead({HeadKind::Cross, 1, 2});
        QVERIFY(places().searchButton().isEnabled());
        QTest::mouseClick(&places().searchButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(places().result() && !places().isSearching() && isIdle(), kWait);
        const FindResult &result = *places().result();
        QCOMPARE(result.examples, std::int64_t{60});
        QCOMPARE(places().table().rowCount(), 50);
        for (std::size_t i = 1; i < result.places.size(); ++i)
            QVERIFY(result.places[i - 1].weight >= result.places[i].weight);
        keepPicture(*m_page, u"attention-find"_s);

        // A click shows the map at that place; the frame is around the weight that the list says.
        const FoundPlace place = result.places[4];
        const QRect row = places().table().visualItemRect(places().table().item(4, 0));
        QTest::mouseClick(places().table().viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(m_state.sentenceIndex(), place.index);
        const auto shown = [&] { return m_page->heatMap().picture().marked; };
        QTRY_VERIFY_WITH_TIMEOUT(isIdle() && shown(), kWait);
        const AttentionTable &table = m_page->heatMap().picture().table;
        const double weight
            = table.weight(static_cast<std::size_t>(shown()->y()), static_cast<std::size_t>(shown()->x()));
        QVERIFY2(std::abs(weight - place.weight) < 1e-4, qPrintable(QString::number(weight)));
        // With words joined the same place is in another cell, or in the same.
        m_page->controls().joinBox().setChecked(true);
        QVERIFY(shown());
        m_page->controls().joinBox().setChecked(false);
        keepPicture(*m_page, u"attention-place"_s);
        const QList<ExportItem> items = m_page->exportItems();
        QCOMPARE(items.back().csv(), toCsv(result));
    }

    void whatIsSoughtIsSaid()
    {
        places().whatBox().setCurrentIndex(3);
        QVERIFY(places().wordEdit().isVisible());
        places().wordEdit().clear();
        QTest::mouseClick(&places().searchButton(), Qt::LeftButton);
        QVERIFY(!places().isSearching() && places().note().contains(u"what to look for"_s));
        QTest::keyClicks(&places().wordEdit(), u"far"_s);
        QTest::keyClick(&places().wordEdit(), Qt::Key_Return);
        QVERIFY(!places().isSearching() && places().note().contains(u"whole number"_s));
        places().wordEdit().setText(u"0"_s);
        QTest::keyClick(&places().wordEdit(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(places().result() && !places().isSearching(), kWait);
        QCOMPARE(places().result()->what, std::string("offset +0"));
        places().whatBox().setCurrentIndex(2);
        places().wordEdit().setText(u"verb"_s);
        QTest::keyClick(&places().wordEdit(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!places().isSearching(), kWait);
        QVERIFY2(places().note().contains(u"no trees"_s), qPrintable(places().note()));
    }
};

QTEST_MAIN(TestPlaceSearch)
#include "tst_placesearch.moc"
