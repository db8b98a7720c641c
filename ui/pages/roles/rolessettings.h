#pragma once

#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;

namespace headscope {

class FileEdit;

/// The boxes of the roles page: how attention is counted, where rarity is known from, by which rule relevance is
/// traced.
class RolesSettings final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RolesSettings)
public:
    explicit RolesSettings(QWidget *parent = nullptr);

    RolesSpec rolesSpec(const RunOptions &run) const;
    RelevanceSpec relevanceSpec(const RunOptions &run) const;
    /// What only translation models have: outputs and alignments.
    void setTranslates(bool translates);

private:
    QWidget *makeRoles();
    void addRarity(QWidget *box);
    void addTests(QWidget *box);
    QWidget *makeRelevance();
    void refresh();

    bool m_translates = true;
    QFormLayout *m_rolesForm = nullptr;
    QComboBox *m_measure = nullptr;
    QComboBox *m_special = nullptr;
    QCheckBox *m_renormalize = nullptr;
    QComboBox *m_rarity = nullptr;
    FileEdit *m_corpus = nullptr;
    FileEdit *m_frequencies = nullptr;
    FileEdit *m_alignments = nullptr;
    QDoubleSpinBox *m_sieveThreshold = nullptr;
    QSpinBox *m_sinks = nullptr;
    QSpinBox *m_window = nullptr;
    QCheckBox *m_ownOutput = nullptr;
    QComboBox *m_rule = nullptr;
    QComboBox *m_shares = nullptr;
    QCheckBox *m_constant = nullptr;
};

} // namespace headscope
