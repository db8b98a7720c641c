#include "core/demo/frenchforms.h"

#include <algorithm>
#include <array>

namespace headscope::demo {

namespace {

struct Irregular
{
    std::string_view word;
    std::string_view form;
};

constexpr Irregular kPlurals[] = {
    {"hibou", "hiboux"},
    {"neveu", "neveux"},
    {"grand-mère", "grands-mères"},
    {"grand-père", "grands-pères"},
    {"cerf-volant", "cerfs-volants"},
    {"petit-déjeuner", "petits-déjeuners"},
};

constexpr Irregular kFeminines[] = {
    {"vieux", "vieille"},   {"beau", "belle"},      {"nouveau", "nouvelle"}, {"blanc", "blanche"},   {"long", "longue"},
    {"doux", "douce"},      {"frais", "fraîche"},   {"gros", "grosse"},      {"gentil", "gentille"}, {"bon", "bonne"},
    {"ancien", "ancienne"}, {"violet", "violette"}, {"jaloux", "jalouse"},
};

/// Stem changes and irregular forms: present (je, il, nous, vous, ils), participle, stem of the future.
struct Conjugation
{
    std::string_view infinitive;
    std::array<std::string_view, 5> present;
    std::string_view participle;
    std::string_view future;
};

constexpr Conjugation kConjugations[] = {
    {"être", {"suis", "est", "sommes", "êtes", "sont"}, "été", "ser"},
    {"avoir", {"ai", "a", "avons", "avez", "ont"}, "eu", "aur"},
    {"aller", {"vais", "va", "allons", "allez", "vont"}, "allé", "ir"},
    {"pouvoir", {"peux", "peut", "pouvons", "pouvez", "peuvent"}, "pu", "pourr"},
    {"vouloir", {"veux", "veut", "voulons", "voulez", "veulent"}, "voulu", "voudr"},
    {"devoir", {"dois", "doit", "devons", "devez", "doivent"}, "dû", "devr"},
    {"voir", {"vois", "voit", "voyons", "voyez", "voient"}, "vu", "verr"},
    {"lire", {"lis", "lit", "lisons", "lisez", "lisent"}, "lu", "lir"},
    {"prendre", {"prends", "prend", "prenons", "prenez", "prennent"}, "pris", "prendr"},
    {"apprendre", {"apprends", "apprend", "apprenons", "apprenez", "apprennent"}, "appris", "apprendr"},
    {"comprendre", {"comprends", "comprend", "comprenons", "comprenez", "comprennent"}, "compris", "comprendr"},
    {"acheter", {"achète", "achète", "achetons", "achetez", "achètent"}, "acheté", "achèter"},
    {"boire", {"bois", "boit", "buvons", "buvez", "boivent"}, "bu", "boir"},
    {"connaître", {"connais", "connaît", "connaissons", "connaissez", "connaissent"}, "connu", "connaîtr"},
    {"ouvrir", {"ouvre", "ouvre", "ouvrons", "ouvrez", "ouvrent"}, "ouvert", "ouvrir"},
    {"offrir", {"offre", "offre", "offrons", "offrez", "offrent"}, "offert", "offrir"},
    {"écrire", {"écris", "écrit", "écrivons", "écrivez", "écrivent"}, "écrit", "écrir"},
    {"appeler", {"appelle", "appelle", "appelons", "appelez", "appellent"}, "appelé", "appeller"},
    {"jeter", {"jette", "jette", "jetons", "jetez", "jettent"}, "jeté", "jetter"},
    {"suivre", {"suis", "suit", "suivons", "suivez", "suivent"}, "suivi", "suivr"},
    {"poursuivre", {"poursuis", "poursuit", "poursuivons", "poursuivez", "poursuivent"}, "poursuivi", "poursuivr"},
    {"peindre", {"peins", "peint", "peignons", "peignez", "peignent"}, "peint", "peindr"},
    {"construire", {"construis", "construit", "construisons", "construisez", "construisent"}, "construit", "construir"},
    {"conduire", {"conduis", "conduit", "conduisons", "conduisez", "conduisent"}, "conduit", "conduir"},
    {"protéger", {"protège", "protège", "protégeons", "protégez", "protègent"}, "protégé", "protéger"},
    {"envoyer", {"envoie", "envoie", "envoyons", "envoyez", "envoient"}, "envoyé", "enverr"},
    {"sourire", {"souris", "sourit", "sourions", "souriez", "sourient"}, "souri", "sourir"},
    {"rire", {"ris", "rit", "rions", "riez", "rient"}, "ri", "rir"},
    {"dormir", {"dors", "dort", "dormons", "dormez", "dorment"}, "dormi", "dormir"},
    {"partir", {"pars", "part", "partons", "partez", "partent"}, "parti", "partir"},
    {"sortir", {"sors", "sort", "sortons", "sortez", "sortent"}, "sorti", "sortir"},
    {"courir", {"cours", "court", "courons", "courez", "courent"}, "couru", "courr"},
    {"venir", {"viens", "vient", "venons", "venez", "viennent"}, "venu", "viendr"},
    {"revenir", {"reviens", "revient", "revenons", "revenez", "reviennent"}, "revenu", "reviendr"},
    {"dire", {"dis", "dit", "disons", "dites", "disent"}, "dit", "dir"},
    {"savoir", {"sais", "sait", "savons", "savez", "savent"}, "su", "saur"},
    {"croire", {"crois", "croit", "croyons", "croyez", "croient"}, "cru", "croir"},
    {"pleuvoir", {"pleus", "pleut", "pleuvons", "pleuvez", "pleuvent"}, "plu", "pleuvr"},
    {"apercevoir", {"aperçois", "aperçoit", "apercevons", "apercevez", "aperçoivent"}, "aperçu", "apercevr"},
};

constexpr std::string_view kWithEtre[]
    = {"aller", "arriver", "entrer", "partir", "rester", "retourner", "revenir", "sortir", "tomber", "venir"};

constexpr std::string_view kNumbers[]
    = {"zéro", "un",   "deux",  "trois",  "quatre",   "cinq",   "six",   "sept",     "huit",     "neuf",
       "dix",  "onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"};
constexpr std::string_view kTens[] = {"", "dix", "vingt", "trente", "quarante", "cinquante", "soixante"};

template<std::size_t size>
std::string_view irregular(const Irregular (&table)[size], std::string_view word)
{
    for (const Irregular &entry : table) {
        if (entry.word == word)
            return entry.form;
    }
    return {};
}

const Conjugation *conjugation(std::string_view infinitive)
{
    const auto *found = std::ranges::find(kConjugations, infinitive, &Conjugation::infinitive);
    return found == std::end(kConjugations) ? nullptr : found;
}

/// je, il, nous, vous, ils ("you" is always said with "vous").
std::size_t personIndex(const Agreement &subject)
{
    const bool plural = subject.number == Number::Plural;
    if (subject.person == 1)
        return plural ? 2 : 0;
    if (subject.person == 2)
        return 3;
    return plural ? 4 : 1;
}

std::string withoutEnding(std::string_view word, std::size_t length)
{
    return std::string(word.substr(0, word.size() - length));
}

std::string plural(std::string_view word)
{
    if (word.ends_with('s') || word.ends_with('x') || word.ends_with('z'))
        return std::string(word);
    if (word.ends_with("al"))
        return withoutEnding(word, 1) + "ux";
    return std::string(word) + (word.ends_with("eau") ? "x" : "s");
}

std::string feminine(std::string_view adjective)
{
    if (const std::string_view form = irregular(kFeminines, adjective); !form.empty())
        return std::string(form);
    if (adjective.ends_with('e'))
        return std::string(adjective);
    if (adjective.ends_with("eux"))
        return withoutEnding(adjective, 1) + "se";
    if (adjective.ends_with("er"))
        return withoutEnding(adjective, 2) + "ère";
    return std::string(adjective) + "e";
}

/// Of -er verbs: keeps the sound of c and g ("mangeons", "commençons") and turns y into i ("nettoie").
std::string regularFirstGroup(std::string_view infinitive, std::size_t person)
{
    constexpr std::array<std::string_view, 5> kEndings = {"e", "e", "ons", "ez", "ent"};
    std::string stem = withoutEnding(infinitive, 2);
    if (person == 2 && stem.ends_with('g'))
        stem += 'e';
    if (person == 2 && stem.ends_with('c'))
        stem = withoutEnding(stem, 1) + "ç";
    if (person != 2 && person != 3 && stem.ends_with('y'))
        stem.back() = 'i';
    return stem.append(kEndings[person]);
}

std::string present(std::string_view infinitive, std::size_t person)
{
    constexpr std::array<std::string_view, 5> kSecond = {"is", "it", "issons", "issez", "issent"};
    constexpr std::array<std::string_view, 5> kThird = {"s", "", "ons", "ez", "ent"};
    if (const Conjugation *irregular = conjugation(infinitive))
        return std::string(irregular->present[person]);
    if (infinitive.ends_with("er"))
        return regularFirstGroup(infinitive, person);
    const bool second = infinitive.ends_with("ir");
    return withoutEnding(infinitive, 2).append(second ? kSecond[person] : kThird[person]);
}

std::string participle(std::string_view infinitive)
{
    if (const Conjugation *irregular = conjugation(infinitive))
        return std::string(irregular->participle);
    const std::string stem = withoutEnding(infinitive, 2);
    if (infinitive.ends_with("er"))
        return stem + "é";
    return stem + (infinitive.ends_with("ir") ? "i" : "u");
}

std::string futureStem(std::string_view infinitive)
{
    if (const Conjugation *irregular = conjugation(infinitive))
        return std::string(irregular->future);
    if (infinitive.ends_with("yer"))
        return withoutEnding(infinitive, 3) + "ier";
    return infinitive.ends_with("re") ? withoutEnding(infinitive, 1) : std::string(infinitive);
}

} // namespace

std::string frenchPlural(std::string_view noun)
{
    const std::string_view form = irregular(kPlurals, noun);
    return form.empty() ? plural(noun) : std::string(form);
}

std::string frenchAdjective(std::string_view adjective, const Agreement &agreement)
{
    const std::string form = agreement.gender == Gender::Feminine ? feminine(adjective) : std::string(adjective);
    return agreement.number == Number::Plural ? plural(form) : form;
}

std::string frenchPresent(std::string_view infinitive, const Agreement &subject)
{
    return present(infinitive, personIndex(subject));
}

std::string frenchImperfect(std::string_view infinitive, const Agreement &subject)
{
    constexpr std::array<std::string_view, 5> kEndings = {"ais", "ait", "ions", "iez", "aient"};
    const std::size_t person = personIndex(subject);
    std::string stem = infinitive == "être" ? "ét" : withoutEnding(present(infinitive, 2), 3);
    if (kEndings[person].starts_with('i') && stem.ends_with("ge"))
        stem.pop_back();
    return stem.append(kEndings[person]);
}

std::string frenchFuture(std::string_view infinitive, const Agreement &subject)
{
    constexpr std::array<std::string_view, 5> kEndings = {"ai", "a", "ons", "ez", "ont"};
    return futureStem(infinitive).append(kEndings[personIndex(subject)]);
}

std::string frenchParticiple(std::string_view infinitive, const Agreement &agreement)
{
    return frenchAdjective(participle(infinitive), agreement);
}

bool takesEtre(std::string_view infinitive)
{
    return std::ranges::find(kWithEtre, infinitive) != std::end(kWithEtre);
}

std::string frenchNumber(int number)
{
    const auto value = static_cast<std::size_t>(number);
    if (value >= 100)
        return "cent";
    return std::string(value < 20 ? kNumbers[value] : kTens[value / 10]);
}

} // namespace headscope::demo
