#include "core/demo/features.h"
#include "core/demo/french.h"
#include "core/demo/frenchforms.h"
#include "core/demo/frenchjunctions.h"

namespace headscope::demo {

namespace {

std::string_view infinitiveOf(const Verb &verb)
{
    return wordsOf(verb.french)[0];
}

std::string_view prepositionOf(const Verb &verb)
{
    const auto words = wordsOf(verb.french);
    return words.size() > 1 ? words[1] : std::string_view();
}

bool isCoordination(LinkWord word)
{
    return word == LinkWord::And || word == LinkWord::But;
}

Fragment linked(const Link &link);

/// Says one clause. The words are put in order from left to right.
class FrenchClause
{
public:
    explicit FrenchClause(const Clause &clause)
        : m_clause(clause), m_subject(isExistence() ? Agreement{} : agreementOf(clause.subject))
    {
    }

    Fragment said();

private:
    bool isVerbal() const { return m_clause.predicate == PredicateKind::Verb; }
    bool hasModal() const { return isVerbal() && m_clause.mode != Mode::Plain; }
    bool isExistence() const { return m_clause.predicate == PredicateKind::Existence; }
    bool hasAvoir() const
    {
        return isExistence() || (m_clause.predicate == PredicateKind::Adjective && m_clause.adjective->withAvoir);
    }
    bool isPerfect() const;
    bool isObjectMoved() const
    {
        return m_clause.role == ClauseRole::ObjectRelative || m_clause.role == ClauseRole::WhatQuestion;
    }
    bool isClitic(const NounPhrase &phrase) const;

    Fragment finite(std::string_view infinitive, std::string_view upos) const;
    Fragment predicate() const;
    Agreement participleAgreement() const;

    void addFront();
    void addQuestionWord();
    void addSubject();
    void addClitics(Fragment &to) const;
    void addNegation();
    void addVerb();
    void addPerfect();
    void addModal();
    void addManner(Fragment &to, bool afterFinite) const;
    void addComplements(Fragment &to) const;
    void addObject(Fragment &to) const;
    void addAdjuncts(Fragment &to) const;
    void addLinks(bool first);
    void addNe();

