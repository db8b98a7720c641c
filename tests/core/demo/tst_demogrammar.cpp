#include "core/demo/democorpus.h"
#include "core/demo/english.h"
#include "core/demo/englishforms.h"
#include "core/demo/french.h"
#include "core/demo/frenchforms.h"
#include "core/demo/frenchjunctions.h"
#include "core/demo/phrasemaker.h"

#include <QTest>

#include <set>

using namespace headscope;
using namespace headscope::demo;

namespace {

NounPhrase the(std::string_view english, std::vector<std::string_view> adjectives = {})
{
    NounPhrase phrase;
    phrase.noun = &noun(english);
    phrase.agreement.gender = phrase.noun->gender;
    phrase.agreement.animate = (phrase.noun->kinds & kind::Person) != 0;
    for (const std::string_view word : adjectives)
        phrase.adjectives.push_back(&adjective(word));
    return phrase;
}

NounPhrase with(Determiner determiner, NounPhrase phrase)
{
    phrase.determiner = determiner;
    return phrase;
}

NounPhrase a(std::string_view english, std::vector<std::string_view> adjectives = {})
{
    return with(Determiner::Indefinite, the(english, std::move(adjectives)));
}

NounPhrase many(NounPhrase phrase, int count = 0)
{
    phrase.agreement.number = Number::Plural;
    phrase.count = count;
    return phrase;
}

NounPhrase his(NounPhrase phrase, const NounPhrase &owner)
{
    phrase.determiner = Determiner::Possessive;
    phrase.possessor = owner.agreement;
    return phrase;
}

NounPhrase of(NounPhrase phrase, const NounPhrase &owner)
{
    phrase.determiner = Determiner::Owner;
    phrase.owner.push_back(owner);
    return phrase;
}

NounPhrase also(NounPhrase phrase, const NounPhrase &other)
{
    phrase.others.push_back(other);
    return phrase;
}

NounPhrase who(NounPhrase phrase, Clause relative, ClauseRole role)
{
    relative.role = role;
    NounPhrase antecedent = phrase;
    if (role == ClauseRole::SubjectRelative)
        relative.subject = antecedent;
    else
        relative.object = {antecedent};
    phrase.relative.push_back(relative);
    return phrase;
}

NounPhrase named(std::string_view english)
{
    NounPhrase phrase;
    phrase.name = &name(english);
    phrase.agreement.gender = phrase.name->gender;
    return phrase;
}

const NounPhrase kI = personalPronoun(1, Number::Singular);
const NounPhrase kWe = personalPronoun(1, Number::Plural);
const NounPhrase kYou = personalPronoun(2, Number::Plural);
const NounPhrase kHe = personalPronoun(3, Number::Singular);
const NounPhrase kShe = personalPronoun(3, Number::Singular, Gender::Feminine);
const NounPhrase kThey = personalPronoun(3, Number::Plural);
const NounPhrase kTheyFeminine = personalPronoun(3, Number::Plural, Gender::Feminine);

Clause does(const NounPhrase &subject, const Verb &verb, Tense tense, std::vector<NounPhrase> object = {})
{
    Clause clause;
    clause.subject = subject;
    clause.verb = &verb;
    clause.tense = tense;
    clause.object = std::move(object);
    return clause;
}

Clause is(const NounPhrase &subject, std::string_view word, Tense tense = Tense::Present)
{
    Clause clause;
    clause.subject = subject;
    clause.predicate = PredicateKind::Adjective;
    clause.adjective = &adjective(word);
    clause.tense = tense;
    return clause;
}

Clause negated(Clause clause)
{
    clause.negated = true;
    return clause;
}

Clause asked(Clause clause, ClauseRole role)
{
    clause.role = role;
    return clause;
}

Clause adverbially(Clause clause, std::string_view word)
{
    const Adverb &entry = adverb(word);
    (entry.group == AdverbClass::Manner ? clause.manner : clause.frequency) = &entry;
    return clause;
}

Clause in(Clause clause, std::string_view word, std::string_view french, const NounPhrase &place)
{
    clause.places.push_back({&preposition(word, french), place});
    return clause;
}

Clause at(Clause clause, std::string_view time, bool first = false)
{
    clause.time = &timePhrase(time);
    clause.timeFirst = first;
    return clause;
}

Clause mode(Clause clause, Mode mode)
{
    clause.mode = mode;
    return clause;
}

Clause to(Clause clause, const NounPhrase &recipient, bool first = false)
{
    clause.recipient = {recipient};
    clause.recipientFirst = first;
    return clause;
}

Clause tied(Clause clause, LinkWord word, const Clause &other, bool first = false)
{
    clause.links.push_back({word, other, first});
    return clause;
}

Clause thereIs(const NounPhrase &thing)
{
    Clause clause;
    clause.predicate = PredicateKind::Existence;
    clause.subject.agreement.number = thing.agreement.number;
    clause.object = {thing};
    return clause;
}

Clause job(const NounPhrase &subject, std::string_view word)
{
    Clause clause;
    clause.predicate = PredicateKind::Profession;
    clause.subject = subject;
    clause.object = {a(word)};
    return clause;
}

Clause place(const NounPhrase &subject)
{
    Clause clause;
    clause.predicate = PredicateKind::Place;
    clause.subject = subject;
    return clause;
}

NounPhrase thing(NounPhrase pronoun)
{
    pronoun.agreement.animate = false;
    return pronoun;
}

constexpr auto kNow = Tense::Present;
constexpr auto kBefore = Tense::Past;

struct Row
{
    const char *english;
    const char *french;
    Clause clause;
};

/// Written and checked by hand.
std::vector<Row> rows()
{
    const auto v
        = [](std::string_view english, std::string_view french = {}) -> const Verb & { return verb(english, french); };
    return {
        {"The girl sees the boy.", "La fille voit le garçon.", does(the("girl"), v("see"), kNow, {the("boy")})},
        {"She sees him.", "Elle le voit.", does(kShe, v("see"), kNow, {kHe})},
        {"He saw her.", "Il l'a vue.", does(kHe, v("see"), kBefore, {kShe})},
        {"I saw them.", "Je les ai vus.", does(kI, v("see"), kBefore, {kThey})},
        {"He does not see us.", "Il ne nous voit pas.", negated(does(kHe, v("see"), kNow, {kWe}))},
        {"She wants to see him.", "Elle veut le voir.", mode(does(kShe, v("see"), kNow, {kHe}), Mode::Want)},
        {"An old tree is growing.", "Un vieil arbre pousse.", does(a("tree", {"old"}), v("grow"), Tense::Progressive)},
        {"We see a beautiful bird.", "Nous voyons un bel oiseau.",
         does(kWe, v("see"), kNow, {a("bird", {"beautiful"})})},
        {"They buy some old books.", "Ils achètent de vieux livres.",
         does(kThey, v("buy"), kNow, {many(a("book", {"old"}))})},
        {"They buy some red hats.", "Ils achètent des chapeaux rouges.",
         does(kThey, v("buy"), kNow, {many(a("hat", {"red"}))})},
        {"You drink some water.", "Vous buvez de l'eau.", does(kYou, v("drink"), kNow, {a("water")})},
        {"I am eating some bread.", "Je mange du pain.", does(kI, v("eat"), Tense::Progressive, {a("bread")})},
        {"We are not eating any meat.", "Nous ne mangeons pas de viande.",
         negated(does(kWe, v("eat"), Tense::Progressive, {a("meat")}))},
        {"He does not have a dog.", "Il n'a pas de chien.", negated(does(kHe, v("have"), kNow, {a("dog")}))},
        {"I like horses.", "J'aime les chevaux.",
         does(kI, v("like"), kNow, {many(with(Determiner::Generic, the("horse")))})},
        {"This child hates cheese.", "Cet enfant déteste le fromage.",
         does(with(Determiner::Demonstrative, the("child")), v("hate"), kNow,
              {with(Determiner::Generic, the("cheese"))})},
        {"The old baker gives a warm scarf to the two girls.",
         "Le vieux boulanger donne une écharpe chaude aux deux filles.",
         to(does(the("baker", {"old"}), v("give"), kNow, {a("scarf", {"warm"})}), many(the("girl"), 2))},
        {"She gave him an apple.", "Elle lui a donné une pomme.",
         to(does(kShe, v("give"), kBefore, {a("apple")}), kHe, true)},
        {"He gives it to me.", "Il me le donne.", to(does(kHe, v("give"), kNow, {thing(kHe)}), kI)},
        {"He gives it to her.", "Il le lui donne.", to(does(kHe, v("give"), kNow, {thing(kHe)}), kShe)},
        {"I talk to them.", "Je leur parle.", does(kI, v("talk to"), kNow, {kThey})},
        {"She thought of him.", "Elle pensait à lui.", does(kShe, v("think of"), kBefore, {kHe})},
        {"He is waiting for the train.", "Il attend le train.",
         does(kHe, v("wait for"), Tense::Progressive, {the("train")})},
        {"The girls arrived yesterday.", "Les filles sont arrivées hier.",
         at(does(many(the("girl")), v("arrive"), kBefore), "yesterday")},
        {"Yesterday, Marie and Paul left.", "Hier, Marie et Paul sont partis.",
         at(does(also(named("Marie"), named("Paul")), v("leave", "partir"), kBefore), "yesterday", true)},
        {"The woman knew the mayor.", "La femme connaissait le maire.",
         does(the("woman"), v("know", "connaître"), kBefore, {the("mayor")})},
        {"She often eats at the restaurant.", "Elle mange souvent au restaurant.",
         in(adverbially(does(kShe, v("eat"), kNow), "often"), "at", "à", the("restaurant"))},
        {"They never lost the key.", "Ils n'ont jamais perdu la clé.",
         adverbially(does(kThey, v("lose"), kBefore, {the("key")}), "never")},
        {"She never eats any meat.", "Elle ne mange jamais de viande.",
         adverbially(does(kShe, v("eat"), kNow, {a("meat")}), "never")},
        {"The boy slept well.", "Le garçon a bien dormi.", adverbially(does(the("boy"), v("sleep"), kBefore), "well")},
        {"He reads the letter slowly.", "Il lit lentement la lettre.",
         adverbially(does(kHe, v("read"), kNow, {the("letter")}), "slowly")},
        {"The dog sleeps near the door.", "Le chien dort près de la porte.",
         in(does(the("dog"), v("sleep"), kNow), "near", "", the("door"))},
        {"The dog sleeps next to the wall.", "Le chien dort à côté du mur.",
         in(does(the("dog"), v("sleep"), kNow), "next to", "", the("wall"))},
        {"The hen runs in front of the barn.", "La poule court devant la grange.",
         in(does(the("hen"), v("run"), kNow), "in front of", "", the("barn"))},
        {"The boy that the girls saw is happy.", "Le garçon que les filles ont vu est heureux.",
         is(who(the("boy"), does(many(the("girl")), v("see"), kBefore), ClauseRole::ObjectRelative), "happy")},
        {"The pears that he ate were good.", "Les poires qu'il a mangées étaient bonnes.",
         is(who(many(the("pear")), does(kHe, v("eat"), kBefore), ClauseRole::ObjectRelative), "good", kBefore)},
        {"The girls who know the king are singing.", "Les filles qui connaissent le roi chantent.",
         does(
             who(many(the("girl")), does({}, v("know", "connaître"), kNow, {the("king")}), ClauseRole::SubjectRelative),
             v("sing", "chanter"), Tense::Progressive)},
        {"Does the boy eat the apple?", "Est-ce que le garçon mange la pomme ?",
         asked(does(the("boy"), v("eat"), kNow, {the("apple")}), ClauseRole::YesNoQuestion)},
        {"What did Anna find?", "Qu'est-ce qu'Anna a trouvé ?",
         asked(does(named("Anna"), v("find"), kBefore, {{}}), ClauseRole::WhatQuestion)},
        {"Where are you going to sleep?", "Où est-ce que vous allez dormir ?",
         asked(mode(does(kYou, v("sleep"), kNow), Mode::GoingTo), ClauseRole::WhereQuestion)},
        {"Who sees her?", "Qui la voit ?", asked(does(kHe, v("see"), kNow, {kShe}), ClauseRole::WhoQuestion)},
        {"The girls are singing because they are happy.", "Les filles chantent parce qu'elles sont heureuses.",
         tied(does(many(the("girl")), v("sing", "chanter"), Tense::Progressive), LinkWord::Because,
              is(kTheyFeminine, "happy"))},
        {"If it rains, we will stay at the school.", "S'il pleut, nous resterons à l'école.",
         tied(in(does(kWe, v("stay"), Tense::Future), "at", "à", the("school")), LinkWord::If,
              does({}, v("rain"), kNow), true)},
        {"When he arrives, she will open the door.", "Quand il arrivera, elle ouvrira la porte.",
         tied(does(kShe, v("open"), Tense::Future, {the("door")}), LinkWord::When,
              does(kHe, v("arrive"), Tense::FutureWhen), true)},
        {"I ran while you were sleeping.", "J'ai couru pendant que vous dormiez.",
         tied(does(kI, v("run"), kBefore), LinkWord::While, does(kYou, v("sleep"), Tense::PastProgressive))},
        {"Her brother is a doctor.", "Son frère est médecin.", job(his(the("brother"), kShe), "doctor")},
        {"His school is old.", "Son école est vieille.", is(his(the("school"), kHe), "old")},
        {"My old school is empty.", "Ma vieille école est vide.", is(his(the("school", {"old"}), kI), "empty")},
        {"Marie's dog is not tired.", "Le chien de Marie n'est pas fatigué.",
         negated(is(of(the("dog"), named("Marie")), "tired"))},
        {"The baker's dog drank the milk.", "Le chien du boulanger a bu le lait.",
         does(of(the("dog"), the("baker")), v("drink"), kBefore, {the("milk")})},
        {"There are three cats in the garden.", "Il y a trois chats dans le jardin.",
         in(thereIs(many(a("cat"), 3)), "in", "dans", the("garden"))},
        {"There is not any bread on the table.", "Il n'y a pas de pain sur la table.",
         negated(in(thereIs(a("bread")), "on", "", the("table")))},
        {"The keys are in the drawer.", "Les clés sont dans le tiroir.",
         in(place(many(the("key"))), "in", "dans", the("drawer"))},
        {"She was hungry.", "Elle avait faim.", is(kShe, "hungry", kBefore)},
        {"Twenty owls see the eleven hedgehogs.", "Vingt hiboux voient les onze hérissons.",
         does(many(a("owl"), 20), v("see"), kNow, {many(the("hedgehog"), 11)})},
        {"The owl hears the lobster.", "Le hibou entend le homard.",
         does(the("owl"), v("hear"), kNow, {the("lobster")})},
    };
}

} // namespace

