#include "core/demo/english.h"
#include "core/demo/englishforms.h"
#include "core/demo/features.h"

namespace headscope::demo {

namespace {

struct Auxiliary
{
    Fragment word;
    std::string_view relation = "aux";
};

struct VerbGroup
{
    std::vector<Auxiliary> auxiliaries;
    Fragment main;
};

std::string_view baseOf(const Verb &verb)
{
    return wordsOf(verb.english)[0];
}

std::string_view secondWord(const Verb &verb)
{
    const auto words = wordsOf(verb.english);
    return words.size() > 1 ? words[1] : std::string_view();
}

bool takesObject(const Verb &verb)
{
    return verb.objects != 0;
}

/// Says one clause. The words are put in order from left to right.
class EnglishClause
{
public:
    explicit EnglishClause(const Clause &clause)
        : m_clause(clause), m_subject(agreementOf(clause.subject)), m_group(verbGroup())
    {
    }

    Fragment said();

private:
    bool isPast() const { return m_clause.tense == Tense::Past || m_clause.tense == Tense::PastProgressive; }
    bool isInverted() const { return isQuestion(m_clause.role) && m_clause.role != ClauseRole::WhoQuestion; }
    bool hasInfinitive() const { return m_clause.mode == Mode::GoingTo || m_clause.mode == Mode::Want; }

    std::string_view tenseFeature() const { return isPast() ? "Past" : "Pres"; }
    Fragment finite(std::string_view form, std::string_view lemma, std::string_view upos) const;
    Fragment be(std::string_view upos = "AUX") const;
    Auxiliary modal() const;
    VerbGroup verbGroup() const;
    VerbGroup copula() const;
    VerbGroup plainVerb(std::string_view lemma) const;
    Fragment predicate() const;

    void addFront();
    void addQuestionWord();
    void addSubject();
    void addVerb();
    void addComplements(Fragment &to) const;
    void addObjects(Fragment &to) const;
    void addRecipient(Fragment &to) const;
    void addAdjuncts(Fragment &to) const;
    void addInfinitive();
    void addLinks(bool first);

