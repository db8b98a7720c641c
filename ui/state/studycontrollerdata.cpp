// Filling, emptying and exchanging the two data slots.
#include "ui/state/studycontroller.h"

#include "core/session/studyrecord.h"
#include "ui/state/domainjobs.h"
#include "ui/state/slotcommand.h"
#include "ui/state/windowwords.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope {

void StudyController::setData(Domain domain, const DataSource &source)
{
    m_wanted[slotOf(domain)] = source;
    readData(domain, false);
}

void StudyController::readData(Domain domain, bool mustBeTheSame)
{
    m_state.setError(dataPlace(domain), {});
    const auto session = m_state.session();
    if (!session)
        return;
    for (const char *what : kDomainTags)
        m_queue.cancelTag(tagOf(what, domain));
    const JobSpec spec{tr("Read %1 data").arg(domainName(domain)), tagOf("data", domain), JobLane::Interactive};
    m_queue.start<DataCard>(
        spec,
        [session, domain, source = *m_wanted[slotOf(domain)]](const JobControl &control) {
            return session->setData(domain, source, control);
        },
        this, [this, domain, mustBeTheSame](const Result<DataCard> &result) {
            if (result.isError())
                m_state.setError(dataPlace(domain), inWindowWords(result.error().message));
            if (result.isOk())
                onDataRead(domain, result.value(), mustBeTheSame);
        });
}

void StudyController::onDataRead(Domain domain, const DataCard &card, bool mustBeTheSame)
{
    const auto &shown = m_state.data(domain);
    const std::vector<std::string> changed = shown ? changedFiles(studyData(*shown), card) : std::vector<std::string>();
    const bool same = shown && (mustBeTheSame ? changed.empty() : shown->hash == card.hash && shown->rows == card.rows);
    if (mustBeTheSame && !same && shown) { // what was computed of them stays, and is stale
        cancelJobsOf(domain);
        m_maskScores[slotOf(domain)].clear();
        m_state.setChangedData(domain, card, changed);
    } else if (!same) {
        SlotContent before = slotContent(domain);
        if (!before.finished.empty())
            setAside();
        m_finished[slotOf(domain)].clear();
        m_maskScores[slotOf(domain)].clear();
        setModified();
        if (before.card)
            m_state.undoStack().push(new SlotCommand(*this, domain, std::move(before), tr("choose data")));
        m_state.setData(domain, card);
    } else {
        m_state.setData(domain, card);
    }
    if (m_automatic)
        startMissing();
    for (const AnyResult &result : std::exchange(m_again[slotOf(domain)], {}))
        startAgain(domain, result);
    m_maskTimer.start();
}

void StudyController::clearData(Domain domain)
{
    if (!m_finished[slotOf(domain)].empty())
        setAside();
    SlotContent before = exchangeSlot(domain, {});
    if (before.card)
        m_state.undoStack().push(new SlotCommand(*this, domain, std::move(before), tr("remove data")));
}

StudyController::SlotContent StudyController::slotContent(Domain domain) const
{
    const auto &card = m_state.data(domain);
    return {card ? std::optional(card->origin) : m_wanted[slotOf(domain)], card, m_finished[slotOf(domain)]};
}

void StudyController::cancelJobsOf(Domain domain)
{
    for (const JobInfo &job : m_queue.jobs()) {
        for (const char *what : kDomainTags) {
            if (job.spec.tag.startsWith(tagOf(what, domain)))
                m_queue.cancel(job.id);
        }
    }
}

/// Puts something else into a slot and gives what was there.
StudyController::SlotContent StudyController::exchangeSlot(Domain domain, SlotContent content)
{
    SlotContent before = slotContent(domain);
    m_state.setError(dataPlace(domain), {});
    cancelJobsOf(domain);
    m_wanted[slotOf(domain)] = content.wanted;
    m_finished[slotOf(domain)] = std::move(content.finished);
    std::erase_if(m_finished[slotOf(domain)], [&](const auto &entry) { // scores of masks other than the present one
        const auto *evaluation = std::get_if<EvaluationResult>(&*entry.second);
        return evaluation && !evaluation->mask.empty() && !(evaluation->mask == m_state.mask());
    });
    m_maskScores[slotOf(domain)].clear();
    if (const auto session = m_state.session())
        session->clearData(domain);
    m_state.setData(domain, std::nullopt);
    m_state.setData(domain, content.card);
    showFinished(domain);
    setModified();
    if (content.wanted)
        readData(domain, content.card.has_value());
    return before;
}

void StudyController::showFinished(Domain domain)
{
    for (const auto &[tag, result] : m_finished[slotOf(domain)]) {
        if (isJudgedByPresentMetric(*result))
            showResult(domain, *result);
    }
}

void StudyController::applyPendingData()
{
    for (const Domain domain : kBothDomains) {
        if (m_wanted[slotOf(domain)])
            readData(domain, m_reopening);
    }
}

} // namespace headscope
