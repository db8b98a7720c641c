// The core as a program that is spoken with: what strangers say to it is refused, and nothing else happens.
#include "core/analysis/evaluationspec.h"
#include "core/base/random.h"
#include "core/remote/frames.h"
#include "core/remote/server.h"
#include "core/remote/wire.h"
#include "core/session/localsession.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

using namespace headscope;
using namespace headscope::testing;
using nlohmann::json;

namespace {

/// A server in this process, and the client's ends of two pipes to it.
class Spoken
{
public:
    explicit Spoken(Server &server)
        : m_channel(m_toServer.readEnd(), m_toClient.writeEnd()), m_mine(m_toClient.readEnd(), m_toServer.writeEnd()),
          m_reader([this](std::span<char> bytes) { return m_mine.read(bytes); }, std::size_t(1) << 30),
          m_thread([this, &server] {
              m_asked = server.serve(m_channel);
              m_toClient.closeWrite();
          })
    {
    }
    ~Spoken() { end(); }

    void end()
    {
        m_toServer.closeWrite();
        if (m_thread.joinable())
            m_thread.join();
    }
    bool asked() const { return m_asked; }
    void send(const std::string &bytes) { (void)m_mine.write(bytes); }
    void ask(int id, const std::string &method, const json &params = json::object())
    {
        send(framed({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}));
    }
    /// The answer to this request; what comes before it is passed over. Null: the server has ended.
    json answer(const json &id)
    {
        while (const auto frame = m_reader.next()) {
            if (frame->binary)
                continue;
            json message = json::parse(frame->bytes);
            if (!message.contains("method") && message.at("id") == id)
                return message;
        }
        return nullptr;
    }
    json greet() // id 1
    {
        ask(1, "initialize", {{"protocol", wire::kProtocol}});
        return answer(1);
    }

private:
    Pipe m_toServer;
    Pipe m_toClient;
    Channel m_channel;
    Channel m_mine;
    FrameReader m_reader;
    bool m_asked = false;
    std::thread m_thread;
};

} // namespace