    const Clause &m_clause;
    Agreement m_subject;
    VerbGroup m_group;
    Fragment m_result;
};

Fragment linked(const Link &link);

Fragment EnglishClause::finite(std::string_view form, std::string_view lemma, std::string_view upos) const
{
    return {form, lemma, upos, finiteFeatures(m_subject, tenseFeature())};
}

Fragment EnglishClause::be(std::string_view upos) const
{
    return finite(englishBe(m_subject, isPast()), "be", upos);
}

/// "will", "can", "could", "must"; none for other clauses.
Auxiliary EnglishClause::modal() const
{
    if (m_clause.tense == Tense::Future)
        return {{"will", "will", "AUX", "VerbForm=Fin"}};
    if (m_clause.mode == Mode::Can)
        return {{isPast() ? "could" : "can", "can", "AUX", "VerbForm=Fin"}};
    if (m_clause.mode == Mode::Must)
        return {{"must", "must", "AUX", "VerbForm=Fin"}};
    return {};
}

Fragment EnglishClause::predicate() const
{
    Fragment result;
    switch (m_clause.predicate) {
    case PredicateKind::Adjective:
        if (m_clause.intensified)
            result.add({"very", "very", "ADV"}, "advmod");
        result.addHead({m_clause.adjective->english, m_clause.adjective->english, "ADJ", "Degree=Pos"});
        return result;
    case PredicateKind::Place:
        result.add(fixedExpression(m_clause.places.at(0).preposition->english, "ADP"), "case");
        result.addHead(englishNounPhrase(m_clause.places.at(0).object));
        return result;
    default:
        return englishNounPhrase(m_clause.object.at(0));
    }
}

VerbGroup EnglishClause::copula() const
{
    VerbGroup group;
    const Auxiliary will = modal();
    const Fragment form = will.word.isEmpty() ? be() : Fragment("be", "be", "AUX", "VerbForm=Inf");
    if (!will.word.isEmpty())
        group.auxiliaries.push_back(will);
    if (m_clause.predicate == PredicateKind::Existence) {
        group.main = will.word.isEmpty() ? be("VERB") : Fragment("be", "be", "VERB", "VerbForm=Inf");
        return group;
    }
    group.auxiliaries.push_back({form, "cop"});
    group.main = predicate();
    return group;
}

/// Without other auxiliaries: "do" where the clause is negated or asks.
VerbGroup EnglishClause::plainVerb(std::string_view lemma) const
{
    const bool isThird = m_subject.person == 3 && m_subject.number == Number::Singular;
    if (m_clause.negated || isInverted()) {
        const std::string_view form = isPast() ? "did" : isThird ? "does" : "do";
        return {{{finite(form, "do", "AUX")}}, {lemma, lemma, "VERB", "VerbForm=Inf"}};
    }
    const std::string form = isPast() ? englishPast(lemma) : isThird ? englishThirdPerson(lemma) : std::string(lemma);
    return {{}, finite(form, lemma, "VERB")};
}

VerbGroup EnglishClause::verbGroup() const
{
    if (m_clause.predicate != PredicateKind::Verb)
        return copula();
    const std::string_view lemma = m_clause.mode == Mode::GoingTo ? "go"
                                 : m_clause.mode == Mode::Want    ? "want"
                                                                  : baseOf(*m_clause.verb);
    if (const Auxiliary auxiliary = modal(); !auxiliary.word.isEmpty())
        return {{auxiliary}, {lemma, lemma, "VERB", "VerbForm=Inf"}};
    const bool progressive = m_clause.tense == Tense::Progressive || m_clause.tense == Tense::PastProgressive
                          || m_clause.mode == Mode::GoingTo;
    if (progressive)
        return {{{be()}}, {englishGerund(lemma), lemma, "VERB", "Tense=Pres|VerbForm=Part"}};
    return plainVerb(lemma);
}

void EnglishClause::addQuestionWord()
{
    switch (m_clause.role) {
    case ClauseRole::WhereQuestion:
        return m_result.add({"where", "where", "ADV", "PronType=Int"}, "advmod");
    case ClauseRole::WhenQuestion:
        return m_result.add({"when", "when", "ADV", "PronType=Int"}, "advmod");
    case ClauseRole::WhyQuestion:
        return m_result.add({"why", "why", "ADV", "PronType=Int"}, "advmod");
    case ClauseRole::WhatQuestion:
        return m_result.add({"what", "what", "PRON", "PronType=Int"}, "obj");
    case ClauseRole::ObjectRelative:
        return m_result.add({"that", "that", "PRON", "PronType=Rel"}, "obj");
    default:
        return;
    }
}

void EnglishClause::addFront()
{
    addLinks(true);
    if (m_clause.timeFirst && m_clause.time != nullptr) {
        const Fragment time = parsePhrase(m_clause.time->english);
        m_result.add(time, time.head().upos == "ADV" ? "advmod" : "obl");
        m_result.tokens().back().spaceAfter = false;
        m_result.add({",", ",", "PUNCT"}, "punct");
    }
    addQuestionWord();
    if (isInverted())
        m_result.add(m_group.auxiliaries.at(0).word, m_group.auxiliaries[0].relation);
}

void EnglishClause::addSubject()
{
    switch (m_clause.role) {
    case ClauseRole::WhoQuestion:
        return m_result.add({"who", "who", "PRON", "PronType=Int"}, "nsubj");
    case ClauseRole::SubjectRelative: {
        const std::string_view word = m_clause.subject.agreement.animate ? "who" : "that";
        return m_result.add({word, word, "PRON", "PronType=Rel"}, "nsubj");
    }
    case ClauseRole::SharedSubject:
        return;
    default:
        break;
    }
    if (m_clause.predicate == PredicateKind::Existence)
        m_result.add({"there", "there", "PRON"}, "expl");
    else if (m_clause.verb != nullptr && m_clause.verb->frame == Frame::Impersonal)
        m_result.add({"it", "it", "PRON", "Case=Nom|Number=Sing|Person=3|PronType=Prs"}, "expl");
    else
        m_result.add(englishSubject(m_clause.subject), "nsubj");
}

/// The auxiliaries and the verb, with "not" and the adverb of frequency after the first auxiliary.
void EnglishClause::addVerb()
{
    bool isOpen = true;
    const auto addOpen = [&] {
        if (isOpen && m_clause.negated)
            m_result.add({"not", "not", "PART", "Polarity=Neg"}, "advmod");
        if (isOpen && m_clause.frequency != nullptr)
            m_result.add({m_clause.frequency->english, m_clause.frequency->english, "ADV"}, "advmod");
        isOpen = false;
    };
    for (std::size_t i = 0; i < m_group.auxiliaries.size(); ++i) {
        if (i == 0 && isInverted())
            continue;
        m_result.add(m_group.auxiliaries[i].word, m_group.auxiliaries[i].relation);
        addOpen();
    }
    if (m_clause.predicate == PredicateKind::Existence && m_group.auxiliaries.empty()) {
        m_result.addHead(m_group.main);
        return addOpen();
    }
    addOpen();
    m_result.addHead(m_group.main);
}

void EnglishClause::addRecipient(Fragment &to) const
{
    Fragment recipient;
    recipient.add({"to", "to", "ADP"}, "case");
    recipient.addHead(englishNounPhrase(m_clause.recipient.at(0)));
    to.add(recipient, "obl");
}

void EnglishClause::addObjects(Fragment &to) const
{
    const bool isMoved = m_clause.role == ClauseRole::ObjectRelative || m_clause.role == ClauseRole::WhatQuestion;
    const std::string_view second = secondWord(*m_clause.verb);
    if (!second.empty() && !takesObject(*m_clause.verb))
        to.add({second, second, "ADV"}, "compound:prt");
    if (!m_clause.recipient.empty() && m_clause.recipientFirst)
        to.add(englishNounPhrase(m_clause.recipient[0]), "iobj");
    for (const NounPhrase &object : m_clause.object) {
        if (isMoved)
            break;
        Fragment phrase;
        if (!second.empty())
            phrase.add({second, second, "ADP"}, "case");
        phrase.addHead(englishNounPhrase(object, isNegative(m_clause)));
        to.add(phrase, second.empty() ? "obj" : "obl");
    }
    if (!m_clause.recipient.empty() && !m_clause.recipientFirst)
        addRecipient(to);
}

void EnglishClause::addAdjuncts(Fragment &to) const
{
    if (m_clause.manner != nullptr)
        to.add({m_clause.manner->english, m_clause.manner->english, "ADV"}, "advmod");
    for (std::size_t i = m_clause.predicate == PredicateKind::Place ? 1 : 0; i < m_clause.places.size(); ++i) {
        Fragment place;
        place.add(fixedExpression(m_clause.places[i].preposition->english, "ADP"), "case");
        place.addHead(englishNounPhrase(m_clause.places[i].object));
        to.add(place, "obl");
    }
    if (m_clause.time != nullptr && !m_clause.timeFirst) {
        const Fragment time = parsePhrase(m_clause.time->english);
        to.add(time, time.head().upos == "ADV" ? "advmod" : "obl");
    }
}

void EnglishClause::addComplements(Fragment &to) const
{
    if (m_clause.predicate == PredicateKind::Existence)
        to.add(englishNounPhrase(m_clause.object.at(0), m_clause.negated), "nsubj");
    if (m_clause.predicate == PredicateKind::Verb)
        addObjects(to);
    addAdjuncts(to);
    for (const Clause &statement : m_clause.statement) {
        Fragment said;
        said.add({"that", "that", "SCONJ"}, "mark");
        said.addHead(englishClause(statement));
        to.add(said, "ccomp");
    }
}

void EnglishClause::addInfinitive()
{
    const std::string_view lemma = baseOf(*m_clause.verb);
    Fragment infinitive;
    infinitive.add({"to", "to", "PART"}, "mark");
    infinitive.addHead({lemma, lemma, "VERB", "VerbForm=Inf"});
    addComplements(infinitive);
    m_result.add(infinitive, "xcomp");
}

void EnglishClause::addLinks(bool first)
{
    for (const Link &link : m_clause.links) {
        if (link.first == first)
            m_result.add(linked(link), link.word == LinkWord::And || link.word == LinkWord::But ? "conj" : "advcl");
    }
}

Fragment EnglishClause::said()
{
    addFront();
    addSubject();
    addVerb();
    if (m_clause.predicate == PredicateKind::Verb && hasInfinitive())
        addInfinitive();
    else
        addComplements(m_result);
    // What follows attaches to the verb, after a comma before "but".
    for (const Link &link : m_clause.links) {
        if (!link.first && link.word == LinkWord::But)
            m_result.tokens().back().spaceAfter = false;
    }
    addLinks(false);
    return m_result;
}

Fragment conjunction(LinkWord word)
{
    switch (word) {
    case LinkWord::And:
        return {"and", "and", "CCONJ"};
    case LinkWord::But:
        return {"but", "but", "CCONJ"};
    case LinkWord::Because:
        return {"because", "because", "SCONJ"};
    case LinkWord::When:
        return {"when", "when", "SCONJ"};
    case LinkWord::While:
        return {"while", "while", "SCONJ"};
    case LinkWord::If:
        return {"if", "if", "SCONJ"};
    }
    return {};
}

Fragment linked(const Link &link)
{
    Fragment result;
    if (link.word == LinkWord::But)
        result.add({",", ",", "PUNCT"}, "punct");
    const Fragment word = conjunction(link.word);
    result.add(word, word.head().upos == "CCONJ" ? "cc" : "mark");
    result.addHead(englishClause(link.clause));
    if (link.first) {
        result.tokens().back().spaceAfter = false;
        result.add({",", ",", "PUNCT"}, "punct");
    }
    return result;
}

/// "a" or "an"; "cannot".
void joinEnglishWords(std::vector<DemoToken> &tokens)
{
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].form == "a" && tokens[i].upos == "DET")
            tokens[i].form = englishArticle(tokens[i + 1].form);
        else if (tokens[i].form == "can" && tokens[i + 1].form == "not")
            tokens[i].spaceAfter = false;
    }
}

} // namespace

Fragment englishClause(const Clause &clause)
{
    return EnglishClause(clause).said();
}

std::vector<DemoToken> englishSentence(const Clause &clause)
{
    Fragment sentence = englishClause(clause);
    sentence.tokens().back().spaceAfter = false;
    const std::string_view mark = isQuestion(clause.role) ? "?" : ".";
    sentence.add({mark, mark, "PUNCT"}, "punct");
    std::vector<DemoToken> tokens = sentence.tokens();
    joinEnglishWords(tokens);
    char &first = tokens.front().form.front();
    if (first >= 'a' && first <= 'z')
        first = static_cast<char>(first - 'a' + 'A');
    return tokens;
}

} // namespace headscope::demo
