#pragma once

#include "ui/models/headgridmodel.h"
#include "ui/state/studystate.h"

#include <QWidget>

#include <optional>
#include <set>

class QLineEdit;

namespace headscope {

class ElidedLabel;

/// The search box for heads: the matches of findHeads() are selected while typing. Enter keeps them, Escape restores
/// the old selection. It is always there.
class HeadFinder final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadFinder)
public:
    HeadFinder(StudyState &state, const HeadGridModel &model, QWidget *parent = nullptr);

    void open();

Q_SIGNALS:
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void find();
    void close(bool keeps);

    StudyState &m_state;
    const HeadGridModel &m_model;
    QLineEdit *m_words;
    ElidedLabel *m_found;
    bool m_isSearching = false; ///< since it has the keys
    std::set<HeadRef> m_before;
    std::optional<HeadRef> m_currentBefore;
};

} // namespace headscope
