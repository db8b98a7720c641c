#include "core/demo/clausemaker.h"

#include <array>

namespace headscope::demo {

namespace {

bool has(const Verb &verb, VerbTraits traits)
{
    return (verb.traits & traits) != 0;
}
bool isPrepositional(std::string_view verb)
{
    return verb.find(' ') != std::string_view::npos;
}

/// What is asked for is not told, and the verb allows to ask for it.
bool canBeAsked(const Clause &clause, ClauseRole role)
{
    const Verb &verb = *clause.verb;
    switch (role) {
    case ClauseRole::WhereQuestion:
        return !clause.negated && clause.places.empty() && !has(verb, trait::NoPlace) && verb.frame != Frame::Goal;
    case ClauseRole::WhenQuestion:
        return !clause.negated && clause.time == nullptr && !has(verb, trait::Stative);
    case ClauseRole::WhatQuestion:
        return !clause.negated && isDirect(verb) && (verb.objects & kind::Person) == 0;
    case ClauseRole::WhoQuestion:
        return (verb.subjects & kind::Person) != 0;
    default:
        return true;
    }
}

bool takesRecipient(const Verb &verb)
{
    return verb.frame == Frame::Ditransitive || verb.frame == Frame::Dative;
}

} // namespace

std::uint8_t ClauseMaker::anyTime()
{
    constexpr std::array<std::uint32_t, 3> kWeights = {48, 36, 16};
    constexpr std::array<std::uint8_t, 3> kTimes = {when::Present, when::Past, when::Future};
    return kTimes[m_chooser.weighted(kWeights)];
}

const Verb &ClauseMaker::verbFor(Kinds subject)
{
    constexpr std::array<std::uint32_t, 5> kWeights = {56, 20, 11, 4, 9};
    constexpr std::array<Frame, 5> kFrames
        = {Frame::Transitive, Frame::Intransitive, Frame::Ditransitive, Frame::Dative, Frame::Goal};
    while (true) {
        const Frame frame = kFrames[m_chooser.weighted(kWeights)];
        const Verb *found = m_chooser.find(
            verbs(), [&](const Verb &verb) { return verb.frame == frame && (verb.subjects & subject) != 0; });
        if (found != nullptr)
            return *found;
    }
}

void ClauseMaker::addObjects(Clause &clause)
{
    const Verb &verb = *clause.verb;
    if (verb.frame == Frame::Goal && !isPrepositional(verb.english)) {
        const bool town = (verb.objects & kind::Town) != 0 && m_chooser.chance(50);
        const bool inside = m_chooser.chance(70) || (verb.objects & kind::At) == 0;
        Place place{&preposition(town || inside ? "in" : "at", town ? "à" : ""), {}};
        place.object = town ? m_phrases.town()
                            : m_phrases.commonNoun(verb.objects & (inside ? ~Kinds{kind::At | kind::Town} : kind::At));
        makeDefinite(place.object);
        makeSingle(place.object);
        clause.places.push_back(place);
        return;
    }
    if (verb.objects == 0)
        return;
    clause.object.push_back(m_phrases.object(verb, clause.subject));
    if (!takesRecipient(verb))
        return;
    clause.recipient.push_back(m_phrases.recipient(clause.subject));
    clause.recipientFirst = verb.frame == Frame::Ditransitive && !clause.object[0].isPronoun()
                         && m_chooser.chance(clause.recipient[0].isPronoun() ? 85 : 40);
}

void ClauseMaker::chooseTense(Clause &clause, std::uint8_t time)
{
    const bool isVerb = clause.predicate == PredicateKind::Verb;
    const bool simple = !isVerb || has(*clause.verb, trait::Stative | trait::Momentary);
    // "Will know", "will like" are seldom meant.
    if (isVerb && has(*clause.verb, trait::Stative) && time == when::Future)
        time = when::Present;
    if (time == when::Present)
        clause.tense = simple || m_chooser.chance(45) ? Tense::Present : Tense::Progressive;
    else if (time == when::Past)
        clause.tense = simple || m_chooser.chance(85) ? Tense::Past : Tense::PastProgressive;
    else
        clause.tense = Tense::Future;
}

void ClauseMaker::chooseMode(Clause &clause)
{
    const Verb &verb = *clause.verb;
    if (has(verb, trait::Stative | trait::Unwilled) || (kindsOf(clause.subject) & (kind::Person | kind::Animal)) == 0)
        return;
    if (clause.tense == Tense::Future && m_chooser.chance(45)) {
        clause.mode = Mode::GoingTo;
        clause.tense = Tense::Present;
    }
    if ((clause.tense == Tense::Present || clause.tense == Tense::Past) && clause.mode == Mode::Plain
        && m_chooser.chance(14)) {
        constexpr std::array<Mode, 3> kModes = {Mode::Want, Mode::Can, Mode::Must};
        clause.mode = kModes[m_chooser.below(clause.tense == Tense::Past ? 2 : 3)];
    }
}

/// "Does not see the cook" rather than "a cook"; "does not have a dog" stays.
void ClauseMaker::negate(Clause &clause)
{
    clause.negated = true;
    for (NounPhrase &object : clause.object) {
        if (object.determiner == Determiner::Indefinite && (kindsOf(object) & kind::Person) != 0)
            makeDefinite(object);
    }
}

void ClauseMaker::chooseAdverbs(Clause &clause)
{
    const Verb &verb = *clause.verb;
    if (m_chooser.chance(13))
        return negate(clause);
    const bool isSimple = clause.tense == Tense::Present || clause.tense == Tense::Past;
    if (isSimple && clause.mode == Mode::Plain && !has(verb, trait::Stative) && m_chooser.chance(14)) {
        clause.frequency
            = &m_chooser.pick(adverbs(), [](const Adverb &entry) { return entry.group != AdverbClass::Manner; });
        return;
    }
    if (clause.mode != Mode::Plain || !m_chooser.chance(20))
        return;
    clause.manner = m_chooser.find(adverbs(), [&](const Adverb &entry) {
        return entry.group == AdverbClass::Manner && (entry.verbs & verb.traits) != 0;
    });
}

void ClauseMaker::addPlace(Clause &clause)
{
    if (!clause.places.empty() || has(*clause.verb, trait::NoPlace) || clause.verb->frame == Frame::Goal
        || takesRecipient(*clause.verb))
        return;
    if (auto place = m_phrases.place(clause.subject))
        clause.places.push_back(*std::move(place));
}

/// "with her brother".
void ClauseMaker::addCompanion(Clause &clause)
{
    const bool goes = clause.verb->frame == Frame::Intransitive || clause.verb->frame == Frame::Goal;
    if (!goes || !clause.subject.agreement.animate || has(*clause.verb, trait::Stative))
        return;
    const Preposition &preposition
        = m_chooser.pick(prepositions(), [](const Preposition &entry) { return entry.places == kind::Person; });
    Place companion{&preposition, {}};
    companion.object = m_chooser.chance(20) ? pronounFor(m_phrases.actor(kind::Person)) : m_phrases.actor(kind::Family);
    clause.places.push_back(companion);
}

void ClauseMaker::addTime(Clause &clause, std::uint8_t time)
{
    const bool habitual = clause.tense == Tense::Present && clause.mode == Mode::Plain;
    if (has(*clause.verb, trait::Stative) || clause.frequency != nullptr)
        return;
    clause.time = &m_chooser.pick(timePhrases(), [&](const TimePhrase &entry) {
        return (entry.tenses & time) != 0 && (!entry.habit || habitual);
    });
    clause.timeFirst = m_chooser.chance(30);
}

void ClauseMaker::addAdjuncts(Clause &clause, std::uint8_t time)
{
    if (m_chooser.chance(24))
        addPlace(clause);
    else if (m_chooser.chance(9))
        addCompanion(clause);
    if (m_chooser.chance(20))
        addTime(clause, time);
}

Clause ClauseMaker::action(std::uint8_t time, const NounPhrase *subject)
{
    Clause clause;
    if (subject != nullptr) {
        clause.subject = *subject;
        clause.verb = &verbFor(kindsOf(*subject));
    } else {
        clause.verb = &verbFor(~Kinds{0});
        clause.subject = m_phrases.subject(clause.verb->subjects);
    }
    addObjects(clause);
    chooseTense(clause, time);
    chooseMode(clause);
    chooseAdverbs(clause);
    addAdjuncts(clause, time);
    return clause;
}

Clause ClauseMaker::description(std::uint8_t time, const NounPhrase *subject)
{
    Clause clause;
    clause.predicate = PredicateKind::Adjective;
    while (clause.adjective == nullptr) {
        clause.subject = subject != nullptr   ? *subject
                       : m_chooser.chance(60) ? m_phrases.subject(kind::Person)
                                              : m_phrases.commonNoun(kind::Animal | kind::Food | kind::Clothing
                                                                     | kind::Goods | kind::Building | kind::Drink);
        clause.subject.adjectives.clear();
        if (clause.subject.determiner == Determiner::Indefinite)
            makeDefinite(clause.subject);
        clause.adjective = m_phrases.adjectiveFor(kindsOf(clause.subject), false);
    }
    chooseTense(clause, time);
    clause.negated = m_chooser.chance(14);
    const bool isGraded = !clause.adjective->withAvoir && clause.adjective->group != AdjectiveClass::Colour;
    clause.intensified = !clause.negated && isGraded && m_chooser.chance(22);
    return clause;
}

/// What lies somewhere.
NounPhrase ClauseMaker::thing()
{
    while (true) {
        const NounPhrase result = m_phrases.commonNoun(kind::Portable);
        if ((kindsOf(result) & (kind::Food | kind::Plant)) == 0)
            return result;
    }
}

Clause ClauseMaker::location(std::uint8_t time)
{
    Clause clause;
    clause.predicate = PredicateKind::Place;
    const bool isThing = m_chooser.chance(50);
    clause.subject = isThing ? thing() : m_phrases.subject(kind::Person | kind::Animal);
    if (clause.subject.determiner == Determiner::Indefinite)
        clause.subject.determiner = Determiner::Definite;
    while (clause.places.empty()) {
        if (auto place = isThing ? m_phrases.placeOfThing() : m_phrases.place(clause.subject))
            clause.places.push_back(*std::move(place));
    }
    chooseTense(clause, time);
    clause.negated = m_chooser.chance(14);
    return clause;
}

Clause ClauseMaker::profession()
{
    Clause clause;
    clause.predicate = PredicateKind::Profession;
    clause.subject = m_chooser.chance(40) ? m_phrases.subject(kind::Person) : m_phrases.actor(kind::Family);
    clause.subject.others.clear();
    clause.subject.count = 0;
    if (clause.subject.agreement.person != 3 || (kindsOf(clause.subject) & kind::Profession) != 0)
        clause.subject = personalPronoun(3, Number::Singular, clause.subject.agreement.gender);
    clause.subject.agreement.number = Number::Singular;
    NounPhrase job;
    job.noun = &m_chooser.pick(nouns(), [&](const Noun &noun) {
        return (noun.kinds & kind::Profession) != 0 && noun.gender == clause.subject.agreement.gender;
    });
    job.agreement.gender = job.noun->gender;
    job.determiner = Determiner::Indefinite;
    clause.object.push_back(job);
    clause.tense = m_chooser.chance(70) ? Tense::Present : Tense::Past;
    clause.negated = m_chooser.chance(12);
    return clause;
}

Clause ClauseMaker::existence(std::uint8_t time)
{
    Clause clause;
    clause.predicate = PredicateKind::Existence;
    NounPhrase found = m_chooser.chance(50) ? m_phrases.commonNoun(kind::Animal | kind::Person) : thing();
    found.determiner = Determiner::Indefinite;
    found.owner.clear();
    if ((kindsOf(found) & (kind::Family | kind::Unique | kind::Single)) != 0)
        return existence(time);
    clause.object.push_back(found);
    clause.subject.agreement.number = found.agreement.number;
    const bool isAlive = (kindsOf(found) & (kind::Animal | kind::Person)) != 0;
    while (clause.places.empty()) {
        if (auto place = isAlive ? m_phrases.place(found) : m_phrases.placeOfThing())
            clause.places.push_back(*std::move(place));
    }
    clause.negated = m_chooser.chance(15);
    chooseTense(clause, time);
    return clause;
}

Clause ClauseMaker::weather(std::uint8_t time)
{
    Clause clause;
    clause.verb = &verb(m_chooser.chance(70) ? "rain" : "snow");
    clause.tense = time == when::Present ? Tense::Progressive
                 : time == when::Past    ? Tense::PastProgressive
                                         : Tense::Future;
    return clause;
}

Clause ClauseMaker::question()
{
    constexpr std::array<ClauseRole, 6> kRoles
        = {ClauseRole::YesNoQuestion, ClauseRole::WhereQuestion, ClauseRole::WhenQuestion,
           ClauseRole::WhyQuestion,   ClauseRole::WhoQuestion,   ClauseRole::WhatQuestion};
    constexpr std::array<std::uint32_t, 6> kWeights = {40, 14, 10, 12, 12, 12};
    const ClauseRole role = kRoles[m_chooser.weighted(kWeights)];
    Clause clause = action(anyTime());
    while (!canBeAsked(clause, role))
        clause = action(anyTime());
    clause.role = role;
    clause.frequency = clause.manner = nullptr;
    clause.timeFirst = false;
    if (role == ClauseRole::WhoQuestion)
        clause.subject = personalPronoun(3, Number::Singular);
    return clause;
}

Clause ClauseMaker::anyClause(std::uint8_t time)
{
    const std::uint32_t drawn = m_chooser.below(100);
    if (drawn < 70)
        return action(time);
    if (drawn < 85)
        return description(time);
    if (drawn < 92)
        return location(time);
    return drawn < 95 ? profession() : existence(time);
}

} // namespace headscope::demo
