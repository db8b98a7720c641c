#pragma once

#include "core/demo/chooser.h"
#include "core/demo/sentence.h"

#include <optional>

namespace headscope::demo {

/// What a noun phrase is as a noun; of names and pronouns: a person.
Kinds kindsOf(const NounPhrase &phrase);
/// The pronoun that stands for a phrase said before.
NounPhrase pronounFor(const NounPhrase &phrase);
void makeDefinite(NounPhrase &phrase);
void makeSingle(NounPhrase &phrase);
NounPhrase personalPronoun(int person, Number number, Gender gender = Gender::Masculine);

/// Invents noun phrases and places that make sense where they stand.
class PhraseMaker
{
public:
    explicit PhraseMaker(Chooser &chooser) : m_chooser(chooser) { }

    /// Pronouns, names and nouns of persons, where persons can be; else nouns.
    NounPhrase subject(Kinds kinds);
    /// As subject(), without pronouns.
    NounPhrase actor(Kinds kinds);
    NounPhrase object(const Verb &verb, const NounPhrase &subject);
    NounPhrase recipient(const NounPhrase &subject);
    NounPhrase commonNoun(Kinds kinds, const Noun *except = nullptr);
    NounPhrase person();
    NounPhrase town();
    std::optional<Place> place(const NounPhrase &subject);
    /// Place where things lie: "in the drawer", "on the table".
    Place placeOfThing();
    /// Null when none fits.
    const Adjective *adjectiveFor(Kinds kinds, bool attributive);
    /// "cats", "cheese": all of them.
    NounPhrase generic(Kinds kinds, const Noun *except = nullptr);

private:
    NounPhrase subjectPronoun();
    NounPhrase properName();
    NounPhrase objectPronoun(const NounPhrase &subject, Kinds kinds);
    void chooseNumber(NounPhrase &phrase);
    void chooseDeterminer(NounPhrase &phrase);
    void chooseOwnDeterminer(NounPhrase &phrase);
    void chooseAdjectives(NounPhrase &phrase);
    Place placeWith(const Preposition &preposition);

    Chooser &m_chooser;
};

} // namespace headscope::demo