class TestServer : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Server> m_server;

    std::string path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyClassifier(path("model"), {.layers = 2, .heads = 2, .width = 8, .labels = {"a", "b"}});
        writeTinyTable(path("table.tsv"), 60, 3);
    }
    void init()
    {
        m_server = std::make_unique<Server>(openLocalSession, ServerGreeting{.version = "1.2", .session = "abc"});
    }

    void greets()
    {
        Spoken spoken(*m_server);
        const json greeting = spoken.greet()["result"];
        QVERIFY(greeting["protocol"] == 1);
        QVERIFY(greeting["session"] == "abc");
        spoken.send(framed({{"jsonrpc", "2.0"}, {"method", "exit"}}));
        QVERIFY(spoken.answer(99).is_null());
        spoken.end();
        QVERIFY(spoken.asked());
    }

    void anotherVersionIsNamed()
    {
        Spoken spoken(*m_server);
        spoken.ask(1, "initialize", {{"protocol", 99}});
        const std::string why = spoken.answer(1)["error"]["message"];
        QVERIFY2(why.find("1.2") != std::string::npos && why.find("99") != std::string::npos, why.c_str());
        spoken.ask(2, "model/open", {{"folder", path("model")}});
        QVERIFY(spoken.answer(2)["error"]["code"] == -32002); // nothing before a greeting
    }

    void answersAsTheSessionDoes()
    {
        Spoken spoken(*m_server);
        QVERIFY(spoken.greet().contains("result"));
        spoken.ask(2, "model/open", {{"folder", path("model")}});
        QVERIFY(spoken.answer(2)["result"]["family"] == "bert");
        spoken.ask(3, "data/set", {{"domain", "in"}, {"source", {{"table", path("table.tsv")}}}});
        QVERIFY(spoken.answer(3)["result"]["rows"] == 60);
        spoken.ask(4, "data/rows", {{"domain", "in"}, {"from", 58}});
        QCOMPARE(spoken.answer(4)["result"]["rows"].size(), 2U);
        spoken.ask(5, "analysis/run", {{"domain", "in"}, {"analysis", "evaluate"}});
        const json result = spoken.answer(5)["result"];
        const auto session = openLocalSession(path("model"), {}, {}).valueOrThrow();
        DataSource table;
        table.table = path("table.tsv");
        (void)session->setData(Domain::In, table, {}).valueOrThrow();
        json own = json(toJson(session->run(Domain::In, EvaluationSpec(), {}).valueOrThrow()));
        json other = result;
        for (json *one : {&own, &other}) {
            (*one)["manifest"].erase("created");
            (*one)["manifest"].erase("seconds");
            one->erase("seconds");
        }
        QCOMPARE(other.dump(2), own.dump(2));
    }

    void wrongRequestsAreRefused()
    {
        Spoken spoken(*m_server);
        QVERIFY(spoken.greet().contains("result"));
        const auto refused = [&](int id, const char *method, const json &params) {
            spoken.ask(id, method, params);
            const json answer = spoken.answer(id);
            return answer.contains("error") ? answer["error"]["message"].get<std::string>() : std::string();
        };
        QCOMPARE(refused(2, "nonsense", {}), std::string("There is no method \"nonsense\"."));
        QCOMPARE(refused(3, "data/rows", {{"domain", "in"}}), std::string("No model is open."));
        QVERIFY(refused(4, "model/open", {{"folder", path("nowhere")}}).find("nowhere") != std::string::npos);
        QVERIFY(refused(5, "model/open", {{"folder", 5}}).starts_with("params: "));
        QVERIFY(refused(6, "model/open", json::array({1})).starts_with("params: "));
        QVERIFY(refused(7, "model/open", {{"folder", path("model")}, {"urgent", "yes"}}).starts_with("params: "));
        QVERIFY(refused(8, "folder/list", {{"folder", path("table.tsv")}}).find("table.tsv") != std::string::npos);
        spoken.ask(9, "model/open", {{"folder", path("model")}});
        QVERIFY(spoken.answer(9).contains("result"));
        QVERIFY(!refused(10, "analysis/run", {{"domain", "in"}, {"analysis", "evaluate"}}).empty());
        QVERIFY(!refused(11, "data/set", {{"domain", "both"}, {"source", json::object()}}).empty());
        QVERIFY(!refused(12, "pruned/card", {{"mask", "encoder.9.9"}}).empty());
        QVERIFY(!refused(13, "attention/of", {{"source", "a"}, {"tree", "no tree"}}).empty());
        // What is out of range, unknown or cut off by a NUL byte.
        const auto says = [&](int id, const char *method, const json &params, const char *part) {
            const std::string why = refused(id, method, params);
            const bool found = why.find(part) != std::string::npos;
            if (!found)
                qWarning("%s: %s", method, why.c_str());
            return found;
        };
        const json folder = path("model");
        QVERIFY(says(20, "model/open", {{"folder", folder}, {"options", {{"threads", -5}}}}, "from 0 to 4096"));
        QVERIFY(says(21, "model/open", {{"folder", folder}, {"options", {{"threads", 1000000000}}}}, "from 0 to 4096"));
        QVERIFY(says(22, "model/open", {{"folder", folder}, {"options", {{"thread", 1}}}}, "\"thread\" is unknown"));
        QVERIFY(says(23, "model/open", {{"folder", path("model") + std::string("\0x", 2)}}, "NUL byte"));
        QVERIFY(says(24, "folder/list", {{"folder", path("model") + std::string("\0x", 2)}}, "NUL byte"));
        QVERIFY(says(25, "data/set", {{"domain", "in"}, {"source", {{"tabel", "x"}}}}, "\"tabel\" is unknown"));
        QVERIFY(says(26, "data/set",
                     {{"domain", "in"}, {"source", {{"table", path("table.tsv") + std::string("\0x", 2)}}}},
                     "NUL byte"));
        const auto runs = [](const json &options, const json &run) {
            return json{{"domain", "in"}, {"analysis", "evaluate"}, {"options", options}, {"run", run}};
        };
        QVERIFY(says(27, "analysis/run", runs({{"resamples", -5}}, json::object()), "\"resamples\""));
        QVERIFY(says(28, "analysis/run", runs({{"resampels", 5}}, json::object()), "unknown"));
        QVERIFY(says(29, "analysis/run", runs(json::object(), {{"max-length", 1}}), "from 2"));
        QVERIFY(says(30, "analysis/run", runs(json::object(), {{"beam", 1}}), "unknown"));
        // What stands for "not given" elsewhere, heads that the model lacks, what JSON does not know.
        QVERIFY(says(31, "analysis/run", runs(json::object(), {{"batch-tokens", 0}}), "\"batch-tokens\" is 0"));
        QVERIFY(says(32, "analysis/run", runs(json::object(), {{"beams", 0}}), "\"beams\" is 0"));
        QVERIFY(says(33, "analysis/run", runs({{"mask", "encoder.0.0,encoder.9.1"}}, json::object()), "encoder.9.1"));
        QVERIFY(says(34, "analysis/run", runs({{"against", "cross.0.0"}}, json::object()),
                     "--against: the model has no head cross.0.0"));
        QVERIFY(says(35, "attention/of", {{"source", "5 6"}, {"mask", "decoder.0.0"}}, "no head decoder.0.0"));
        QVERIFY(says(36, "pruned/card", {{"mask", "encoder.0.7"}}, "no head encoder.0.7"));
        QVERIFY(says(37, "pruned/export", {{"mask", "encoder.0.7"}, {"form", "full"}, {"folder", path("pruned")}},
                     "no head encoder.0.7"));
        const std::string infinite
            = R"({"jsonrpc":"2.0","id":38,"method":"analysis/run","params":{"options":{"precision":Infinity}}})";
        spoken.send("Content-Length: " + std::to_string(infinite.size()) + "\r\n\r\n" + infinite);
        QVERIFY(spoken.answer(nullptr)["error"]["message"].get<std::string>().find("not valid JSON")
                != std::string::npos);
        // It still works.
        spoken.ask(14, "pruned/card", {{"mask", "encoder.0.0"}});
        QVERIFY(spoken.answer(14)["result"]["heads_left"] == 3);
    }

    void whatIsNoMessage()
    {
        Spoken spoken(*m_server);
        QVERIFY(spoken.greet().contains("result"));
        for (const std::string text :
             {"", "nonsense", "[1]", "{\"jsonrpc\":\"1.0\",\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\"}",
              "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}"}) {
            spoken.send("Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
            QVERIFY(spoken.answer(nullptr).contains("error"));
        }
        const std::string deep = std::string(100000, '[') + std::string(100000, ']');
        spoken.send("Content-Length: " + std::to_string(deep.size()) + "\r\n\r\n" + deep);
        QVERIFY(spoken.answer(nullptr)["error"]["message"].get<std::string>().find("deep") != std::string::npos);
        spoken.ask(2, "ping");
        QVERIFY(spoken.answer(2).contains("result"));
        spoken.send("Content-Length: 99999999999\r\n\r\n"); // after this nothing can be read
        QVERIFY(spoken.answer(nullptr).contains("error"));
        QVERIFY(spoken.answer(3).is_null());
    }

    void answersOutliveAConnection()
    {
        {
            Spoken spoken(*m_server);
            QVERIFY(spoken.greet().contains("result"));
            spoken.ask(2, "model/open", {{"folder", path("model")}});
            QVERIFY(spoken.answer(2).contains("result"));
            spoken.ask(3, "data/set", {{"domain", "in"}, {"source", {{"table", path("table.tsv")}}}});
            QVERIFY(spoken.answer(3).contains("result"));
            spoken.send(framed({{"jsonrpc", "2.0"}, {"method", "$/received"}, {"params", {{"id", 3}}}}));
            spoken.ask(4, "analysis/run", {{"domain", "in"}, {"analysis", "ablate"}});
        } // gone before the answer
        Spoken again(*m_server);
        again.ask(5, "initialize", {{"protocol", 1}, {"pending", {2, 3, 4, 77}}});
        const json greeting = again.answer(5);
        QVERIFY(greeting["result"]["unknown"] == json::array({3, 77}));
        QVERIFY(again.answer(4)["result"].contains("heads"));
    }

    /// Of a client that confirms nothing the last answers are kept, and no thread of what is done.
    void unconfirmedAnswersAreNotKeptForEver()
    {
        Spoken spoken(*m_server);
        QVERIFY(spoken.greet().contains("result"));
        spoken.ask(2, "model/open", {{"folder", path("model")}});
        QVERIFY(spoken.answer(2).contains("result"));
        const auto threads = [] {
            std::filesystem::directory_iterator tasks("/proc/self/task");
            return std::distance(tasks, std::filesystem::directory_iterator());
        };
        const auto before = threads();
        constexpr int kLast = 400;
        for (int id = 3; id <= kLast; ++id) {
            spoken.ask(id, "pruned/card", {{"mask", "encoder.0.0"}});
            QVERIFY(spoken.answer(id).contains("result"));
        }
        QVERIFY2(threads() < before + 10, std::to_string(threads()).c_str());
        spoken.end();
        Spoken again(*m_server);
        json ids = json::array();
        for (int id = 3; id <= kLast; ++id)
            ids.push_back(id);
        again.ask(1000, "initialize", {{"protocol", 1}, {"pending", ids}});
        const json unknown = again.answer(1000)["result"]["unknown"];
        QVERIFY(unknown.size() >= ids.size() - 66 && unknown.size() <= ids.size() - 60);
        QVERIFY(again.answer(kLast).contains("result")); // the last ones are there
    }

    /// Who takes no answers is not listened to, and its messages do not pile up.
    void whoTakesNothingIsNotReadAnyMore()
    {
        Pipe toServer;
        Pipe toClient;
        Channel channel(toServer.readEnd(), toClient.writeEnd(), std::chrono::milliseconds(2000));
        Channel mine(toClient.readEnd(), toServer.writeEnd(), std::chrono::milliseconds(500));
        std::thread serving([&] { (void)m_server->serve(channel); });
        int sent = 0;
        const std::string ping = framed({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}});
        while (sent < 100000 && mine.write(ping))
            ++sent;
        QVERIFY2(sent < 20000, std::to_string(sent).c_str()); // the pipes' room and the queue's
        serving.join();                                       // once nothing was taken for its time
    }

    /// Requests with parts exchanged for others: an answer or a refusal to each, and the server lives.
    void damagedRequests()
    {
        Spoken spoken(*m_server);
        QVERIFY(spoken.greet().contains("result"));
        spoken.ask(2, "model/open", {{"folder", path("model")}});
        QVERIFY(spoken.answer(2).contains("result"));
        Random random(11);
        const std::vector<json> values{nullptr,
                                       true,
                                       -1,
                                       1e300,
                                       "",
                                       "in",
                                       path("table.tsv"),
                                       json::array(),
                                       json::object(),
                                       json::array({1, "a"}),
                                       std::int64_t(1) << 62,
                                       "encoder.0.0",
                                       "../../../etc/passwd"};
        const std::vector<std::pair<std::string, json>> requests{
            {"data/set", {{"domain", "in"}, {"source", {{"table", path("table.tsv")}, {"limit", 5}}}}},
            {"data/rows", {{"domain", "in"}, {"from", 0}, {"count", 2}}},
            {"analysis/run",
             {{"domain", "in"}, {"analysis", "evaluate"}, {"options", {{"resamples", 5}}}, {"run", {{"seed", 1}}}}},
            {"attention/of", {{"source", "a b"}, {"mask", ""}, {"run", json::object()}, {"tree", json::array()}}},
            {"attention/neurons",
             {{"sentence", {{"attention", json::object()}, {"shapes", json::array()}}}, {"head", "encoder.0.0"}}},
            {"pruned/card", {{"mask", "encoder.0.0"}}}};
        const auto pick = [&](const auto &list) { return list[random.below(static_cast<std::uint32_t>(list.size()))]; };
        for (int id = 3; id < 600; ++id) {
            auto [method, params] = pick(requests);
            json *part = &params;
            while (part->is_object() && !part->empty() && random.below(3) > 0) {
                auto place = part->begin();
                std::advance(place, random.below(static_cast<std::uint32_t>(part->size())));
                part = &*place;
            }
            *part = pick(values);
            spoken.ask(id, method, params);
            const json answer = spoken.answer(id);
            QVERIFY2(answer.contains("result") || answer.contains("error"), params.dump().c_str());
            spoken.send(framed({{"jsonrpc", "2.0"}, {"method", "$/received"}, {"params", {{"id", id}}}}));
        }
    }
};

QTEST_GUILESS_MAIN(TestServer)
#include "tst_server.moc"
