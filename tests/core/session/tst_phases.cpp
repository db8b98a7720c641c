// What jobs are doing is known by identities that never change, whatever words are shown: sweeps that an earlier
// version began go on.
#include "core/analysis/ablationspec.h"
#include "core/analysis/allphases.h"
#include "core/analysis/pruningspec.h"
#include "core/base/phase.h"
#include "core/base/phases.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"
#include "core/formats/hash.h"
#include "tests/support/opentask.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

/// As version 1.0.0 has them in names of journals, in messages to other machines and in logs. A new phase is a new
/// line; a line that changes orphans what users have begun.
const std::set<std::string_view> kOfTheFirstVersion{
    "%1 shards on the cluster",
    "ablating heads",
    "attention maps",
    "cannot be kept: no room on the disk",
    "checking weights",
    "choosing head %1",
    "comparing examples",
    "confidence",
    "connecting to %1",
    "coreference",
    "counting tokens",
    "direct contributions without the head",
    "energies of projections",
    "evaluating",
    "fitting constants",
    "fitting gates",
    "gradients",
    "importance",
    "judging probes",
    "keeping one head a layer",
    "learning the vocabulary",
    "loading texts",
    "measuring a step",
    "measuring circuits",
    "measuring masks",
    "measuring sets of heads",
    "measuring speed",
    "opening %1",
    "packing",
    "painting figures",
    "parts of scores",
    "patching heads",
    "pruning",
    "reading results",
    "reading training data",
    "reading weights",
    "reading weights: %1 of memory",
    "reading word vectors",
    "relevance",
    "removing pairs of heads",
    "report, %1, %2",
    "result on the cluster",
    "roles",
    "running the example without heads",
    "scoring: %1",
    "searching attention",
    "searching masks",
    "sharing projections: width %1",
    "similarity",
    "training probes",
    "training, epoch %1 of %2",
    "training, epoch %1 of %2, loss %3, %4 tokens/s",
    "unpacking",
    "validating",
    "waiting for %1, which cannot be reached",
    "writing",
};

/// The same phase, said otherwise.
Phase renamed(const Phase &phase)
{
    return Phase(phase.id, phase.cost, "something else");
}

std::vector<std::string> journalsIn(const fs::path &folder)
{
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".journal")
            names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

} // namespace

class TestPhases : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const Task> m_task;
    std::vector<Variant> m_variants;

    /// Sweeps under the name `phase`, until `most` of its work is done. How much had been done before.
    std::int64_t sweep(const PhaseNow &phase, const KeptWork &kept, double most, bool others = false) const
    {
        std::stop_source stop;
        std::optional<std::int64_t> first;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            if (!first)
                first = progress.done;
            if (static_cast<double>(progress.done) >= most * static_cast<double>(progress.total))
                stop.request_stop();
        });
        EngineRequest request{.base = {}, .variants = m_variants, .run = {}, .phase = phase, .kept = &kept};
        if (others)
            request.others = {1};
        try {
            (void)runVariants(*m_task, request, control, [](const EngineState &) {});
        } catch (const Cancelled &) { // as it was asked for
        }
        return first.value_or(-1);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const fs::path folder = m_folder.path().toStdString();
        writeTinyClassifier(folder / "model", {.layers = 2, .heads = 2, .width = 8, .labels = {"a", "b", "c"}});
        writeTinyTable(folder / "table.tsv", 200, 3);
        DataSource source;
        source.table = (folder / "table.tsv").string();
        m_task = openTask(folder / "model", source);
        for (const HeadRef &head : m_task->layout().heads())
            m_variants.push_back({HeadMask{head}, Replacement::Zero});
    }

    void identitiesNeverChange()
    {
        std::set<std::string_view> known;
        for (const Phase &phase : allPhases())
            QVERIFY2(known.insert(phase.id).second, std::string(phase.id).c_str()); // each is one of its own
        for (const std::string_view id : kOfTheFirstVersion)
            QVERIFY2(known.contains(id), std::string(id).c_str());
    }

    void comeBackFromTheirIdentities()
    {
        for (const Phase &phase : allPhases()) {
            PhaseNow now(phase);
            for (const char *detail : {"3", "run-2/epoch-001", "12.5", "a, b"}) {
                if (withDetails(phase.id, now.details) != withDetails(phase.id, {"x", "x", "x", "x"}))
                    now.details.push_back(detail);
            }
            for (const Phase &note : {Phase(), kPhaseNotKept}) {
                now.note = phase == kPhaseNotKept ? Phase() : note;
                const PhaseNow back = phaseNamed(now.id(), allPhases());
                QVERIFY2(back.phase == phase && back.note == now.note, now.id().c_str());
                QCOMPARE(back.id(), now.id());
                QCOMPARE(back.phase.cost, phase.cost);
            }
        }
        QVERIFY(phaseNamed("", allPhases()).isNone());
        const PhaseNow other = phaseNamed("measuring 5 % of what is to come", allPhases());
        QVERIFY(other.phase == kPhaseOther && !other.phase.cost);
        QCOMPARE(other.id(), std::string("measuring 5 % of what is to come"));
        QCOMPARE(other.words(), other.id());
    }

    void wordsDecideNothing()
    {
        for (const Phase &phase : allPhases()) {
            const Phase other = renamed(phase);
            QVERIFY(other == phase && other.words != phase.words);
            QCOMPARE(PhaseNow(other, {"7"}).id(), PhaseNow(phase, {"7"}).id());
            QCOMPARE(other.cost, phase.cost);
        }
        QVERIFY(!(kPhaseAblating == kPhaseAllButOne));
        QCOMPARE(kPhaseScore.cost, std::optional(MaskCost::Whole));
        QCOMPARE(PhaseNow(kPhaseChoosing, {"3"}).phase.cost, std::optional(MaskCost::OneHead));
        QCOMPARE(kPhasePruning.cost, std::optional(MaskCost::ManyHeads));
    }

    void journalsAreFoundWhateverTheWords_data()
    {
        QTest::addColumn<bool>("others");
        QTest::newRow("one metric") << false;
        QTest::newRow("all metrics") << true;
    }

    /// Begun under the words of now, gone on with under others, in the file that version 1.0.0 would look for.
    void journalsAreFoundWhateverTheWords()
    {
        QFETCH(bool, others);
        const PhaseNow phases[] = {kPhaseAblating, {kPhaseChoosing, {"3"}}};
        for (const PhaseNow &phase : phases) {
            const QTemporaryDir work;
            const fs::path folder = work.path().toStdString();
            const KeptWork kept(WorkFolder(folder), "key");
            (void)sweep(phase, kept, 0.5, others);
            const auto begun = journalsIn(folder);
            QCOMPARE(begun.size(), std::size_t{1});

            Hasher hasher; // as it has always been
            hasher.add(std::string_view("key"));
            hasher.add(std::string_view(phase.phase == kPhaseAblating
                                            ? others ? "ablating heads, all metrics" : "ablating heads"
                                        : others ? "choosing head 3, all metrics"
                                                 : "choosing head 3"));
            hasher.add(std::string_view());
            for (const Variant &variant : m_variants) {
                hasher.add(std::string_view(toText(variant.mask)));
                hasher.add(std::string_view("zero"));
                hasher.add(std::int64_t{0});
            }
            QCOMPARE(begun.front(), "key-" + hasher.hex() + ".journal");

            const std::int64_t before = sweep({renamed(phase.phase), phase.details}, kept, 2, others);
            QVERIFY(before > 0);
            QCOMPARE(journalsIn(folder), begun);
        }
    }
};

QTEST_GUILESS_MAIN(TestPhases)
#include "tst_phases.moc"
