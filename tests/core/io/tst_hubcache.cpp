// Models as their users name them: folders, Hugging Face's cache, names on the Hub.
#include "core/io/hubcache.h"

#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

using namespace headscope;
namespace fs = std::filesystem;

class TestHubCache : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        for (const char *variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"})
            qunsetenv(variable);
        qputenv("HF_HOME", m_folder->path().toUtf8());
    }

    void foldersAreThemselves()
    {
        const fs::path folder = root() / "model";
        fs::create_directories(folder);
        QCOMPARE(modelFolder(folder).value().string(), folder.string());
        QCOMPARE(modelFolder(folder / "").value().string(), (folder / "").string());
        QCOMPARE(modelFolder("/no/such/folder").value().string(), std::string("/no/such/folder"));
    }

    void namesAreLookedUp()
    {
        const fs::path snapshot = addSnapshot("models--org--name.v1", "abc");
        for (const char *branch : {"", "main"}) {
            if (*branch != '\0') {
                addSnapshot("models--org--name.v1", "newer");
                writeBranch("models--org--name.v1", "main", "abc");
            }
            QCOMPARE(modelFolder("org/name.v1").value().string(), snapshot.string());
            QCOMPARE(modelFolder(hub() / "models--org--name.v1").value().string(), snapshot.string());
            QCOMPARE(modelFolder(hub() / "models--org--name.v1" / "").value().string(), snapshot.string());
        }
        const fs::path plain = addSnapshot("models--gpt2", "1");
        QCOMPARE(modelFolder("gpt2").value().string(), plain.string());
        // Wherever the variables say; the first of them counts.
        qputenv("HF_HUB_CACHE", QByteArray((hub() / "other").c_str()));
        QVERIFY(modelFolder("gpt2").isError());
        fs::create_directories(hub() / "other");
        fs::rename(hub() / "models--gpt2", hub() / "other" / "models--gpt2");
        QVERIFY(modelFolder("gpt2").isOk());
    }

    void theNewestSnapshotIsTaken()
    {
        const fs::path older = addSnapshot("models--a--b", "f00");
        const fs::path newer = addSnapshot("models--a--b", "123");
        fs::last_write_time(older, fs::last_write_time(newer) - std::chrono::hours(1));
        QCOMPARE(modelFolder("a/b").value().string(), newer.string());
        fs::create_directories(hub() / "models--a--b" / "snapshots" / "half"); // without files
        QCOMPARE(modelFolder("a/b").value().string(), newer.string());
        writeBranch("models--a--b", "main", "half");
        QCOMPARE(modelFolder("a/b").value().string(), newer.string());
    }

    /// What the cache has written down is the name of a snapshot, never a path.
    void commitsAreNoPaths()
    {
        const fs::path snapshot = addSnapshot("models--c--d", "f00");
        fs::create_directories(root() / "elsewhere");
        std::ofstream(root() / "elsewhere" / "config.json") << "{}";
        for (const std::string &commit :
             {std::string("../../../elsewhere"), (root() / "elsewhere").string(), std::string("..")}) {
            writeBranch("models--c--d", "main", commit);
            QCOMPARE(modelFolder("c/d").value().string(), snapshot.string());
        }
    }

    void whatIsNotThereIsSaid()
    {
        const auto message = [](const fs::path &named) { return modelFolder(named).error().message; };
        const std::string absent = message("org/absent");
        for (const std::string &part :
             {std::string("org/absent"), hub().string(), std::string("hf download org/absent")})
            QVERIFY2(absent.find(part) != std::string::npos, absent.c_str());
        fs::create_directories(hub() / "models--org--empty" / "snapshots");
        QVERIFY(message("org/empty").find("interrupted") != std::string::npos);
        std::ofstream(root() / "model.h5") << "HDF";
        QVERIFY(message(root() / "model.h5").find("is a file") != std::string::npos);
    }

    void filesInGgufAreModels()
    {
        std::ofstream(root() / "model.gguf") << "GGUF";
        QCOMPARE(modelFolder(root() / "model.gguf").value().string(), (root() / "model.gguf").string());
        const fs::path snapshot = hub() / "models--org--packed" / "snapshots" / "f00";
        fs::create_directories(snapshot);
        std::ofstream(snapshot / "model-Q4_K_M.gguf") << "GGUF";
        QCOMPARE(modelFolder("org/packed").value().string(), snapshot.string());
    }

private:
    fs::path root() const { return m_folder->path().toStdString(); }
    fs::path hub() const { return root() / "hub"; }
    fs::path addSnapshot(const std::string &model, const std::string &commit) const
    {
        const fs::path snapshot = hub() / model / "snapshots" / commit;
        fs::create_directories(snapshot);
        std::ofstream(snapshot / "config.json") << "{}";
        return snapshot;
    }
    void writeBranch(const std::string &model, const std::string &branch, const std::string &commit) const
    {
        fs::create_directories(hub() / model / "refs");
        std::ofstream(hub() / model / "refs" / branch) << commit;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestHubCache)
#include "tst_hubcache.moc"
