#include "core/demo/democorpus.h"

#include "core/demo/clausemaker.h"
#include "core/demo/english.h"
#include "core/demo/french.h"
#include "core/demo/noise.h"

#include <set>

namespace headscope {

namespace {

using namespace demo;

struct Lengths
{
    std::size_t least;
    std::size_t most;
};

/// Invents pairs whose English no one has had before.
class PairSource
{
public:
    PairSource(std::uint64_t seed, Domain domain, std::set<std::string> &taken)
        : m_chooser(seed, domain), m_clauses(m_chooser), m_taken(taken)
    {
    }

    DemoPair next()
    {
        const Lengths lengths = m_chooser.domain() == Domain::In ? Lengths{4, 17} : Lengths{12, 28};
        while (true) {
            const Clause clause = m_clauses.sentence();
            DemoPair pair{englishSentence(clause), {}};
            if (pair.english.size() < lengths.least || pair.english.size() > lengths.most)
                continue;
            if (!m_taken.insert(demoText(pair.english)).second)
                continue;
            pair.french = frenchSentence(clause);
            return pair;
        }
    }

private:
    Chooser m_chooser;
    ClauseMaker m_clauses;
    std::set<std::string> &m_taken;
};

std::vector<DemoPair> draw(PairSource &source, std::int64_t count)
{
    std::vector<DemoPair> pairs;
    for (std::int64_t i = 0; i < count; ++i)
        pairs.push_back(source.next());
    return pairs;
}

/// About a third of the English sentences; none becomes equal to one of another split.
void addNoise(std::vector<DemoPair> &pairs, std::uint64_t seed, std::set<std::string> &taken)
{
    Random random(seed);
    for (DemoPair &pair : pairs) {
        if (random.below(3) != 0)
            continue;
        std::vector<DemoToken> noisy = pair.english;
        addTypingNoise(noisy, random);
        if (taken.insert(demoText(noisy)).second)
            pair.english = noisy;
    }
}

} // namespace

std::string demoText(const std::vector<DemoToken> &sentence)
{
    std::string text;
    for (const DemoToken &token : sentence) {
        text += token.form;
        if (token.spaceAfter && &token != &sentence.back())
            text += ' ';
    }
    return text;
}

DemoCorpus makeDemoCorpus(const DemoCorpusSpec &spec)
{
    std::set<std::string> taken;
    PairSource inside(spec.seed, Domain::In, taken);
    PairSource outside(spec.seed + 1, Domain::Out, taken);
    DemoCorpus corpus;
    // The test splits first: their sentences do not depend on how many pairs train has.
    corpus.inDomain = draw(inside, spec.inDomainPairs);
    corpus.outOfDomain = draw(outside, spec.outOfDomainPairs);
    corpus.validation = draw(inside, spec.validationPairs);
    corpus.train = draw(inside, spec.trainPairs);
    addNoise(corpus.outOfDomain, spec.seed + 2, taken);
    return corpus;
}

} // namespace headscope
