#include "core/demo/lexicon.h"

// Adjectives, adverbs, prepositions and expressions of time, one line each.
namespace headscope::demo {

namespace {

using namespace kind;
using namespace trait;
using enum AdjectiveClass;
constexpr Area rare = Area::Rare;
constexpr Area unseen = Area::Unseen;

constexpr Kinds kLiving = Person | Animal;
constexpr Kinds kColoured = Clothing | Vehicle | Toy | Container | Ship;

// English, French masculine singular, class, before the noun in French?, of what, area, only after "to be"?,
// with "avoir" in French?
constexpr Adjective kAdjectives[] = {
    {"small", "petit", Size, true, Animal | Building | Toy | Container | Ship | Breakable | Clothing},
    {"old", "vieux", Age, true, Grown | Animal | Building | Vehicle | Reading | Repairable | Clothing | Ship | Gear},
    {"young", "jeune", Age, true, kLiving},
    {"good", "bon", Quality, true, Food | Drink | Meal | Story | Reading | Music | Profession},
    {"new", "nouveau", Age, true, Clothing | Vehicle | Building | Repairable | Toy},
    {"beautiful", "beau", Quality, true, Scenery | Plant | Clothing | Music},
    {"red", "rouge", Colour, false, kColoured},
    {"white", "blanc", Colour, false, kColoured | Animal},
    {"black", "noir", Colour, false, kColoured | Animal},
    {"blue", "bleu", Colour, false, kColoured},
    {"tired", "fatigué", Opinion, false, kLiving},
    {"tall", "grand", Size, true, Person | Plant},
    {"large", "grand", Size, true, Building | Container | Inside | Scenery | Ship},
    {"happy", "heureux", Opinion, false, Person},
    {"big", "gros", Size, true, Animal | Cuttable | Cargo},
    {"nice", "gentil", Opinion, false, Person},
    {"pretty", "joli", Quality, true, Clothing | Toy | Child | Plant | Music},
    {"warm", "chaud", Condition, false, Meal | Drink | Clothing},
    {"cold", "froid", Condition, false, Meal | Drink},
    {"sad", "triste", Opinion, false, Person | Story | Music},
    {"green", "vert", Colour, false, kColoured},
    {"long", "long", Size, true, Story | Reading},
    {"heavy", "lourd", Condition, false, Container | Cargo},
    {"clean", "propre", Condition, false, Clothing | Washable | Inside},
    {"ill", "malade", Opinion, false, kLiving},
    {"expensive", "cher", Opinion, false, Goods},
    {"empty", "vide", Condition, false, Container | Building},
    {"dirty", "sale", Condition, false, Clothing | Washable | Inside},
    {"famous", "célèbre", Opinion, false, Profession | Scenery},
    {"kind", "aimable", Opinion, false, Person},
    {"interesting", "intéressant", Opinion, false, Story | Reading},
    {"fresh", "frais", Condition, false, Food},
    {"bad", "mauvais", Quality, true, Story | Reading | Music | Meal},
    {"rich", "riche", Opinion, false, Person},
    {"quiet", "calme", Opinion, false, kLiving | Inside},
    {"brown", "brun", Colour, false, Clothing | Animal | Container},
    {"strong", "fort", Opinion, false, Person | Animal | Drink},
    {"funny", "drôle", Opinion, false, Story | Child},
    {"yellow", "jaune", Colour, false, kColoured},
    {"grey", "gris", Colour, false, kColoured | Animal},
    {"delicious", "délicieux", Opinion, false, Food | Meal | Drink},
    {"hungry", "faim", Opinion, false, kLiving, Area::Everyday, true, true},
    {"thirsty", "soif", Opinion, false, kLiving, Area::Everyday, true, true},
    {"afraid", "peur", Opinion, false, kLiving, Area::Everyday, true, true},
    {"right", "raison", Opinion, false, Person, Area::Everyday, true, true},
    {"careful", "prudent", Opinion, false, Person},
    {"proud", "fier", Opinion, false, Person},
    {"polite", "poli", Opinion, false, Person},
    {"clever", "intelligent", Opinion, false, kLiving},
    {"brave", "courageux", Opinion, false, kLiving},
    {"patient", "patient", Opinion, false, Person},
    {"sweet", "sucré", Condition, false, Food | Drink},
    {"poor", "pauvre", Opinion, false, Person},
    {"curious", "curieux", Opinion, false, kLiving},
    {"gentle", "doux", Opinion, false, kLiving},
    {"lazy", "paresseux", Opinion, false, kLiving},
    {"modern", "moderne", Age, false, Building | Repairable},
    {"shy", "timide", Opinion, false, Person},
    {"round", "rond", Condition, false, Container | Toy},
    {"jealous", "jaloux", Opinion, false, Person},
    {"purple", "violet", Colour, false, kColoured},
    {"ancient", "ancien", Age, false, Building},
    {"dangerous", "dangereux", Opinion, false, Weather | Water | Ship, rare},
    {"deep", "profond", Condition, false, Water, rare},
    {"wet", "mouillé", Condition, false, Clothing | Gear | Sailor, rare},
    {"foreign", "étranger", Opinion, false, Ship | Sailor, rare},
    {"violent", "violent", Opinion, false, Weather, rare},
    {"narrow", "étroit", Condition, false, Water | Room, unseen},
    {"salty", "salé", Condition, false, Fish | Meal, unseen},
    {"rusty", "rouillé", Condition, false, Gear | Ship, unseen},
    {"steep", "escarpé", Condition, false, Slope, unseen},
    {"stormy", "orageux", Condition, false, Water, unseen},
    {"experienced", "expérimenté", Opinion, false, Sailor, unseen},
};

// English, French, class, traits of the verbs it goes with, in French before the participle?
constexpr Adverb kAdverbs[] = {
    {"often", "souvent", AdverbClass::Frequency, None, true},
    {"always", "toujours", AdverbClass::Frequency, None, true},
    {"sometimes", "parfois", AdverbClass::Frequency, None, true},
    {"rarely", "rarement", AdverbClass::Frequency, None, true},
    {"never", "jamais", AdverbClass::Never, None, true},
    {"slowly", "lentement", AdverbClass::Manner, Speed},
    {"quickly", "rapidement", AdverbClass::Manner, Speed},
    {"quietly", "tranquillement", AdverbClass::Manner, Quiet},
    {"carefully", "soigneusement", AdverbClass::Manner, Care},
    {"loudly", "bruyamment", AdverbClass::Manner, Loud},
    {"happily", "joyeusement", AdverbClass::Manner, Joy},
    {"well", "bien", AdverbClass::Manner, Well, true},
    {"badly", "mal", AdverbClass::Manner, Well, true},
    {"patiently", "patiemment", AdverbClass::Manner, Patience},
    {"sadly", "tristement", AdverbClass::Manner, Joy},
    {"silently", "silencieusement", AdverbClass::Manner, Quiet},
};

// English, French, of which places, only of animals and things?
constexpr Preposition kPrepositions[] = {
    {"in", "dans", Inside},
    {"at", "à", At},
    {"on", "sur", Ground},
    {"near", "près de", Landmark},
    {"in", "à", Town},
    {"behind", "derrière", Building | Cover},
    {"in front of", "devant", Building},
    {"under", "sous", Cover, true},
    {"in", "dans", Container, true},
    {"on", "sur", Surface, true},
    {"next to", "à côté de", Landmark},
    {"with", "avec", Person},
    {"without", "sans", Person},
};

// English, French, tenses, only of habits?, area.
constexpr TimePhrase kTimePhrases[] = {
    {"yesterday:ADV", "hier:ADV", when::Past},
    {"tomorrow:ADV", "demain:ADV", when::Future},
    {"today:ADV", "aujourd'hui:ADV", when::Any},
    {"now:ADV", "maintenant:ADV", when::Present},
    {"this:DET:det morning:NOUN", "ce:DET:det matin:NOUN", when::Any},
    {"this:DET:det evening:NOUN", "ce:DET:det soir:NOUN", when::Present | when::Future},
    {"every:DET:det day:NOUN", "tous=tout:DET:det les=le:DET:det jours=jour:NOUN", when::Present, true},
    {"in:ADP:case the:DET:det morning:NOUN", "le:DET:det matin:NOUN", when::Present, true},
    {"in:ADP:case the:DET:det evening:NOUN", "le:DET:det soir:NOUN", when::Present, true},
    {"on:ADP:case Sunday:PROPN", "dimanche:NOUN", when::Any},
    {"on:ADP:case Monday:PROPN", "lundi:NOUN", when::Any},
    {"on:ADP:case Saturday:PROPN", "samedi:NOUN", when::Any},
    {"on:ADP:case Friday:PROPN", "vendredi:NOUN", when::Any},
    {"last:ADJ:amod week:NOUN", "la=le:DET:det semaine:NOUN dernière=dernier:ADJ:amod", when::Past},
    {"last:ADJ:amod night:NOUN", "hier:ADV:advmod soir:NOUN", when::Past},
    {"next:ADJ:amod week:NOUN", "la=le:DET:det semaine:NOUN prochaine=prochain:ADJ:amod", when::Future},
    {"last:ADJ:amod year:NOUN", "l'=le:DET:det année:NOUN dernière=dernier:ADJ:amod", when::Past},
    {"next:ADJ:amod year:NOUN", "l'=le:DET:det année:NOUN prochaine=prochain:ADJ:amod", when::Future},
    {"at:ADP:case noon:NOUN", "à:ADP:case midi:NOUN", when::Any},
    {"after:ADP:case dinner:NOUN", "après:ADP:case le:DET:det dîner:NOUN", when::Any},
    {"before:ADP:case dinner:NOUN", "avant:ADP:case le:DET:det dîner:NOUN", when::Any},
    {"in:ADP:case winter:NOUN", "en:ADP:case hiver:NOUN", when::Present, true},
    {"in:ADP:case summer:NOUN", "en:ADP:case été:NOUN", when::Present, true},
    {"in:ADP:case spring:NOUN", "au=à:ADP:case printemps:NOUN", when::Present, true},
    {"on:ADP:case Wednesday:PROPN", "mercredi:NOUN", when::Any},
    {"at:ADP:case dawn:NOUN", "à:ADP:case l'=le:DET:det aube:NOUN", when::Any, false, unseen},
    {"at:ADP:case midnight:NOUN", "à:ADP:case minuit:NOUN", when::Any, false, rare},
    {"at:ADP:case low:ADJ:amod tide:NOUN", "à:ADP:case marée:NOUN basse=bas:ADJ:amod", when::Any, false, unseen},
};

} // namespace

std::span<const Adjective> adjectives()
{
    return kAdjectives;
}
std::span<const Adverb> adverbs()
{
    return kAdverbs;
}
std::span<const Preposition> prepositions()
{
    return kPrepositions;
}
std::span<const TimePhrase> timePhrases()
{
    return kTimePhrases;
}

} // namespace headscope::demo
