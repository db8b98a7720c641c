#pragma once

#include "core/analysis/takeoverspec.h"
#include "core/results/takeoverresult.h"
#include "ui/state/studycontroller.h"

#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QPushButton;

namespace headscope {

/// Removes a head to see which others take over: the button, by what it is replaced, and which of the results is shown.
class TakeoverBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TakeoverBar)
public:
    TakeoverBar(StudyState &state, StudyController &controller, QWidget *parent);

    /// Of the data set that is shown; null: none yet.
    const std::shared_ptr<const TakeoverResult> &result() const { return m_result; }
    /// What happened to the difference of the answers' logits, in sentences; empty without a result.
    QString summary() const;
    void refresh();

    QPushButton &removeButton() { return *m_remove; }
    QComboBox &replacementBox() { return *m_replacement; }
    QComboBox &resultBox() { return *m_results; }

Q_SIGNALS:
    void changed(); ///< another result is shown

private:
    TakeoverSpec spec() const;
    void remove();
    QString whyNot() const;

    StudyState &m_state;
    StudyController &m_controller;
    std::shared_ptr<const TakeoverResult> m_result;
    std::vector<std::shared_ptr<const TakeoverResult>> m_all; ///< in the order of the box
    QPushButton *m_remove = nullptr;
    QComboBox *m_replacement = nullptr;
    QComboBox *m_results = nullptr;
};

} // namespace headscope
