#include "core/demo/englishforms.h"

#include <array>

namespace headscope::demo {

namespace {

struct Irregular
{
    std::string_view word;
    std::string_view form;
};

constexpr Irregular kPlurals[] = {
    {"child", "children"},    {"man", "men"},
    {"woman", "women"},       {"mouse", "mice"},
    {"sheep", "sheep"},       {"fish", "fish"},
    {"knife", "knives"},      {"wife", "wives"},
    {"thief", "thieves"},     {"wolf", "wolves"},
    {"shelf", "shelves"},     {"tomato", "tomatoes"},
    {"postman", "postmen"},   {"fisherman", "fishermen"},
    {"helmsman", "helmsmen"}, {"scarf", "scarves"},
};

constexpr Irregular kPasts[] = {
    {"see", "saw"},
    {"eat", "ate"},
    {"have", "had"},
    {"read", "read"},
    {"find", "found"},
    {"take", "took"},
    {"buy", "bought"},
    {"drink", "drank"},
    {"know", "knew"},
    {"meet", "met"},
    {"write", "wrote"},
    {"wear", "wore"},
    {"hear", "heard"},
    {"sell", "sold"},
    {"lose", "lost"},
    {"cut", "cut"},
    {"break", "broke"},
    {"choose", "chose"},
    {"forget", "forgot"},
    {"draw", "drew"},
    {"feed", "fed"},
    {"build", "built"},
    {"sing", "sang"},
    {"leave", "left"},
    {"hide", "hid"},
    {"catch", "caught"},
    {"drive", "drove"},
    {"think", "thought"},
    {"give", "gave"},
    {"show", "showed"},
    {"send", "sent"},
    {"lend", "lent"},
    {"tell", "told"},
    {"bring", "brought"},
    {"sleep", "slept"},
    {"run", "ran"},
    {"come", "came"},
    {"fall", "fell"},
    {"swim", "swam"},
    {"go", "went"},
    {"grow", "grew"},
    {"say", "said"},
    {"understand", "understood"},
    {"throw", "threw"},
    {"blow", "blew"},
    {"sink", "sank"},
    {"shine", "shone"},
    {"steer", "steered"},
    {"do", "did"},
};

/// Verbs of one stressed syllable whose last consonant is doubled before -ed and -ing.
constexpr std::string_view kDoubling[] = {"cut", "run", "swim", "forget", "travel"};

constexpr std::string_view kNumbers[]
    = {"zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
       "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::string_view kTens[]
    = {"", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};

template<std::size_t size>
std::string_view irregular(const Irregular (&table)[size], std::string_view word)
{
    for (const Irregular &entry : table) {
        if (entry.word == word)
            return entry.form;
    }
    return {};
}

bool isVowel(char letter)
{
    return std::string_view("aeiou").find(letter) != std::string_view::npos;
}

bool endsWithConsonantY(std::string_view word)
{
    return word.size() > 1 && word.ends_with('y') && !isVowel(word[word.size() - 2]);
}

bool endsWithHiss(std::string_view word)
{
    return word.ends_with('s') || word.ends_with('x') || word.ends_with('z') || word.ends_with("ch")
        || word.ends_with("sh");
}

std::string withS(std::string_view word)
{
    if (endsWithHiss(word))
        return std::string(word) + "es";
    if (endsWithConsonantY(word))
        return std::string(word.substr(0, word.size() - 1)) + "ies";
    return std::string(word) + "s";
}

/// The stem before an ending that begins with a vowel.
std::string stem(std::string_view verb)
{
    for (const std::string_view doubling : kDoubling) {
        if (verb == doubling)
            return std::string(verb) + verb.back();
    }
    if (verb.ends_with('e') && !verb.ends_with("ee"))
        verb.remove_suffix(1);
    return std::string(verb);
}

/// By person, then number: first singular, second, third masculine, feminine, thing, first plural, third
/// plural.
std::size_t pronounIndex(const Agreement &agreement)
{
    const bool plural = agreement.number == Number::Plural;
    if (agreement.person == 1)
        return plural ? 5 : 0;
    if (agreement.person == 2)
        return 1;
    if (plural)
        return 6;
    if (!agreement.animate)
        return 4;
    return agreement.gender == Gender::Feminine ? 3 : 2;
}

} // namespace

std::string englishPlural(std::string_view noun)
{
    if (const std::size_t blank = noun.rfind(' '); blank != std::string_view::npos)
        return std::string(noun.substr(0, blank + 1)) + englishPlural(noun.substr(blank + 1));
    const std::string_view form = irregular(kPlurals, noun);
    return form.empty() ? withS(noun) : std::string(form);
}

std::string englishThirdPerson(std::string_view verb)
{
    if (verb == "have")
        return "has";
    return verb == "go" || verb == "do" ? std::string(verb) + "es" : withS(verb);
}

std::string englishPast(std::string_view verb)
{
    const std::string_view form = irregular(kPasts, verb);
    if (!form.empty())
        return std::string(form);
    if (endsWithConsonantY(verb))
        return std::string(verb.substr(0, verb.size() - 1)) + "ied";
    return stem(verb) + "ed";
}

std::string englishGerund(std::string_view verb)
{
    if (verb.ends_with("ie"))
        return std::string(verb.substr(0, verb.size() - 2)) + "ying";
    return stem(verb) + "ing";
}

std::string_view englishArticle(std::string_view nextWord)
{
    return isVowel(nextWord.front()) ? "an" : "a";
}

std::string_view englishBe(const Agreement &agreement, bool past)
{
    const bool singular = agreement.number == Number::Singular && agreement.person != 2;
    if (past)
        return singular ? "was" : "were";
    if (!singular)
        return "are";
    return agreement.person == 1 ? "am" : "is";
}

std::string_view englishSubjectPronoun(const Agreement &agreement)
{
    constexpr std::array<std::string_view, 7> kForms = {"I", "you", "he", "she", "it", "we", "they"};
    return kForms[pronounIndex(agreement)];
}

std::string_view englishObjectPronoun(const Agreement &agreement)
{
    constexpr std::array<std::string_view, 7> kForms = {"me", "you", "him", "her", "it", "us", "them"};
    return kForms[pronounIndex(agreement)];
}

std::string_view englishPossessive(const Agreement &agreement)
{
    constexpr std::array<std::string_view, 7> kForms = {"my", "your", "his", "her", "its", "our", "their"};
    return kForms[pronounIndex(agreement)];
}

std::string englishNumber(int number)
{
    const auto value = static_cast<std::size_t>(number);
    if (value >= 100)
        return "hundred";
    if (value < 20)
        return std::string(kNumbers[value]);
    std::string words(kTens[value / 10]);
    return value % 10 == 0 ? words : words + "-" + std::string(kNumbers[value % 10]);
}

} // namespace headscope::demo
