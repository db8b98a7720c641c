#pragma once

#include "ui/pages/page.h"

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace headscope {

class AnalysisForm;
class CsvModel;
class ErrorLabel;
class FoldingSide;
class WaysButton;

/// Every analysis of the core's table with all its options, and its result as a table: analyses without their own page,
/// and options that the other pages leave at their defaults.
class AnalysesPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AnalysesPage)
public:
    AnalysesPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();
    bool saysItsTime() const override { return true; }

    QComboBox &analysisBox() { return *m_analysis; }
    QComboBox &domainBox() { return *m_domain; }
    QPushButton &computeButton() { return *m_compute; }
    QTableView &table() { return *m_table; }
    const std::vector<AnalysisForm *> &forms() const { return m_forms; }
    AnalysisForm &form() const { return *m_forms[chosen()]; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    QWidget *makeMain();
    FoldingSide *makeSide();
    void connectAll();
    void refreshResult();
    void refreshTexts();
    void compute();
    std::size_t chosen() const;
    std::vector<StudyController::Request> asked() const; ///< by the form
    Domain domain() const;
    QString title() const; ///< of the chosen analysis
    /// The newest result of the chosen analysis.
    std::optional<AnyResult> result() const;
    QString whyNot() const;
    QString summary() const;

    std::vector<AnalysisForm *> m_forms;
    CsvModel *m_model = nullptr;
    QSortFilterProxyModel *m_sorted = nullptr;
    QComboBox *m_analysis = nullptr;
    QComboBox *m_domain = nullptr;
    QPushButton *m_compute = nullptr;
    WaysButton *m_ways = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_about = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
    std::optional<AnyResult> m_shown;
};

} // namespace headscope
