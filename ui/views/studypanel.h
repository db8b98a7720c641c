#pragma once

#include "ui/state/studycontroller.h"

#include <QScrollArea>
#include <QStringList>

#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QGroupBox;
class QLabel;
class QMenu;
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

    /// Who knows how long something takes that is not computed (WorkTimes::secondsOf()).
    using TimeSource = std::function<std::optional<double>(const UnitKind &, Domain)>;
    void setTimeSource(TimeSource source) { m_timeSource = std::move(source); }

    QSize sizeHint() const override { return {250, 560}; }

Q_SIGNALS:
    void modelRequested();
    void dataRequested(headscope::Domain domain);
    /// A result is to be shown, or what shows it once it is computed; `name`: of its analysis.
    void resultRequested(const headscope::UnitKind &kind, headscope::Domain domain, const QString &name);
    void computeRequested(const headscope::UnitKind &kind, headscope::Domain domain);
    /// Something has been done that nothing else shows.
    void noted(const QString &text);

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
    void fillDetails(Card &card, const QString &title, bool canClear);
    void setupResults();
    void connectState();
    void refreshModel();
    void refreshData(Domain domain);
    void refreshErrors();
    struct Row;
    std::vector<Row> resultRows() const;
    void fillResults(const std::vector<Row> &rows);
    void refreshResults();
    QString scoreText(Domain domain) const;
    QList<ResultKind> missing(Domain domain, const std::vector<Work> &there) const;
    void showWork(QTreeWidgetItem &item, const Work &work) const;
    void showMissing(QTreeWidgetItem &item) const;
    void openResult(const QTreeWidgetItem *item);
    QString fileOfStudy() const;
    std::optional<Work> chosenWork() const;
    void refreshButtons();
    void addCommand(QMenu &menu, const QString &text, const QString &why, const std::function<void()> &run);
    void addComputing(QMenu &menu);
    void addCommandsOf(QMenu &menu, const Work &work);
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
    TimeSource m_timeSource;
    QStringList m_shown; ///< what stands in the list, row by row
};

} // namespace headscope
