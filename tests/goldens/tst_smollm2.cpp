// A real language model of Llama's shape against transformers with hooks: the loss of every line with all heads and
// without single ones, and what a sweep makes of it. The model is not part of the project: make_smollm2.py makes the
// folder that HEADSCOPE_SMOLLM2 names; without it there is nothing to compare.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/formats/jsonfile.h"
#include "core/results/ablationresult.h"
#include "core/session/session.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace headscope;
namespace fs = std::filesystem;

class TestSmolLm2 : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    nlohmann::json m_expected;
    std::shared_ptr<Session> m_session;
    double m_tokens = 0; ///< that are predicted

    double perplexity(const std::vector<double> &losses) const
    {
        return std::exp(std::accumulate(losses.begin(), losses.end(), 0.0) / m_tokens);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QByteArray folder = qgetenv("HEADSCOPE_SMOLLM2");
        if (folder.isEmpty())
            QSKIP("HEADSCOPE_SMOLLM2 names no folder that tests/goldens/make_smollm2.py has made");
        const fs::path root = folder.toStdString();
        m_expected = readJsonFile(root / "expected.json").valueOrThrow();
        const fs::path rows = fs::path(m_folder.path().toStdString()) / "rows.jsonl";
        std::ofstream file(rows);
        for (const nlohmann::json &line : m_expected.at("tokens")) {
            file << nlohmann::json{{"input_ids", line}}.dump() << '\n';
            m_tokens += static_cast<double>(line.size() - 1);
        }
        file.close();
        m_session = Session::open(root / "model", {}, {}).valueOrThrow();
        DataSource data;
        data.table = rows;
        (void)m_session->setData(Domain::In, data, {}).valueOrThrow();
        QCOMPARE(m_session->card().layout.size(), 270);
    }

    void everyLineLosesAsMuchAsInTransformers()
    {
        if (!m_session)
            QSKIP("no model");
        for (const nlohmann::json &one : m_expected.at("heads")) {
            EvaluationSpec spec;
            if (!one.at("head").is_null())
                spec.mask.set({HeadKind::Decoder, one.at("head").at(0).get<int>(), one.at("head").at(1).get<int>()},
                              true);
            spec.outputs = true;
            spec.resamples = 0;
            const auto result = m_session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow();
            const auto losses = one.at("losses").get<std::vector<double>>();
            QCOMPARE(result.outputs.size(), losses.size());
            for (std::size_t i = 0; i < losses.size(); ++i)
                QVERIFY2(std::abs(-result.outputs[i].score - losses[i]) < 1e-5 * losses[i],
                         qPrintable(QStringLiteral("%1, not %2").arg(-result.outputs[i].score).arg(losses[i])));
        }
    }

    void sweepSaysTheSame()
    {
        if (!m_session)
            QSKIP("no model");
        AblationSpec spec;
        spec.resamples = 0;
        const auto result = m_session->run<AblationSpec>(Domain::In, spec, {}).valueOrThrow();
        const double full = perplexity(m_expected.at("heads").at(0).at("losses").get<std::vector<double>>());
        QVERIFY(std::abs(result.baseline.value - full) < 1e-5 * full);
        for (const nlohmann::json &one : m_expected.at("heads")) {
            if (one.at("head").is_null())
                continue;
            const HeadRef head{HeadKind::Decoder, one.at("head").at(0).get<int>(), one.at("head").at(1).get<int>()};
            const auto found = std::ranges::find(result.heads, head, &HeadAblation::head);
            QVERIFY(found != result.heads.end());
            const double wanted = perplexity(one.at("losses").get<std::vector<double>>()) - full;
            qInfo("%s: %+.4f, in transformers %+.4f", toText(head).c_str(), found->delta, wanted);
            QVERIFY(std::abs(found->delta - wanted) < 1e-5 * full);
        }
    }
};

QTEST_GUILESS_MAIN(TestSmolLm2)
#include "tst_smollm2.moc"
