// Costs of products: measured, remembered in the user's cache folder, and what strangers write there does no harm.
#include "core/packed/productspeed.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace headscope;

class TestProductSpeed : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!hasPackedProducts())
            QSKIP("built without oneDNN");
        QVERIFY(m_cache.isValid());
        qputenv("XDG_CACHE_HOME", m_cache.path().toLocal8Bit());
    }

    void areSharesOfExactOnes()
    {
        const ProductCosts costs = measureProductCosts(64, 96);
        QCOMPARE(costs[static_cast<std::size_t>(Products::Exact)], 1.0);
        for (const double cost : costs)
            QVERIFY(cost > 0 && cost < 1000);
    }

    void areRemembered()
    {
        const ProductCosts costs = productCosts(32, 64);
        QVERIFY(productCosts(32, 64) == costs);
        const auto json = read();
        QCOMPARE(json.size(), 1U); // one machine
        QVERIFY(json.begin().value().at("32x64").get<ProductCosts>() == costs);
    }

    void thoseOfOtherProgramsCount()
    {
        (void)productCosts(32, 64);
        auto json = read();
        json.begin().value()["48x80"] = {1.0, 0.25, 0.125, 0.0625};
        write(json.dump());
        QVERIFY((productCosts(48, 80) == ProductCosts{1.0, 0.25, 0.125, 0.0625}));
        (void)productCosts(16, 16); // what was there stays
        QVERIFY(read().begin().value().contains("48x80"));
    }

    void nonsenseIsMeasuredAnew_data()
    {
        QTest::addColumn<QByteArray>("entry");
        QTest::addColumn<int>("width");
        QTest::newRow("no list") << QByteArray("\"fast\"") << 17;
        QTest::newRow("too short") << QByteArray("[1.0]") << 18;
        QTest::newRow("negative") << QByteArray("[1.0, -3.0, 0.5]") << 19;
        QTest::newRow("no numbers") << QByteArray("[1.0, null, 0.5]") << 20;
    }
    void nonsenseIsMeasuredAnew()
    {
        QFETCH(QByteArray, entry);
        QFETCH(int, width);
        (void)productCosts(32, 64);
        auto json = read();
        const std::string name = std::to_string(width) + "x" + std::to_string(width);
        json.begin().value()[name] = nlohmann::json::parse(entry.toStdString());
        write(json.dump());
        const ProductCosts costs = productCosts(width, width);
        QCOMPARE(costs[0], 1.0);
        QVERIFY(costs[1] > 0 && costs[2] > 0);
    }

    void aFileThatIsNoJsonIsReplaced()
    {
        write("{\"half");
        QCOMPARE(productCosts(21, 21)[0], 1.0);
        QVERIFY(read().begin().value().contains("21x21"));
    }

    void aFolderThatCannotBeWrittenIsNoHarm()
    {
        QVERIFY(QFile::remove(path()));
        QVERIFY(QDir().mkpath(path())); // a folder where the file would be
        QCOMPARE(productCosts(22, 22)[0], 1.0);
    }

private:
    QString path() const { return m_cache.filePath(QStringLiteral("headscope/products.json")); }
    nlohmann::json read() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? nlohmann::json::parse(file.readAll().toStdString(), nullptr, false)
                                              : nlohmann::json();
    }
    void write(const std::string &text) const
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.data(), static_cast<qint64>(text.size()));
    }

    QTemporaryDir m_cache;
};

QTEST_GUILESS_MAIN(TestProductSpeed)
#include "tst_productspeed.moc"
