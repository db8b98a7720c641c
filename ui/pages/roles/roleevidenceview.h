#pragma once

#include "ui/state/studystate.h"

#include <QWidget>

#include <cstdint>
#include <vector>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace headscope {

/// The possible roles of the current head, with score, chance and instances, and sentences for and against them.
class RoleEvidenceView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RoleEvidenceView)
public:
    explicit RoleEvidenceView(StudyState &state, QWidget *parent = nullptr);

    void refresh();
    QTreeWidget &tree() { return *m_tree; }
    static constexpr int kSentenceRole = Qt::UserRole + 1; ///< row of the data set; invalid: no sentence

Q_SIGNALS:
    /// The sentence is set in the state.
    void sentenceActivated();

private:
    void addLabel(const HeadRoleScores &head, const RoleLabel &label, bool passes, bool shown);
    void addSentences(QTreeWidgetItem *parent, const QString &title, const std::vector<SentenceShare> &sentences);
    QString noteOn(const HeadRoleScores &head, const RolesResult &result) const;
    QString textOf(std::int64_t index) const;

    StudyState &m_state;
    QLabel *m_title = nullptr;
    QTreeWidget *m_tree = nullptr;
    QLabel *m_note = nullptr;
};

} // namespace headscope
