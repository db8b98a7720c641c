#include "core/demo/lexicon.h"

// One line per verb: English base form, French infinitive, what it takes, who does it, to what, its adverbs of manner
// and habits, area. Irregular forms are in englishforms.cpp and frenchforms.cpp. A second word is a preposition of the
// object ("look at", "parler à") or, without an object, a particle ("go out").
namespace headscope::demo {

namespace {

using namespace kind;
using namespace trait;
using enum Frame;
constexpr Area rare = Area::Rare;
constexpr Area unseen = Area::Unseen;

constexpr Kinds kLiving = Person | Animal;
constexpr Kinds kVisible = Person | Animal | Vehicle | Scenery | Building | Ship;
constexpr Kinds kLoan = Paper | Vehicle | Toy | Clothing | Gear;
constexpr Kinds kFindable = Portable | Pet | Toy;
constexpr Kinds kLikeable = Person | Animal | Food | Drink | Music | Plant | Reading | Scenery;
constexpr VerbTraits kFixed = Stative | NoPlace;
constexpr VerbTraits kOwning = Stative | NoPlace | NoClitic;

constexpr Verb kVerbs[] = {
    // With a direct object in both languages
    {"see", "voir", Transitive, kLiving, kVisible, Momentary},
    {"eat", "manger", Transitive, Person, Food, Speed | Quiet},
    {"eat", "manger", Transitive, Animal, AnimalFood, Speed},
    {"have", "avoir", Transitive, Person, Goods | Pet | Toy | Clothing, kOwning},
    {"like", "aimer", Transitive, Person, kLikeable, kFixed | Generic},
    {"read", "lire", Transitive, Person, Reading, Speed | Quiet | Loud},
    {"find", "trouver", Transitive, Person, kFindable, Momentary},
    {"take", "prendre", Transitive, Person, Portable, Speed},
    {"buy", "acheter", Transitive, Person, Goods | Clothing},
    {"drink", "boire", Transitive, Person, Drink, Speed},
    {"drink", "boire", Transitive, Animal, AnimalDrink, Speed},
    {"know", "connaître", Transitive, Person, Person | Text | Song, kFixed},
    {"open", "ouvrir", Transitive, Person, Openable, Speed | Care},
    {"love", "adorer", Transitive, Person, kLikeable, kFixed | Generic},
    {"meet", "rencontrer", Transitive, Person, Person, Momentary},
    {"help", "aider", Transitive, Person, Person, Quiet | Joy},
    {"close", "fermer", Transitive, Person, Openable, Quiet | Care},
    {"write", "écrire", Transitive, Person, Text, Speed | Care},
    {"wear", "porter", Transitive, Person, Clothing, kFixed},
    {"want", "vouloir", Transitive, Person, Goods | Toy | Food, kOwning},
    {"hear", "entendre", Transitive, kLiving, Person | Animal | Music, Momentary | Unwilled},
    {"sell", "vendre", Transitive, Person, Goods | Clothing},
    {"lose", "perdre", Transitive, Person, Portable | Toy, Momentary | Unwilled | NoPlace},
    {"wash", "laver", Transitive, Person, Washable, Speed | Care},
    {"call", "appeler", Transitive, Person, Person | Pet, Loud},
    {"carry", "porter", Transitive, Person, Portable, Care | NoPlace},
    {"visit", "visiter", Transitive, Person, Building, NoPlace},
    {"prepare", "préparer", Transitive, Person, Meal, Care | Joy},
    {"cut", "couper", Transitive, Person, Cuttable, Care | Speed},
    {"follow", "suivre", Transitive, kLiving, kLiving | Vehicle, Quiet | Speed},
    {"hate", "détester", Transitive, Person, kLikeable, kFixed | Generic},
    {"clean", "nettoyer", Transitive, Person, Room | Washable | Surface, Speed | Care | NoPlace},
    {"break", "casser", Transitive, Person, Breakable, Momentary | Unwilled},
    {"repair", "réparer", Transitive, Person, Repairable, Care | Speed},
    {"choose", "choisir", Transitive, Person, Goods | Reading, Care},
    {"watch", "surveiller", Transitive, Person, Child | Animal, Care},
    {"invite", "inviter", Transitive, Person, Person, NoPlace},
    {"forget", "oublier", Transitive, Person, Portable | Lesson, Momentary | Unwilled},
    {"draw", "dessiner", Transitive, Person, Animal | Building | Plant | Person, Care | Quiet},
    {"feed", "nourrir", Transitive, Person, Animal, Care | Joy},
    {"paint", "peindre", Transitive, Person, Scenery | Plant, Care | Quiet},
    {"build", "construire", Transitive, Person, Building, Speed | NoPlace},
    {"sing", "chanter", Transitive, Person, Song, Loud | Joy | Quiet},
    {"chase", "poursuivre", Transitive, Animal, Prey, Speed},
    {"learn", "apprendre", Transitive, Person, Lesson, Speed},
    {"understand", "comprendre", Transitive, Person, Story | Lesson | Reading, NoPlace | Momentary},
    {"leave", "quitter", Transitive, Person, Building, NoPlace | Speed | Quiet},
    {"hide", "cacher", Transitive, Person, Portable, Speed | Care},
    {"water", "arroser", Transitive, Person, Plant, Care},
    {"plant", "planter", Transitive, Person, Plant, Care},
    {"catch", "attraper", Transitive, kLiving, Prey, Speed},
    {"thank", "remercier", Transitive, Person, Person, NoPlace | Joy},
    {"protect", "protéger", Transitive, kLiving, kLiving, Care},
    {"admire", "admirer", Transitive, Person, Scenery | Person | Plant, Quiet},
    {"drive", "conduire", Transitive, Person, Vehicle, Speed | Care},
    {"kiss", "embrasser", Transitive, Person, Family | Child, NoPlace},
    {"greet", "saluer", Transitive, Person, Person, Joy},

    // With a preposition in one of the languages or in both
    {"look at", "regarder", Transitive, kLiving, kVisible, Quiet | Care},
    {"look for", "chercher", Transitive, Person, kFindable | Person, Care},
    {"listen to", "écouter", Transitive, Person | Pet, Music | Person, Quiet | Care | Patience},
    {"wait for", "attendre", Transitive, Person, Person | Vehicle, Quiet | Patience},
    {"talk to", "parler à", Transitive, Person, Person | Pet, Quiet | Loud},
    {"play with", "jouer avec", Transitive, kLiving, Toy | Pet | Child, Joy | Quiet},
    {"think of", "penser à", Transitive, Person, Person, Stative | NoClitic | NoPlace},
    {"answer", "répondre à", Transitive, Person, Person, Speed | Quiet},
    {"smile at", "sourire à", Transitive, Person, Person, NoPlace},
    {"phone", "téléphoner à", Transitive, Person, Person, NoPlace},
    {"obey", "obéir à", Transitive, Person | Pet, Profession | Family, Speed | NoPlace},
    {"dream of", "rêver de", Transitive, Person, Goods | Scenery, NoClitic | NoPlace},
    {"work with", "travailler avec", Transitive, Person, Person, Joy},
    {"dance with", "danser avec", Transitive, Person, Person, Joy},

    // To somebody
    {"give", "donner", Ditransitive, Person, Portable | Clothing},
    {"show", "montrer", Ditransitive, Person, Portable | Reading | Scenery},
    {"send", "envoyer", Ditransitive, Person, Reading},
    {"lend", "prêter", Ditransitive, Person, kLoan},
    {"offer", "offrir", Ditransitive, Person, Goods},
    {"tell", "raconter", Ditransitive, Person, Story, Patience},
    {"explain", "expliquer", Dative, Person, Story | Lesson | Reading, Patience | NoPlace},
    {"bring", "apporter", Dative, Person, Portable | Meal},
    {"return", "rendre", Dative, Person, kLoan},
    {"sell", "vendre", Ditransitive, Person, Goods},

    // Without an object
    {"sleep", "dormir", Intransitive, kLiving, 0, Quiet | Well},
    {"play", "jouer", Intransitive, Child | Pet, 0, Joy | Quiet},
    {"work", "travailler", Intransitive, Person, 0, Quiet | Care | Well | Speed},
    {"sing", "chanter", Intransitive, Person, 0, Loud | Joy | Well},
    {"arrive", "arriver", Intransitive, Person | Vehicle, 0, NoPlace},
    {"run", "courir", Intransitive, kLiving, 0, Speed},
    {"eat", "manger", Intransitive, kLiving, 0, Speed | Quiet | Well},
    {"wait", "attendre", Intransitive, kLiving, 0, Quiet | Patience},
    {"laugh", "rire", Intransitive, Person, 0, Loud | Joy},
    {"cry", "pleurer", Intransitive, Person, 0, Loud},
    {"leave", "partir", Intransitive, Person | Vehicle, 0, Speed | NoPlace},
    {"walk", "marcher", Intransitive, kLiving, 0, Speed | Quiet},
    {"dance", "danser", Intransitive, Person, 0, Joy | Well},
    {"come back", "revenir", Intransitive, kLiving, 0, Speed | NoPlace},
    {"read", "lire", Intransitive, Person, 0, Quiet | Speed},
    {"fall", "tomber", Intransitive, kLiving, 0, NoPlace | Momentary | Unwilled},
    {"swim", "nager", Intransitive, Person | Swimmer, 0, Speed | Well},
    {"stay", "rester", Goal, kLiving, Room | At},
    {"go out", "sortir", Intransitive, kLiving, 0, Speed | Quiet | NoPlace},
    {"shout", "crier", Intransitive, Person, 0, Loud},
    {"smile", "sourire", Intransitive, Person, 0, Quiet},
    {"live", "habiter", Goal, Person, Home | Town, kFixed},
    {"shine", "briller", Intransitive, Light, 0, NoPlace},
    {"grow", "pousser", Intransitive, Plant, 0, Speed},
    {"travel", "voyager", Intransitive, Person, 0, Speed | Quiet | NoPlace},

    // To a place
    {"go to", "aller à", Goal, Person, At | Town},
    {"walk into", "entrer dans", Goal, kLiving, Room | Building, Quiet},
    {"come from", "venir de", Goal, Person, Town, kFixed},
    {"return to", "retourner à", Goal, Person, At | Town},
    {"arrive at", "arriver à", Goal, Person, At, Momentary},

    // That …
    {"say", "dire", Statement, Person},
    {"think", "penser", Statement, Person, 0, Stative},
    {"know", "savoir", Statement, Person, 0, Stative},
    {"believe", "croire", Statement, Person, 0, Stative},
    {"see", "voir", Statement, Person, 0, Momentary},

    // The weather
    {"rain", "pleuvoir", Impersonal, 0},
    {"snow", "neiger", Impersonal, 0},

    // The sea and travel
    {"cross", "traverser", Transitive, Sailor | Ship, Water, Speed | NoPlace, rare},
    {"steer", "diriger", Transitive, Sailor, Ship, Care | NoPlace, rare},
    {"save", "sauver", Transitive, Sailor, Person, Momentary, rare},
    {"throw", "jeter", Transitive, Person, Hoisted | Toy, Speed, rare},
    {"sail", "naviguer", Intransitive, Sailor | Ship, 0, Speed | Quiet, rare},
    {"dive", "plonger", Intransitive, Person, 0, Speed | Quiet, rare},
    {"blow", "souffler", Intransitive, Weather, 0, NoPlace, rare},
    {"load", "charger", Transitive, Person, Cargo | Gear, Speed | Care, unseen},
    {"tie", "attacher", Transitive, Sailor, Hoisted | Ship, Care | Speed, unseen},
    {"hoist", "hisser", Transitive, Sailor, Hoisted, Speed, unseen},
    {"unload", "décharger", Transitive, Sailor, Cargo, Speed | Care, unseen},
    {"sight", "apercevoir", Transitive, Person, Ship | Scenery | Swimmer, Momentary, unseen},
    {"row", "ramer", Intransitive, Person, 0, Speed | Quiet, unseen},
    {"sink", "couler", Intransitive, Ship, 0, Speed | NoPlace, unseen},
    {"drift", "dériver", Intransitive, Ship, 0, Speed | NoPlace, unseen},
};

} // namespace

std::span<const Verb> verbs()
{
    return kVerbs;
}

} // namespace headscope::demo
