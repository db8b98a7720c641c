#include "core/demo/english.h"
#include "core/demo/englishforms.h"
#include "core/demo/features.h"

namespace headscope::demo {

namespace {

bool isPlural(const NounPhrase &phrase)
{
    return phrase.agreement.number == Number::Plural;
}

Fragment pronoun(const NounPhrase &phrase, std::string_view form, std::string_view pronounCase)
{
    const Agreement &agreement = phrase.agreement;
    return {form, englishSubjectPronoun(agreement), "PRON",
            "Case=" + std::string(pronounCase) + "|" + numberFeature(agreement.number)
                + "|Person=" + std::to_string(agreement.person) + "|PronType=Prs"};
}

Fragment properNoun(const NounPhrase &phrase)
{
    Fragment result;
    result.addHead({phrase.name->english, phrase.name->english, "PROPN", "Number=Sing"});
    if (phrase.surname != nullptr)
        result.add({phrase.surname->english, phrase.surname->english, "PROPN", "Number=Sing"}, "flat");
    return result;
}

/// "the baker's": the sign follows its noun without a blank.
Fragment owner(const NounPhrase &phrase)
{
    Fragment result = englishNounPhrase(phrase);
    result.tokens().back().spaceAfter = false;
    result.add({result.head().form.ends_with('s') && isPlural(phrase) ? "'" : "'s", "'s", "PART"}, "case");
    return result;
}

Fragment indefinite(const NounPhrase &phrase, bool negated)
{
    if (phrase.count > 0)
        return {};
    const bool isMass = phrase.noun != nullptr && (phrase.noun->kinds & kind::Mass) != 0;
    if (!isMass && !isPlural(phrase))
        return {"a", "a", "DET", "Definite=Ind|PronType=Art"};
    return negated ? Fragment("any", "any", "DET") : Fragment("some", "some", "DET");
}

void addDeterminer(Fragment &result, const NounPhrase &phrase, bool negated)
{
    switch (phrase.determiner) {
    case Determiner::Definite:
        return result.add({"the", "the", "DET", "Definite=Def|PronType=Art"}, "det");
    case Determiner::Indefinite:
        return result.add(indefinite(phrase, negated), "det");
    case Determiner::Demonstrative:
        return result.add({isPlural(phrase) ? "these" : "this", "this", "DET",
                           numberFeature(phrase.agreement.number) + "|PronType=Dem"},
                          "det");
    case Determiner::Possessive:
        return result.add({englishPossessive(phrase.possessor), englishPossessive(phrase.possessor), "PRON",
                           "Case=Gen|Poss=Yes|PronType=Prs"},
                          "nmod:poss");
    case Determiner::Owner:
        return result.add(owner(phrase.owner.at(0)), "nmod:poss");
    case Determiner::Generic:
        return;
    }
}

/// All words but the last are compounds: "sailing boat".
void addNoun(Fragment &result, const NounPhrase &phrase)
{
    auto words = wordsOf(phrase.noun->english);
    const std::string_view last = words.back();
    words.pop_back();
    for (const std::string_view word : words)
        result.add({word, word, "NOUN", "Number=Sing"}, "compound");
    result.addHead({isPlural(phrase) ? englishPlural(last) : std::string(last), last, "NOUN",
                    numberFeature(phrase.agreement.number)});
}

Fragment commonNoun(const NounPhrase &phrase, bool negated)
{
    Fragment result;
    addDeterminer(result, phrase, negated);
    if (phrase.count > 0)
        result.add({englishNumber(phrase.count), englishNumber(phrase.count), "NUM", "NumType=Card"}, "nummod");
    for (const Adjective *adjective : phrase.adjectives)
        result.add({adjective->english, adjective->english, "ADJ", "Degree=Pos"}, "amod");
    addNoun(result, phrase);
    for (const Clause &relative : phrase.relative)
        result.add(englishClause(relative), "acl:relcl");
    return result;
}

void addOthers(Fragment &result, const NounPhrase &phrase)
{
    for (const NounPhrase &other : phrase.others) {
        Fragment next;
        next.add({"and", "and", "CCONJ"}, "cc");
        next.addHead(englishNounPhrase(other));
        result.add(next, "conj");
    }
}

} // namespace

Fragment englishNounPhrase(const NounPhrase &phrase, bool negated)
{
    Fragment result = phrase.noun != nullptr ? commonNoun(phrase, negated)
                    : phrase.name != nullptr ? properNoun(phrase)
                                             : pronoun(phrase, englishObjectPronoun(phrase.agreement), "Acc");
    addOthers(result, phrase);
    return result;
}

Fragment englishSubject(const NounPhrase &phrase)
{
    if (!phrase.isPronoun())
        return englishNounPhrase(phrase);
    return pronoun(phrase, englishSubjectPronoun(phrase.agreement), "Nom");
}

} // namespace headscope::demo
