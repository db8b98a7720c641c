#include "ui/pages/roles/rolessettings.h"

#include "ui/models/roletext.h"
#include "ui/views/fileedit.h"
#include "ui/views/pageparts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QSpinBox>
#include <QVBoxLayout>

namespace headscope {

namespace {
enum Rarity { FromVocabulary, FromCorpus, FromFrequencies };
enum Shares { UsualShares, AbsoluteShares, SignedShares };
} // namespace

RolesSettings::RolesSettings(QWidget *parent) : QWidget(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    m_ownOutput = new QCheckBox(tr("Force the decoder to its own output"), this);
    m_ownOutput->setToolTip(
        tr("Attention and relevance are measured with the decoder forced to the model's own (greedy) output; "
           "otherwise to the references, if there are any"));
    layout->addWidget(makeRoles());
    layout->addWidget(makeRelevance());
    layout->addWidget(m_ownOutput);
    layout->addStretch(1);
    refresh();
}

QWidget *RolesSettings::makeRoles()
{
    auto *box = new QGroupBox(tr("Roles"), this);
    m_rolesForm = new QFormLayout(box);
    m_rolesForm->setRowWrapPolicy(QFormLayout::WrapLongRows);
    m_measure = new QComboBox(box);
    m_measure->addItems({tr("Attention weights"), tr("Norm-weighted")});
    m_measure->setToolTip(tr("Norm-weighted: every weight times the length of the value vector that it lets through "
                             "(Kobayashi et al. 2020), divided by their sum"));
    m_special = new QComboBox(box);
    m_special->addItems({tr("Neither as query nor as key"), tr("Not as query"), tr("Not as key"), tr("Counted")});
    m_special->setToolTip(
        tr("How start, end and separator tokens count in confidence. The largest weights that roles rest on are "
           "always looked for among real tokens"));
    m_renormalize = new QCheckBox(tr("Weights of real tokens sum to 1"), box);
    m_renormalize->setToolTip(
        tr("In confidence, weights of special tokens are left out and the rest is divided by its sum"));
    m_rolesForm->addRow(tr("&Measure"), m_measure);
    m_rolesForm->addRow(tr("Special &tokens"), m_special);
    m_rolesForm->addRow(m_renormalize);
    addRarity(box);
    m_alignments = new FileEdit(tr("Word alignments"), {}, box);
    m_alignments->setHint(tr("0-0 1-2 …, one line a pair"));
    m_alignments->setToolTip(tr("For the alignment error of cross-attention; none: it is not computed"));
    m_rolesForm->addRow(tr("Alignments"), m_alignments);
    for (QComboBox *combo : {m_measure, m_special, m_rarity})
        letShrink(*combo, 10);
    addTests(box);
    return box;
}

/// What says which words are rare, and its file.
void RolesSettings::addRarity(QWidget *box)
{
    m_rarity = new QComboBox(box);
    m_rarity->addItems({tr("The vocabulary's order"), tr("A text"), tr("A list of word counts")});
    m_rarity->setToolTip(
        tr("How rare words are recognised: the training text of the model is best; the order of the vocabulary "
           "is an approximation"));
    m_corpus = new FileEdit(tr("Text whose tokens are counted"), {}, box);
    m_corpus->setHint(tr("one sentence a line, e.g. training data"));
    m_frequencies = new FileEdit(tr("Word counts"), {}, box);
    m_frequencies->setHint(tr("a word and its count on every line"));
    m_rolesForm->addRow(tr("&Rarity from"), m_rarity);
    m_rolesForm->addRow(tr("Text"), m_corpus);
    m_rolesForm->addRow(tr("Counts"), m_frequencies);
    connect(m_rarity, &QComboBox::currentIndexChanged, this, &RolesSettings::refresh);
}

/// What the tests of roles go by.
void RolesSettings::addTests(QWidget *box)
{
    m_sieveThreshold = new QDoubleSpinBox(box);
    m_sieveThreshold->setRange(0, 100);
    m_sieveThreshold->setSingleStep(0.1);
    m_sieveThreshold->setValue(RolesSpec().sieveThreshold);
    m_sieveThreshold->setAccessibleName(tr("Threshold of the tests of roles"));
    m_sieveThreshold->setToolTip(
        tr("Tests of roles: how many times as much attention as if all keys got the same a head must give"));
    constexpr int kMost = 1'000'000;
    m_sinks = new QSpinBox(box);
    m_sinks->setRange(0, kMost);
    m_sinks->setValue(static_cast<int>(kUsualSinks));
    m_sinks->setAccessibleName(tr("First tokens"));
    m_sinks->setToolTip(tr("How many tokens from the beginning a sink looks at"));
    m_window = new QSpinBox(box);
    m_window->setRange(1, kMost);
    m_window->setValue(static_cast<int>(kUsualNeighbours));
    m_window->setAccessibleName(tr("Distant tokens from"));
    m_window->setToolTip(
        tr("Other tokens at this distance from the query or more are distant. Retrieval is told by the "
           "analysis Ablate with the replacement window and the same two numbers"));
    m_rolesForm->addRow(tr("Tests &against"), m_sieveThreshold);
    m_rolesForm->addRow(tr("First tokens"), m_sinks);
    m_rolesForm->addRow(tr("Distant tokens from"), m_window);
}

QWidget *RolesSettings::makeRelevance()
{
    auto *box = new QGroupBox(tr("Relevance"), this);
    m_rule = new QComboBox(box);
    for (const RelevanceRule rule :
         {RelevanceRule::AlphaBeta, RelevanceRule::Epsilon, RelevanceRule::AttnLrp, RelevanceRule::CpLrp})
        m_rule->addItem(relevanceRuleName(rule), static_cast<int>(rule));
    m_rule->setToolTip(
        tr("How relevance is divided among inputs. αβ: as in the code of Voita et al.; ε: as in their paper; "
           "AttnLRP: Achtibat et al. 2024; CP-LRP: Ali et al. 2022"));
    m_shares = new QComboBox(box);
    m_shares->addItems({tr("The rule's default"), tr("Of absolute relevance"), tr("Signed")});
    m_shares->setToolTip(tr("The total that a head's share refers to, for rules with negative relevances"));
    m_constant = new QCheckBox(tr("Attention weights are constant"), box);
    m_constant->setToolTip(tr("αβ: no relevance flows back through queries and keys"));
    auto *form = new QFormLayout(box);
    form->addRow(tr("R&ule"), m_rule);
    form->addRow(tr("&Shares"), m_shares);
    form->addRow(m_constant);
    for (QComboBox *combo : {m_rule, m_shares})
        letShrink(*combo, 10);
    connect(m_rule, &QComboBox::currentIndexChanged, this, &RolesSettings::refresh);
    return box;
}

void RolesSettings::setTranslates(bool translates)
{
    m_translates = translates;
    refresh();
}

void RolesSettings::refresh()
{
    const auto show = [this](QWidget *field, bool shown) {
        field->setVisible(shown);
        if (QWidget *label = m_rolesForm->labelForField(field))
            label->setVisible(shown);
    };
    show(m_corpus, m_rarity->currentIndex() == FromCorpus);
    show(m_frequencies, m_rarity->currentIndex() == FromFrequencies);
    show(m_alignments, m_translates);
    m_ownOutput->setVisible(m_translates);
    m_constant->setEnabled(m_rule->currentData().toInt() == static_cast<int>(RelevanceRule::AlphaBeta));
}

RolesSpec RolesSettings::rolesSpec(const RunOptions &run) const
{
    RolesSpec spec;
    spec.run = run;
    spec.measure = static_cast<AttentionMeasure>(m_measure->currentIndex());
    spec.specialTokens = static_cast<SpecialTokens>(m_special->currentIndex());
    spec.renormalize = m_renormalize->isChecked();
    spec.sieveThreshold = m_sieveThreshold->value();
    // What is usual is not asked for: such results are those of every other way to ask.
    if (m_sinks->value() != kUsualSinks)
        spec.sinks = m_sinks->value();
    if (m_window->value() != kUsualNeighbours)
        spec.window = m_window->value();
    if (m_rarity->currentIndex() == FromCorpus)
        spec.corpus = m_corpus->path().toStdString();
    if (m_rarity->currentIndex() == FromFrequencies)
        spec.frequencies = m_frequencies->path().toStdString();
    if (m_translates) {
        spec.ownOutput = m_ownOutput->isChecked();
        spec.alignments = m_alignments->path().toStdString();
    }
    return spec;
}

RelevanceSpec RolesSettings::relevanceSpec(const RunOptions &run) const
{
    RelevanceSpec spec;
    spec.run = run;
    spec.rule = static_cast<RelevanceRule>(m_rule->currentData().toInt());
    spec.absolute = m_shares->currentIndex() == AbsoluteShares;
    spec.signedShares = m_shares->currentIndex() == SignedShares;
    spec.ownOutput = m_translates && m_ownOutput->isChecked();
    spec.attentionConstant = m_constant->isEnabled() && m_constant->isChecked();
    return spec;
}

} // namespace headscope
