#include "ui/state/studystate.h"

#include "tests/support/madeuproles.h"
#include "tests/support/madeupstate.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace headscope;

namespace {
ModelCard smallModel()
{
    ModelCard card;
    card.primaryMetric = "BLEU";
    card.metrics = {"BLEU", "chrF2"};
    card.layout = HeadLayout({{HeadKind::Encoder, {{0, 1, 2}, {0, 1, 2}}}});
    return card;
}

const HeadRef kFirst{HeadKind::Encoder, 0, 1};
const HeadRef kSecond{HeadKind::Encoder, 1, 2};
} // namespace

class TestStudyState : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void toggleIsUndoneAndRedone();
    void severalHeadsAreOneStep();
    void sliderDragIsOneStep();
    void dragBackToTheStartLeavesNoStep();
    void clearMaskIsUndone();
    void maskDropsTheScoreOfTheOldMask();
    void otherMetricsAreKept();
    void runningResultsAreNotSaved();
    void pagesHearOfTheirKindsOnly();
    void newDataForgetsItsResultsOnly();
    void newModelForgetsEverything();
    void pruningOfTheSameOrderIsReplaced();
    void selectionSignalsOnce();
    void pinsAreUndone();
    void labelsAreMadeOnce();
    void thresholdDragIsOneStep();
    void rolesOfTheOtherSetStandIn();
    void oneSwitchOfDomains();
    void metricsLeaveRolesAlone();
};

namespace {
/// A head whose largest weights lie at the previous token 92 times of 100.
std::shared_ptr<const RolesResult> previousToken()
{
    auto result = std::make_shared<RolesResult>();
    HeadRoleScores scores;
    scores.head = kFirst;
    scores.offsets.at(-1) = {92, 100, 0.1};
    scores.offsets.queries = 100;
    result->heads.push_back(scores);
    return result;
}

bool isPositional(const StudyState &state)
{
    const RoleLabel *label = state.assignedRoles(Domain::In)->front().first();
    return label && label->role == Role::Positional;
}
} // namespace

void TestStudyState::labelsAreMadeOnce()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    QVERIFY(!state.assignedRoles(Domain::In));
    QSignalSpy changed(&state, &StudyState::rolesChanged);
    state.addResult(Domain::In, previousToken());
    QCOMPARE(changed.count(), 1);
    const auto assigned = state.assignedRoles(Domain::In);
    QVERIFY(isPositional(state));
    QCOMPARE(state.assignedRoles(Domain::In).get(), assigned.get());
    state.addResult(Domain::In, std::make_shared<ConfidenceResult>());
    QCOMPARE(state.assignedRoles(Domain::In).get(), assigned.get());
    state.setRoleThresholds({.positional = 0.95});
    QVERIFY(state.assignedRoles(Domain::In).get() != assigned.get());
    QVERIFY(!isPositional(state));
    state.setModel(smallModel(), nullptr);
    QVERIFY(!state.assignedRoles(Domain::In));
}

void TestStudyState::thresholdDragIsOneStep()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.addResult(Domain::In, previousToken());
    for (const double value : {0.91, 0.93, 0.95})
        state.dragRoleThresholds({.positional = value});
    state.endRoleDrag();
    QCOMPARE(state.undoStack().count(), 1);
    state.dragRoleThresholds({.positional = 0.5});
    state.endRoleDrag();
    QCOMPARE(state.undoStack().count(), 2);
    state.undoStack().undo();
    QCOMPARE(state.roleThresholds().positional, 0.95);
    QVERIFY(!isPositional(state));
    state.undoStack().undo();
    QVERIFY(isPositional(state));
    // There and back again leaves no step, and steps of masks are not those of thresholds.
    state.dragRoleThresholds({.positional = 0.5});
    state.dragRoleThresholds({});
    QCOMPARE(state.undoStack().count(), 0);
    state.setRoleThresholds({.instances = 10});
    state.toggleMask(kFirst);
    state.setRoleThresholds({.instances = 20});
    QCOMPARE(state.undoStack().count(), 3);
    state.setRoleThresholds({.instances = 20});
    QCOMPARE(state.undoStack().count(), 3);
}

