#include "core/demo/lexicon.h"

// The first names of each table are frequent, the last ones so rare that some of them never occur. No name begins
// with h, where French usage wavers between "de" and "d'".
namespace headscope::demo {

namespace {

constexpr Gender f = Gender::Feminine;

constexpr Name kFirstNames[] = {
    {"Marie", "Marie", f},
    {"Paul", "Paul"},
    {"Anna", "Anna", f},
    {"Pierre", "Pierre"},
    {"Julie", "Julie", f},
    {"Lucas", "Lucas"},
    {"Emma", "Emma", f},
    {"Thomas", "Thomas"},
    {"Sophie", "Sophie", f},
    {"Marc", "Marc"},
    {"Claire", "Claire", f},
    {"Louis", "Louis"},
    {"Alice", "Alice", f},
    {"Jean", "Jean"},
    {"Camille", "Camille", f},
    {"Antoine", "Antoine"},
    {"Sarah", "Sarah", f},
    {"Nicolas", "Nicolas"},
    {"Laura", "Laura", f},
    {"David", "David"},
    {"Manon", "Manon", f},
    {"Simon", "Simon"},
    {"Nina", "Nina", f},
    {"Olivier", "Olivier"},
    {"Louise", "Louise", f},
    {"Martin", "Martin"},
    {"Clara", "Clara", f},
    {"Victor", "Victor"},
    {"Eva", "Eva", f},
    {"Daniel", "Daniel"},
    {"Margot", "Margot", f},
    {"Robert", "Robert"},
    {"Rose", "Rose", f},
    {"Arthur", "Arthur"},
    {"Jeanne", "Jeanne", f},
    {"Samuel", "Samuel"},
    {"Lucie", "Lucie", f},
    {"Gabriel", "Gabriel"},
    {"Irène", "Irène", f},
    {"Oscar", "Oscar"},
    {"Agnès", "Agnès", f},
    {"Étienne", "Étienne"},
    {"Valérie", "Valérie", f},
    {"Bruno", "Bruno"},
    {"Nathalie", "Nathalie", f},
    {"Felix", "Felix"},
    {"Élise", "Élise", f},
    {"Karim", "Karim"},
    {"Amina", "Amina", f},
    {"Omar", "Omar"},
    {"Ingrid", "Ingrid", f},
    {"Sven", "Sven"},
    {"Olga", "Olga", f},
    {"Igor", "Igor"},
    {"Paola", "Paola", f},
    {"Marco", "Marco"},
    {"Carmen", "Carmen", f},
    {"Diego", "Diego"},
    {"Brigitte", "Brigitte", f},
    {"Gaston", "Gaston"},
    {"Odette", "Odette", f},
    {"Edgar", "Edgar"},
    {"Solange", "Solange", f},
    {"Blaise", "Blaise"},
    {"Perrine", "Perrine", f},
    {"Achille", "Achille"},
    {"Ophélie", "Ophélie", f},
    {"Tristan", "Tristan"},
    {"Mireille", "Mireille", f},
    {"Ulysse", "Ulysse"},
    {"Bérénice", "Bérénice", f},
    {"Quentin", "Quentin"},
    {"Ludmila", "Ludmila", f},
    {"Anselme", "Anselme"},
    {"Philomène", "Philomène", f},
    {"Barnabé", "Barnabé"},
    {"Cunégonde", "Cunégonde", f},
    {"Zéphyrin", "Zéphyrin"},
    {"Apolline", "Apolline", f},
    {"Théodule", "Théodule"},
};

constexpr Name kSurnames[] = {
    {"Martin", "Martin"},     {"Dubois", "Dubois"},         {"Moreau", "Moreau"},       {"Petit", "Petit"},
    {"Laurent", "Laurent"},   {"Garnier", "Garnier"},       {"Rousseau", "Rousseau"},   {"Fontaine", "Fontaine"},
    {"Mercier", "Mercier"},   {"Lambert", "Lambert"},       {"Blanchard", "Blanchard"}, {"Chevalier", "Chevalier"},
    {"Renaud", "Renaud"},     {"Marchand", "Marchand"},     {"Duval", "Duval"},         {"Perrin", "Perrin"},
    {"Bertin", "Bertin"},     {"Carpentier", "Carpentier"}, {"Delmas", "Delmas"},       {"Vasseur", "Vasseur"},
    {"Tessier", "Tessier"},   {"Jourdan", "Jourdan"},       {"Kowalski", "Kowalski"},   {"Lindqvist", "Lindqvist"},
    {"Okafor", "Okafor"},     {"Marchetti", "Marchetti"},   {"Quiroga", "Quiroga"},     {"Vandenberg", "Vandenberg"},
    {"Zemmouri", "Zemmouri"}, {"Pelletier", "Pelletier"},
};

constexpr Name kTowns[] = {
    {"Paris", "Paris"},
    {"London", "Londres"},
    {"Lyon", "Lyon"},
    {"Rome", "Rome"},
    {"Geneva", "Genève"},
    {"Berlin", "Berlin"},
    {"Nantes", "Nantes"},
    {"Brussels", "Bruxelles"},
    {"Lisbon", "Lisbonne"},
    {"Dublin", "Dublin"},
    {"Vienna", "Vienne"},
    {"Toulouse", "Toulouse"},
    {"Madrid", "Madrid"},
    {"Athens", "Athènes"},
    {"Venice", "Venise"},
    {"Oslo", "Oslo"},
    {"Strasbourg", "Strasbourg"},
    {"Moscow", "Moscou"},
    {"Barcelona", "Barcelone"},
    {"Edinburgh", "Édimbourg"},
    {"Warsaw", "Varsovie"},
    {"Bordeaux", "Bordeaux"},
    {"Florence", "Florence"},
    {"Copenhagen", "Copenhague"},
    {"Naples", "Naples"},
    {"Prague", "Prague"},
    {"Lille", "Lille"},
    {"Antwerp", "Anvers"},
    {"Seville", "Séville"},
    {"Cologne", "Cologne"},
    {"Dover", "Douvres"},
    {"Marseille", "Marseille"},
    {"Bruges", "Bruges"},
    {"Turin", "Turin"},
    {"Arles", "Arles"},
    {"Oxford", "Oxford"},
    {"Aix", "Aix"},
    {"Tunis", "Tunis"},
    {"Quimper", "Quimper"},
    {"Uzès", "Uzès"},
    {"Algiers", "Alger"},
    {"Genoa", "Gênes"},
    {"Trieste", "Trieste"},
    {"Ajaccio", "Ajaccio"},
    {"Zaragoza", "Saragosse"},
};

} // namespace

std::span<const Name> firstNames()
{
    return kFirstNames;
}
std::span<const Name> surnames()
{
    return kSurnames;
}
std::span<const Name> towns()
{
    return kTowns;
}

} // namespace headscope::demo
