#include "tests/support/clirun.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// The commands that train, and the one that looks at what they leave, on a small translation model.
class TestCliTraining : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const QString &name) const { return m_folder.filePath(name); }
    QStringList with(const QString &command, const QString &output, const QStringList &more = {}) const
    {
        return QStringList{command, path(u"train.json"_s), u"--output"_s, path(output), u"--threads"_s,
                           u"1"_s,  u"--quiet"_s}
             + more;
    }
    QStringList from(const QString &command, const QString &output, const QStringList &more = {}) const
    {
        return with(command, output, QStringList{u"--start-from"_s, path(u"model"_s)} + more);
    }
    QStringList measured(const QString &command, const QStringList &more) const
    {
        return QStringList{command,      u"--source"_s, path(u"in.src"_s), u"--reference"_s, path(u"in.ref"_s),
                           u"--beams"_s, u"1"_s,        u"--threads"_s,    u"1"_s,           u"--quiet"_s}
             + more;
    }
    static QStringList lines(const QByteArray &text) { return QString::fromUtf8(text).trimmed().split(u'\n'); }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        writeTinyModel(path(u"model"_s).toStdString());
        writeTinyCorpus(path(u"in.src"_s).toStdString(), path(u"in.ref"_s).toStdString(), 60, 5);
        QVERIFY(writeFile(path(u"train.json"_s), R"({
            "output": "unset",
            "train": {"source": "in.src", "reference": "in.ref"},
            "validation": {"source": "in.src", "reference": "in.ref", "limit": 20},
            "model": {"width": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_heads": 4, "decoder_heads": 4,
                      "feed_forward": 24, "max_positions": 64},
            "vocabulary": {"size": 60}, "dropout": 0, "batch_tokens": 128, "epochs": 2, "report_steps": 2, "dtype": "f32",
            "schedule": {"name": "constant", "learning_rate": 0.002, "warmup_steps": 0},
            "gates": {"learning_rate": 0.5}
        })"));
    }

    void headsLearnToClose()
    {
        const Run result = checked(from(u"l0"_s, u"l0"_s, {u"--lambda"_s, u"0,5"_s, u"--kinds"_s, u"encoder,cross"_s}));
        QCOMPARE(result.code, 0);
        QCOMPARE(result.json()[u"result"].toString(), u"l0"_s);
        const QJsonArray runs = result.json()[u"runs"].toArray();
        QCOMPARE(runs.size(), 2);
        QCOMPARE(runs[0][u"open_heads"].toInt(), 16); // without a penalty nothing closes within so few updates
        QCOMPARE(runs[0][u"mask"].toString(), QString());
        const QJsonObject pressed = runs[1].toObject();
        QCOMPARE(pressed[u"lambda"].toDouble(), 5.0);
        const int open = pressed[u"open_heads"].toInt();
        QVERIFY(open < 16);
        QCOMPARE(pressed[u"encoder"][u"gated"].toInt(), 8);
        QCOMPARE(pressed[u"encoder"][u"open"].toInt() + pressed[u"cross"][u"open"].toInt(), open);
        QVERIFY(!pressed.contains(u"decoder"));
        const QJsonArray points = pressed[u"points"].toArray();
        QVERIFY(points.last()[u"expected_open"].toDouble() < points.first()[u"expected_open"].toDouble());
        QCOMPARE(points.last()[u"closed"].toObject().size(), 16);

        // The score is that of the mask, given as heads and as the matrices that every epoch has.
        const QString model = pressed[u"model"].toString();
        for (const QString &mask : QStringList{pressed[u"mask"].toString(), model + u"/alive_heads.json"_s}) {
            const Run score = checked(measured(u"evaluate"_s, {u"--model"_s, model, u"--limit"_s, u"20"_s, u"--mask"_s,
                                                               mask, u"--resamples"_s, u"0"_s}));
            QCOMPARE(score.code, 0);
            QVERIFY(std::abs(score.json()[u"metrics"][0][u"value"].toDouble() - pressed[u"score"].toDouble()) < 1e-9);
            QCOMPARE(score.json()[u"mask"].toString(), pressed[u"mask"].toString());
        }
        QCOMPARE(pressed[u"alive_heads"][u"enc-self"].toArray().size(), 2);
        QVERIFY(!pressed[u"alive_heads"].toObject().contains(u"dec-self"));

        // What the heads that are left do, epoch by epoch.
        const Run followed = checked(measured(
            u"dynamics"_s, {u"--runs"_s, path(u"l0/lambda-5"_s), u"--curves-only"_s, u"--roles"_s, u"--spread"_s}));
        QCOMPARE(followed.code, 0);
        const QJsonArray checkpoints = followed.json()[u"checkpoints"].toArray();
        QCOMPARE(checkpoints.size(), 3);
        QVERIFY(!checkpoints[0].toObject().contains(u"closed")); // what it began with
        QCOMPARE(checkpoints[2][u"closed"].toString(), pressed[u"mask"].toString());
        QVERIFY(!checkpoints[2][u"spreads"].toArray().isEmpty());

        // The same command reads what is finished; as a table, too.
        const Run table = checked(from(
            u"l0"_s, u"l0"_s, {u"--lambda"_s, u"0,5"_s, u"--kinds"_s, u"encoder,cross"_s, u"--format"_s, u"csv"_s}));
        QCOMPARE(table.code, 0);
        QCOMPARE(lines(table.out).size(), 3);
        QVERIFY(lines(table.out)[2].startsWith(u"5,%1,"_s.arg(open)));
    }

    // Shorter than the way to the first point of the curve.
    void shortRunsHaveTheirGates()
    {
        QByteArray config = readFile(path(u"train.json"_s));
        config.replace("\"report_steps\": 2", "\"report_steps\": 50, \"steps\": 3");
        QVERIFY(writeFile(path(u"short.json"_s), config));
        QStringList arguments = from(u"l0"_s, u"short"_s, {u"--lambda"_s, u"0"_s});
        arguments[1] = path(u"short.json"_s);
        const Run result = checked(arguments);
        QCOMPARE(result.code, 0);
        const QJsonArray points = result.json()[u"runs"].toArray()[0][u"points"].toArray();
        QCOMPARE(points.size(), 1);
        QCOMPARE(points[0][u"step"].toInt(), 3);
    }

    void soManyHeadsStay()
    {
        const Run result = checked(from(u"subset"_s, u"subset"_s, {u"--heads"_s, u"5,24"_s}));
        QCOMPARE(result.code, 0);
        const QJsonArray runs = result.json()[u"runs"].toArray();
        QCOMPARE(runs[0][u"open_heads"].toInt(), 5);
        QCOMPARE(runs[0][u"mask"].toString().split(u',').size(), 19);
        QCOMPARE(runs[1][u"open_heads"].toInt(), 24);
        const Run none = run(from(u"subset"_s, u"none"_s, {u"--heads"_s, u"25"_s}));
        QCOMPARE(none.code, 2);
        QVERIFY(none.err.contains("only 24"));
    }

    void prunedModelsGoOnLearning()
    {
        const QString mask = u"encoder.0.1,encoder.1.3,cross.0.0,decoder.1.2"_s;
        const Run alone = checked(from(u"train"_s, u"pruned"_s, {u"--mask"_s, mask}));
        QCOMPARE(alone.code, 0);
        // It begins with the masked model, and never gets those heads back.
        const Run masked = checked(
            measured(u"evaluate"_s, {u"--model"_s, path(u"model"_s), u"--mask"_s, mask, u"--resamples"_s, u"0"_s}));
        const Run begins
            = checked(measured(u"evaluate"_s, {u"--model"_s, path(u"pruned/epoch-000"_s), u"--resamples"_s, u"0"_s}));
        QCOMPARE(begins.json()[u"metrics"].toArray(), masked.json()[u"metrics"].toArray());
        const Run ends = checked({u"inspect"_s, u"--model"_s, path(u"pruned/epoch-002"_s)});
        QCOMPARE(ends.code, 0);
        QVERIFY(!ends.out.isEmpty());
        const Run refused
            = run(measured(u"evaluate"_s, {u"--model"_s, path(u"pruned/epoch-002"_s), u"--mask"_s, u"encoder.0.1"_s}));
        QCOMPARE(refused.code, 2);

        // By matrices, against the same shape from scratch.
        QVERIFY(writeFile(path(u"alive.json"_s), R"({"enc-self": [[1, 0, 1, 1], [1, 1, 1, 0]],
            "dec-enc": [[0, 1, 1, 1], [1, 1, 1, 1]],
            "dec-self": [[1, 1, 1, 1], [1, 1, 0, 1]]})"));
        const Run both
            = checked(from(u"train"_s, u"both"_s, {u"--mask"_s, path(u"alive.json"_s), u"--against-scratch"_s}));
        QCOMPARE(both.code, 0);
        const QJsonArray runs = both.json()[u"runs"].toArray();
        QCOMPARE(runs.size(), 2);
        QCOMPARE(runs[0][u"begin"].toString(), u"fine-tuned"_s);
        QCOMPARE(runs[1][u"begin"].toString(), u"from-scratch"_s);
        QCOMPARE(runs[0][u"parameters"].toInt(), alone.json()[u"parameters"].toInt());
        QCOMPARE(runs[1][u"parameters"].toInt(), alone.json()[u"parameters"].toInt());
        QCOMPARE(
            runs[0][u"validation_loss"].toDouble(), // the same run as above
            alone.json()[u"epochs"][runs[0][u"epoch"].toString().right(1).toInt() - 1][u"validation_loss"].toDouble());
        QVERIFY(runs[0][u"validation_loss"].toDouble() != runs[1][u"validation_loss"].toDouble());

        QCOMPARE(runs[0][u"encoder"].toInt(), 6);
        QCOMPARE(runs[0][u"cross"].toInt(), 7);

        // Several masks, in a table; which of them is which is said by the heads that are left.
        const Run table = checked(from(u"train"_s, u"table"_s,
                                       {u"--mask"_s, path(u"alive.json"_s), u"--mask"_s, u"encoder.0.1"_s,
                                        u"--against-scratch"_s, u"--format"_s, u"csv"_s}));
        QCOMPARE(table.code, 0);
        const QStringList rows = lines(table.out);
        QCOMPARE(rows.size(), 5);
        QCOMPARE(rows[0], u"begin,encoder,cross,decoder,parameters,perplexity,metric,score,epochs,epoch"_s);
        QVERIFY2(rows[1].startsWith(u"20-heads-fine-tuned,6,7,7,"_s), qPrintable(rows[1]));
        QVERIFY2(rows[4].startsWith(u"23-heads-from-scratch,7,8,8,"_s), qPrintable(rows[4]));
        const Run several = run(from(u"train"_s, u"two"_s, {u"--mask"_s, mask, u"--mask"_s, u"encoder.0.1"_s}));
        QCOMPARE(several.code, 2);
        QVERIFY(several.err.contains("--against-scratch"));

        const Run homeless = run(with(u"train"_s, u"homeless"_s, {u"--mask"_s, mask}));
        QCOMPARE(homeless.code, 2);
        QVERIFY(homeless.err.contains("--start-from"));
    }

    /// Before and after, of the starting model and of what its projections are factorized to, as one table.
    void sharedProjectionsAreTrainedFurther()
    {
        const Run result = checked(
            from(u"train"_s, u"shared-further"_s, {u"--shared-projections"_s, u"8,4"_s, u"--format"_s, u"csv"_s}));
        QCOMPARE(result.code, 0);
        const QStringList rows = lines(result.out);
        QCOMPARE(rows.size(), 6);
        QCOMPARE(rows[0], u"width,form,parameters,perplexity,metric,score,before_perplexity,before_score,epoch"_s);
        QVERIFY2(rows[1].startsWith(u",original,"_s), qPrintable(rows[1]));
        QVERIFY2(rows[4].startsWith(u"4,collaborative,"_s), qPrintable(rows[4]));
        const auto cell = [&](int row, int column) { return rows[row].split(u',')[column].toDouble(); };
        QVERIFY(cell(4, 2) < cell(1, 2));  // parameters
        QVERIFY(cell(4, 6) != cell(1, 6)); // perplexity before: factorizing changed the model
        for (int row = 1; row < 6; ++row)
            QVERIFY2(cell(row, 3) < cell(row, 6), qPrintable(rows[row])); // and training made it better
        const Run json = checked(from(u"train"_s, u"shared-further"_s, {u"--shared-projections"_s, u"8,4"_s}));
        QVERIFY(json.json()[u"runs"][0][u"width"].isUndefined());
        QCOMPARE(json.json()[u"runs"][3][u"before_perplexity"].toDouble(), cell(4, 6));
    }

    void headsBeginIdenticalOrDifferent()
    {
        const Run result = checked(with(
            u"train"_s, u"initial"_s, {u"--initial-heads"_s, u"different,identical,equal"_s, u"--format"_s, u"csv"_s}));
        QCOMPARE(result.code, 0);
        QCOMPARE(lines(result.out).size(), 4);
        QVERIFY(lines(result.out)[2].startsWith(u"identical-heads,"_s));
        // Spreads at the end: equal heads have equal gradients, and only rounding tells them apart.
        const auto spread = [&](int row) { return lines(result.out)[row].split(u',')[5].toDouble(); };
        QVERIFY(spread(1) > spread(2) && spread(2) > 0.1);
        QVERIFY2(spread(3) < 1e-3, lines(result.out)[3].toUtf8().constData());
        // Heads that are identical look at the same; one update later they do not.
        const auto apart = [&](const QString &epoch) {
            const Run compared
                = checked(measured(u"similarity"_s, {u"--model"_s, path(u"initial/identical-heads/"_s + epoch),
                                                     u"--resamples"_s, u"0"_s}));
            double most = 0;
            for (const QJsonValue layer : compared.json()[u"layers"].toArray())
                most = std::max(most, layer[u"spread"].toDouble());
            return most;
        };
        QVERIFY(apart(u"epoch-000"_s) < 1e-3);
        QVERIFY(apart(u"epoch-002"_s) > 1e-3);
    }

    void killedDynamicsLosesNothing()
    {
        if (!QFileInfo::exists(path(u"pruned/epoch-002"_s)))
            QCOMPARE(checked(from(u"train"_s, u"pruned"_s, {u"--mask"_s, u"encoder.0.1"_s})).code, 0);
        const auto dynamics = [&](const QString &keep) {
            return measured(u"dynamics"_s, {u"--runs"_s, path(u"pruned"_s), u"--keep"_s, path(keep)});
        };
        QProcess killed;
        killed.start(program(), dynamics(u"kept"_s));
        QVERIFY(killed.waitForStarted());
        // In the middle: the first checkpoint is measured, the last is not.
        const auto results = [&] { return QDir(path(u"kept"_s)).entryInfoList(QDir::Files); };
        QElapsedTimer timer;
        timer.start();
        while (results().size() < 5 && killed.state() == QProcess::Running && timer.elapsed() < 120'000)
            QTest::qWait(1);
        killed.kill();
        QVERIFY(killed.waitForFinished());
        const QFileInfoList before = results();
        QVERIFY(before.size() >= 4);

        const Run again = checked(dynamics(u"kept"_s));
        QCOMPARE(again.code, 0);
        const Run whole = checked(dynamics(u"elsewhere"_s));
        QCOMPARE(again.json()[u"checkpoints"].toArray().size(), 3);
        QCOMPARE(again.json()[u"checkpoints"].toArray(), whole.json()[u"checkpoints"].toArray());
        for (const QFileInfo &file : before)
            QCOMPARE(QFileInfo(file.filePath()).lastModified(), file.lastModified());
        QCOMPARE(results().size(), 12); // four analyses of three checkpoints

        const Run table
            = checked(dynamics(u"kept"_s) + QStringList{u"--format"_s, u"csv"_s, u"--checkpoints"_s, u"0,2"_s});
        QCOMPARE(table.code, 0);
        QVERIFY(lines(table.out)[0].startsWith(u"checkpoint,number,what,"_s));
        QVERIFY(!table.out.contains("epoch-001"));
        QCOMPARE(run(measured(u"dynamics"_s, {u"--runs"_s, path(u"nowhere"_s)})).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestCliTraining)
#include "tst_clitraining.moc"