void TestStudyState::rolesOfTheOtherSetStandIn()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    QCOMPARE(state.roleDomain(), Domain::In);
    state.addResult(Domain::Out, previousToken());
    QCOMPARE(state.roleDomain(), Domain::Out);
    state.addResult(Domain::In, previousToken());
    QCOMPARE(state.roleDomain(), Domain::In);
    state.setDomainView(DomainView::Out);
    QCOMPARE(state.roleDomain(), Domain::Out);
    state.setDomainView(DomainView::Difference); // leaves what is shown by itself
    QCOMPARE(state.roleDomain(), Domain::Out);
}

/// The domain view, the pages of one data set and the sentences are about the same one.
void TestStudyState::oneSwitchOfDomains()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    DataCard card;
    card.rows = 20;
    card.hash = "out";
    state.setData(Domain::Out, card);
    QCOMPARE(state.shownDomain(), Domain::Out); // there is no other
    card.hash = "in";
    state.setData(Domain::In, card);
    QCOMPARE(state.shownDomain(), Domain::In);
    state.setSentence(Domain::In, 3);
    int changes = 0;
    QObject::connect(&state, &StudyState::domainViewChanged, &state, [&] { ++changes; });
    state.setDomainView(DomainView::Out);
    QCOMPARE(state.shownDomain(), Domain::Out);
    QCOMPARE(state.sentenceDomain(), Domain::Out);
    QCOMPARE(changes, 1);
    state.setSentence(Domain::Out, 7);
    state.setSentence(Domain::In, 5);
    QCOMPARE(state.domainView(), DomainView::In);
    QCOMPARE(state.shownDomain(), Domain::In);
    QCOMPARE(changes, 2);
    state.setDomainView(DomainView::Out);
    QCOMPARE(state.sentenceIndex(), 7); // as it was left
    state.setDomainView(DomainView::Difference);
    QCOMPARE(state.shownDomain(), Domain::Out);
    state.setSentence(Domain::In, 5);
    QCOMPARE(state.domainView(), DomainView::Difference);
    QCOMPARE(state.shownDomain(), Domain::In);
    state.setData(Domain::In, std::nullopt);
    QCOMPARE(state.shownDomain(), Domain::Out);
    QCOMPARE(state.sentenceDomain(), Domain::Out);
}

void TestStudyState::metricsLeaveRolesAlone()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.addResult(Domain::In, previousToken());
    auto relevance = std::make_shared<RelevanceResult>();
    relevance->heads.push_back({kSecond, 0.4, 0.01});
    state.addResult(Domain::In, relevance);
    state.setMetric(QStringLiteral("chrF2"));
    QVERIFY(state.results(Domain::In).roles && state.results(Domain::In).relevance);
    QCOMPARE(measuredValue(state.results(Domain::In), Measure::Relevance, kSecond), std::optional(0.4));
    QVERIFY(!measuredValue(state.results(Domain::In), Measure::Relevance, kFirst));
    QCOMPARE(measureName(Measure::Relevance, QStringLiteral("BLEU")), QStringLiteral("Relevance"));
}

void TestStudyState::toggleIsUndoneAndRedone()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    QSignalSpy changed(&state, &StudyState::maskChanged);
    state.toggleMask(kFirst);
    QVERIFY(state.mask().isMasked(kFirst));
    QCOMPARE(state.undoStack().undoText(), QStringLiteral("mask encoder.0.1"));
    state.undoStack().undo();
    QVERIFY(state.mask().empty());
    state.undoStack().redo();
    QVERIFY(state.mask().isMasked(kFirst));
    QCOMPARE(changed.count(), 3);
}

