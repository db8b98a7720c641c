#include "core/demo/features.h"
#include "core/demo/french.h"
#include "core/demo/frenchforms.h"

#include <array>

namespace headscope::demo {

namespace {

bool isPlural(const Agreement &agreement)
{
    return agreement.number == Number::Plural;
}
bool isFeminine(const Agreement &agreement)
{
    return agreement.gender == Gender::Feminine;
}

/// First singular, second, third masculine, third feminine, first plural, third plural masculine, feminine.
std::size_t pronounIndex(const Agreement &agreement)
{
    if (agreement.person == 1)
        return isPlural(agreement) ? 4 : 0;
    if (agreement.person == 2)
        return 1;
    return (isPlural(agreement) ? 5U : 2U) + (isFeminine(agreement) ? 1U : 0U);
}

std::string_view subjectPronoun(const Agreement &agreement)
{
    constexpr std::array<std::string_view, 7> kForms = {"je", "vous", "il", "elle", "nous", "ils", "elles"};
    return kForms[pronounIndex(agreement)];
}

std::string_view strongPronoun(const Agreement &agreement)
{
    constexpr std::array<std::string_view, 7> kForms = {"moi", "vous", "lui", "elle", "nous", "eux", "elles"};
    return kForms[pronounIndex(agreement)];
}

std::string_view directClitic(const Agreement &agreement)
{
    constexpr std::array<std::string_view, 7> kForms = {"me", "vous", "le", "la", "nous", "les", "les"};
    return kForms[pronounIndex(agreement)];
}

std::string_view dativeClitic(const Agreement &agreement)
{
    constexpr std::array<std::string_view, 7> kForms = {"me", "vous", "lui", "lui", "nous", "leur", "leur"};
    return kForms[pronounIndex(agreement)];
}

Fragment pronoun(std::string_view form, const Agreement &agreement)
{
    return {form, form, "PRON",
            numberFeature(agreement.number) + "|Person=" + std::to_string(agreement.person) + "|PronType=Prs"};
}

std::string possessive(const Agreement &possessor, const Agreement &thing)
{
    constexpr std::array<std::string_view, 7> kPlural = {"mes", "vos", "ses", "ses", "nos", "leurs", "leurs"};
    constexpr std::array<std::string_view, 7> kFeminine = {"ma", "votre", "sa", "sa", "notre", "leur", "leur"};
    constexpr std::array<std::string_view, 7> kMasculine = {"mon", "votre", "son", "son", "notre", "leur", "leur"};
    const std::size_t index = pronounIndex(possessor);
    return std::string(isPlural(thing) ? kPlural[index] : isFeminine(thing) ? kFeminine[index] : kMasculine[index]);
}

Fragment definite(const Agreement &agreement)
{
    const std::string_view form = isPlural(agreement) ? "les" : isFeminine(agreement) ? "la" : "le";
    return {form, "le", "DET", "Definite=Def|" + genderNumber(agreement) + "|PronType=Art"};
}

Fragment demonstrative(const Agreement &agreement)
{
    const std::string_view form = isPlural(agreement) ? "ces" : isFeminine(agreement) ? "cette" : "ce";
    return {form, "ce", "DET", genderNumber(agreement) + "|PronType=Dem"};
}

bool hasAdjectiveFirst(const NounPhrase &phrase)
{
    for (const Adjective *adjective : phrase.adjectives) {
        if (adjective->beforeNoun)
            return true;
    }
    return false;
}

/// "un", "des", "de beaux", and in negated objects "pas de".
void addIndefinite(Fragment &result, const NounPhrase &phrase, bool negated)
{
    const Agreement &agreement = phrase.agreement;
    if (phrase.count > 0)
        return;
    const bool isMass = (phrase.noun->kinds & kind::Mass) != 0;
    if (negated || (isPlural(agreement) && hasAdjectiveFirst(phrase)))
        return result.add({"de", "de", "DET", "PronType=Art"}, "det");
    if (isMass) {
        result.add({"de", "de", "DET", "PronType=Art"}, "det");
        return result.add(definite(agreement), "det");
    }
    const std::string_view form = isPlural(agreement) ? "des" : isFeminine(agreement) ? "une" : "un";
    result.add({form, "un", "DET", "Definite=Ind|" + genderNumber(agreement) + "|PronType=Art"}, "det");
}

void addDeterminer(Fragment &result, const NounPhrase &phrase, bool negated)
{
    const Agreement &agreement = phrase.agreement;
    switch (phrase.determiner) {
    case Determiner::Indefinite:
        return addIndefinite(result, phrase, negated);
    case Determiner::Demonstrative:
        return result.add(demonstrative(agreement), "det");
    case Determiner::Possessive:
        return result.add(
            {possessive(phrase.possessor, agreement), "son", "DET", genderNumber(agreement) + "|Poss=Yes|PronType=Prs"},
            "det");
    case Determiner::Definite:
    case Determiner::Owner:
    case Determiner::Generic:
        return result.add(definite(agreement), "det");
    }
}

void addAdjectives(Fragment &result, const NounPhrase &phrase, bool beforeNoun)
{
    for (const Adjective *adjective : phrase.adjectives) {
        if (adjective->beforeNoun == beforeNoun)
            result.add({frenchAdjective(adjective->french, phrase.agreement), adjective->french, "ADJ",
                        genderNumber(phrase.agreement)},
                       "amod");
    }
}

void addOwner(Fragment &result, const NounPhrase &phrase)
{
    for (const NounPhrase &owner : phrase.owner) {
        Fragment complement;
        complement.add({"de", "de", "ADP"}, "case");
        complement.addHead(frenchNounPhrase(owner));
        result.add(complement, "nmod");
    }
}

Fragment commonNoun(const NounPhrase &phrase, bool negated)
{
    Fragment result;
    addDeterminer(result, phrase, negated);
    if (phrase.count > 0)
        result.add({frenchNumber(phrase.count), frenchNumber(phrase.count), "NUM", "NumType=Card"}, "nummod");
    addAdjectives(result, phrase, true);
    const std::string_view lemma = phrase.noun->french;
    result.addHead({isPlural(phrase.agreement) ? frenchPlural(lemma) : std::string(lemma), lemma, "NOUN",
                    genderNumber(phrase.agreement)});
    addAdjectives(result, phrase, false);
    addOwner(result, phrase);
    for (const Clause &relative : phrase.relative)
        result.add(frenchClause(relative), "acl:relcl");
    return result;
}

Fragment properNoun(const NounPhrase &phrase)
{
    Fragment result;
    result.addHead({phrase.name->french, phrase.name->french, "PROPN", genderNumber(phrase.agreement)});
    if (phrase.surname != nullptr)
        result.add({phrase.surname->french, phrase.surname->french, "PROPN"}, "flat:name");
    return result;
}

void addOthers(Fragment &result, const NounPhrase &phrase)
{
    for (const NounPhrase &other : phrase.others) {
        Fragment next;
        next.add({"et", "et", "CCONJ"}, "cc");
        next.addHead(frenchNounPhrase(other));
        result.add(next, "conj");
    }
}

} // namespace

Fragment frenchNounPhrase(const NounPhrase &phrase, bool negated)
{
    Fragment result = phrase.noun != nullptr ? commonNoun(phrase, negated)
                    : phrase.name != nullptr ? properNoun(phrase)
                                             : pronoun(strongPronoun(phrase.agreement), phrase.agreement);
    addOthers(result, phrase);
    return result;
}

Fragment frenchSubject(const NounPhrase &phrase)
{
    if (!phrase.isPronoun())
        return frenchNounPhrase(phrase);
    return pronoun(subjectPronoun(phrase.agreement), phrase.agreement);
}

Fragment frenchClitic(const NounPhrase &phrase, bool dative)
{
    return pronoun(dative ? dativeClitic(phrase.agreement) : directClitic(phrase.agreement), phrase.agreement);
}

/// "à côté de" and "près de": their last word may contract with the article.
Fragment frenchPlace(const Place &place)
{
    Fragment result;
    result.add(fixedExpression(place.preposition->french, "ADP"), "case");
    result.addHead(frenchNounPhrase(place.object));
    return result;
}

} // namespace headscope::demo
