#include "core/demo/frenchjunctions.h"

#include <algorithm>

namespace headscope::demo {

namespace {

/// Words before which nothing is elided: aspirated h, and numbers.
constexpr std::string_view kNoElision[] = {"hibou",  "hiboux",  "hérisson", "hérissons", "haricot", "haricots",
                                           "homard", "homards", "hareng",   "harengs",   "huit",    "onze"};

struct Change
{
    std::string_view word;
    std::string_view upos; ///< empty: any
    std::string_view before;
};

/// Before a vowel; an apostrophe takes the blank away.
constexpr Change kBeforeVowel[] = {
    {"le", "", "l'"},          {"la", "", "l'"},     {"je", "", "j'"},       {"me", "", "m'"},
    {"ne", "", "n'"},          {"de", "", "d'"},     {"que", "", "qu'"},     {"ce", "DET", "cet"},
    {"ma", "DET", "mon"},      {"sa", "DET", "son"}, {"beau", "ADJ", "bel"}, {"nouveau", "ADJ", "nouvel"},
    {"vieux", "ADJ", "vieil"},
};

struct Contraction
{
    std::string_view preposition;
    std::string_view article;
    std::string_view form;
};

constexpr Contraction kContractions[] = {
    {"de", "le", "du"},
    {"de", "les", "des"},
    {"à", "le", "au"},
    {"à", "les", "aux"},
};

bool isArticle(const DemoToken &token)
{
    return token.upos == "DET" && token.features.starts_with("Definite=");
}

/// Adjectives change only before the noun, in the masculine singular.
bool mayChange(const DemoToken &token, std::size_t index, const Change &change)
{
    if (token.form != change.word || (!change.upos.empty() && token.upos != change.upos))
        return false;
    if (token.upos != "ADJ")
        return true;
    return token.features == "Gender=Masc|Number=Sing" && token.head > static_cast<int>(index) + 1;
}

void changeBeforeVowel(DemoToken &token, std::size_t index)
{
    for (const Change &change : kBeforeVowel) {
        if (!mayChange(token, index, change))
            continue;
        token.form = change.before;
        if (change.before.ends_with('\''))
            token.spaceAfter = false;
        return;
    }
}

void removeToken(std::vector<DemoToken> &tokens, std::size_t index)
{
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(index));
    for (DemoToken &token : tokens) {
        if (token.head > static_cast<int>(index) + 1)
            --token.head;
    }
}

bool contract(std::vector<DemoToken> &tokens, std::size_t i)
{
    if (!isArticle(tokens[i + 1]))
        return false;
    for (const Contraction &contraction : kContractions) {
        if (tokens[i].form != contraction.preposition || tokens[i + 1].form != contraction.article)
            continue;
        tokens[i].form = contraction.form;
        removeToken(tokens, i + 1);
        return true;
    }
    return false;
}

} // namespace

bool startsWithVowelSound(std::string_view word)
{
    constexpr std::string_view kVowels[]
        = {"a", "e", "i", "o", "u", "h", "A", "E", "I", "O", "U", "à", "â", "é", "è", "ê", "î", "ô", "û", "œ", "É"};
    if (std::ranges::find(kNoElision, word) != std::end(kNoElision))
        return false;
    return word == "y" || std::ranges::any_of(kVowels, [&](std::string_view vowel) { return word.starts_with(vowel); });
}

void joinFrenchWords(std::vector<DemoToken> &tokens)
{
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const std::string &next = tokens[i + 1].form;
        if (startsWithVowelSound(next) && tokens[i + 1].upos != "PUNCT")
            changeBeforeVowel(tokens[i], i);
        if (tokens[i].form.ends_with('\''))
            tokens[i].spaceAfter = false;
        if (tokens[i].form == "si" && tokens[i].upos == "SCONJ" && (next == "il" || next == "ils")) {
            tokens[i].form = "s'";
            tokens[i].spaceAfter = false;
        }
    }
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        contract(tokens, i);
}

} // namespace headscope::demo
