// Thumbnails of recent studies: read in the background, of what their files hold.
#include "tests/support/madeupstudy.h"
#include "tests/support/nowarnings.h"
#include "tests/support/picture.h"
#include "ui/views/startpage.h"
#include "ui/views/studythumbnails.h"

#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <filesystem>
#include <set>
#include <variant>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

Study study()
{
    Study made;
    ModelCard model;
    model.folder = "/nowhere/model";
    model.family = "marian";
    model.task = "translation";
    model.layout = madeup::layout();
    model.primaryMetric = "BLEU";
    model.metrics = {"BLEU"};
    made.model = model;
    for (auto &slot : made.data) {
        DataCard data;
        data.origin.source = "/nowhere/test.en";
        data.name = "test";
        data.rows = 1000;
        slot = data;
    }
    return made;
}

std::set<QRgb> coloursOf(const QImage &image)
{
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            colours.insert(image.pixel(x, y));
    }
    return colours;
}

} // namespace

class TestStartPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void thumbnailIsTheGrid();
    void listShowsThumbnails();
    void changedFilesAreReadAgain();
    void looks_data();
    void looks();

private:
    QString path(const QString &name) const { return m_folder.filePath(name); }
    void write(const QString &name, const StudyResults &results) const
    {
        (void)saveStudy(study(), results, path(name).toStdString()).valueOrThrow();
    }
    static bool hasIcon(const QListWidget &list, const QString &name)
    {
        for (int row = 0; row < list.count(); ++row) {
            if (list.item(row)->text().startsWith(name))
                return coloursOf(list.item(row)->icon().pixmap(list.iconSize()).toImage()).size() > 3;
        }
        return false;
    }

    QTemporaryDir m_folder;
    JobQueue m_queue;
};

void TestStartPage::initTestCase()
{
    Q_INIT_RESOURCE(headscope); // icons
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    write(u"full.headscope"_s, {{{madeup::confidence(false), madeup::ablation(false)}, {}}});
    write(u"other.headscope"_s, {{{}, {madeup::importance(true)}}});
    write(u"empty.headscope"_s, {});
    QFile broken(path(u"broken.headscope"_s));
    QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{\"no\": study") > 0);
    QVERIFY(QDir(m_folder.path()).mkdir(u"model"_s));
    RecentList recent;
    for (const char *name : {"model", "broken.headscope", "empty.headscope", "other.headscope", "full.headscope"})
        recent.add(path(QString::fromLatin1(name)));
}

void TestStartPage::thumbnailIsTheGrid()
{
    const QSize size(120, 52);
    const auto load = [&](const QString &name) { return loadStudy(path(name).toStdString()).valueOrThrow(); };
    LoadedStudy full = load(u"full.headscope"_s);
    const QImage image = studyThumbnail(full, size, Appearance::Light);
    QCOMPARE(image.size(), size);
    QVERIFY(coloursOf(image).size() > 20);
    QVERIFY(image != studyThumbnail(full, size, Appearance::Dark));
    std::erase_if(full.results[0], [](const AnyResult &result) { return result.is<AblationResult>(); });
    QVERIFY(!studyThumbnail(full, size, Appearance::Light).isNull()); // confidence is left
    QVERIFY(!studyThumbnail(load(u"other.headscope"_s), size, Appearance::Light).isNull());
    QVERIFY(studyThumbnail(load(u"empty.headscope"_s), size, Appearance::Light).isNull());
    QVERIFY(studyThumbnail({}, size, Appearance::Light).isNull());
    // Many small heads fit, too.
    const std::vector<std::vector<int>> layers(24,
                                               std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    LoadedStudy large;
    large.study = study();
    large.study.model->layout = HeadLayout({{HeadKind::Encoder, layers}});
    ConfidenceResult confidence;
    for (const HeadRef &head : large.study.model->layout.heads())
        confidence.heads.push_back({head, 0.04 * head.layer});
    large.results[0].push_back(AnyResult(confidence));
    const QImage small = studyThumbnail(large, size, Appearance::Light);
    QVERIFY(coloursOf(small.copy(0, 0, size.width(), 3))
            != coloursOf(small.copy(0, size.height() - 3, size.width(), 3)));
}

void TestStartPage::listShowsThumbnails()
{
    StudyState state;
    RecentList recent;
    StartPage page(state, recent, m_queue);
    QVERIFY(m_queue.isIdle()); // nothing is read for a page that is not seen
    page.resize(700, 640);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QCOMPARE(page.recentList().count(), 5);
    QTRY_VERIFY(hasIcon(page.recentList(), u"full"_s) && hasIcon(page.recentList(), u"other"_s) && m_queue.isIdle());
    for (const QString &name : {u"empty"_s, u"broken"_s, u"model"_s})
        QVERIFY(!hasIcon(page.recentList(), name));
    // Read once.
    page.hide();
    page.show();
    QVERIFY(m_queue.isIdle());
    QVERIFY(hasIcon(page.recentList(), u"full"_s));
}

void TestStartPage::changedFilesAreReadAgain()
{
    const QString file = path(u"changing.headscope"_s);
    write(u"changing.headscope"_s, {});
    StudyThumbnails thumbnails(m_queue, {120, 52});
    QSignalSpy changed(&thumbnails, &StudyThumbnails::changed);
    QVERIFY(thumbnails.imageOf(file, Appearance::Light).isNull());
    QTRY_VERIFY(m_queue.isIdle());
    QVERIFY(changed.isEmpty() && thumbnails.imageOf(file, Appearance::Light).isNull());
    write(u"changing.headscope"_s, {{{madeup::importance(false)}, {}}});
    std::filesystem::last_write_time(file.toStdString(),
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    (void)thumbnails.imageOf(file, Appearance::Light);
    QTRY_COMPARE(changed.count(), 1);
    QVERIFY(!thumbnails.imageOf(file, Appearance::Light).isNull());
    QVERIFY(thumbnails.imageOf(file, Appearance::Dark).isNull()); // painted anew
    QTRY_COMPARE(changed.count(), 2);
}

void TestStartPage::looks_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::newRow("light") << false << QSize(1100, 700);
    QTest::newRow("dark") << true << QSize(1600, 900);
}

void TestStartPage::looks()
{
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    StudyState state;
    RecentList recent;
    StartPage page(state, recent, m_queue);
    if (dark) {
        page.setPalette(darkPalette());
        page.setAutoFillBackground(true);
    }
    page.resize(size);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QTRY_VERIFY(hasIcon(page.recentList(), u"full"_s) && m_queue.isIdle());
    keepPicture(page, u"start-thumbnails-"_s + QString::fromLatin1(QTest::currentDataTag()));
}

QTEST_MAIN(TestStartPage)
#include "tst_startpage.moc"
