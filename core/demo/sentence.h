#pragma once

#include "core/demo/lexicon.h"

#include <cstdint>
#include <optional>
#include <vector>

/// The meaning of a sentence, before it is said in a language.
namespace headscope::demo {

struct Agreement
{
    int person = 3;
    Number number = Number::Singular;
    Gender gender = Gender::Masculine;
    bool animate = true; ///< "he" rather than "it"

    bool operator==(const Agreement &) const = default;
};

enum class Determiner : std::uint8_t {
    Definite,
    Indefinite, ///< of mass nouns and plurals: "some", "du", "des"
    Demonstrative,
    Possessive,
    Owner,   ///< "Marie's dog", "le chien de Marie"
    Generic, ///< "likes cats", "aime les chats"
};

struct Clause;

/// A noun, a name or (with neither) a pronoun.
struct NounPhrase
{
    const Noun *noun = nullptr;
    const Name *name = nullptr;
    const Name *surname = nullptr;
    Agreement agreement;
    Determiner determiner = Determiner::Definite;
    Agreement possessor;
    int count = 0;                             ///< 0: none is given
    std::vector<const Adjective *> adjectives; ///< in the order of English
    std::vector<NounPhrase> owner;             ///< none or one
    std::vector<NounPhrase> others;            ///< "and …"
    std::vector<Clause> relative;              ///< none or one

    bool isPronoun() const { return noun == nullptr && name == nullptr; }
};

struct Place
{
    const Preposition *preposition = nullptr;
    NounPhrase object;
};

enum class Tense : std::uint8_t {
    Present,
    Progressive,     ///< "is eating"; in French the present
    Past,            ///< in French the perfect, of stative verbs the imperfect
    PastProgressive, ///< "was eating", in French the imperfect
    Future,          ///< "will eat", "mangera"
    FutureWhen,      ///< after "when": present in English, future in French
};

/// A verb that takes the main verb's infinitive.
enum class Mode : std::uint8_t { Plain, GoingTo, Want, Can, Must };

enum class ClauseRole : std::uint8_t {
    Statement,
    YesNoQuestion,
    WhereQuestion,
    WhenQuestion,
    WhyQuestion,
    WhoQuestion,  ///< asks for the subject
    WhatQuestion, ///< asks for the object
    SubjectRelative,
    ObjectRelative,
    SharedSubject, ///< "… and sleeps"
};

enum class PredicateKind : std::uint8_t { Verb, Adjective, Profession, Place, Existence };

enum class LinkWord : std::uint8_t { And, But, Because, When, While, If };

/// Another clause tied to one: coordinated after it, or subordinate after or before it.
struct Link;

struct Clause
{
    ClauseRole role = ClauseRole::Statement;
    NounPhrase subject; ///< of relatives and questions about it: only its agreement counts
    PredicateKind predicate = PredicateKind::Verb;
    const Verb *verb = nullptr;
    Tense tense = Tense::Present;
    Mode mode = Mode::Plain;
    bool negated = false;
    bool intensified = false;             ///< "very"
    const Adjective *adjective = nullptr; ///< of the predicate
    std::vector<NounPhrase> object;       ///< none or one; of professions and existence: the noun
    std::vector<NounPhrase> recipient;    ///< none or one
    bool recipientFirst = false;          ///< "gives the girl a book"
    const Adverb *frequency = nullptr;    ///< or "never"
    const Adverb *manner = nullptr;
    std::vector<Place> places;
    const TimePhrase *time = nullptr;
    bool timeFirst = false;
    std::vector<Clause> statement; ///< none or one: "says that …"
    std::vector<Link> links;
};

struct Link
{
    LinkWord word = LinkWord::And;
    Clause clause;
    bool first = false;
};

/// Of the noun phrase with all that "and" adds to it.
Agreement agreementOf(const NounPhrase &phrase);

/// By "not" or "never".
inline bool isNegative(const Clause &clause)
{
    return clause.negated || (clause.frequency != nullptr && clause.frequency->group == AdverbClass::Never);
}

inline bool isQuestion(ClauseRole role)
{
    return role >= ClauseRole::YesNoQuestion && role <= ClauseRole::WhatQuestion;
}

} // namespace headscope::demo
