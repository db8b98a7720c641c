#pragma once

#include "ui/state/studycontroller.h"

#include <QScrollArea>
#include <QStringList>

#include <array>
#include <optional>

class QGroupBox;
class QLabel;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace headscope {

class ElidedLabel;
class ErrorLabel;

/// What is open: the model and the two data slots, in a line each with details on demand, and the results computed so
/// far.
class StudyPanel final : public QScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyPanel)
public:
    StudyPanel(StudyState &state, StudyController &controller, QWidget *parent = nullptr);

    /// The model and the data sets, a line each.
    QStringList summary() const;

    QSize sizeHint() const override { return {250, 560}; }

Q_SIGNALS:
    void modelRequested();
    void dataRequested(headscope::Domain domain);

private:
    /// A line, and what unfolds below it.
    struct Card
    {
        QToolButton *fold = nullptr;
        ElidedLabel *line = nullptr;
        QWidget *details = nullptr;
        QLabel *text = nullptr;
        ErrorLabel *error = nullptr;
        QToolButton *change = nullptr;
        QToolButton *clear = nullptr;
    };

    Card addCard(const QString &title, const QString &icon, const QString &buttonText, bool canClear);
    void setupResults();
    void connectState();
    void refreshModel();
    void refreshData(Domain domain);
    void refreshErrors();
    void refreshResults();
    void showWork(QTreeWidgetItem &item, const Work &work) const;
    std::optional<Work> chosenWork() const;
    void refreshButtons();
    void openMenu(const QPoint &at);
    void resume();
    void copyCommand();

    StudyState &m_state;
    StudyController &m_controller;
    Card m_model;
    std::array<Card, 2> m_data;
    ErrorLabel *m_studyError = nullptr;
    ErrorLabel *m_analysisError = nullptr;
    QTreeWidget *m_results = nullptr;
    QToolButton *m_resume = nullptr;
    QToolButton *m_copy = nullptr;
    QStringList m_shown; ///< what stands in the list, row by row
};

} // namespace headscope
