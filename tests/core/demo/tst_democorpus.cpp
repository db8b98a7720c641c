#include "core/demo/democorpus.h"
#include "core/demo/lexicon.h"
#include "core/demo/noise.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace headscope;

namespace {

const DemoCorpusSpec kSmall
    = {.seed = 2026, .trainPairs = 3000, .validationPairs = 200, .inDomainPairs = 300, .outOfDomainPairs = 300};

const DemoCorpus &corpus()
{
    static const DemoCorpus made = makeDemoCorpus(kSmall);
    return made;
}

std::vector<const std::vector<DemoPair> *> splits()
{
    return {&corpus().train, &corpus().validation, &corpus().inDomain, &corpus().outOfDomain};
}

std::string everything(const DemoCorpus &corpus)
{
    std::string text;
    for (const auto *split : {&corpus.train, &corpus.validation, &corpus.inDomain, &corpus.outOfDomain}) {
        for (const DemoPair &pair : *split)
            text += demoText(pair.english) + '\t' + demoText(pair.french) + '\n';
    }
    return text;
}

/// FNV-1a, so that the expected value can be written down.
std::uint64_t hashOf(const std::string &text)
{
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

template<typename Check>
void forEachSentence(Check check)
{
    for (const auto *split : splits()) {
        for (const DemoPair &pair : *split) {
            check(pair.english);
            check(pair.french);
        }
    }
}

/// One root, heads in range, and every word reaches the root.
bool isTree(const std::vector<DemoToken> &sentence)
{
    const int size = static_cast<int>(sentence.size());
    int roots = 0;
    for (const DemoToken &token : sentence) {
        roots += token.head == 0 ? 1 : 0;
        int at = token.head;
        for (int steps = 0; at != 0; ++steps) {
            if (at < 0 || at > size || steps > size)
                return false;
            at = sentence[static_cast<std::size_t>(at - 1)].head;
        }
        if ((token.head == 0) != (token.relation == "root"))
            return false;
    }
    return roots == 1;
}

bool isProjective(const std::vector<DemoToken> &sentence)
{
    const int size = static_cast<int>(sentence.size());
    const auto head = [&](int word) { return sentence[static_cast<std::size_t>(word - 1)].head; };
    for (int a = 1; a <= size; ++a) {
        for (int b = 1; b <= size; ++b) {
            const auto [left, right] = std::minmax({a, head(a)});
            const bool starts = left < b && b < right;
            if (starts && (head(b) < left || head(b) > right))
                return false;
        }
    }
    return true;
}

std::string feature(const DemoToken &token, const std::string &name)
{
    const std::size_t at = token.features.find(name + '=');
    return at == std::string::npos ? std::string() : token.features.substr(at + name.size() + 1, 4);
}

std::set<std::string> words(const std::vector<DemoPair> &pairs)
{
    std::set<std::string> result;
    for (const DemoPair &pair : pairs) {
        for (const DemoToken &token : pair.english)
            result.insert(token.lemma);
    }
    return result;
}

using FormsOfLemmas = std::map<std::string, std::set<std::string>>;

FormsOfLemmas formsOfFrequentLemmas(const std::vector<DemoPair> &pairs)
{
    std::map<std::string, int> counts;
    FormsOfLemmas forms;
    for (const DemoPair &pair : pairs) {
        for (const DemoToken &token : pair.english) {
            ++counts[token.lemma];
            forms[token.lemma].insert(token.form);
        }
    }
    std::erase_if(forms, [&](const auto &entry) { return counts[entry.first] < 60; });
    return forms;
}

bool isMistyped(const std::vector<DemoToken> &sentence, const FormsOfLemmas &forms)
{
    const char first = sentence.front().form.front();
    if (sentence.back().upos != "PUNCT" || (first >= 'a' && first <= 'z'))
        return true;
    // The capital of the first word may be new.
    return std::any_of(sentence.begin() + 1, sentence.end(), [&](const DemoToken &token) {
        const auto known = forms.find(token.lemma);
        return known != forms.end() && !known->second.contains(token.form);
    });
}

double meanLength(const std::vector<DemoPair> &pairs)
{
    double sum = 0;
    for (const DemoPair &pair : pairs)
        sum += static_cast<double>(pair.english.size());
    return sum / static_cast<double>(pairs.size());
}

std::string contents(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Told by the letters alone: what no French noun phrase has.
bool clashes(const std::string &text)
{
    for (const char *wrong :
         {" de le ", " de les ", " à le ", " à les ", " le a ", " que il ", " que elle ", " ne a ", " je a ", " de un ",
          " si il ", " ce enfant", " le arbre", " la eau", " beau oiseau", " ma école", " y ont ", "  "}) {
        if (text.find(wrong) != std::string::npos)
            return true;
    }
    return false;
}

} // namespace

class TestDemoCorpus : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theSeedGivesTheCorpus()
    {
        const std::string text = everything(corpus());
        QVERIFY(text == everything(makeDemoCorpus(kSmall)));
        DemoCorpusSpec other = kSmall;
        other.seed = 7;
        QVERIFY(text != everything(makeDemoCorpus(other)));
        // The same on every machine. Changes with the lexicon and the grammar: then write the new value down
        // here.
        QCOMPARE(hashOf(text), std::uint64_t{3692795662582768534ULL});
    }

    void sizesAreAsAsked()
    {
        QCOMPARE(corpus().train.size(), std::size_t{3000});
        QCOMPARE(corpus().validation.size(), std::size_t{200});
        QCOMPARE(corpus().inDomain.size(), std::size_t{300});
        QCOMPARE(corpus().outOfDomain.size(), std::size_t{300});
    }

    void testSplitsDoNotDependOnTheSizeOfTrain()
    {
        DemoCorpusSpec less = kSmall;
        less.trainPairs = 10;
        const DemoCorpus small = makeDemoCorpus(less);
        QCOMPARE(demoText(small.inDomain.back().french), demoText(corpus().inDomain.back().french));
        QCOMPARE(demoText(small.outOfDomain.back().french), demoText(corpus().outOfDomain.back().french));
    }

    void noSentenceOccursTwice()
    {
        std::set<std::string> seen;
        for (const auto *split : splits()) {
            for (const DemoPair &pair : *split)
                QVERIFY2(seen.insert(demoText(pair.english)).second, demoText(pair.english).c_str());
        }
    }

    void treesAreWellFormed()
    {
        forEachSentence([](const std::vector<DemoToken> &sentence) {
            QVERIFY2(isTree(sentence) && isProjective(sentence), demoText(sentence).c_str());
            for (const DemoToken &token : sentence)
                QVERIFY2(!token.form.empty() && !token.lemma.empty() && !token.upos.empty(),
                         demoText(sentence).c_str());
        });
    }

    void featuresAreSorted()
    {
        forEachSentence([](const std::vector<DemoToken> &sentence) {
            for (const DemoToken &token : sentence) {
                std::stringstream features(token.features);
                std::string previous;
                for (std::string item; std::getline(features, item, '|'); previous = item)
                    QVERIFY2(previous < item, token.features.c_str());
            }
        });
    }

    /// Gender is read off the letters of the article, not taken from the generator.
    void frenchArticlesAgreeWithTheirNouns()
    {
        const std::map<std::string, std::string> expected
            = {{"le", "Masc"}, {"la", "Fem"},    {"un", "Masc"}, {"une", "Fem"}, {"cet", "Masc"},
               {"ce", "Masc"}, {"cette", "Fem"}, {"sa", "Fem"},  {"ma", "Fem"}};
        std::map<std::string, std::string> genders;
        for (const demo::Noun &noun : demo::nouns())
            genders[std::string(noun.french)] = noun.gender == demo::Gender::Feminine ? "Fem" : "Masc";
        int checked = 0;
        for (const auto *split : splits()) {
            for (const DemoPair &pair : *split) {
                for (const DemoToken &token : pair.french) {
                    const auto article = expected.find(token.form);
                    if (token.relation != "det" || article == expected.end())
                        continue;
                    const DemoToken &noun = pair.french[static_cast<std::size_t>(token.head - 1)];
                    if (noun.upos != "NOUN" || !genders.contains(noun.lemma))
                        continue;
                    QVERIFY2(genders[noun.lemma] == article->second, demoText(pair.french).c_str());
                    ++checked;
                }
            }
        }
        QVERIFY(checked > 1000);
    }

    void frenchSubjectsAgreeWithTheirVerbs()
    {
        for (const auto *split : splits()) {
            for (const DemoPair &pair : *split) {
                for (const DemoToken &token : pair.french) {
                    if (token.relation != "nsubj" || token.upos != "NOUN")
                        continue;
                    const DemoToken &verb = pair.french[static_cast<std::size_t>(token.head - 1)];
                    const bool plural = feature(token, "Number") == "Plur";
                    const bool finite = verb.features.find("VerbForm=Fin") != std::string::npos;
                    if (plural && finite)
                        QVERIFY2(verb.form.ends_with("nt"), demoText(pair.french).c_str());
                }
            }
        }
    }

    void nothingIsLeftUnelided()
    {
        for (const auto *split : splits()) {
            for (const DemoPair &pair : *split)
                QVERIFY2(!clashes(demoText(pair.french)), demoText(pair.french).c_str());
        }
    }

    void outOfDomainIsLongerAndHasUnseenWords()
    {
        QVERIFY(meanLength(corpus().outOfDomain) > 1.5 * meanLength(corpus().inDomain));
        const std::set<std::string> seen = words(corpus().train);
        std::set<std::string> unseen;
        for (const std::string &word : words(corpus().outOfDomain)) {
            if (!seen.contains(word))
                unseen.insert(word);
        }
        QVERIFY(unseen.contains("lighthouse"));
        QVERIFY(unseen.size() > 30);
    }

    /// Counted are small first letters, missing full stops, and new forms of words that train has often.
    void aThirdOfTheOutOfDomainSourceIsMistyped()
    {
        const FormsOfLemmas forms = formsOfFrequentLemmas(corpus().train);
        const auto share = [&](const std::vector<DemoPair> &pairs) {
            const auto count = std::count_if(pairs.begin(), pairs.end(),
                                             [&](const DemoPair &pair) { return isMistyped(pair.english, forms); });
            return static_cast<double>(count) / static_cast<double>(pairs.size());
        };
        QVERIFY(share(corpus().inDomain) < 0.02);
        QVERIFY(share(corpus().outOfDomain) > 0.2);
        QVERIFY(share(corpus().outOfDomain) < 0.40);
    }

    void aTypingErrorChangesOneWord()
    {
        Random random(1);
        for (int i = 0; i < 500; ++i) {
            const std::string word = demo::mistyped("letter", random);
            QVERIFY(word != "letter");
            QVERIFY(word.starts_with('l'));
            QVERIFY(word.size() >= 5 && word.size() <= 7);
        }
        QCOMPARE(demo::mistyped("à", random), std::string("à"));
        QCOMPARE(demo::mistyped("of", random), std::string("of"));
    }

    void filesHoldWhatTheyPromise()
    {
        const QTemporaryDir directory;
        const std::filesystem::path folder = std::filesystem::path(directory.path().toStdString()) / "made" / "here";
        QVERIFY(writeDemoCorpus(corpus(), kSmall, folder, {}).isOk());
        for (const char *name : {"train", "validation", "in_domain", "out_of_domain"}) {
            for (const char *language : {"en", "fr"})
                QVERIFY(std::filesystem::exists(folder / (std::string(name) + '.' + language)));
        }
        const std::string text = contents(folder / "out_of_domain.en");
        std::string joined;
        std::stringstream trees(contents(folder / "out_of_domain.en.conllu"));
        std::string sentence;
        for (std::string line; std::getline(trees, line);) {
            if (line.empty()) {
                while (sentence.ends_with(' '))
                    sentence.pop_back();
                joined += sentence + '\n';
                sentence.clear();
            } else if (!line.starts_with('#')) {
                QCOMPARE(std::count(line.begin(), line.end(), '\t'), std::ptrdiff_t{9});
                const std::size_t start = line.find('\t') + 1;
                sentence += line.substr(start, line.find('\t', start) - start)
                          + (line.ends_with("SpaceAfter=No") ? "" : " ");
            }
        }
        QVERIFY(joined == text);
        // Labels say of the main verb what its tree says.
        std::istringstream table(contents(folder / "in_domain.objects.tsv"));
        std::string line;
        QVERIFY(std::getline(table, line) && line == "sentence\tlabel");
        std::map<std::string, int> counts;
        for (const DemoPair &pair : corpus().inDomain) {
            QVERIFY(std::getline(table, line));
            QCOMPARE(line, demoText(pair.english) + '\t' + demoLabel(pair.english));
            ++counts[demoLabel(pair.english)];
        }
        QCOMPARE(counts.size(), std::size_t{3});
        const std::string frequencies = contents(folder / "frequencies.en.tsv");
        QVERIFY(frequencies.starts_with(".\t"));
    }

    void labelsAreOfTheMainVerbsObject()
    {
        const auto word = [](const char *form, const char *relation, int head, const char *features = "") {
            return DemoToken{form, form, "X", features, relation, head};
        };
        const DemoToken subject = word("They", "nsubj", 2, "Number=Plur");
        const DemoToken verb = word("see", "root", 0);
        QCOMPARE(demoLabel({subject, verb}), std::string("none"));
        QCOMPARE(demoLabel({subject, verb, word("dogs", "obj", 2, "Number=Plur")}), std::string("several"));
        QCOMPARE(demoLabel({subject, verb, word("Paul", "obj", 2)}), std::string("one"));
        QCOMPARE(demoLabel({subject, verb, word("Paul", "obj", 2), word("and", "cc", 5), word("Zoe", "conj", 3)}),
                 std::string("several"));
        // Objects of other verbs do not count.
        QCOMPARE(demoLabel({subject, verb, word("eat", "ccomp", 2), word("bread", "obj", 3)}), std::string("none"));
    }

    void aFolderThatCannotBeMadeIsAnError()
    {
        const QTemporaryDir directory;
        const std::filesystem::path file = std::filesystem::path(directory.path().toStdString()) / "file";
        std::ofstream(file) << "x";
        QVERIFY(writeDemoCorpus(corpus(), kSmall, file / "below", {}).isError());
    }

    void cancelIsNotAFailure()
    {
        std::stop_source stop;
        stop.request_stop();
        const QTemporaryDir directory;
        QVERIFY(writeDemoCorpus(corpus(), kSmall, directory.path().toStdString(), JobControl(stop.get_token()))
                    .isCancelled());
    }
};

QTEST_GUILESS_MAIN(TestDemoCorpus)
#include "tst_democorpus.moc"
