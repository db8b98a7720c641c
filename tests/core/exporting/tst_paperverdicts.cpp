// Verdicts on claims of the papers that are read off tables: each with a table that bears the claim out and one that
// does not.
#include "core/exporting/paperitems.h"
#include "core/exporting/paperverdicts.h"
#include "core/formats/atomicfile.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <string>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestPaperVerdicts final : public QObject
{
    Q_OBJECT

    /// The verdict on an item, with its numbers, where `file` is all there is.
    static QString verdictOf(const std::string &item, const std::string &file, const std::string &text)
    {
        const QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        std::filesystem::create_directories((folder / file).parent_path());
        if (!writeFileAtomically(folder / file, text).isOk())
            return u"not written"_s;
        QString found;
        for (const PaperRun::Verdict &verdict : tableVerdicts(folder, {file})) {
            if (verdict.item == item)
                found = QString::fromStdString(verdict.verdict + ": " + verdict.numbers
                                               + (verdict.rule.empty() ? " no rule" : ""));
        }
        return found;
    }

private Q_SLOTS:
    void claimsHoldOrDoNot_data()
    {
        QTest::addColumn<QString>("item");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("starts");
        QTest::addColumn<QString>("says");
        const auto row = [](const QString &item, const QString &file, const QString &text, const QString &starts,
                            const QString &says = {}) {
            QTest::newRow(qPrintable(item + u' ' + starts + u' ' + file)) << item << file << text << starts << says;
        };
        const QString relations = u"relation,direction,instances,best_head,accuracy,baseline\n"_s;
        const QString best = u"window/roles/best-head-of-every-relation-in.csv"_s;
        row(u"clark-table-1"_s, best,
            relations
                + u"nsubj,dependent → head,600,encoder.0.1,0.6,0.4\nobj,dependent → head,500,encoder.0.2,0.3,0.1\n"_s,
            u"holds"_s, u"2 of 2"_s);
        row(u"clark-table-1"_s, best,
            relations
                + u"nsubj,dependent → head,60,encoder.0.1,0.6,0.5\nobj,dependent → head,50,encoder.0.2,0.3,0.2\n"_s,
            u"cannot be told"_s, u"0 of 2"_s);
        row(u"clark-table-1"_s, best,
            relations
                + u"nsubj,dependent → head,600,encoder.0.1,0.2,0.4\nobj,dependent → head,9,encoder.0.2,0.9,0.1\n"_s,
            u"does not hold"_s, u"0 of 1"_s);
        row(u"voita-table-1"_s, best, relations + u"amod,dependent → head,60,encoder.0.1,0.51,0.4\n"_s, u"holds"_s,
            u"amod"_s);
        row(u"voita-table-1"_s, best,
            relations
                + u"amod,dependent → head,6000,encoder.0.1,0.41,0.4\ndet,dependent → head,60,encoder.0.1,0.9,0.1\n"_s,
            u"does not hold"_s);
        row(u"voita-table-1"_s, best, relations + u"amod,dependent → head,60,encoder.0.1,0.49,0.4\n"_s,
            u"cannot be told"_s);
        const QString offsets = u"relation,direction,instances,offset,count,share\n"_s;
        const QString where = u"report/tables/offsets-in.csv"_s;
        row(u"voita-figure-3"_s, where,
            offsets + u"amod,dependent → head,100,1,90,0.9\nobj,dependent → head,100,-2,60,0.6\n"_s, u"holds"_s,
            u"2 of 2"_s);
        row(u"voita-figure-3"_s, where,
            offsets + u"amod,dependent → head,100,5,90,0.9\nobj,dependent → head,100,-2,60,0.6\n"_s,
            u"does not hold"_s);
        const QString pruning = u"order,pruned,accuracy,f1,matthews\n"_s;
        row(u"michel-metrics"_s, u"tables/rescaled.csv"_s,
            pruning + u"a,0,0.9,0.9,0.8\na,1,0.8,0.8,0.6\na,2,0.5,0.4,0\n"_s, u"holds"_s);
        row(u"michel-metrics"_s, u"tables/rescaled.csv"_s,
            pruning + u"a,0,0.9,0.4,0.8\na,1,0.8,0.8,0.6\na,2,0.5,0.9,0\n"_s, u"does not hold"_s);
        const QString gates = u"step,head,phi,closed,whole,gate,density\n"_s;
        const QString density = u"window/training/density-of-gates-run.csv"_s;
        row(u"voita-figure-6"_s, density, gates + u"9,encoder.0.0,1,0.01,,0,1\n9,encoder.0.1,1,0.99,,0,1\n"_s,
            u"holds"_s);
        row(u"voita-figure-6"_s, density, gates + u"9,encoder.0.0,1,0.5,,0,1\n9,encoder.0.1,1,0.4,,0,1\n"_s,
            u"does not hold"_s, u"0 of 2"_s);
        const QString l0 = u"lambda,open,gated,score,before_score\n"_s;
        row(u"voita-figure-7"_s, u"tables/l0.csv"_s, l0 + u"0.1,10,24,29.9,30\n"_s, u"holds"_s,
            u"10 of 24 heads: −0.10"_s);
        row(u"voita-figure-7"_s, u"tables/l0.csv"_s, l0 + u"0.1,10,24,29,30\n"_s, u"does not hold"_s);
        row(u"voita-figure-7"_s, u"tables/l0.csv"_s, l0 + u"0.1,20,24,30,30\n"_s, u"cannot be told"_s);
        const QString scratch = u"begin,score,epochs,epoch\n"_s;
        const QString against = u"tables/against-scratch.csv"_s;
        row(u"voita-table-2"_s, against,
            scratch + u"9-heads-fine-tuned,30,3,epoch-003\n9-heads-from-scratch,29,9,epoch-007\n"_s, u"holds"_s,
            u"9-heads: 30.00 against 29.00"_s);
        row(u"voita-table-2"_s, against, scratch + u"fine-tuned,28,3,epoch-001\nfrom-scratch,29,3,epoch-003\n"_s,
            u"does not hold"_s);
        row(u"voita-table-2"_s, against, scratch + u"fine-tuned,30,3,epoch-001\nfrom-scratch,29,3,epoch-003\n"_s,
            u"cannot be told"_s, u"1 models from scratch were still getting better"_s);
        row(u"clark-table-2"_s, u"tables/coreference.json"_s,
            uR"({"mentions": 9, "baselines": [{"name": "nearest", "accuracy": 0.4}],
                 "heads": [{"head": "encoder.0.0", "accuracy": 0.1, "ci_low": 0, "ci_high": 0.2},
                           {"head": "encoder.1.0", "accuracy": 0.6, "ci_low": 0.5, "ci_high": 0.7}]})"_s,
            u"holds"_s, u"encoder.1.0"_s);
        row(u"clark-table-2"_s, u"tables/coreference.json"_s,
            uR"({"mentions": 9, "baselines": [{"name": "nearest", "accuracy": 0.4}],
                 "heads": [{"head": "encoder.1.0", "accuracy": 0.6, "ci_low": 0.3, "ci_high": 0.9}]})"_s,
            u"cannot be told"_s);
        row(u"clark-table-2"_s, u"tables/coreference.json"_s,
            uR"({"mentions": 9, "baselines": [{"name": "nearest", "accuracy": 0.7}],
                 "heads": [{"head": "encoder.1.0", "accuracy": 0.6, "ci_low": 0.55, "ci_high": 0.65}]})"_s,
            u"does not hold"_s);
        const QString probe = u"probe,accuracy,ci_low,ci_high\n"_s;
        const QString found = u"attention and words,0.6,0.58,0.62\ndistance and words,0.5,0.48,0.52\n"_s;
        row(u"clark-table-3"_s, u"tables/probe.csv"_s, probe + found + u"random attention and words,0.4,0.38,0.42\n"_s,
            u"holds"_s);
        row(u"clark-table-3"_s, u"tables/probe.csv"_s, probe + found + u"random attention and words,0.7,0.68,0.72\n"_s,
            u"does not hold"_s);
        row(u"clark-table-3"_s, u"tables/probe.csv"_s, probe + found + u"random attention and words,0.59,0.57,0.61\n"_s,
            u"cannot be told"_s);
        const QString sharing
            = u"width,method,pruned,score_parameters,compression,seconds,metric,score,delta,delta_ci_low,delta_ci_high,multiply_adds,length\n"_s;
        const QString full = sharing + u"0,cp,0,100,1,0,BLEU,30,0,,,1000,20\n"_s;
        const QString collaborate = u"tables/collaborate.csv"_s;
        row(u"cordonnier-sharing"_s, collaborate, full + u"128,cp,0,50,2,2,BLEU,29.9,-0.1,-0.29,0.1,900,20\n"_s,
            u"holds"_s, u"128 columns (2.00 times fewer"_s);
        // Few examples do not make a claim hold.
        row(u"cordonnier-sharing"_s, collaborate, full + u"128,cp,0,50,2,2,BLEU,29.9,-0.1,-2,1.8,900,20\n"_s,
            u"cannot be told"_s, u"−0.100 [−2.000, +1.800]"_s);
        row(u"cordonnier-sharing"_s, collaborate,
            full + u"192,cp,0,75,1.3,2,BLEU,29.9,-0.1,-1,0.8,900,20\n128,cp,0,50,2,2,BLEU,20,-10,-12,-8,900,20\n"_s,
            u"cannot be told"_s);
        row(u"cordonnier-sharing"_s, collaborate, full + u"192,cp,0,75,1.3,2,BLEU,25,-5,-6,-4,900,20\n"_s,
            u"does not hold"_s);
        row(u"cordonnier-sharing"_s, u"window/sharing/shared-projections-in.csv"_s,
            full + u"128,cp,0,50,2,2,BLEU,29.9,-0.1,-0.29,0.1,900,20\n"_s, u"holds"_s, u"[−0.290, +0.100]"_s);
        row(u"cordonnier-costs"_s, collaborate, full + u"85,cp,0,33,3,2,BLEU,25,-5,-6,-4,900,20\n"_s, u"holds"_s,
            u"33 % of the parameters, 90 % of the multiply-adds"_s);
        row(u"cordonnier-costs"_s, collaborate, full + u"85,cp,0,33,3,2,BLEU,25,-5,-6,-4,1100,20\n"_s,
            u"does not hold"_s);
        row(u"cordonnier-mixing"_s, u"tables/mixing.json"_s,
            uR"({"points": [{"layers": [{"heads": ["a", "b", "c"], "mixing": [1, 1, 1]}]}]})"_s, u"holds"_s,
            u"3.0 heads"_s);
        row(u"cordonnier-mixing"_s, u"tables/mixing.json"_s,
            uR"({"points": [{"layers": [{"heads": ["a", "b"], "mixing": [1, 0, 0, 1]}]}]})"_s, u"does not hold"_s,
            u"1.0 heads"_s);
        const QString tuning = u"width,form,metric,score,before_score\n,original,accuracy,0.9,0.9\n"_s;
        row(u"cordonnier-tuning"_s, u"tables/shared-tuning-labels.csv"_s,
            tuning + u"20,collaborative,accuracy,0.889,0.5\n"_s, u"holds"_s, u"50.00 before, 88.90 after"_s);
        row(u"cordonnier-tuning"_s, u"tables/shared-tuning-labels.csv"_s,
            tuning + u"20,collaborative,accuracy,0.8,0.5\n"_s, u"does not hold"_s);
        row(u"cordonnier-tuning"_s, u"tables/shared-tuning-labels.csv"_s,
            tuning + u"20,collaborative,accuracy,0.8,0.5\n30,collaborative,accuracy,0.9,0.7\n"_s, u"cannot be told"_s);
        row(u"vaswani-table-3a"_s, u"tables/heads.csv"_s, u"heads,score\n16,28\n1,20\n4,30\n"_s, u"holds"_s);
        row(u"vaswani-table-3a"_s, u"tables/heads.csv"_s, u"heads,score\n16,29.9\n1,20\n4,30\n"_s, u"cannot be told"_s);
        row(u"vaswani-table-3a"_s, u"tables/heads.csv"_s, u"heads,score\n16,31\n1,20\n4,30\n"_s, u"does not hold"_s);
        // Stages of a run with gates: all open, then one head of each kind.
        const auto stage = [](const QString &name, int left, const QString &open) {
            QString text;
            const QStringList heads{u"encoder.0.0,encoder,0"_s, u"encoder.1.0,encoder,1"_s, u"cross.0.0,cross,0"_s,
                                    u"cross.1.0,cross,1"_s,     u"decoder.0.0,decoder,0"_s, u"decoder.1.0,decoder,1"_s};
            const QStringList roles{u"positional"_s, u"syntactic"_s, u""_s, u""_s, u""_s, u"syntactic"_s};
            for (qsizetype i = 0; i < heads.size(); ++i)
                text += u"run,%1,%2,BLEU,30,%3,%4,%5\n"_s.arg(name).arg(left).arg(heads[i], open[i], roles[i]);
            return text;
        };
        const QString survivors = u"window/training/score-by-heads-left-run.csv"_s;
        const QString all
            = u"run,stage,left,metric,score,head,kind,layer,open,role\n"_s + stage(u"epoch 1"_s, 6, u"111111"_s);
        const QString expected = all + stage(u"epoch 2"_s, 2, u"000110"_s); // cross of layer 1, decoder of layer 0
        const QString other = all + stage(u"epoch 2"_s, 2, u"110000"_s);
        row(u"voita-figure-8"_s, survivors, other, u"holds"_s, u"2 of 6"_s);
        row(u"voita-figure-8"_s, survivors, expected, u"does not hold"_s, u"positional, syntactic"_s);
        row(u"voita-figure-8"_s, survivors, all, u"cannot be told"_s);
        row(u"voita-figure-9"_s, survivors, expected, u"holds"_s, u"50 % of cross-attention's"_s);
        row(u"voita-figure-9"_s, survivors, other, u"does not hold"_s);
        row(u"voita-figure-10"_s, survivors, expected, u"holds"_s, u"0.00 (self) and 1.00 (cross)"_s);
        row(u"voita-figure-10"_s, survivors, all + stage(u"epoch 2"_s, 2, u"001001"_s), u"does not hold"_s);
        row(u"voita-figure-10"_s, survivors, other, u"cannot be told"_s);
    }
    void claimsHoldOrDoNot()
    {
        QFETCH(QString, item);
        QFETCH(QString, file);
        QFETCH(QString, text);
        QFETCH(QString, starts);
        QFETCH(QString, says);
        const QString verdict = verdictOf(item.toStdString(), file.toStdString(), text.toStdString());
        QVERIFY2(verdict.startsWith(starts + u": "_s), qPrintable(verdict));
        QVERIFY2(verdict.contains(says), qPrintable(verdict));
        QVERIFY2(!verdict.endsWith(u"no rule"_s), qPrintable(verdict));
    }

    /// No table, or one of something else: no verdict, whatever is in it.
    void damagedTablesSayNothing()
    {
        for (const PaperItem &item : paperItems()) {
            const QString files = QString::fromUtf8(item.files.data(), static_cast<qsizetype>(item.files.size()));
            for (const QString &file : files.split(u' ')) {
                for (const char *text : {"", "a,b\n", "a,b\n1,2\n", "{}", "[1]", "{\"points\": 3}", "\"x\n"}) {
                    const QString name = QString(file).replace(u'*', u'x');
                    QCOMPARE(verdictOf(std::string(item.id), name.toStdString(), text), QString());
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestPaperVerdicts)
#include "tst_paperverdicts.moc"
