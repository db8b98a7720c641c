#include "core/demo/phrasemaker.h"

#include <array>

namespace headscope::demo {

namespace {

constexpr Kinds kPlaces = kind::Inside | kind::At | kind::Surface | kind::Ground | kind::Cover | kind::Landmark
                        | kind::Building | kind::Container;
constexpr Kinds kOwnable = kind::Goods | kind::Portable | kind::Pet | kind::Clothing | kind::Toy;

bool has(const NounPhrase &phrase, Kinds kinds)
{
    return (kindsOf(phrase) & kinds) != 0;
}

} // namespace

void makeDefinite(NounPhrase &phrase)
{
    phrase.determiner = Determiner::Definite;
    phrase.owner.clear();
}

void makeSingle(NounPhrase &phrase)
{
    phrase.agreement.number = Number::Singular;
    phrase.count = 0;
}

Kinds kindsOf(const NounPhrase &phrase)
{
    if (phrase.noun != nullptr)
        return phrase.noun->kinds;
    return phrase.agreement.animate ? kind::Person | kind::Grown : Kinds{0};
}

NounPhrase pronounFor(const NounPhrase &phrase)
{
    NounPhrase result;
    result.agreement = agreementOf(phrase);
    return result;
}

NounPhrase personalPronoun(int person, Number number, Gender gender)
{
    NounPhrase result;
    result.agreement = {person, number, gender, true};
    if (person == 2)
        result.agreement.number = Number::Plural;
    return result;
}

NounPhrase PhraseMaker::subjectPronoun()
{
    constexpr std::array<std::uint32_t, 6> kWeights = {26, 26, 14, 14, 10, 10};
    switch (m_chooser.weighted(kWeights)) {
    case 0:
        return personalPronoun(3, Number::Singular, Gender::Masculine);
    case 1:
        return personalPronoun(3, Number::Singular, Gender::Feminine);
    case 2:
        return personalPronoun(3, Number::Plural);
    case 3:
        return personalPronoun(1, Number::Singular);
    case 4:
        return personalPronoun(1, Number::Plural);
    default:
        return personalPronoun(2, Number::Plural);
    }
}

NounPhrase PhraseMaker::properName()
{
    NounPhrase result;
    result.name = &m_chooser.pickName(firstNames());
    result.agreement.gender = result.name->gender;
    if (m_chooser.chance(18))
        result.surname = &m_chooser.pickName(surnames());
    return result;
}

NounPhrase PhraseMaker::town()
{
    NounPhrase result;
    result.name = &m_chooser.pickName(towns());
    result.agreement.animate = false;
    return result;
}

NounPhrase PhraseMaker::person()
{
    return m_chooser.chance(35) ? properName() : commonNoun(kind::Person);
}

NounPhrase PhraseMaker::actor(Kinds kinds)
{
    if ((kinds & (kind::Person | kind::Child)) == 0 || (kinds & kind::Ship) != 0)
        return commonNoun(kinds);
    NounPhrase result = m_chooser.chance(28) ? properName() : commonNoun(kinds);
    if (result.agreement.animate && m_chooser.chance(6) && has(result, kind::Person) && result.count == 0) {
        const NounPhrase other = properName();
        if (other.name != result.name)
            result.others.push_back(other);
    }
    return result;
}

NounPhrase PhraseMaker::subject(Kinds kinds)
{
    const std::uint32_t pronouns = m_chooser.domain() == Domain::In ? 30 : 10;
    if ((kinds & kind::Person) != 0 && m_chooser.chance(pronouns))
        return subjectPronoun();
    return actor(kinds);
}

NounPhrase PhraseMaker::generic(Kinds kinds, const Noun *except)
{
    NounPhrase result;
    const Kinds wanted = kinds & ~Kinds{kind::Person};
    result.noun = &m_chooser.pick(nouns(), [&](const Noun &noun) {
        return &noun != except && (noun.kinds & wanted) != 0
            && (noun.kinds & (kind::Person | kind::Unique | kind::Town)) == 0;
    });
    result.agreement.gender = result.noun->gender;
    result.agreement.animate = false;
    result.agreement.number = has(result, kind::Mass) ? Number::Singular : Number::Plural;
    result.determiner = Determiner::Generic;
    return result;
}

NounPhrase PhraseMaker::objectPronoun(const NounPhrase &subject, Kinds kinds)
{
    if ((kinds & kind::Person) == 0) {
        NounPhrase thing = personalPronoun(3, m_chooser.chance(30) ? Number::Plural : Number::Singular);
        thing.agreement.animate = false;
        return thing;
    }
    while (true) {
        const NounPhrase result = subjectPronoun();
        const int person = subject.agreement.person;
        if (person == 3 || result.agreement.person != person)
            return result;
    }
}

NounPhrase PhraseMaker::object(const Verb &verb, const NounPhrase &subject)
{
    const bool allowsPronoun = (verb.traits & trait::NoClitic) == 0 && verb.frame == Frame::Transitive;
    if (allowsPronoun && m_chooser.chance((verb.objects & kind::Person) != 0 ? 26 : 7))
        return objectPronoun(subject, verb.objects);
    if ((verb.traits & trait::Generic) != 0 && m_chooser.chance(55))
        return generic(verb.objects);
    if ((verb.objects & kind::Town) != 0 && (verb.objects == kind::Town || m_chooser.chance(50)))
        return town();
    if ((verb.objects & kind::Person) != 0 && m_chooser.chance(25))
        return properName();
    NounPhrase result = commonNoun(verb.objects & ~Kinds{kind::Town}, subject.noun);
    const bool isIndefinite = result.determiner == Determiner::Indefinite;
    if (isIndefinite && ((verb.traits & trait::Generic) != 0 || verb.frame == Frame::Goal))
        makeDefinite(result);
    if (result.determiner == Determiner::Possessive && m_chooser.chance(65))
        result.possessor = agreementOf(subject);
    return result;
}

NounPhrase PhraseMaker::recipient(const NounPhrase &subject)
{
    if (m_chooser.chance(38))
        return objectPronoun(subject, kind::Person);
    return person();
}

void PhraseMaker::chooseNumber(NounPhrase &phrase)
{
    if (has(phrase, kind::Mass | kind::Unique | kind::Single))
        return;
    if (!m_chooser.chance(has(phrase, kind::Family | kind::At | kind::Building) ? 10 : 28))
        return;
    phrase.agreement.number = Number::Plural;
    constexpr std::array<int, 24> kCounts
        = {2, 3, 4, 5, 2, 3, 6, 10, 2, 4, 7, 8, 9, 11, 12, 13, 14, 15, 16, 20, 30, 40, 50, 60};
    if (m_chooser.chance(32))
        phrase.count = kCounts[m_chooser.below(m_chooser.chance(50) ? 6 : kCounts.size())];
}

/// "my", "his", "Marie's".
void PhraseMaker::chooseOwnDeterminer(NounPhrase &phrase)
{
    if (m_chooser.chance(70)) {
        phrase.determiner = Determiner::Possessive;
        phrase.possessor = subjectPronoun().agreement;
        return;
    }
    phrase.determiner = Determiner::Owner;
    NounPhrase owner;
    if (m_chooser.chance(60)) {
        owner = properName();
    } else {
        owner.noun = &m_chooser.pick(nouns(), [&](const Noun &noun) {
            return (noun.kinds & kind::Person) != 0 && (noun.kinds & kind::Family) == 0 && &noun != phrase.noun;
        });
        owner.agreement.gender = owner.noun->gender;
    }
    phrase.owner.push_back(owner);
}

void PhraseMaker::chooseDeterminer(NounPhrase &phrase)
{
    if (has(phrase, kind::Unique))
        return;
    if (has(phrase, kind::Family))
        return chooseOwnDeterminer(phrase);
    if (has(phrase, kOwnable) && !has(phrase, kind::Food | kind::Drink) && m_chooser.chance(22))
        return chooseOwnDeterminer(phrase);
    const bool isPlace = has(phrase, kPlaces) && !has(phrase, kOwnable);
    const std::uint32_t drawn = m_chooser.below(100);
    if (drawn < (isPlace ? 12U : has(phrase, kind::Person | kind::Animal) ? 22U : 36U))
        phrase.determiner = Determiner::Indefinite;
    else if (drawn < 45 && !has(phrase, kind::Mass) && phrase.count == 0)
        phrase.determiner = Determiner::Demonstrative;
}

const Adjective *PhraseMaker::adjectiveFor(Kinds kinds, bool attributive)
{
    return m_chooser.find(adjectives(), [&](const Adjective &adjective) {
        const bool isSized = adjective.group == AdjectiveClass::Size;
        if ((adjective.targets & kinds) == 0 || (isSized && (kinds & kind::Mass) != 0))
            return false;
        // "A good baker", but not "the baker is good".
        const bool isPraise = adjective.group == AdjectiveClass::Quality && (kinds & kind::Person) != 0;
        return attributive ? !adjective.predicateOnly : !isPraise;
    });
}

/// A second adjective stands on the other side of the French noun, so that none needs "et".
void PhraseMaker::chooseAdjectives(NounPhrase &phrase)
{
    if (has(phrase, kind::Unique | kind::Family) || !m_chooser.chance(30))
        return;
    const Adjective *first = adjectiveFor(phrase.noun->kinds, true);
    if (first == nullptr)
        return;
    phrase.adjectives.push_back(first);
    const Adjective *second = m_chooser.chance(22) ? adjectiveFor(phrase.noun->kinds, true) : nullptr;
    if (second == nullptr || second->beforeNoun == first->beforeNoun || second->group == first->group)
        return;
    phrase.adjectives.insert(second->group < first->group ? phrase.adjectives.begin() : phrase.adjectives.end(),
                             second);
}

NounPhrase PhraseMaker::commonNoun(Kinds kinds, const Noun *except)
{
    NounPhrase result;
    result.noun
        = &m_chooser.pick(nouns(), [&](const Noun &noun) { return (noun.kinds & kinds) != 0 && &noun != except; });
    result.agreement.gender = result.noun->gender;
    result.agreement.animate = has(result, kind::Person);
    chooseNumber(result);
    chooseDeterminer(result);
    chooseAdjectives(result);
    return result;
}

Place PhraseMaker::placeWith(const Preposition &preposition)
{
    Place result{&preposition, {}};
    if (preposition.places == kind::Town) {
        result.object = town();
        return result;
    }
    result.object = commonNoun(preposition.places);
    if (!m_chooser.chance(15))
        makeSingle(result.object);
    if (preposition.places == kind::At)
        makeDefinite(result.object);
    return result;
}

std::optional<Place> PhraseMaker::place(const NounPhrase &subject)
{
    const bool isPerson = has(subject, kind::Person);
    const Preposition *preposition = m_chooser.find(prepositions(), [&](const Preposition &entry) {
        return entry.places != kind::Person && !(isPerson ? entry.animalsOnly : entry.places == kind::Town);
    });
    if (preposition == nullptr)
        return std::nullopt;
    return placeWith(*preposition);
}

Place PhraseMaker::placeOfThing()
{
    return placeWith(m_chooser.pick(prepositions(), [](const Preposition &entry) { return entry.animalsOnly; }));
}

} // namespace headscope::demo