void TestStudyState::severalHeadsAreOneStep()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.toggleMask(kFirst);
    state.toggleMasks({kFirst, kSecond}); // not all masked yet: masks both
    QCOMPARE(state.mask().size(), 2);
    state.toggleMasks({kFirst, kSecond}); // all masked: unmasks both
    QVERIFY(state.mask().empty());
    QCOMPARE(state.undoStack().count(), 3);
}

void TestStudyState::sliderDragIsOneStep()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.toggleMask(kSecond);
    HeadMask mask = state.mask();
    for (int head = 0; head < 3; ++head) {
        mask.set({HeadKind::Encoder, 0, head}, true);
        state.dragMask(mask);
    }
    state.endMaskDrag();
    QCOMPARE(state.mask().size(), 4);
    QCOMPARE(state.undoStack().count(), 2);
    state.dragMask({});
    state.endMaskDrag();
    QCOMPARE(state.undoStack().count(), 3); // another drag, another step
    state.undoStack().undo();
    state.undoStack().undo();
    QCOMPARE(state.mask(), HeadMask{kSecond});
}

void TestStudyState::dragBackToTheStartLeavesNoStep()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.dragMask({kFirst});
    state.dragMask({});
    state.endMaskDrag();
    QCOMPARE(state.undoStack().count(), 0);
}

void TestStudyState::clearMaskIsUndone()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.setMask({kFirst, kSecond}, QStringLiteral("mask"));
    state.clearMask();
    QVERIFY(state.mask().empty());
    state.undoStack().undo();
    QCOMPARE(state.mask().size(), 2);
}

void TestStudyState::maskDropsTheScoreOfTheOldMask()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.toggleMask(kFirst);
    state.addResult(Domain::In, MadeUp::evaluation(false, state.mask()));
    QVERIFY(state.results(Domain::In).masked);
    QSignalSpy changed(&state, &StudyState::resultsChanged);
    state.toggleMask(kSecond);
    QVERIFY(!state.results(Domain::In).masked);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed.front().at(1).value<ResultKinds>(), ResultKinds(ResultKind::Masked));
    QVERIFY(state.finishedResults(Domain::In).empty()); // a study saves the present mask's
    state.undoStack().undo();                           // its score is known
    QCOMPARE(state.results(Domain::In).masked->mask, state.mask());
    state.forgetOtherMasks(Domain::In);
    QVERIFY(state.results(Domain::In).masked);
    state.toggleMask(kSecond);
    state.forgetOtherMasks(Domain::In);
    state.undoStack().undo();
    QVERIFY(!state.results(Domain::In).masked);
}

void TestStudyState::otherMetricsAreKept()
{
    MadeUp study;
    StudyState &state = study.state;
    const DomainResults before = state.results(Domain::In);
    const std::size_t saved = state.finishedResults(Domain::In).size();
    state.setMetric(QStringLiteral("chrF2"));
    QVERIFY(!state.results(Domain::In).ablation && !state.results(Domain::In).baseline);
    QVERIFY(state.results(Domain::In).pruning.empty());
    QCOMPARE(state.results(Domain::In).importance, before.importance);
    QCOMPARE(state.finishedResults(Domain::In).size(), saved);
    state.undoStack().undo();
    QCOMPARE(state.results(Domain::In).ablation, before.ablation);
    QCOMPARE(state.results(Domain::In).pruning, before.pruning); // in the same order
}

void TestStudyState::runningResultsAreNotSaved()
{
    MadeUp study(false);
    StudyState &state = study.state;
    const auto finished = state.results(Domain::In).ablation;
    const std::size_t saved = state.finishedResults(Domain::In).size();
    const auto partial = madeup::ablation(true);
    state.addPartialResult(Domain::In, partial);
    QCOMPARE(state.results(Domain::In).ablation, partial);
    const auto results = state.finishedResults(Domain::In);
    QCOMPARE(results.size(), saved);
    QVERIFY(std::ranges::find(results, AnyResult(finished)) != results.end());
    state.addPartialResult(Domain::Out, partial);
    QVERIFY(state.results(Domain::Out).ablation && !state.hasFinishedResults(Domain::Out));
    state.setMetric(QStringLiteral("chrF2")); // nobody will complete it
    state.undoStack().undo();
    QCOMPARE(state.results(Domain::In).ablation, finished);
    QVERIFY(!state.results(Domain::Out).ablation);
}