    const Clause &m_clause;
    Agreement m_subject;
    Fragment m_result;
};

/// What English says in the simple past is told in the perfect, states and modals in the imperfect.
bool FrenchClause::isPerfect() const
{
    return m_clause.tense == Tense::Past && isVerbal() && m_clause.mode == Mode::Plain
        && (m_clause.verb->traits & trait::Stative) == 0 && m_clause.verb->frame != Frame::Impersonal;
}

bool FrenchClause::isClitic(const NounPhrase &phrase) const
{
    const std::string_view preposition = prepositionOf(*m_clause.verb);
    const bool isDative = preposition == "à" && (m_clause.verb->traits & trait::NoClitic) == 0;
    return phrase.isPronoun() && (preposition.empty() || isDative);
}

Fragment FrenchClause::finite(std::string_view infinitive, std::string_view upos) const
{
    switch (m_clause.tense) {
    case Tense::Future:
    case Tense::FutureWhen:
        return {frenchFuture(infinitive, m_subject), infinitive, upos, finiteFeatures(m_subject, "Fut")};
    case Tense::Past:
    case Tense::PastProgressive:
        return {frenchImperfect(infinitive, m_subject), infinitive, upos, finiteFeatures(m_subject, "Imp")};
    default:
        return {frenchPresent(infinitive, m_subject), infinitive, upos, finiteFeatures(m_subject, "Pres")};
    }
}

Fragment FrenchClause::predicate() const
{
    Fragment result;
    switch (m_clause.predicate) {
    case PredicateKind::Adjective:
        if (m_clause.intensified)
            result.add({"très", "très", "ADV"}, "advmod");
        result.addHead({frenchAdjective(m_clause.adjective->french, m_subject), m_clause.adjective->french, "ADJ",
                        genderNumber(m_subject)});
        return result;
    case PredicateKind::Profession: {
        const Noun &noun = *m_clause.object.at(0).noun;
        const bool plural = m_subject.number == Number::Plural;
        return {plural ? frenchPlural(noun.french) : std::string(noun.french), noun.french, "NOUN",
                genderNumber(m_clause.object[0].agreement)};
    }
    default:
        return frenchPlace(m_clause.places.at(0));
    }
}

/// With "être" as the subject, with "avoir" as a direct object that stands before.
Agreement FrenchClause::participleAgreement() const
{
    if (takesEtre(infinitiveOf(*m_clause.verb)))
        return m_subject;
    const bool isDirect = prepositionOf(*m_clause.verb).empty();
    if (isDirect && m_clause.role == ClauseRole::ObjectRelative)
        return agreementOf(m_clause.object.at(0));
    if (isDirect && !m_clause.object.empty() && isClitic(m_clause.object[0]) && !isObjectMoved()) {
        Agreement agreement = m_clause.object[0].agreement;
        if (agreement.person == 2)
            agreement.number = Number::Plural;
        return agreement;
    }
    return {};
}

void FrenchClause::addQuestionWord()
{
    switch (m_clause.role) {
    case ClauseRole::WhereQuestion:
        m_result.add({"où", "où", "ADV", "PronType=Int"}, "advmod");
        break;
    case ClauseRole::WhenQuestion:
        m_result.add({"quand", "quand", "ADV", "PronType=Int"}, "advmod");
        break;
    case ClauseRole::WhyQuestion:
        m_result.add({"pourquoi", "pourquoi", "ADV", "PronType=Int"}, "advmod");
        break;
    case ClauseRole::WhatQuestion:
        m_result.add({"que", "que", "PRON", "PronType=Int"}, "obj");
        break;
    case ClauseRole::ObjectRelative:
        return m_result.add({"que", "que", "PRON", "PronType=Rel"}, "obj");
    default:
        break;
    }
    if (!isQuestion(m_clause.role) || m_clause.role == ClauseRole::WhoQuestion)
        return;
    Fragment asking("est-ce", "est-ce", "ADV");
    asking.add({"que", "que", "SCONJ"}, "fixed");
    m_result.add(asking, "advmod");
}

void FrenchClause::addFront()
{
    addLinks(true);
    if (m_clause.timeFirst && m_clause.time != nullptr) {
        const Fragment time = parsePhrase(m_clause.time->french);
        m_result.add(time, time.head().upos == "ADV" ? "advmod" : "obl:mod");
        m_result.tokens().back().spaceAfter = false;
        m_result.add({",", ",", "PUNCT"}, "punct");
    }
    addQuestionWord();
}

void FrenchClause::addSubject()
{
    switch (m_clause.role) {
    case ClauseRole::WhoQuestion:
        return m_result.add({"qui", "qui", "PRON", "PronType=Int"}, "nsubj");
    case ClauseRole::SubjectRelative:
        return m_result.add({"qui", "qui", "PRON", "PronType=Rel"}, "nsubj");
    case ClauseRole::SharedSubject:
        return;
    default:
        break;
    }
    if (isExistence() || (m_clause.verb != nullptr && m_clause.verb->frame == Frame::Impersonal))
        m_result.add({"il", "il", "PRON", "Gender=Masc|Number=Sing|Person=3|PronType=Prs"}, "expl:subj");
    else
        m_result.add(frenchSubject(m_clause.subject), "nsubj");
}

void FrenchClause::addNe()
{
    if (isNegative(m_clause))
        m_result.add({"ne", "ne", "ADV", "Polarity=Neg"}, "advmod");
}

/// me, nous, vous before le, la, les before lui, leur.
void FrenchClause::addClitics(Fragment &to) const
{
    if (isExistence())
        return to.add({"y", "y", "PRON", "PronType=Prs"}, "expl:comp");
    if (!isVerbal())
        return;
    const bool dativeObject = !prepositionOf(*m_clause.verb).empty();
    Fragment direct;
    if (!m_clause.object.empty() && !isObjectMoved() && isClitic(m_clause.object[0]))
        direct = frenchClitic(m_clause.object[0], dativeObject);
    Fragment dative;
    if (!m_clause.recipient.empty() && m_clause.recipient[0].isPronoun())
        dative = frenchClitic(m_clause.recipient[0], true);
    const bool dativeLast = !dative.isEmpty() && m_clause.recipient[0].agreement.person == 3;
    if (!dativeLast)
        to.add(dative, "iobj");
    to.add(direct, dativeObject ? "iobj" : "obj");
    if (dativeLast)
        to.add(dative, "iobj");
}

/// After the finite verb.
void FrenchClause::addNegation()
{
    if (m_clause.negated)
        m_result.add({"pas", "pas", "ADV", "Polarity=Neg"}, "advmod");
    if (m_clause.frequency != nullptr)
        m_result.add({m_clause.frequency->french, m_clause.frequency->french, "ADV"}, "advmod");
}

void FrenchClause::addPerfect()
{
    const std::string_view infinitive = infinitiveOf(*m_clause.verb);
    const std::string_view auxiliary = takesEtre(infinitive) ? "être" : "avoir";
    m_result.add({frenchPresent(auxiliary, m_subject), auxiliary, "AUX", finiteFeatures(m_subject, "Pres")},
                 "aux:tense");
    addNegation();
    addManner(m_result, true);
    const Agreement agreement = participleAgreement();
    m_result.addHead({frenchParticiple(infinitive, agreement), infinitive, "VERB",
                      genderNumber(agreement) + "|Tense=Past|VerbForm=Part"});
    addManner(m_result, false);
}

/// The infinitive has the clitics and whatever follows.
void FrenchClause::addModal()
{
    const std::string_view modal = m_clause.mode == Mode::GoingTo ? "aller"
                                 : m_clause.mode == Mode::Want    ? "vouloir"
                                 : m_clause.mode == Mode::Can     ? "pouvoir"
                                                                  : "devoir";
    m_result.addHead(finite(modal, "VERB"));
    addNegation();
    const std::string_view lemma = infinitiveOf(*m_clause.verb);
    Fragment infinitive;
    addClitics(infinitive);
    infinitive.addHead({lemma, lemma, "VERB", "VerbForm=Inf"});
    addManner(infinitive, true);
    addManner(infinitive, false);
    addComplements(infinitive);
    m_result.add(infinitive, "xcomp");
}

void FrenchClause::addVerb()
{
    addNe();
    if (hasModal())
        return addModal();
    addClitics(m_result);
    if (isPerfect()) {
        addPerfect();
    } else if (isVerbal()) {
        m_result.addHead(finite(infinitiveOf(*m_clause.verb), "VERB"));
        addNegation();
        addManner(m_result, true);
        addManner(m_result, false);
    } else if (hasAvoir()) {
        m_result.addHead(finite("avoir", "VERB"));
        addNegation();
    } else {
        m_result.add(finite("être", "AUX"), "cop");
        addNegation();
        m_result.addHead(predicate());
    }
    addComplements(m_result);
}

void FrenchClause::addManner(Fragment &to, bool afterFinite) const
{
    if (m_clause.manner != nullptr && m_clause.manner->afterFinite == afterFinite)
        to.add({m_clause.manner->french, m_clause.manner->french, "ADV"}, "advmod");
}

void FrenchClause::addObject(Fragment &to) const
{
    const std::string_view preposition = prepositionOf(*m_clause.verb);
    for (const NounPhrase &object : m_clause.object) {
        if (isObjectMoved() || isClitic(object))
            continue;
        Fragment phrase;
        if (!preposition.empty())
            phrase.add({preposition, preposition, "ADP"}, "case");
        phrase.addHead(frenchNounPhrase(object, isNegative(m_clause) && preposition.empty()));
        to.add(phrase, preposition.empty() ? "obj" : "obl:arg");
    }
    for (const NounPhrase &recipient : m_clause.recipient) {
        if (recipient.isPronoun())
            continue;
        Fragment phrase;
        phrase.add({"à", "à", "ADP"}, "case");
        phrase.addHead(frenchNounPhrase(recipient));
        to.add(phrase, "obl:arg");
    }
}

void FrenchClause::addAdjuncts(Fragment &to) const
{
    for (std::size_t i = m_clause.predicate == PredicateKind::Place ? 1 : 0; i < m_clause.places.size(); ++i)
        to.add(frenchPlace(m_clause.places[i]), "obl:mod");
    if (m_clause.time != nullptr && !m_clause.timeFirst) {
        const Fragment time = parsePhrase(m_clause.time->french);
        to.add(time, time.head().upos == "ADV" ? "advmod" : "obl:mod");
    }
}

void FrenchClause::addComplements(Fragment &to) const
{
    if (isVerbal())
        addObject(to);
    else if (isExistence())
        to.add(frenchNounPhrase(m_clause.object.at(0), m_clause.negated), "obj");
    else if (hasAvoir())
        to.add({m_clause.adjective->french, m_clause.adjective->french, "NOUN", "Number=Sing"}, "obj");
    addAdjuncts(to);
    for (const Clause &statement : m_clause.statement) {
        Fragment said;
        said.add({"que", "que", "SCONJ"}, "mark");
        said.addHead(frenchClause(statement));
        to.add(said, "ccomp");
    }
}

void FrenchClause::addLinks(bool first)
{
    for (const Link &link : m_clause.links) {
        if (link.first != first)
            continue;
        if (!first && link.word == LinkWord::But)
            m_result.tokens().back().spaceAfter = false;
        m_result.add(linked(link), isCoordination(link.word) ? "conj" : "advcl");
    }
}

Fragment FrenchClause::said()
{
    addFront();
    addSubject();
    addVerb();
    addLinks(false);
    return m_result;
}

Fragment conjunction(LinkWord word)
{
    switch (word) {
    case LinkWord::And:
        return {"et", "et", "CCONJ"};
    case LinkWord::But:
        return {"mais", "mais", "CCONJ"};
    case LinkWord::Because:
        return fixedExpression("parce que", "SCONJ");
    case LinkWord::When:
        return {"quand", "quand", "SCONJ"};
    case LinkWord::While:
        return fixedExpression("pendant que", "SCONJ");
    case LinkWord::If:
        return {"si", "si", "SCONJ"};
    }
    return {};
}

Fragment linked(const Link &link)
{
    Fragment result;
    if (link.word == LinkWord::But)
        result.add({",", ",", "PUNCT"}, "punct");
    result.add(conjunction(link.word), isCoordination(link.word) ? "cc" : "mark");
    result.addHead(frenchClause(link.clause));
    if (link.first) {
        result.tokens().back().spaceAfter = false;
        result.add({",", ",", "PUNCT"}, "punct");
    }
    return result;
}

/// "É" for "é"; no other accented letter begins a sentence here.
void capitalize(std::string &word)
{
    char &first = word.front();
    if (first >= 'a' && first <= 'z')
        first = static_cast<char>(first - 'a' + 'A');
    else if (word.starts_with("é"))
        word.replace(0, 2, "É");
    else if (word.starts_with("à"))
        word.replace(0, 2, "À");
}

} // namespace

Fragment frenchClause(const Clause &clause)
{
    return FrenchClause(clause).said();
}

std::vector<DemoToken> frenchSentence(const Clause &clause)
{
    Fragment sentence = frenchClause(clause);
    const bool asks = isQuestion(clause.role);
    sentence.tokens().back().spaceAfter = asks;
    sentence.add({asks ? "?" : ".", asks ? "?" : ".", "PUNCT"}, "punct");
    std::vector<DemoToken> tokens = sentence.tokens();
    joinFrenchWords(tokens);
    capitalize(tokens.front().form);
    return tokens;
}

} // namespace headscope::demo
