#include "tests/support/clirun.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// The relevance command, on small models.
class TestCliRelevance : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList with(const char *model, const QStringList &more) const
    {
        return QStringList{u"relevance"_s, u"--model"_s, path(model), u"--threads"_s, u"1"_s, u"--quiet"_s} + more;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        writeTinyModel(path("model").toStdString());
        writeTinyCorpus(path("src").toStdString(), path("ref").toStdString(), 12, 5);
        writeTinyClassifier(path("bert").toStdString());
        writeTinyTable(path("table.tsv").toStdString(), 12, 5);
        QVERIFY(writeFile(path("trees.conllu"), "# text = a man runs\n"
                                                "1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_\n"
                                                "2\tman\tman\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
                                                "3\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"));
    }

    void writesResults()
    {
        for (const QString &rule : {u"alpha-beta"_s, u"epsilon"_s, u"attnlrp"_s, u"cp-lrp"_s}) {
            const Run result = checked(with("model", {u"--source"_s, path("src"), u"--reference"_s, path("ref"),
                                                      u"--rule"_s, rule, u"--sentences"_s}));
            QCOMPARE(result.code, 0);
            const QJsonObject json = result.json();
            QCOMPARE(json[u"result"].toString(), u"relevance"_s);
            QCOMPARE(json[u"rule"].toString(), rule);
            QCOMPARE(json[u"absolute"].toBool(), rule != u"alpha-beta"_s);
            QCOMPARE(json[u"prefix"].toString(), u"reference"_s);
            QCOMPARE(json[u"sentences"].toArray().size(), 12);
            double layer = 0;
            for (int head = 0; head < 4; ++head)
                layer += json[u"heads"].toArray()[head][u"relevance"].toDouble();
            QVERIFY(std::abs(layer - 1) < 1e-9);
            QVERIFY(json[u"contributions"].toArray().size() > 2);
        }
        const Run table = checked(
            with("bert", {u"--data"_s, path("table.tsv"), u"--format"_s, u"csv"_s, u"--mask"_s, u"encoder.1.2"_s}));
        QVERIFY(table.out.startsWith("head,kind,layer,head_number,relevance,stderr"));
        QVERIFY(table.out.contains("encoder.1.2,encoder,1,2,0,0"));
    }

    void needsNoReferences()
    {
        const Run own = checked(with("model", {u"--source"_s, path("src"), u"--limit"_s, u"3"_s}));
        QCOMPARE(own.json()[u"prefix"].toString(), u"own output"_s);
        QCOMPARE(own.json()[u"examples"].toInt(), 3);
        const Run trees = checked(with("model", {u"--conllu"_s, path("trees.conllu")}));
        QCOMPARE(trees.json()[u"examples"].toInt(), 1);
        QCOMPARE(trees.json()[u"prefix"].toString(), u"own output"_s);
    }

    void usageErrors()
    {
        const QStringList data{u"--source"_s, path("src")};
        QCOMPARE(run(with("model", data + QStringList{u"--rule"_s, u"gamma"_s})).code, 2);
        QCOMPARE(run(with("model", data + QStringList{u"--absolute"_s, u"--signed"_s})).code, 2);
        const Run constant
            = run(with("model", data + QStringList{u"--rule"_s, u"attnlrp"_s, u"--attention-constant"_s}));
        QCOMPARE(constant.code, 2);
        QVERIFY(constant.err.contains("alpha-beta"));
        QCOMPARE(run(with("model", data + QStringList{u"--mask"_s, u"encoder.9.0"_s})).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestCliRelevance)
#include "tst_clirelevance.moc"
