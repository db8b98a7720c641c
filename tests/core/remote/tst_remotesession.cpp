// A session whose core is another program gives what one in this program gives, and goes on after its connection broke.
#include "core/analysis/ablationspec.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/rolesspec.h"
#include "core/base/childprogram.h"
#include "core/base/folderlisting.h"
#include "core/base/process.h"
#include "core/remote/channel.h"
#include "core/remote/connection.h"
#include "core/remote/frames.h"
#include "core/remote/wire.h"
#include "core/results/ablationresult.h"
#include "core/session/session.h"
#include "tests/support/numbersof.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

using namespace headscope;
using namespace headscope::testing;
using namespace Qt::StringLiterals;

class TestRemoteSession : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    DataSource m_data;
    std::shared_ptr<Session> m_local;

    std::filesystem::path path(const char *name) const
    {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }
    static std::string program() { return qEnvironmentVariable("HEADSCOPE_BIN").toStdString() + "/headscope-cli"; }
    /// Reaches a core beside this program as if it were far away: it does not end with what started it.
    static std::string host() { return "setsid " + program(); }
    std::shared_ptr<Session> opened(const char *model = "model") const
    {
        return Session::open(path(model), {.host = host(), .threads = 1}, {}).valueOrThrow();
    }
    std::shared_ptr<Session> withData() const
    {
        auto session = opened();
        (void)session->setData(Domain::In, m_data, {}).valueOrThrow();
        return session;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_RUNTIME_DIR", m_folder.path().toUtf8());
        qputenv("XDG_CACHE_HOME", path("cache").c_str()); // nothing is kept there of an earlier run
        writeTinyModel(path("model"));
        writeTinyCorpus(path("a.src"), path("a.ref"), 40, 5);
        m_data.source = path("a.src");
        m_data.reference = path("a.ref");
        m_local = Session::open(path("model"), {.threads = 1}, {}).valueOrThrow();
        (void)m_local->setData(Domain::In, m_data, {}).valueOrThrow();
    }

    void givesWhatALocalOneGives()
    {
        const auto remote = withData();
        QCOMPARE(remote->card().weightsHash, m_local->card().weightsHash);
        QVERIFY(remote->card().layout == m_local->card().layout);
        QCOMPARE(remote->data(Domain::In)->hash, m_local->data(Domain::In)->hash);
        QVERIFY(!remote->data(Domain::Out));
        const auto rows = remote->rows(Domain::In);
        QCOMPARE(rows->size(), 40);
        for (std::int64_t i = 0; i < rows->size(); ++i) {
            QCOMPARE(rows->at(i).source, m_local->rows(Domain::In)->at(i).source);
            QCOMPARE(rows->at(i).reference, m_local->rows(Domain::In)->at(i).reference);
        }
        const HeadMask mask{{HeadKind::Cross, 1, 2}};
        const std::vector<AnySpec> specs{EvaluationSpec{.mask = mask, .outputs = true}, AblationSpec{.resamples = 20},
                                         ImportanceSpec(), PruningSpec{.step = 8, .resamples = 10}, RolesSpec()};
        for (const AnySpec &spec : specs) {
            const auto here = m_local->runAny(Domain::In, spec, {}).valueOrThrow();
            QCOMPARE(numbersOf(remote->runAny(Domain::In, spec, {}).valueOrThrow()), numbersOf(here));
        }
        QCOMPARE(remote->prunedCard(mask, {}).valueOrThrow().parametersLeft,
                 m_local->prunedCard(mask, {}).valueOrThrow().parametersLeft);
    }

    void attentionAndNeurons()
    {
        const auto remote = opened();
        const std::string text = m_local->rows(Domain::In)->at(0).source;
        const auto there = remote->attention(text, "", {}, {}, {}).valueOrThrow();
        const auto here = m_local->attention(text, "", {}, {}, {}).valueOrThrow();
        QCOMPARE(numbersOf(there), numbersOf(here));
        const HeadRef head{HeadKind::Cross, 1, 0};
        const auto far = remote->neurons(there, head, {}, {}).valueOrThrow();
        const auto near = m_local->neurons(here, head, {}, {}).valueOrThrow();
        QCOMPARE(far.query, near.query);
        QCOMPARE(far.weights, near.weights);
        QCOMPARE(far.queries.size(), near.queries.size());
        QCOMPARE(far.scale, near.scale);
    }

    void partialResultsAndProgressTravel()
    {
        const auto remote = withData();
        int partials = 0;
        bool progressed = false;
        const JobControl control({}, [&](const Progress &progress) { progressed = progressed || progress.total > 0; });
        const auto result = remote->run(Domain::In, AblationSpec(), control, [&](const AblationResult &partial) {
            QVERIFY(partial.manifest.partial);
            ++partials;
        });
        QVERIFY(result.isOk());
        QVERIFY(progressed);
        QVERIFY(partials > 0);
    }

    void cancels()
    {
        const auto remote = withData();
        std::stop_source stop;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            if (progress.total > 0) // it is under way
                stop.request_stop();
        });
        AblationSpec spec{.resamples = 2000000}; // takes long
        QVERIFY(remote->run(Domain::In, spec, control).isCancelled());
        QVERIFY(remote->run(Domain::In, EvaluationSpec(), {}).isOk()); // the core is free again
    }

    void foldersAndFilesThere()
    {
        const auto remote = opened();
        const FolderListing listing = remote->list(path(""), {}).valueOrThrow();
        const auto model = std::ranges::find(listing.entries, std::string("model"), &FolderEntry::name);
        QVERIFY(model != listing.entries.end() && model->folder && model->model);
        QVERIFY(remote->list(path("nowhere"), {}).isError());
        const auto preview = remote->preview(m_data, {}).valueOrThrow();
        QCOMPARE(preview.rows, 40);
        QCOMPARE(preview.first.front().source, m_local->rows(Domain::In)->at(0).source);
    }

    void errorsAreTheCores()
    {
        const auto nowhere = Session::open(path("nowhere"), {.host = host()}, {});
        QVERIFY(nowhere.isError());
        QCOMPARE(nowhere.error().code, ErrorCode::BadInput);
        QVERIFY(nowhere.error().message.find("nowhere") != std::string::npos);
        const auto remote = opened();
        const auto noData = remote->run(Domain::In, EvaluationSpec(), {});
        QCOMPARE(noData.error().code, ErrorCode::Usage);
    }

    void exportsAreWrittenThere()
    {
        const auto remote = opened();
        const ExportSpec spec{.mask = HeadMask{{HeadKind::Encoder, 0, 0}}, .form = ExportForm::Small};
        QVERIFY(remote->exportPruned(spec, path("smaller"), {}).isOk());
        QVERIFY(Session::open(path("smaller"), {}, {}).isOk());
        QVERIFY(remote->exportPruned(spec, path("smaller"), {}).isError()); // not empty
    }

    void aHostThatIsNone()
    {
        const auto asOption = Session::open(path("model"), {.host = "-oProxyCommand=touch"}, {});
        QVERIFY(asOption.isError());
        for (const char *name :
             {"-oProxyCommand=x", "-o@gpu1", "anna@-oX", "$(touch${IFS}x)", "a;b", "", "a/b", "ssh://-oX"})
            QVERIFY_THROWS_EXCEPTION(Failure, remoteCommand(name, ""));
        for (const char *name : {"gpu1", "anna@gpu-1.lab.example", "ssh://anna@gpu1:2222", "fe80::1"})
            QCOMPARE(remoteCommand(name, ""), (std::vector<std::string>{"ssh", "-T", "-o", "ConnectTimeout=20", "--",
                                                                        name, "headscope-cli serve"}));
        const auto noProgram = Session::open(path("model"), {.host = "/no/such/program there"}, {});
        QVERIFY(noProgram.isError());
        const auto other = Session::open(path("model"), {.host = "echo something else"}, {});
        QVERIFY(other.isError());
        QVERIFY2(other.error().message.find("echo something else") != std::string::npos, other.error().message.c_str());
        const auto says = Session::open(path("model"), {.host = "ls /no/such/folder"}, {});
        QVERIFY2(says.error().message.find("No such file") != std::string::npos, says.error().message.c_str());
    }

    /// The link is cut again and again while a sweep runs: it goes on, and its numbers are those of a whole one.
    void brokenConnectionsAreMadeAgain()
    {
        auto connection = Connection::open(host(), {}).valueOrThrow();
        const auto ask = [&](const char *method, const nlohmann::json &params) {
            return connection->ask(method, params, {}).value;
        };
        (void)ask("model/open", {{"folder", path("model").string()}, {"options", {{"threads", 1}}}});
        (void)ask("data/set", {{"domain", "in"}, {"source", wire::toWire(m_data)}});
        const AnySpec spec = AblationSpec{.resamples = 200000};
        nlohmann::json params = wire::toWire(spec);
        params["domain"] = "in";
        std::jthread breaker([&](const std::stop_token &stop) {
            for (int i = 0; i < 4 && !stop.stop_requested(); ++i) {
                std::this_thread::sleep_for(std::chrono::milliseconds(150));
                connection->dropConnection();
            }
        });
        const auto result = resultFromJson(ask("analysis/run", params), "there").valueOrThrow();
        breaker.request_stop();
        breaker.join();
        QCOMPARE(numbersOf(result), numbersOf(m_local->runAny(Domain::In, spec, {}).valueOrThrow()));
        QVERIFY(!connection->isGone());
        // What is asked while nobody is there is answered once somebody is.
        connection->dropConnection();
        QVERIFY(ask("folder/list", {{"folder", path("").string()}}).contains("entries"));
    }

    /// The core itself ends: another one takes its place with the same model and data.
    void anotherCoreTakesItsPlace()
    {
        const QString pidFile = m_folder.filePath(u"pid"_s);
        QFile script(m_folder.filePath(u"reach.sh"_s));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\necho $$ > " + pidFile.toUtf8() + "\nexec " + qgetenv("HEADSCOPE_BIN")
                     + "/headscope-cli \"$@\"\n");
        script.close();
        const auto session
            = Session::open(path("model"), {.host = "sh " + script.fileName().toStdString(), .threads = 1}, {})
                  .valueOrThrow();
        (void)session->setData(Domain::In, m_data, {}).valueOrThrow();
        const auto killCore = [&] {
            QFile file(pidFile);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(QProcess::execute(u"kill"_s, {u"-9"_s, QString::fromUtf8(file.readAll().trimmed())}), 0);
        };
        killCore();
        const auto here = m_local->run(Domain::In, EvaluationSpec(), {}).valueOrThrow();
        const auto there = session->run(Domain::In, EvaluationSpec(), {});
        QVERIFY2(there.isOk(), there.isError() ? there.error().message.c_str() : "");
        QCOMPARE(numbersOf(there.value()), numbersOf(here));
        // Unless they have changed.
        killCore();
        writeTinyCorpus(path("a.src"), path("a.ref"), 40, 6);
        const auto changed = session->run(Domain::In, ImportanceSpec(), {});
        QVERIFY(changed.isError());
        QVERIFY2(changed.error().message.find("changed") != std::string::npos, changed.error().message.c_str());
        writeTinyCorpus(path("a.src"), path("a.ref"), 40, 5);
    }

    /// What ssh says is what the user must know, however soon it ends.
    void reasonsAreShown_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::newRow("at once") << QByteArray("echo Connection refused >&2; exit 255");
        QTest::newRow("without input") << QByteArray("exec 0<&-; echo Connection refused >&2; exit 255");
        QTest::newRow("after its output")
            << QByteArray("exec 1>&- 0<&-; sleep 0.3; echo Connection refused >&2; exit 255");
    }

    void reasonsAreShown()
    {
        QFETCH(QByteArray, script);
        const std::string host = "sh -c '" + script.toStdString() + "'";
        for (int i = 0; i < 12; ++i) {
            const auto opened = Connection::open(host, {});
            QVERIFY(opened.isError());
            QVERIFY2(opened.error().message.find("Connection refused") != std::string::npos,
                     opened.error().message.c_str());
        }
    }

    /// A core that nobody greets has nothing to keep.
    void coresWithoutAClientEnd_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<bool>("stays"); // the client, which says no more
        QTest::newRow("nobody") << QByteArray() << false;
        QTest::newRow("junk") << QByteArray("GET / HTTP/1.1\r\n\r\n") << true;
        QTest::newRow("an unreadable frame") << QByteArray("Content-Length: 99999999999\r\n\r\n") << true;
        QTest::newRow("somebody else") << QByteArray("Content-Length: 2\r\n\r\n{}") << false;
    }

    void coresWithoutAClientEnd()
    {
        QFETCH(QByteArray, said);
        QFETCH(bool, stays);
        QProcess core;
        core.start(QString::fromStdString(program()), {u"serve"_s});
        QVERIFY(core.waitForStarted());
        core.write(said);
        if (!stays)
            core.closeWriteChannel();
        QVERIFY(core.waitForFinished(20000));
        QCOMPARE(core.exitCode(), 0);
        QVERIFY(!stays || core.readAllStandardOutput().contains("\"error\""));
    }

    /// After what cannot be read both ways are closed, and the session waits to be found again.
    void unreadableFramesEndTheConnection()
    {
        ignoreBrokenPipes();
        ChildProgram core({program(), "serve"});
        Channel channel(core.out().readEnd(), core.in().writeEnd());
        FrameReader reader([&](std::span<char> bytes) { return channel.read(bytes); }, std::size_t(1) << 20);
        const auto greeting = framed(
            {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}, {"params", {{"protocol", wire::kProtocol}}}});
        QVERIFY(channel.write(greeting));
        const auto answer = reader.next();
        QVERIFY(answer);
        const std::string session = nlohmann::json::parse(answer->bytes)["result"]["session"];
        QVERIFY(channel.write("Content-Length: 99999999999\r\n\r\n"));
        const auto error = reader.next();
        QVERIFY(error && nlohmann::json::parse(error->bytes).contains("error"));
        QVERIFY(!reader.next());                                         // it says no more
        QVERIFY(!channel.write(std::string(std::size_t(1) << 20, 'x'))); // and hears no more
        QVERIFY(core.isRunning());
        ChildProgram again({program(), "serve", "--resume", session});
        Channel back(again.out().readEnd(), again.in().writeEnd());
        FrameReader readerBack([&](std::span<char> bytes) { return back.read(bytes); }, std::size_t(1) << 20);
        QVERIFY(back.write(greeting));
        QVERIFY(readerBack.next());
        QVERIFY(back.write(framed({{"jsonrpc", "2.0"}, {"method", "exit"}})));
        QCOMPARE(core.wait(), 0);
    }
};

QTEST_GUILESS_MAIN(TestRemoteSession)
#include "tst_remotesession.moc"