void TestStudyState::pagesHearOfTheirKindsOnly()
{
    MadeUp study;
    QList<ResultKinds> heard;
    QObject::connect(&study.state, &StudyState::resultsChanged, &study.state,
                     [&](Domain, ResultKinds kinds) { heard << kinds; });
    study.state.addResult(Domain::In, madeup::relevance());
    study.state.addResult(Domain::In, study.state.results(Domain::In).relevance); // nothing new
    study.state.addResult(Domain::In, madeup::roles());
    QCOMPARE(heard, (QList<ResultKinds>{ResultKind::Relevance, ResultKind::Roles}));
}

void TestStudyState::newDataForgetsItsResultsOnly()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    for (const Domain domain : kBothDomains)
        state.addResult(domain, std::make_shared<const AblationResult>());
    QSignalSpy changed(&state, &StudyState::resultsChanged);
    state.setData(Domain::Out, DataCard{});
    QVERIFY(state.results(Domain::In).ablation);
    QVERIFY(!state.results(Domain::Out).ablation);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed.front().front().value<Domain>(), Domain::Out);
}

void TestStudyState::newModelForgetsEverything()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    state.toggleMask(kFirst);
    state.selectHead(kSecond);
    state.addResult(Domain::In, std::make_shared<const AblationResult>());
    state.setModel(smallModel(), nullptr);
    QVERIFY(state.mask().empty());
    QVERIFY(!state.currentHead());
    QVERIFY(!state.results(Domain::In).ablation);
    QVERIFY(!state.undoStack().canUndo());
}

void TestStudyState::pruningOfTheSameOrderIsReplaced()
{
    StudyState state;
    const auto curve = [](const char *order, std::size_t points) {
        PruningResult result;
        result.curves = {{order, std::vector<PruningPoint>(points), 0}};
        return std::make_shared<const PruningResult>(result);
    };
    state.addResult(Domain::In, curve("importance", 1));
    state.addResult(Domain::In, curve("random", 1));
    state.addResult(Domain::In, curve("importance", 2));
    const auto &all = state.results(Domain::In).pruning;
    QCOMPARE(all.size(), std::size_t(2));
    QCOMPARE(all.front()->curves.front().points.size(), std::size_t(2));
}

void TestStudyState::selectionSignalsOnce()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    QSignalSpy changed(&state, &StudyState::selectionChanged);
    state.selectHead(kFirst);
    state.selectHead(kFirst);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(*state.currentHead(), kFirst);
}

void TestStudyState::pinsAreUndone()
{
    StudyState state;
    state.setModel(smallModel(), nullptr);
    QSignalSpy changed(&state, &StudyState::pinsChanged);
    state.togglePins({kFirst});
    state.togglePins({kFirst, kSecond}); // one of them is not pinned yet: both are then
    QVERIFY(state.pins() == (std::set<HeadRef>{kFirst, kSecond}));
    state.togglePins({kFirst});
    QVERIFY(state.pins() == std::set<HeadRef>{kSecond});
    QCOMPARE(changed.count(), 3);
    state.undoStack().undo();
    state.undoStack().undo();
    QVERIFY(state.pins() == std::set<HeadRef>{kFirst});
    state.undoStack().redo();
    QCOMPARE(state.pins().size(), std::size_t(2));
    state.setModel(smallModel(), nullptr);
    QVERIFY(state.pins().empty());
}

QTEST_GUILESS_MAIN(TestStudyState)
#include "tst_studystate.moc"
