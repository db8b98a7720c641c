#pragma once

#include "ui/pages/page.h"
#include "ui/pages/roles/rolescatterchart.h"
#include "ui/pages/roles/rolestablemodel.h"

#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSortFilterProxyModel;
class QTableView;
class QTabWidget;

namespace headscope {

class ErrorLabel;
class RelationsTable;
class RoleFigures;
enum class RoleFigure;
class RoleEvidenceView;
class RoleFilterBox;
class RolesSettings;
class RoleThresholdsBox;
class ShareChart;

/// What is it? Roles of heads beside their relevance and confidence (Voita et al. 2019, Figure 1), the heads as a
/// table, and what speaks for and against a role of the current head.
class RolesPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RolesPage)
public:
    RolesPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    void computeMissing(Domain domain, bool shown) override;
    QList<QAction *> analyses() const override { return m_analyses; }
    RoleScatterChart &chart() { return *m_chart; }
    RolesTableModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    QCheckBox &testsBox() { return *m_tests; }
    RoleEvidenceView &evidence() { return *m_evidence; }
    RolesSettings &settings() { return *m_settings; }
    ShareChart &offsets() { return *m_offsets; }
    ShareChart &relations() { return *m_relations; }
    RelationsTable &bestHeads() { return *m_bestHeads; }
    RoleFigures &figures() { return *m_figures; }
    /// By the settings, on every data set there is.
    void computeRoles();
    void computeRelevance();
    void computeRoles(Domain domain);
    void computeRelevance(Domain domain);
    /// What the figure is made of, on every data set.
    void computeFigure(RoleFigure figure);

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    /// What the page was drawn from last: it is drawn again when one of them is another.
    struct Shown
    {
        std::shared_ptr<const RolesResult> roles;
        std::shared_ptr<const AssignedRoles> assigned;
        std::shared_ptr<const ConfidenceResult> confidence;
        std::shared_ptr<const RelevanceResult> relevance;
        std::shared_ptr<const SimilarityResult> similarity;
        std::shared_ptr<const RelevanceResult> tokens; ///< of one example
        HeadLayout layout{};
        bool operator==(const Shown &) const = default;
    };
    QWidget *makeHeader();
    QWidget *makeTable();
    QWidget *makeSide(QWidget *parent);
    void connectState();
    void connectViews();
    Shown present() const;
    void refresh(); ///< if another result or labels are to be shown
    void refreshChart();
    void refreshFilter();
    void refreshHead();
    void refreshColumns();
    void refreshTexts();
    RoleScatterForm form() const;
    QString whyEmpty() const;
    QString summary() const;
    QString dataName() const;
    QString whyNoRelations(const HeadRef &head) const;
    std::vector<const Manifest *> manifests() const;
    void addHeadItems(QList<ExportItem> &items) const; ///< of the current head
    void addBestHeads(QList<ExportItem> &items) const;

    Shown m_shown;
    RolesTableModel *m_model = nullptr;
    QSortFilterProxyModel *m_sorted = nullptr;
    QTableView *m_table = nullptr;
    QCheckBox *m_tests = nullptr;
    RoleScatterChart *m_chart = nullptr;
    RoleEvidenceView *m_evidence = nullptr;
    ShareChart *m_offsets = nullptr;
    ShareChart *m_relations = nullptr;
    RelationsTable *m_bestHeads = nullptr;
    RoleFigures *m_figures = nullptr;
    RoleThresholdsBox *m_thresholds = nullptr;
    RolesSettings *m_settings = nullptr;
    QList<QAction *> m_analyses;
    QTabWidget *m_side = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    ErrorLabel *m_error = nullptr;
    QComboBox *m_form = nullptr;
    RoleFilterBox *m_filter = nullptr;
    QPushButton *m_computeRoles = nullptr;
    QPushButton *m_computeRelevance = nullptr;
    bool m_selecting = false; ///< the table follows the selection, not the other way round
};

} // namespace headscope
