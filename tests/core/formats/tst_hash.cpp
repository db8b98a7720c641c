#include "core/formats/atomicfile.h"
#include "core/formats/hash.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;

namespace {

std::string hashOf(std::string_view bytes)
{
    Hasher hasher;
    hasher.add(std::as_bytes(std::span(bytes)));
    return hasher.hex();
}

} // namespace

class TestHash : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knownValues()
    {
        // From the reference implementation: xxhsum -H128 of nothing and of "abc".
        QCOMPARE(hashOf(""), std::string("99aa06d3014798d86001c324468d497f"));
        QCOMPARE(hashOf("abc"), std::string("06b05ab6733a618578af5f94892f3950"));
    }

    void piecesMakeTheWhole()
    {
        Hasher hasher;
        hasher.add(std::as_bytes(std::span(std::string_view("a"))));
        hasher.add(std::as_bytes(std::span(std::string_view("bc"))));
        QCOMPARE(hasher.hex(), hashOf("abc"));
        QCOMPARE(hasher.hex(), hashOf("abc"));
    }

    void textsAreKeptApart()
    {
        Hasher one;
        one.add(std::string_view("ab"));
        one.add(std::string_view("c"));
        Hasher other;
        other.add(std::string_view("a"));
        other.add(std::string_view("bc"));
        QVERIFY(one.hex() != other.hex());
    }

    void files()
    {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "file";
        (void)writeFileAtomically(path, "abc").valueOrThrow();
        QCOMPARE(hashFile(path).valueOrThrow(), hashOf("abc"));
        QVERIFY(hashFile(path.parent_path()).isError());
        QVERIFY(hashFile("/no/such/file").isError());
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(hashFile(path, JobControl(stop.get_token())).isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestHash)
#include "tst_hash.moc"
