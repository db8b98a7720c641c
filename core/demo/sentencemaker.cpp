#include "core/demo/clausemaker.h"

#include <algorithm>
#include <array>

// Sentences of several clauses.
namespace headscope::demo {

namespace {

constexpr Kinds kPlaces = kind::Inside | kind::At | kind::Building | kind::Landmark | kind::Ground | kind::Surface;

bool takesRelative(const NounPhrase &phrase)
{
    const bool determined = phrase.determiner == Determiner::Definite || phrase.determiner == Determiner::Indefinite;
    return phrase.noun != nullptr && determined && phrase.others.empty() && phrase.relative.empty()
        && (phrase.noun->kinds & kind::Unique) == 0;
}

std::uint8_t presentOrPast(std::uint8_t time)
{
    if (time == when::Future)
        return when::Present;
    return time;
}

NounPhrase antecedent(const NounPhrase &phrase)
{
    NounPhrase result;
    result.noun = phrase.noun;
    result.agreement = phrase.agreement;
    return result;
}

/// French would repeat "je" and "nous".
bool canShareSubject(const Clause &clause, const Clause &other)
{
    return clause.subject.agreement.person == 3 && other.verb != clause.verb
        && (other.verb->subjects & kindsOf(clause.subject)) != 0;
}

/// The last phrase of a clause, which a relative clause may follow.
NounPhrase *lastPhrase(Clause &clause)
{
    if ((clause.time != nullptr && !clause.timeFirst) || !clause.statement.empty() || !clause.links.empty())
        return nullptr;
    if (!clause.places.empty())
        return &clause.places.back().object;
    if (clause.manner != nullptr || clause.negated || !clause.recipient.empty() || clause.object.empty())
        return nullptr;
    return clause.predicate == PredicateKind::Verb ? &clause.object[0] : nullptr;
}

} // namespace

/// A state worth telling: neither size nor age nor colour.
const Adjective *ClauseMaker::conditionOf(const NounPhrase &phrase)
{
    return m_chooser.find(adjectives(), [&](const Adjective &entry) {
        const bool passes = entry.group == AdjectiveClass::Opinion || entry.group == AdjectiveClass::Condition;
        const bool isSaid = std::ranges::find(phrase.adjectives, &entry) != phrase.adjectives.end();
        return passes && !isSaid && (entry.targets & kindsOf(phrase)) != 0;
    });
}

std::optional<Clause> ClauseMaker::relative(const NounPhrase &phrase, std::uint8_t time)
{
    const NounPhrase whom = antecedent(phrase);
    const Verb *verb = m_chooser.find(
        verbs(), [&](const Verb &entry) { return isDirect(entry) && (entry.objects & phrase.noun->kinds) != 0; });
    Clause clause;
    if (verb != nullptr && m_chooser.chance(50)) {
        clause.verb = verb;
        clause.subject = m_phrases.subject(verb->subjects);
        clause.object.push_back(whom);
        chooseTense(clause, time);
        clause.role = ClauseRole::ObjectRelative;
        return clause;
    }
    if ((phrase.noun->kinds & (kind::Person | kind::Animal)) != 0 && m_chooser.chance(75)) {
        clause = action(time, &whom);
        clause.time = nullptr;
    } else if (const Adjective *condition = conditionOf(phrase); condition != nullptr && phrase.adjectives.empty()) {
        clause = description(time, &whom);
        clause.adjective = condition;
        clause.intensified = clause.intensified && !condition->withAvoir;
    } else {
        return std::nullopt;
    }
    clause.role = ClauseRole::SubjectRelative;
    return clause;
}

bool ClauseMaker::addRelative(NounPhrase &phrase, std::uint8_t time, const Verb *except)
{
    if (!takesRelative(phrase))
        return false;
    const auto clause = relative(phrase, presentOrPast(time));
    const bool isPlace = (phrase.noun->kinds & kPlaces) != 0;
    if (!clause || (clause->verb != nullptr && clause->verb == except)
        || (isPlace && clause->predicate != PredicateKind::Verb))
        return false;
    phrase.relative.push_back(*clause);
    return true;
}

void ClauseMaker::addRelatives(Clause &clause, std::uint8_t time, std::uint32_t percent)
{
    const bool hasSubject = clause.role != ClauseRole::WhoQuestion && clause.predicate != PredicateKind::Existence;
    if (hasSubject && m_chooser.chance(percent) && addRelative(clause.subject, time, clause.verb))
        return;
    NounPhrase *last = lastPhrase(clause);
    if (last != nullptr && m_chooser.chance(percent))
        addRelative(*last, time, clause.verb);
}

/// "is tired", "likes cats", "wants to sleep".
Clause ClauseMaker::state(const NounPhrase &subject, std::uint8_t time)
{
    const Adjective *adjective = conditionOf(subject);
    if (adjective != nullptr && m_chooser.chance(60)) {
        Clause clause = description(time, &subject);
        clause.adjective = adjective;
        clause.intensified = clause.intensified && !adjective->withAvoir;
        return clause;
    }
    if ((kindsOf(subject) & kind::Person) == 0)
        return weather(time);
    while (true) {
        Clause clause = action(time, &subject);
        clause.time = nullptr;
        if ((clause.verb->traits & trait::Stative) != 0 || clause.mode == Mode::Want || clause.mode == Mode::Must)
            return clause;
    }
}

/// Why somebody is or does something: a state, or the weather.
Clause ClauseMaker::reason(const NounPhrase &subject, std::uint8_t time)
{
    if (m_chooser.chance(12))
        return weather(time);
    NounPhrase known = subject;
    known.relative.clear();
    Clause clause = state(known, time);
    if (clause.subject.noun != nullptr || clause.subject.name != nullptr)
        clause.subject = pronounFor(subject);
    return clause;
}

Clause ClauseMaker::withReason()
{
    const std::uint8_t time = anyTime();
    Clause clause = action(time);
    while ((clause.verb->traits & (trait::Stative | trait::Generic)) == trait::Stative)
        clause = action(time);
    clause.links.push_back({LinkWord::Because, reason(clause.subject, presentOrPast(time))});
    return clause;
}

/// What happens at a moment: no state.
Clause ClauseMaker::event(std::uint8_t time)
{
    while (true) {
        const Clause clause = action(time);
        const bool isPlain = clause.frequency == nullptr && clause.mode == Mode::Plain && !clause.negated;
        if (isPlain && (clause.verb->traits & trait::Stative) == 0)
            return clause;
    }
}

/// "Paul arrived while the baker was sleeping."
Clause ClauseMaker::withWhile()
{
    Clause main = event(when::Past);
    main.tense = Tense::Past;
    Clause other = event(when::Past);
    while ((other.verb->traits & trait::Momentary) != 0)
        other = event(when::Past);
    other.tense = Tense::PastProgressive;
    other.time = nullptr;
    main.timeFirst = false;
    main.links.push_back({LinkWord::While, other, m_chooser.chance(30)});
    return main;
}

Clause ClauseMaker::withWhen()
{
    if (m_chooser.chance(25))
        return withWhile();
    const bool first = m_chooser.chance(45);
    Clause main;
    Clause other;
    if (m_chooser.chance(30)) {
        main = action(when::Present);
        other = weather(when::Present);
        other.tense = Tense::Present;
        if (main.tense == Tense::Progressive)
            main.tense = Tense::Present;
    } else if (m_chooser.chance(70)) {
        main = action(when::Past);
        while ((main.verb->traits & trait::Stative) != 0)
            main = action(when::Past);
        other = event(when::Past);
        if (other.tense == Tense::PastProgressive)
            other.tense = Tense::Past;
    } else {
        main = event(when::Future);
        other = event(when::Future);
        other.mode = Mode::Plain;
        other.tense = Tense::FutureWhen;
    }
    other.timeFirst = main.timeFirst = false;
    other.time = nullptr;
    main.links.push_back({LinkWord::When, other, first});
    return main;
}

Clause ClauseMaker::withCondition()
{
    Clause main = action(when::Future);
    Clause other = m_chooser.chance(40) ? weather(when::Present) : action(when::Present);
    if (other.tense == Tense::Progressive)
        other.tense = Tense::Present;
    main.timeFirst = other.timeFirst = false;
    other.time = nullptr;
    main.links.push_back({LinkWord::If, other, m_chooser.chance(60)});
    return main;
}

Clause ClauseMaker::withStatement()
{
    Clause clause;
    clause.verb = &m_chooser.pick(verbs(), [](const Verb &entry) { return entry.frame == Frame::Statement; });
    clause.subject = m_phrases.subject(kind::Person);
    clause.tense = Tense::Present;
    Clause statement = anyClause(anyTime());
    statement.timeFirst = false;
    clause.statement.push_back(statement);
    return clause;
}

Clause ClauseMaker::withAnd()
{
    const std::uint8_t time = anyTime();
    Clause clause = action(time);
    Clause other = event(time);
    other.timeFirst = false;
    clause.links.push_back({LinkWord::And, other});
    return clause;
}

Clause ClauseMaker::withSharedSubject()
{
    const std::uint8_t time = presentOrPast(anyTime());
    Clause clause = event(time);
    Clause other = event(time);
    while (!canShareSubject(clause, other)) {
        clause = event(time);
        other = event(time);
    }
    other.subject = clause.subject;
    other.role = ClauseRole::SharedSubject;
    other.tense = clause.tense = time == when::Present ? Tense::Present : Tense::Past;
    other.timeFirst = false;
    if (!other.object.empty() && other.object[0].noun != nullptr && other.object[0].noun == clause.subject.noun)
        makeDefinite(other.object[0]);
    clause.links.push_back({LinkWord::And, other});
    return clause;
}

/// "The girl likes apples, but she does not like cheese."
Clause ClauseMaker::withBut()
{
    Clause clause;
    clause.verb = &m_chooser.pick(verbs(), [](const Verb &entry) {
        return entry.frame == Frame::Transitive && (entry.traits & trait::Generic) != 0;
    });
    clause.subject = m_phrases.subject(kind::Person);
    clause.object.push_back(m_phrases.generic(clause.verb->objects));
    chooseTense(clause, m_chooser.chance(70) ? when::Present : when::Past);
    Clause other = clause;
    other.subject = pronounFor(clause.subject);
    other.object[0] = m_phrases.generic(clause.object[0].noun->kinds & clause.verb->objects, clause.object[0].noun);
    other.negated = true;
    clause.links.push_back({LinkWord::But, other});
    return clause;
}

Clause ClauseMaker::longSentence()
{
    const std::uint8_t time = anyTime();
    Clause clause = action(time);
    addRelatives(clause, time, 60);
    if (m_chooser.chance(50)) {
        Clause other = event(time);
        other.timeFirst = false;
        addRelatives(other, time, 30);
        clause.links.push_back({LinkWord::And, other});
    } else {
        clause.links.push_back({LinkWord::Because, reason(clause.subject, presentOrPast(time))});
    }
    return clause;
}

Clause ClauseMaker::sentence()
{
    if (m_chooser.domain() == Domain::Out && m_chooser.chance(55))
        return longSentence();
    constexpr std::array<std::uint32_t, 9> kWeights = {58, 9, 7, 5, 3, 5, 5, 5, 4};
    switch (m_chooser.weighted(kWeights)) {
    case 1:
        return question();
    case 2:
        return withReason();
    case 3:
        return withWhen();
    case 4:
        return withCondition();
    case 5:
        return withStatement();
    case 6:
        return withAnd();
    case 7:
        return withSharedSubject();
    case 8:
        return withBut();
    default:
        break;
    }
    const std::uint8_t time = anyTime();
    Clause clause = anyClause(time);
    addRelatives(clause, time, m_chooser.domain() == Domain::In ? 16 : 60);
    return clause;
}

} // namespace headscope::demo
