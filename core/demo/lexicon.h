#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The vocabulary of the demo corpus. The tables are in nouns.cpp, verbs.cpp, modifiers.cpp and names.cpp;
/// within one kind the first words of a table are the most frequent ones.
namespace headscope::demo {

enum class Gender : std::uint8_t { Masculine, Feminine };
enum class Number : std::uint8_t { Singular, Plural };

/// Which part of the corpus uses a word.
enum class Area : std::uint8_t {
    Everyday,
    Rare,   ///< of the sea and of travel: seldom in train, often out of domain
    Unseen, ///< of the sea and of travel: only out of domain
};

/// What a noun can be or serve as, so that sentences make sense: a set of bits.
using Kinds = std::uint64_t;
namespace kind {
enum : Kinds {
    Person = 1ULL << 0,
    Family = 1ULL << 1, ///< said with "my", "his" …
    Profession = 1ULL << 2,
    Animal = 1ULL << 3,
    Pet = 1ULL << 4,
    Prey = 1ULL << 5,
    Food = 1ULL << 6,
    Meal = 1ULL << 7,
    Drink = 1ULL << 8,
    Mass = 1ULL << 9, ///< not counted: "some bread", "du pain"
    Goods = 1ULL << 10,
    Portable = 1ULL << 11,
    Clothing = 1ULL << 12,
    Reading = 1ULL << 13,
    Story = 1ULL << 14,
    Music = 1ULL << 15,
    Breakable = 1ULL << 16,
    Openable = 1ULL << 17,
    Repairable = 1ULL << 18,
    Washable = 1ULL << 19,
    Plant = 1ULL << 20,
    Building = 1ULL << 21,
    Inside = 1ULL << 22,   ///< one is in it: "dans"
    At = 1ULL << 23,       ///< one is at it: "à"
    Surface = 1ULL << 24,  ///< things are on it: "sur"
    Cover = 1ULL << 25,    ///< one is under it
    Landmark = 1ULL << 26, ///< one is near it, behind it
    Vehicle = 1ULL << 27,
    Scenery = 1ULL << 28,
    Toy = 1ULL << 29,
    Cuttable = 1ULL << 30,
    Lesson = 1ULL << 31,
    Ship = 1ULL << 32,
    Sailor = 1ULL << 33,
    Cargo = 1ULL << 34,
    Gear = 1ULL << 35,
    Weather = 1ULL << 36,
    Water = 1ULL << 37, ///< what a ship crosses
    Fish = 1ULL << 38,
    Town = 1ULL << 39,
    Child = 1ULL << 40,
    Light = 1ULL << 41,
    Container = 1ULL << 42,
    Unique = 1ULL << 43, ///< "the sun"
    Grown = 1ULL << 44,  ///< may be old
    Single = 1ULL << 45, ///< one has only one: "my mother"
    Ground = 1ULL << 46, ///< persons are on it: "on the bridge"
    Home = 1ULL << 47,   ///< one lives in it
    Room = 1ULL << 48,   ///< one walks into it, one cleans it
    AnimalFood = 1ULL << 49,
    AnimalDrink = 1ULL << 50,
    Swimmer = 1ULL << 51,
    Slope = 1ULL << 52,
    Hoisted = 1ULL << 53, ///< pulled up, tied or thrown on a ship
    Text = 1ULL << 54,    ///< what one writes
    Paper = 1ULL << 55,   ///< what one lends for reading
    Song = 1ULL << 56,
};
}

struct Noun
{
    std::string_view english;
    std::string_view french;
    Gender gender;
    Kinds kinds;
    Area area = Area::Everyday;
};

/// Where two adjectives of one noun go: English says them in this order.
enum class AdjectiveClass : std::uint8_t { Quality, Opinion, Size, Age, Condition, Colour };

struct Adjective
{
    std::string_view english;
    std::string_view french; ///< masculine singular
    AdjectiveClass group;
    bool beforeNoun; ///< in French
    Kinds targets;
    Area area = Area::Everyday;
    bool predicateOnly = false;
    bool withAvoir = false; ///< "is hungry", "a faim"
};

/// What a verb takes besides its subject.
enum class Frame : std::uint8_t {
    Intransitive,
    Transitive,
    Ditransitive, ///< to a person; English may put the person first
    Dative,       ///< to a person, always with "to"
    Goal,         ///< to a place
    Statement,    ///< that …
    Impersonal,   ///< it rains
};

/// Which adverbs of manner go with a verb, and how it is told in the past: a set of bits.
using VerbTraits = std::uint32_t;
namespace trait {
enum : VerbTraits {
    None = 0,
    Speed = 1 << 0,
    Quiet = 1 << 1,
    Care = 1 << 2,
    Loud = 1 << 3,
    Joy = 1 << 4,
    Well = 1 << 5,
    Stative = 1 << 6,  ///< never progressive; imperfect in French
    NoClitic = 1 << 7, ///< no pronoun as object
    Generic = 1 << 8,  ///< "likes cats", "aime les chats"
    NoPlace = 1 << 9,
    Patience = 1 << 10,
    Momentary = 1 << 11, ///< never progressive
    Unwilled = 1 << 12,  ///< nobody wants to, can or must
};
}

struct Verb
{
    std::string_view english; ///< base form; a second word is a particle, or with an object a preposition
    std::string_view french;  ///< infinitive; a second word is the object's preposition
    Frame frame;
    Kinds subjects;
    Kinds objects = 0;
    VerbTraits traits = 0;
    Area area = Area::Everyday;
};

enum class AdverbClass : std::uint8_t { Frequency, Manner, Never };

struct Adverb
{
    std::string_view english;
    std::string_view french;
    AdverbClass group;
    VerbTraits verbs = 0;     ///< of manner: one of these traits is needed
    bool afterFinite = false; ///< in French before the participle
    Area area = Area::Everyday;
};

struct Preposition
{
    std::string_view english;
    std::string_view french;
    Kinds places;
    bool animalsOnly = false; ///< and of things
    Area area = Area::Everyday;
};

/// Tenses as a set of bits.
namespace when {
enum : std::uint8_t { Present = 1, Past = 2, Future = 4, Any = 7 };
}

/// A fixed expression of time. Its words are written "form[=lemma]:UPOS[:relation]"; the one without a
/// relation is the head.
struct TimePhrase
{
    std::string_view english;
    std::string_view french;
    std::uint8_t tenses;
    bool habit = false; ///< "every day": not with a progressive
    Area area = Area::Everyday;
};

struct Name
{
    std::string_view english;
    std::string_view french;
    Gender gender = Gender::Masculine;
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();
std::span<const Adverb> adverbs();
std::span<const Preposition> prepositions();
std::span<const TimePhrase> timePhrases();
std::span<const Name> firstNames();
std::span<const Name> surnames();
std::span<const Name> towns();

/// Whether the object has no preposition in either language.
bool isDirect(const Verb &verb);

/// By the English word (of verbs: and the French one, where it is given). Precondition: the word is in the
/// table.
const Noun &noun(std::string_view english);
const Adjective &adjective(std::string_view english);
const Verb &verb(std::string_view english, std::string_view french = {});
const Adverb &adverb(std::string_view english);
const Preposition &preposition(std::string_view english, std::string_view french = {});
const TimePhrase &timePhrase(std::string_view englishStart);
const Name &name(std::string_view english);

} // namespace headscope::demo
