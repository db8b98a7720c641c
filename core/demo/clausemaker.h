#pragma once

#include "core/demo/phrasemaker.h"

#include <cstdint>
#include <optional>

namespace headscope::demo {

/// Invents clauses and sentences.
class ClauseMaker
{
public:
    explicit ClauseMaker(Chooser &chooser) : m_chooser(chooser), m_phrases(chooser) { }

    Clause sentence();

private:
    // Single clauses; `time` is one of when::Present, Past, Future.
    Clause action(std::uint8_t time, const NounPhrase *subject = nullptr);
    Clause description(std::uint8_t time, const NounPhrase *subject = nullptr);
    Clause location(std::uint8_t time);
    Clause profession();
    Clause existence(std::uint8_t time);
    Clause event(std::uint8_t time);
    Clause weather(std::uint8_t time);
    Clause question();
    Clause anyClause(std::uint8_t time);
    std::uint8_t anyTime();
    NounPhrase thing();

    // Parts of an action
    const Verb &verbFor(Kinds subject);
    void addObjects(Clause &clause);
    void chooseTense(Clause &clause, std::uint8_t time);
    void chooseMode(Clause &clause);
    void chooseAdverbs(Clause &clause);
    void negate(Clause &clause);
    void addAdjuncts(Clause &clause, std::uint8_t time);
    void addPlace(Clause &clause);
    void addCompanion(Clause &clause);
    void addTime(Clause &clause, std::uint8_t time);

    // Several clauses
    void addRelatives(Clause &clause, std::uint8_t time, std::uint32_t percent);
    bool addRelative(NounPhrase &phrase, std::uint8_t time, const Verb *except);
    std::optional<Clause> relative(const NounPhrase &phrase, std::uint8_t time);
    const Adjective *conditionOf(const NounPhrase &phrase);
    Clause state(const NounPhrase &subject, std::uint8_t time);
    Clause reason(const NounPhrase &subject, std::uint8_t time);
    Clause withReason();
    Clause withWhen();
    Clause withWhile();
    Clause withCondition();
    Clause withStatement();
    Clause withAnd();
    Clause withSharedSubject();
    Clause withBut();
    Clause longSentence();

    Chooser &m_chooser;
    PhraseMaker m_phrases;
};

} // namespace headscope::demo
