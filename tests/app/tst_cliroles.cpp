#include "tests/support/clirun.h"
#include "tests/support/tinymodel.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// The commands that say what heads do, on a small translation model.
class TestCliRoles : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList with(const QString &command, const QStringList &more = {}) const
    {
        return QStringList{command, u"--model"_s,  path("model"),  u"--threads"_s,
                           u"1"_s,  u"--source"_s, path("in.src"), u"--quiet"_s}
             + more;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        writeTinyModel(path("model").toStdString());
        writeTinyCorpus(path("in.src").toStdString(), path("in.ref").toStdString(), 60, 5);
        QFile lines(path("in.src"));
        QVERIFY(lines.open(QIODevice::ReadOnly));
        QByteArray trees; // every word depends on the one before it
        for (QByteArray line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
            int number = 0;
            for (const QByteArray &word : line.trimmed().split(' ')) {
                ++number;
                trees += QByteArray::number(number) + '\t' + word + "\t_\tX\t_\t_\t" + QByteArray::number(number - 1)
                       + (number == 1 ? "\troot" : "\tobj") + "\t_\t_\n";
            }
            trees += '\n';
        }
        QVERIFY(writeFile(path("in.conllu"), trees));
    }

    void rolesOfDataWithTrees()
    {
        const Run result = checked(with(u"roles"_s, {u"--reference"_s, path("in.ref"), u"--conllu"_s, path("in.conllu"),
                                                     u"--instances"_s, u"10"_s, u"--evidence"_s, u"2"_s}));
        QCOMPARE(result.code, 0);
        const QJsonObject roles = result.json();
        QCOMPARE(roles[u"result"].toString(), u"roles"_s);
        QCOMPARE(roles[u"prefix"].toString(), u"reference"_s);
        QCOMPARE(roles[u"trees"][u"sentences"].toInt(), 60);
        QCOMPARE(roles[u"thresholds"][u"instances"].toInt(), 10);
        QCOMPARE(roles[u"heads"].toArray().size(), 24);
        const QJsonArray relations = roles[u"relations"].toArray();
        QCOMPARE(relations.size(), 2);                       // obj in both directions
        QCOMPARE(relations[0][u"baseline"].toDouble(), 1.0); // always one to the left
        QCOMPARE(relations[0][u"baseline_offset"].toInt(), -1);
        QVERIFY(relations[0][u"best_head"].toString().startsWith(u"encoder"));
        const QJsonObject head = roles[u"heads"].toArray().first().toObject();
        QCOMPARE(head[u"offsets"][u"histogram"].toArray().size(), 15);
        QVERIFY(head[u"evidence"].toArray().first()[u"for"].toArray().size() <= 2);
        QVERIFY(roles[u"manifest"][u"command"].toString().contains(u"--conllu"));
    }

    void rolesAsTable()
    {
        const Run result = checked(with(u"roles"_s, {u"--format"_s, u"csv"_s, u"--out"_s, path("roles.csv"),
                                                     u"--measure"_s, u"norms"_s, u"--positional"_s, u"0"_s}));
        QCOMPARE(result.code, 0);
        QFile file(path("roles.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 25);
        QVERIFY(lines[0].startsWith("head,kind,layer,head_number,role,labels"));
        QVERIFY(lines[1].contains("offset ")); // any share makes a head positional here
        QVERIFY(QFile::exists(path("roles.csv.manifest.json")));
    }

    void wrongOptionsAreRefused()
    {
        QCOMPARE(run(with(u"roles"_s, {u"--corpus"_s, path("no.txt")})).code, 3);
        QCOMPARE(run(with(u"roles"_s, {u"--positional"_s, u"1.5"_s})).code, 2);
        QCOMPARE(run(with(u"roles"_s, {u"--alignments"_s, path("in.src")})).code, 2); // no references
        QCOMPARE(run(with(u"roles"_s, {u"--data"_s, path("in.src")})).code, 2);
        const Run bad = run(with(u"roles"_s, {u"--reference"_s, path("in.ref"), u"--alignments"_s, path("in.src")}));
        QCOMPARE(bad.code, 3);
        QVERIFY(bad.err.contains("line 1 has"));
    }

    void attentionByNormsAndRollout()
    {
        const auto sentenceBy = [&](const QString &measure) {
            const Run result = checked(with(u"attention"_s, {u"--index"_s, u"0"_s, u"--conllu"_s, path("in.conllu"),
                                                             u"--measure"_s, measure, u"--rollout"_s}));
            return result.json()[u"sentences"].toArray().first().toObject();
        };
        const QJsonObject sentence = sentenceBy(u"norm-shares"_s);
        QCOMPARE(sentence[u"measure"].toString(), u"norm-shares"_s);
        const int words = static_cast<int>(sentence[u"source_tree"].toArray().size());
        QVERIFY(words > 0);
        QCOMPARE(sentence[u"source_tokens"][0][u"tree_word"].toInt(-1), 0);
        const QJsonObject map = sentence[u"maps"].toArray().first().toObject();
        QCOMPARE(map[u"value_norms"].toArray().size(), map[u"keys"].toInt());
        for (const QJsonArray &rows : {map[u"weights"].toArray(), sentence[u"rollout"][u"encoder"].toArray()}) {
            for (const QJsonValue &row : rows) {
                double sum = 0;
                for (const QJsonValue &weight : row.toArray())
                    sum += weight.toDouble();
                QVERIFY(std::abs(sum - 1) < 1e-5);
            }
        }
        // Norms are as they are: in proportion to their shares, row by row.
        const QJsonArray norms = sentenceBy(u"norms"_s)[u"maps"].toArray().first()[u"weights"].toArray();
        const QJsonArray shares = map[u"weights"].toArray();
        QCOMPARE(norms.size(), shares.size());
        for (int row = 0; row < norms.size(); ++row) {
            double sum = 0;
            for (const QJsonValue &norm : norms[row].toArray())
                sum += norm.toDouble();
            for (int key = 0; key < norms[row].toArray().size(); ++key)
                QVERIFY(std::abs(norms[row][key].toDouble() / sum - shares[row][key].toDouble()) < 1e-5);
        }
    }
};

QTEST_GUILESS_MAIN(TestCliRoles)
#include "tst_cliroles.moc"

#include <cmath>
