// Results are the same bytes whatever the number of workers.
#include "core/analysis/ablationspec.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/rolesspec.h"
#include "core/results/json.h"
#include "core/session/session.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

using Analysis = std::function<Json(Session &, const RunOptions &)>;

/// Without what a clock said.
template<typename T>
Json timeless(Result<T> result)
{
    Json json = toJson(std::move(result).valueOrThrow());
    json.erase("seconds");
    for (const char *name : {"seconds", "created"})
        json["manifest"].erase(name);
    return json;
}

std::map<std::string, Analysis> analyses()
{
    return {
        {"evaluate",
         [](Session &s, const RunOptions &run) {
             return timeless(s.run<EvaluationSpec>(Domain::In, {.run = run}, {}));
         }},
        {"predict",
         [](Session &s, const RunOptions &run) {
             EvaluationSpec spec{.run = run};
             spec.outputs = spec.scores = true;
             return timeless(s.run<EvaluationSpec>(Domain::In, spec, {}));
         }},
        {"ablate",
         [](Session &s, const RunOptions &run) { return timeless(s.run<AblationSpec>(Domain::In, {.run = run}, {})); }},
        {"importance",
         [](Session &s, const RunOptions &run) {
             return timeless(s.run<ImportanceSpec>(Domain::In, {.run = run}, {}));
         }},
        {"confidence",
         [](Session &s, const RunOptions &run) { return timeless(s.run<ConfidenceSpec>(Domain::In, {run}, {})); }},
        {"roles",
         [](Session &s, const RunOptions &run) { return timeless(s.run<RolesSpec>(Domain::In, {.run = run}, {})); }},
        {"prune",
         [](Session &s, const RunOptions &run) { return timeless(s.run<PruningSpec>(Domain::In, {.run = run}, {})); }},
    };
}

} // namespace

class TestWorkers : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("translator"));
        writeTinyCorpus(path("source"), path("reference"), 300, 1);
        writeTinyClassifier(path("classifier"));
        writeTinyTable(path("table.tsv"), 90, 5);
    }

    void numberOfWorkersChangesNoByte_data()
    {
        QTest::addColumn<bool>("translation");
        QTest::addColumn<int>("beams");
        QTest::addColumn<ProductChoice>("products");
        QTest::newRow("greedy") << true << 1 << ProductChoice::Auto;
        QTest::newRow("greedy, bf16 first") << true << 1 << ProductChoice::Half;
        QTest::newRow("beams") << true << 3 << ProductChoice::Auto;
        QTest::newRow("classifier") << false << 1 << ProductChoice::Auto;
        QTest::newRow("classifier, bf16 first") << false << 1 << ProductChoice::Half;
        QTest::newRow("classifier, int8 first") << false << 1 << ProductChoice::Byte;
        QTest::newRow("classifier, library") << false << 1 << ProductChoice::Library;
    }

    void numberOfWorkersChangesNoByte()
    {
        QFETCH(bool, translation);
        QFETCH(int, beams);
        QFETCH(ProductChoice, products);
        RunOptions run;
        run.decoding.beams = beams;
        run.products = products;
        DataSource data;
        if (translation) {
            data.source = path("source");
            data.reference = path("reference");
        } else {
            data.table = path("table.tsv");
        }
        std::map<std::string, std::string> ofOne;
        for (const int threads : {1, 2, 5}) {
            const auto session
                = Session::open(path(translation ? "translator" : "classifier"), {.threads = threads}, {})
                      .valueOrThrow();
            (void)session->setData(Domain::In, data, {}).valueOrThrow();
            for (const auto &[name, analysis] : analyses()) {
                const std::string text = jsonText(analysis(*session, run));
                if (threads == 1)
                    ofOne[name] = text;
                else
                    QVERIFY2(text == ofOne[name], (name + " with " + std::to_string(threads) + " threads").c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestWorkers)
#include "tst_workers.moc"
