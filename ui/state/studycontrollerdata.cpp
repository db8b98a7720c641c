// Filling, emptying and exchanging the two data slots.
#include "ui/state/studycontroller.h"

#include "core/session/studyrecord.h"
#include "ui/state/domainjobs.h"
#include "ui/state/resultkinds.h"
#include "ui/state/slotcommand.h"
#include "ui/state/windowwords.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope {

void StudyController::setData(Domain domain, const DataSource &source)
{
    m_context.wanted[slotOf(domain)] = source;
    readData(domain, false);
}

void StudyController::readData(Domain domain, bool mustBeTheSame)
{
    m_state.setError(dataPlace(domain), {});
    const auto session = m_state.session();
    if (!session)
        return;
    m_works.cancelJobsOf(domain);
    const JobSpec spec{tr("Read %1 data").arg(domainName(domain)), dataTag(domain), JobLane::Interactive};
    m_queue.start<ReadData>(
        spec,
        [session, domain, source = *m_context.wanted[slotOf(domain)]](const JobControl &control) -> Result<ReadData> {
            const Result<DataCard> card = session->setData(domain, source, control);
            if (card.isOk())
                return ReadData{card.value(), session->rows(domain)};
            return card.isError() ? Result<ReadData>(card.error()) : Result<ReadData>::cancelled();
        },
        this,
        [this, domain, mustBeTheSame](const Result<ReadData> &result) {
            if (result.isError())
                m_state.setError(dataPlace(domain), inWindowWords(result.error().message));
            if (result.isOk())
                onDataRead(domain, result.value(), mustBeTheSame);
        });
}

void StudyController::onDataRead(Domain domain, const ReadData &data, bool mustBeTheSame)
{
    const auto &[card, rows] = data;
    const auto &shown = m_state.data(domain);
    const std::vector<std::string> changed = shown ? changedFiles(*shown, card) : std::vector<std::string>();
    const bool same = shown && (mustBeTheSame ? changed.empty() : shown->hash == card.hash && shown->rows == card.rows);
    if (mustBeTheSame && !same && shown) { // what was computed of them stays, and is stale
        m_works.cancelJobsOf(domain);
        m_state.forgetOtherMasks(domain);
        m_state.setChangedData(domain, card, rows, changed);
    } else if (!same) {
        SlotContent before = slotContent(domain);
        if (!before.finished.empty())
            m_files.setAside();
        m_files.setModified();
        if (before.card)
            m_state.undoStack().push(new SlotCommand(*this, domain, std::move(before), tr("choose data")));
        m_state.setData(domain, card, rows);
    } else {
        m_state.setData(domain, card, rows);
    }
    showModelAlone();
    m_works.lookForUnfinished(domain);
    if (m_context.automatic)
        startMissing(false);
    for (const AnyResult &result : std::exchange(m_again[slotOf(domain)], {}))
        m_works.startAgain(domain, result);
    m_maskTimer.start();
}

void StudyController::clearData(Domain domain)
{
    if (m_state.hasFinishedResults(domain))
        m_files.setAside();
    SlotContent before = exchangeSlot(domain, {});
    if (before.card)
        m_state.undoStack().push(new SlotCommand(*this, domain, std::move(before), tr("remove data")));
}

SlotContent StudyController::slotContent(Domain domain) const
{
    const auto &card = m_state.data(domain);
    return {card ? std::optional(card->origin) : m_context.wanted[slotOf(domain)], card,
            m_state.finishedResults(domain)};
}

SlotContent StudyController::exchangeSlot(Domain domain, SlotContent content)
{
    SlotContent before = slotContent(domain);
    m_state.setError(dataPlace(domain), {});
    m_works.cancelJobsOf(domain);
    m_context.wanted[slotOf(domain)] = content.wanted;
    if (const auto session = m_state.session())
        session->clearData(domain);
    m_state.setData(domain, std::nullopt);
    m_state.setData(domain, content.card);
    m_state.putBack(domain, content.finished);
    m_files.setModified();
    if (content.wanted)
        readData(domain, content.card.has_value());
    return before;
}

void StudyController::applyPendingData()
{
    for (const Domain domain : kBothDomains) {
        if (m_context.wanted[slotOf(domain)])
            readData(domain, m_reopening);
    }
}

} // namespace headscope
