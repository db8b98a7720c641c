#pragma once

#include "core/analysis/neededspec.h"
#include "core/results/neededresult.h"
#include "ui/state/studycontroller.h"

#include <QWidget>

#include <cstdint>
#include <memory>

class QComboBox;
class QLabel;
class QPushButton;

namespace headscope {

/// Which heads the example needs that is shown: computes minimal sets of heads, and says which of them is chosen.
class NeededBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NeededBar)
public:
    NeededBar(StudyState &state, StudyController &controller, QWidget *parent);

    /// A row of the data set of the study's sentence; −1: a text that is typed, of which nothing can be computed.
    void setExample(std::int64_t row);
    /// Of the example; null: not computed.
    const std::shared_ptr<const NeededResult> &result() const { return m_result; }
    /// The set that is chosen; null: none.
    const NeededSet *chosen() const;
    /// "3 of 96 heads keep “positive”"
    QString textOf(const NeededSet &set) const;
    void refresh();

    QPushButton &computeButton() { return *m_compute; }
    QComboBox &setBox() { return *m_sets; }
    QComboBox &guessBox() { return *m_guess; } ///< of language models: whose guesses are to stay
    QString note() const;

Q_SIGNALS:
    /// Another set is chosen, or the same of another example.
    void changed();

private:
    NeededSpec spec() const;
    void compute();
    void showSets();
    QString whyNot() const;
    QString noteText() const;
    QString proofText(const NeededSet &set) const;

    StudyState &m_state;
    StudyController &m_controller;
    std::int64_t m_row = -1;
    std::shared_ptr<const NeededResult> m_result;
    QPushButton *m_compute = nullptr;
    QComboBox *m_guess = nullptr;
    QComboBox *m_sets = nullptr;
    QLabel *m_note = nullptr;
};

} // namespace headscope
