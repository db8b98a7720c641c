#pragma once

#include "core/analysis/interactionsspec.h"
#include "core/results/interactionsresult.h"
#include "ui/models/gridcontent.h"
#include "ui/models/headgridmodel.h"
#include "ui/pages/page.h"
#include "ui/pages/pairs/pairsmodel.h"

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;
class QTabWidget;

namespace headscope {

class ErrorLabel;
class HeadGridView;
class MatrixChart;
class PairsFilter;

/// Which heads stand in for each other? Interactions of pairs: significant ones as lines over the grid of what each
/// head costs alone, all of them as a matrix in the order of a clustering, and as a list with intervals; of some
/// selected heads also triples.
class PairsPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PairsPage)
public:
    PairsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();
    bool saysItsTime() const override { return true; }

    HeadGridView &grid() { return *m_grid; }
    MatrixChart &matrix() { return *m_matrix; }
    PairsModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    QTabWidget &tabs() { return *m_tabs; }
    QComboBox &scopeBox() { return *m_scope; }
    QComboBox &filterBox() { return *m_filter; }
    QPushButton &computeButton() { return *m_compute; }
    /// What the button asks for.
    InteractionsSpec spec() const;
    std::vector<StudyController::Request> missing(Domain domain, bool shown) override;
    QList<QAction *> analyses() const override { return {m_analysis}; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    /// Which pairs are measured.
    enum class Scope { Likeliest, Many, All, Selected, SelectedTriples };

    QWidget *makeTop();
    QWidget *makeSide(QWidget *parent);
    void connectAll();
    void compute();
    void refreshResult();
    void refreshContent();
    void refreshSelection();
    void refreshTexts();
    GridContent content() const;
    Domain shown() const { return m_state.shownDomain(); }
    Scope scope() const;
    QString nameOf(const InteractionsResult &result) const;
    static QString meanText(const MeanInteraction &mean, const ValueFormat &format);
    QString summary() const;
    QString whyNot() const;
    QString whyEmpty() const;

    std::vector<std::shared_ptr<const InteractionsResult>> m_all;
    std::shared_ptr<const InteractionsResult> m_result;
    HeadGridModel *m_cells = nullptr;
    PairsModel *m_model = nullptr;
    PairsFilter *m_filtered = nullptr;
    HeadGridView *m_grid = nullptr;
    MatrixChart *m_matrix = nullptr;
    QTableView *m_table = nullptr;
    QTabWidget *m_tabs = nullptr;
    QComboBox *m_domain = nullptr;
    QComboBox *m_scope = nullptr;
    QComboBox *m_results = nullptr;
    QComboBox *m_filter = nullptr;
    QPushButton *m_compute = nullptr;
    QAction *m_analysis = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
    bool m_selecting = false;
};

} // namespace headscope