class TestDemoGrammar : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void meaningsAreSaidInBothLanguages_data()
    {
        QTest::addColumn<int>("row");
        const auto table = rows();
        for (std::size_t i = 0; i < table.size(); ++i)
            QTest::newRow(table[i].english) << static_cast<int>(i);
    }

    void meaningsAreSaidInBothLanguages()
    {
        QFETCH(int, row);
        const Row expected = rows()[static_cast<std::size_t>(row)];
        QCOMPARE(demoText(englishSentence(expected.clause)), std::string(expected.english));
        QCOMPARE(demoText(frenchSentence(expected.clause)), std::string(expected.french));
    }

    void cliticsDependOnTheirVerb()
    {
        const auto french = frenchSentence(mode(does(kShe, verb("see"), kNow, {kHe}), Mode::Want));
        const std::vector<int> heads = {2, 0, 4, 2, 2};
        const std::vector<std::string> relations = {"nsubj", "root", "obj", "xcomp", "punct"};
        for (std::size_t i = 0; i < french.size(); ++i) {
            QCOMPARE(french[i].head, heads.at(i));
            QCOMPARE(french[i].relation, relations.at(i));
        }
    }

    void contractionsTakeTheArticleAway()
    {
        const auto french = frenchSentence(does(of(the("dog"), the("baker")), verb("sleep"), kNow));
        QCOMPARE(french.at(2).form, std::string("du"));
        QCOMPARE(french.at(2).relation, std::string("case"));
        QCOMPARE(french.at(2).head, 4);
        QCOMPARE(french.at(3).head, 2);
    }

    void subjectsAgreeAcrossRelatives()
    {
        const Clause inner = does(kHe, verb("see"), kNow);
        const Clause outer = does(who(many(the("girl")), inner, ClauseRole::ObjectRelative), verb("sleep"), kNow);
        QCOMPARE(demoText(englishSentence(outer)), std::string("The girls that he sees sleep."));
        QCOMPARE(demoText(frenchSentence(outer)), std::string("Les filles qu'il voit dorment."));
    }

    void verbsAreConjugated_data()
    {
        QTest::addColumn<QString>("infinitive");
        QTest::addColumn<QStringList>("forms"); // il, nous, imparfait nous, futur il, participe
        const auto row = [](const char *infinitive, const QStringList &forms) {
            QTest::newRow(infinitive) << QString::fromUtf8(infinitive) << forms;
        };
        const auto list = [](const char *forms) { return QString::fromUtf8(forms).split(QLatin1Char(' ')); };
        row("manger", list("mange mangeons mangions mangera mangé"));
        row("nettoyer", list("nettoie nettoyons nettoyions nettoiera nettoyé"));
        row("choisir", list("choisit choisissons choisissions choisira choisi"));
        row("attendre", list("attend attendons attendions attendra attendu"));
        row("acheter", list("achète achetons achetions achètera acheté"));
        row("appeler", list("appelle appelons appelions appellera appelé"));
        row("envoyer", list("envoie envoyons envoyions enverra envoyé"));
        row("peindre", list("peint peignons peignions peindra peint"));
        row("boire", list("boit buvons buvions boira bu"));
        row("être", list("est sommes étions sera été"));
    }

    void verbsAreConjugated()
    {
        QFETCH(QString, infinitive);
        QFETCH(QStringList, forms);
        const std::string verb = infinitive.toStdString();
        QCOMPARE(QString::fromStdString(frenchPresent(verb, kHe.agreement)), forms.at(0));
        QCOMPARE(QString::fromStdString(frenchPresent(verb, kWe.agreement)), forms.at(1));
        QCOMPARE(QString::fromStdString(frenchImperfect(verb, kWe.agreement)), forms.at(2));
        QCOMPARE(QString::fromStdString(frenchFuture(verb, kHe.agreement)), forms.at(3));
        QCOMPARE(QString::fromStdString(frenchParticiple(verb, kHe.agreement)), forms.at(4));
    }

    void adjectivesAgree_data()
    {
        QTest::addColumn<QString>("masculine");
        QTest::addColumn<QString>("others"); // feminine, masculine plural, feminine plural
        const auto row = [](const char *masculine, const char *others) {
            QTest::newRow(masculine) << QString::fromUtf8(masculine) << QString::fromUtf8(others);
        };
        row("petit", "petite petits petites");
        row("rouge", "rouge rouges rouges");
        row("heureux", "heureuse heureux heureuses");
        row("cher", "chère chers chères");
        row("beau", "belle beaux belles");
        row("vieux", "vieille vieux vieilles");
        row("blanc", "blanche blancs blanches");
        row("gris", "grise gris grises");
        row("frais", "fraîche frais fraîches");
        row("gros", "grosse gros grosses");
        row("gentil", "gentille gentils gentilles");
        row("bleu", "bleue bleus bleues");
        row("jaloux", "jalouse jaloux jalouses");
        row("étranger", "étrangère étrangers étrangères");
    }

    void adjectivesAgree()
    {
        QFETCH(QString, masculine);
        QFETCH(QString, others);
        const std::string word = masculine.toStdString();
        const std::string found = frenchAdjective(word, kShe.agreement) + ' ' + frenchAdjective(word, kThey.agreement)
                                + ' ' + frenchAdjective(word, kTheyFeminine.agreement);
        QCOMPARE(QString::fromStdString(found), others);
    }

    void englishWordsAreInflected()
    {
        QCOMPARE(englishPlural("rowing boat"), std::string("rowing boats"));
        QCOMPARE(englishPlural("cherry"), std::string("cherries"));
        QCOMPARE(englishPlural("mouse"), std::string("mice"));
        QCOMPARE(englishThirdPerson("watch"), std::string("watches"));
        QCOMPARE(englishThirdPerson("carry"), std::string("carries"));
        QCOMPARE(englishPast("carry"), std::string("carried"));
        QCOMPARE(englishPast("travel"), std::string("travelled"));
        QCOMPARE(englishGerund("tie"), std::string("tying"));
        QCOMPARE(englishGerund("write"), std::string("writing"));
        QCOMPARE(englishGerund("swim"), std::string("swimming"));
        QCOMPARE(englishNumber(40), std::string("forty"));
        QCOMPARE(frenchNumber(60), std::string("soixante"));
    }

    void nothingIsElidedBeforeAnAspiratedH()
    {
        QVERIFY(!startsWithVowelSound("hibou"));
        QVERIFY(!startsWithVowelSound("onze"));
        QVERIFY(startsWithVowelSound("hôtel"));
        QVERIFY(startsWithVowelSound("œuf"));
        QVERIFY(startsWithVowelSound("Étienne"));
        QVERIFY(!startsWithVowelSound("chien"));
    }

    void theLexiconIsWhole()
    {
        std::set<std::string_view> english;
        for (const Noun &entry : nouns()) {
            QVERIFY2(english.insert(entry.english).second, entry.english.data());
            QVERIFY2(!entry.french.empty() && entry.kinds != 0, entry.english.data());
        }
        english.clear();
        for (const Adjective &entry : adjectives()) {
            QVERIFY2(english.insert(entry.english).second, entry.english.data());
            QVERIFY2(!entry.french.empty() && entry.targets != 0, entry.english.data());
        }
        QVERIFY(nouns().size() + adjectives().size() + verbs().size() > 400);
    }

    void everyVerbHasSubjectsAndObjects()
    {
        const auto isNamed = [](Kinds kinds, Area area) {
            for (const Noun &entry : nouns()) {
                if ((entry.kinds & kinds) != 0 && entry.area <= area)
                    return true;
            }
            return kinds == kind::Town;
        };
        for (const Verb &entry : verbs()) {
            const bool isImpersonal = entry.frame == Frame::Impersonal;
            QVERIFY2(isImpersonal || isNamed(entry.subjects, entry.area), entry.english.data());
            QVERIFY2(entry.objects == 0 || isNamed(entry.objects, entry.area), entry.english.data());
        }
    }
};

QTEST_GUILESS_MAIN(TestDemoGrammar)
#include "tst_demogrammar.moc"
