#include "core/analysis/ablationspec.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/searchspec.h"
#include "core/analysis/speedspec.h"
#include "core/formats/atomicfile.h"
#include "core/formats/textlines.h"
#include "core/results/ablationresult.h"
#include "core/results/attentionresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/pruningresult.h"
#include "core/results/results.h"
#include "core/session/report.h"
#include "core/session/session.h"
#include "core/session/studyrecord.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

constexpr int kLines = 150;

std::string messageOf(const auto &result)
{
    return result.isError() ? result.error().message : "";
}

RunOptions withBeams(int beams, bool plain = false)
{
    RunOptions run;
    run.decoding.beams = beams;
    run.plain = plain;
    return run;
}

} // namespace

/// The whole core through its door, on a tiny model of fixed weights.
class TestSession : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

    DataSource source() const
    {
        DataSource data;
        data.source = path("in.src");
        data.reference = path("in.ref");
        return data;
    }

    Result<std::shared_ptr<Session>> openChanged(const char *file, const std::string &bytes) const
    {
        const fs::path folder = path("changed");
        fs::remove_all(folder);
        fs::copy(path("model"), folder);
        if (bytes.empty())
            fs::remove(folder / file);
        else
            (void)writeFileAtomically(folder / file, bytes).valueOrThrow();
        return Session::open(folder, {}, {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("model"));
        writeTinyCorpus(path("in.src"), path("in.ref"), kLines, 1);
        writeTinyCorpus(path("out.src"), path("out.ref"), 20, 2);
        auto session = Session::open(path("model"), {}, {});
        QVERIFY2(session.isOk(), messageOf(session).c_str());
        m_session = session.value();
        const auto data = m_session->setData(Domain::In, source(), {});
        QVERIFY2(data.isOk(), messageOf(data).c_str());
        QCOMPARE(data.value().rows, kLines);
    }

    void cardSaysWhatWasOpened()
    {
        const ModelCard &card = m_session->card();
        QCOMPARE(card.family, std::string("marian"));
        QCOMPARE(card.layout.size(), 24);
        QCOMPARE(card.layout.blocks().size(), std::size_t(3));
        QVERIFY(card.parameters > 5000);
        QVERIFY(!card.weightsHash.empty());
    }

    void scoresStreamAndAgree()
    {
        EvaluationSpec spec{.run = withBeams(1), .mask = {}, .outputs = true};
        std::vector<std::int64_t> seen;
        const auto result = m_session->run<EvaluationSpec>(
            Domain::In, spec, {}, [&](const EvaluationResult &partial) { seen.push_back(partial.examples); });
        QVERIFY2(result.isOk(), messageOf(result).c_str());
        QCOMPARE(result.value().examples, kLines);
        QCOMPARE(seen, std::vector<std::int64_t>{64});
        QCOMPARE(result.value().outputs.size(), std::size_t(kLines));
        for (std::int64_t i = 0; i < kLines; ++i)
            QCOMPARE(result.value().outputs[static_cast<std::size_t>(i)].index, i);
        QCOMPARE(result.value().primary().name, std::string("BLEU"));
        const Interval interval = *result.value().primary().interval;
        QVERIFY(interval.low <= result.value().primary().value && result.value().primary().value <= interval.high);
    }

    void fastSweepEqualsPlain_data()
    {
        QTest::addColumn<int>("beams");
        QTest::addColumn<bool>("allButOne");
        QTest::addColumn<Replacement>("replacement");
        QTest::addColumn<QByteArray>("mask");
        QTest::newRow("greedy") << 1 << false << Replacement::Zero << QByteArray();
        QTest::newRow("greedy under a mask") << 1 << false << Replacement::Zero << QByteArray("encoder.0.1,cross.1.2");
        QTest::newRow("greedy, all but one") << 1 << true << Replacement::Zero << QByteArray();
        QTest::newRow("greedy, mean") << 1 << false << Replacement::Mean << QByteArray();
        QTest::newRow("greedy, resample") << 1 << false << Replacement::Resample << QByteArray("decoder.0.0");
        QTest::newRow("beam") << 3 << false << Replacement::Zero << QByteArray();
        QTest::newRow("beam, mean") << 3 << false << Replacement::Mean << QByteArray();
    }

    void fastSweepEqualsPlain()
    {
        QFETCH(int, beams);
        QFETCH(bool, allButOne);
        QFETCH(Replacement, replacement);
        QFETCH(QByteArray, mask);
        AblationSpec spec{.run = withBeams(beams),
                          .mask = parseHeadMask(mask.toStdString()).valueOrThrow(),
                          .allButOne = allButOne,
                          .replacement = replacement,
                          .resamples = 100};
        const auto fast = m_session->run<AblationSpec>(Domain::In, spec, {});
        spec.run.plain = true;
        const auto plain = m_session->run<AblationSpec>(Domain::In, spec, {});
        QVERIFY2(fast.isOk() && plain.isOk(), (messageOf(fast) + messageOf(plain)).c_str());
        QCOMPARE(fast.value().heads.size(), std::size_t(24) - spec.mask.size());
        std::int64_t changed = 0;
        for (std::size_t i = 0; i < fast.value().heads.size(); ++i) {
            const HeadAblation &a = fast.value().heads[i];
            const HeadAblation &b = plain.value().heads[i];
            QCOMPARE(a.head, b.head);
            QCOMPARE(a.score, b.score);
            QCOMPARE(a.changed, b.changed);
            QCOMPARE(a.p, b.p);
            QVERIFY(a.pAdjusted >= a.p);
            changed += a.changed;
        }
        QVERIFY(changed > 0); // or the comparison would mean nothing
        // One more way to the same number: the score under the mask of a single head.
        if (!allButOne && replacement == Replacement::Zero) {
            EvaluationSpec single{.run = spec.run, .mask = spec.mask};
            single.mask.set(fast.value().heads.back().head, true);
            const auto score = m_session->run<EvaluationSpec>(Domain::In, single, {});
            QCOMPARE(score.value().primary().value, fast.value().heads.back().score);
        }
    }

    void resultsAreComputedOnce()
    {
        ImportanceSpec spec{.run = withBeams(1)};
        const auto first = m_session->run<ImportanceSpec>(Domain::In, spec, {});
        QVERIFY(first.isOk());
        std::stop_source stop;
        stop.request_stop(); // a second computation would be cancelled
        const auto again = m_session->run<ImportanceSpec>(Domain::In, spec, JobControl(stop.get_token()));
        QVERIFY(again.isOk());
        QCOMPARE(again.value().heads[3].importance, first.value().heads[3].importance);
    }

    void cancelIsNotAFailure()
    {
        std::stop_source stop;
        AblationSpec spec{.run = withBeams(1), .mask = {}, .resamples = 33};
        int partial = 0;
        const auto result = m_session->run<AblationSpec>(Domain::In, spec, JobControl(stop.get_token()),
                                                         [&](const AblationResult &r) {
                                                             partial += static_cast<int>(r.heads.size());
                                                             stop.request_stop();
                                                         });
        QVERIFY(result.isCancelled());
    }

    void pruningCurvesStartAtTheWholeModel()
    {
        const auto base = m_session->run<EvaluationSpec>(Domain::In, {.run = withBeams(1), .mask = {}}, {});
        for (const char *order : {"importance", "ablation", "random"}) {
            PruningSpec spec{.run = withBeams(1), .order = order};
            spec.step = 6;
            spec.randomOrders = 3;
            std::size_t published = 0;
            const auto result = m_session->run<PruningSpec>(Domain::In, spec, {}, [&](const PruningResult &partial) {
                published = std::max(published, partial.curves[0].points.size());
            });
            QVERIFY2(result.isOk(), messageOf(result).c_str());
            const PruningCurve &curve = result.value().curves[0];
            QCOMPARE(curve.points.size(), std::size_t(5));
            QCOMPARE(published, std::size_t(5));
            QCOMPARE(curve.points.front().score, base.value().primary().value); // bit for bit
            QCOMPARE(curve.points.back().pruned, 24);
            QCOMPARE(curve.randomOrders, order == std::string("random") ? 3 : 0);
            if (curve.randomOrders == 0) {
                for (std::size_t i = 1; i < curve.points.size(); ++i) {
                    for (const HeadRef &head : curve.points[i - 1].mask)
                        QVERIFY(curve.points[i].mask.isMasked(head)); // cumulative
                }
            }
        }
    }

    void reestimatedPruningOfSomeKinds()
    {
        PruningSpec spec{.run = withBeams(1), .order = "importance"};
        spec.reestimate = true;
        spec.kinds = {HeadKind::Cross};
        spec.step = 2;
        const auto result = m_session->run<PruningSpec>(Domain::In, spec, {});
        QVERIFY2(result.isOk(), messageOf(result).c_str());
        const PruningCurve &curve = result.value().curves[0];
        QCOMPARE(curve.points.back().pruned, 8);
        for (const HeadRef &head : curve.points.back().mask)
            QCOMPARE(head.kind, HeadKind::Cross);
    }

    void confidenceIsAShare()
    {
        const auto result = m_session->run<ConfidenceSpec>(Domain::In, {withBeams(1)}, {});
        QVERIFY2(result.isOk(), messageOf(result).c_str());
        QCOMPARE(result.value().heads.size(), std::size_t(24));
        for (const HeadConfidence &head : result.value().heads) {
            QVERIFY(head.confidence > 0 && head.confidence <= 1);
            QVERIFY(head.tokens > 0);
        }
    }

    void attentionRowsSumToOne()
    {
        const HeadMask mask{{HeadKind::Cross, 1, 1}};
        const auto result = m_session->attention("a man runs in the park .", "", mask, withBeams(1), {});
        QVERIFY2(result.isOk(), messageOf(result).c_str());
        QCOMPARE(result.value().maps.size(), std::size_t(24));
        QVERIFY(result.value().sourceTokens.back().special);
        QVERIFY(result.value().targetTokens.front().special);
        for (const AttentionMap &map : result.value().maps) {
            QCOMPARE(map.masked, mask.isMasked(map.head)); // and still has its map
            QCOMPARE(map.queries * map.keys, static_cast<std::int64_t>(map.weights.size()));
            for (std::int64_t q = 0; q < map.queries; ++q) {
                double sum = 0;
                for (std::int64_t k = 0; k < map.keys; ++k)
                    sum += map.weights[static_cast<std::size_t>(q * map.keys + k)];
                QVERIFY(std::abs(sum - 1) < 1e-5);
            }
        }
        const auto forced = m_session->attention("a man .", "the dog", {}, withBeams(1), {});
        QCOMPARE(forced.value().targetTokens.size(), std::size_t(3)); // start, the, dog
    }

    void exportedModelGivesTheMaskedOutputs()
    {
        const HeadMask mask{{HeadKind::Encoder, 0, 1}, {HeadKind::Cross, 1, 2}, {HeadKind::Decoder, 0, 3}};
        const fs::path target = path("exported");
        QVERIFY(m_session->exportPruned({mask}, target, {}).isOk());
        QVERIFY(fs::exists(target / "heads.json"));
        QVERIFY(fs::exists(target / "vocab.json"));
        const auto copy = Session::open(target, {}, {});
        QVERIFY2(copy.isOk(), messageOf(copy).c_str());
        QVERIFY(copy.value()->setData(Domain::In, source(), {}).isOk());
        const EvaluationSpec spec{.run = withBeams(1), .mask = mask, .outputs = true};
        const auto masked = m_session->run<EvaluationSpec>(Domain::In, spec, {});
        const auto exported
            = copy.value()->run<EvaluationSpec>(Domain::In, {.run = withBeams(1), .mask = {}, .outputs = true}, {});
        for (std::size_t i = 0; i < masked.value().outputs.size(); ++i)
            QCOMPARE(exported.value().outputs[i].tokens, masked.value().outputs[i].tokens);
        // A second time the folder is not empty.
        QVERIFY(messageOf(m_session->exportPruned({mask}, target, {})).find("not empty") != std::string::npos);
    }

    void badFoldersGetOneClearMessage_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("bytes"); // empty: the file is missing
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("no config") << QByteArray("config.json") << QByteArray() << QByteArray("config.json");
        QTest::newRow("config is no JSON") << QByteArray("config.json") << QByteArray("{") << QByteArray("config.json");
        QTest::newRow("unknown type") << QByteArray("config.json") << QByteArray(R"({"model_type": "gpt9"})")
                                      << QByteArray("marian");
        QTest::newRow("no weights") << QByteArray("model.safetensors") << QByteArray()
                                    << QByteArray("model.safetensors");
        QTest::newRow("truncated weights") << QByteArray("model.safetensors") << QByteArray("\x40\0\0\0\0\0\0\0{}", 10)
                                           << QByteArray("model.safetensors");
        QTest::newRow("missing tensors") << QByteArray("model.safetensors") << QByteArray("\x02\0\0\0\0\0\0\0{}", 10)
                                         << QByteArray("lacks");
        QTest::newRow("damaged tokenizer") << QByteArray("source.spm") << QByteArray("???") << QByteArray("source.spm");
        QTest::newRow("damaged vocabulary")
            << QByteArray("vocab.json") << QByteArray("[1]") << QByteArray("vocab.json");
    }

    void badFoldersGetOneClearMessage()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, message);
        const auto opened = openChanged(file.constData(), bytes.toStdString());
        QVERIFY(opened.isError());
        QCOMPARE(opened.error().code, ErrorCode::BadInput);
        QVERIFY2(messageOf(opened).find(message.toStdString()) != std::string::npos, messageOf(opened).c_str());
    }

    void wrongShapeNamesTheTensor()
    {
        TinyModel wider;
        wider.feedForward = 25;
        writeTinyModel(path("wider"), wider);
        fs::copy_file(path("model") / "config.json", path("wider") / "config.json",
                      fs::copy_options::overwrite_existing);
        const auto opened = Session::open(path("wider"), {}, {});
        QVERIFY(opened.isError());
        QVERIFY2(messageOf(opened).find("fc1") != std::string::npos
                     || messageOf(opened).find("fc2") != std::string::npos,
                 messageOf(opened).c_str());
        QVERIFY(messageOf(opened).find("[25") != std::string::npos);
    }

    void vocabularyLargerThanTheModelIsRefused()
    {
        const auto opened = openChanged("vocab.json", R"({"</s>": 0, "<unk>": 1, "<pad>": 22, "▁new": 23})");
        QVERIFY(opened.isError());
        QVERIFY2(messageOf(opened).find("vocabulary") != std::string::npos, messageOf(opened).c_str());
    }

    /// Most of a vocabulary is gone: every word would be unknown, and scores would mean nothing.
    void cutVocabulariesGetAWarning()
    {
        const auto warned = [](const Result<std::shared_ptr<Session>> &session) {
            return std::ranges::any_of(session.value()->card().warnings, [](const std::string &warning) {
                return warning.find("cut short") != std::string::npos;
            });
        };
        writeTinyClassifier(path("classifier"), {.layers = 1, .heads = 2, .width = 8, .labels = {"a", "b"}});
        QVERIFY(!warned(Session::open(path("classifier"), {}, {})));
        const fs::path file = path("classifier") / "vocab.txt";
        std::string kept = readText(file).valueOrThrow();
        std::size_t end = 0;
        for (int line = 0; line < 8; ++line)
            end = kept.find('\n', end) + 1;
        kept.resize(end);
        (void)writeFileAtomically(file, kept).valueOrThrow();
        const auto cut = Session::open(path("classifier"), {}, {});
        QVERIFY2(cut.isOk(), messageOf(cut).c_str());
        QVERIFY(warned(cut));
    }

    void badDataLeavesTheSlotAsItWas()
    {
        DataSource bad = source();
        bad.reference = path("out.ref"); // fewer lines
        const auto result = m_session->setData(Domain::In, bad, {});
        QVERIFY(result.isError());
        QCOMPARE(m_session->data(Domain::In)->rows, kLines);
    }

    void referencesAreNeededForScores()
    {
        DataSource sources = source();
        sources.reference.clear();
        auto session = Session::open(path("model"), {}, {}).valueOrThrow();
        QVERIFY(session->setData(Domain::In, sources, {}).isOk());
        const auto score = session->run<EvaluationSpec>(Domain::In, {.run = withBeams(1), .mask = {}}, {});
        QVERIFY(messageOf(score).find("references") != std::string::npos);
        const EvaluationSpec predict{.run = withBeams(1), .mask = {}, .outputs = true, .scores = true, .resamples = 0};
        const auto outputs = session->run<EvaluationSpec>(Domain::In, predict, {});
        QVERIFY2(outputs.isOk(), messageOf(outputs).c_str());
        QCOMPARE(outputs.value().outputs.size(), std::size_t(kLines));
        QVERIFY(outputs.value().metrics.empty());
        const auto none = session->run<EvaluationSpec>(Domain::Out, {.run = withBeams(1), .mask = {}}, {});
        QVERIFY(none.isError());
    }

    void idsWorkWithoutATokenizer()
    {
        const fs::path folder = path("bare");
        fs::create_directories(folder);
        for (const char *file : {"config.json", "generation_config.json", "model.safetensors"})
            fs::copy_file(path("model") / file, folder / file);
        (void)writeFileAtomically(path("ids.jsonl"), "{\"input_ids\": [2, 3, 0], \"labels\": [4, 5, 0]}\n"
                                                     "{\"input_ids\": [7, 0], \"labels\": [9, 0]}\n")
            .valueOrThrow();
        const auto session = Session::open(folder, {}, {});
        QVERIFY2(session.isOk(), messageOf(session).c_str());
        QVERIFY(session.value()->card().tokenizer.empty());
        DataSource ids;
        ids.table = path("ids.jsonl");
        const auto data = session.value()->setData(Domain::In, ids, {});
        QVERIFY2(data.isOk(), messageOf(data).c_str());
        QVERIFY(session.value()->run<EvaluationSpec>(Domain::In, {.run = withBeams(1), .mask = {}}, {}).isOk());
        const auto text = session.value()->setData(Domain::In, source(), {});
        QVERIFY(messageOf(text).find("input_ids") != std::string::npos);
    }

    void foreignIdsAreRefused()
    {
        (void)writeFileAtomically(path("far.jsonl"), "{\"input_ids\": [2, 99, 0], \"labels\": [4, 0]}\n")
            .valueOrThrow();
        DataSource ids;
        ids.table = path("far.jsonl");
        const auto data = m_session->setData(Domain::Out, ids, {});
        QVERIFY2(messageOf(data).find("99") != std::string::npos, messageOf(data).c_str());
    }

    /// What a result depends on besides weights and rows: it must show when a study is opened again.
    void changedFilesAreNamed()
    {
        const fs::path folder = path("changing");
        writeTinyModel(folder);
        const auto open = [&] { return Session::open(folder, {}, {}).valueOrThrow(); };
        const auto before = open();
        DataSource files = source();
        for (std::string *file : {&files.source, &files.reference}) {
            fs::copy_file(*file, *file + ".copy");
            *file += ".copy";
        }
        const DataCard data = before->setData(Domain::In, files, {}).valueOrThrow();
        const ModelCard then = before->card();
        const DataCard rows = data;
        const Manifest manifest
            = before->run<EvaluationSpec>(Domain::In, {.run = withBeams(1)}, {}).valueOrThrow().manifest;
        using Names = std::vector<std::string>;
        QCOMPARE(changedFiles(then, open()->card()), Names());
        QVERIFY(!isStale(manifest, open()->card(), &data));

        std::string config = readBytes(folder / "config.json").value();
        const std::size_t at = config.find('{');
        (void)writeFileAtomically(folder / "config.json", config.insert(at + 1, "\"scale_embedding\": true,"))
            .valueOrThrow();
        fs::copy_file(folder / "source.spm", folder / "tokenizer.model");
        QCOMPARE(changedFiles(then, open()->card()), (Names{"config.json", "tokenizer.model (new)"}));
        const auto after = open();
        QVERIFY(isStale(manifest, after->card()));
        (void)after->setData(Domain::In, files, {}).valueOrThrow();
        const Manifest other
            = after->run<EvaluationSpec>(Domain::In, {.run = withBeams(1)}, {}).valueOrThrow().manifest;
        QVERIFY(other.key() != manifest.key());

        writeTinyCorpus(path("unused"), files.reference, kLines, 5);
        const DataCard changed = after->setData(Domain::In, files, {}).valueOrThrow();
        QCOMPARE(changedFiles(rows, changed), Names{files.reference});
        QVERIFY(isStale(manifest, before->card(), &changed));
    }

    /// Results of old and new weights together must not pass for those of either.
    void weightsWrittenToDuringASweepAreAnError_data()
    {
        QTest::addColumn<bool>("shorter");
        QTest::newRow("overwritten in place") << false;
        QTest::newRow("truncated") << true;
    }

    void weightsWrittenToDuringASweepAreAnError()
    {
        QFETCH(bool, shorter);
        const fs::path folder = path(shorter ? "truncated" : "overwritten");
        writeTinyModel(folder);
        const fs::path weights = folder / "model.safetensors";
        const auto session = Session::open(folder, {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, source(), {}).valueOrThrow();
        const std::string bytes = readBytes(weights).value();
        bool written = false;
        const JobControl control({}, [&](const Progress &) {
            if (std::exchange(written, true))
                return;
            if (shorter)
                fs::resize_file(weights, 64);
            else
                std::ofstream(weights, std::ios::binary) << std::string(bytes.size(), 'x');
        });
        const auto sweep = session->run<AblationSpec>(Domain::In, {.run = withBeams(1), .resamples = 10}, control);
        QVERIFY(written);
        QVERIFY2(messageOf(sweep).find("written to while the model was open") != std::string::npos,
                 messageOf(sweep).c_str());
        // A file put in its place is another file: the old one is still whole.
        const fs::path replaced = path("replaced") / "model.safetensors";
        writeTinyModel(path("replaced"));
        const auto other = Session::open(path("replaced"), {}, {}).valueOrThrow();
        (void)other->setData(Domain::In, source(), {}).valueOrThrow();
        (void)writeFileAtomically(replaced, "new").valueOrThrow();
        const auto result = other->run<EvaluationSpec>(Domain::In, {.run = withBeams(1)}, {});
        QVERIFY2(result.isOk(), messageOf(result).c_str());
    }

    void modelsWithoutHeadsAreRefusedInWords()
    {
        HeadMask all;
        for (const HeadRef &head : m_session->card().layout.heads())
            all.set(head, true);
        const fs::path folder = path("headless");
        fs::remove_all(folder);
        const auto written = m_session->exportPruned({.mask = all, .form = ExportForm::Small}, folder, {});
        QVERIFY2(written.isOk(), messageOf(written).c_str());
        const auto session = Session::open(folder, {}, {}).valueOrThrow();
        QCOMPARE(session->card().layout.size(), 0);
        (void)session->setData(Domain::In, source(), {}).valueOrThrow();
        const RunOptions run = withBeams(1);
        QVERIFY(session->run<EvaluationSpec>(Domain::In, {.run = run}, {}).isOk());
        const std::string messages[] = {messageOf(session->run<ImportanceSpec>(Domain::In, {.run = run}, {})),
                                        messageOf(session->run<PruningSpec>(Domain::In, {.run = run}, {})),
                                        messageOf(session->run<SearchSpec>(Domain::In, {.run = run}, {})),
                                        messageOf(session->run<SpeedSpec>(Domain::In, {.run = run}, {})),
                                        messageOf(session->run<RelevanceSpec>(Domain::In, {.run = run}, {})),
                                        messageOf(computeReport(*session, {.run = run}, {}))};
        for (const std::string &message : messages)
            QVERIFY2(message.find("no attention heads left") != std::string::npos, message.c_str());
    }

    /// Rows that are done wait in the batch for the others; they must not step beyond the last position.
    void outputsMayFillAllPositions()
    {
        writeTinyModel(path("short"), {.positions = 14, .maxLength = 14});
        const auto session = Session::open(path("short"), {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, source(), {}).valueOrThrow();
        PruningSpec spec{.run = withBeams(1)};
        spec.order = "random";
        const auto fast = session->run<PruningSpec>(Domain::In, spec, {});
        spec.run.plain = true;
        const auto plain = session->run<PruningSpec>(Domain::In, spec, {});
        QVERIFY2(fast.isOk() && plain.isOk(), (messageOf(fast) + messageOf(plain)).c_str());
        const auto &a = fast.value().curves.front().points;
        const auto &b = plain.value().curves.front().points;
        for (std::size_t i = 0; i < a.size(); ++i)
            QCOMPARE(a[i].score, b[i].score);
    }

    void twoThreadsMayUseOneSession()
    {
        const auto work = [&](int head) {
            EvaluationSpec spec{.run = withBeams(1), .mask = {{HeadKind::Encoder, 1, head}}};
            return m_session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow().primary().value;
        };
        double other = 0;
        std::thread thread([&] { other = work(1); });
        const double own = work(2);
        thread.join();
        const auto sweep
            = m_session->run<AblationSpec>(Domain::In, {.run = withBeams(1), .mask = {}, .resamples = 100}, {})
                  .valueOrThrow();
        for (const HeadAblation &head : sweep.heads) {
            if (head.head == HeadRef{HeadKind::Encoder, 1, 1})
                QCOMPARE(other, head.score);
            if (head.head == HeadRef{HeadKind::Encoder, 1, 2})
                QCOMPARE(own, head.score);
        }
    }
};

QTEST_APPLESS_MAIN(TestSession)
#include "tst_session.moc"
