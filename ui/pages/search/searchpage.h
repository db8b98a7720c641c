#pragma once

#include "ui/pages/page.h"
#include "ui/pages/search/searchmodel.h"

#include <cstdint>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace headscope {

class ErrorLabel;
class ReadOnlyGrid;
class LineChart;
class SearchSettings;
class WaysButton;

/// Which heads can go, found without trying: masks from gradients alone (Kwon et al. 2022), their scores, and the heads
/// that each of them removes.
class SearchPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SearchPage)
public:
    SearchPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();
    bool saysItsTime() const override { return true; }

    LineChart &chart() { return *m_chart; }
    SearchModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    SearchSettings &settings() { return *m_settings; }
    QComboBox &methodBox() { return *m_method; }
    QPushButton &computeButton() { return *m_compute; }
    QPushButton &applyButton() { return *m_apply; }
    /// By the settings, on every data set there is.
    void compute();
    std::vector<StudyController::Request> missing(Domain domain, bool shown) override;
    QList<QAction *> analyses() const override { return {m_analysis}; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    QWidget *makeMain();
    QWidget *makeTable();
    QWidget *makeFound();
    QWidget *makeSide();
    void connectAll();
    void refreshResult();
    void refreshFound(); ///< the chosen budget and method
    void refreshTexts();
    /// By the settings.
    std::vector<StudyController::Request> chosen(Domain domain) const;
    std::vector<StudyController::Request> chosen() const;
    void apply();
    Domain measured() const;
    SearchMethod method() const;
    const SearchPoint *chosenPoint() const;
    bool canSearch(Domain domain) const;
    QString whyNot() const;
    QString whyEmpty() const;
    QString summary() const;
    QString foundText() const;

    SearchModel *m_model = nullptr;
    LineChart *m_chart = nullptr;
    QTableView *m_table = nullptr;
    ReadOnlyGrid *m_grid = nullptr;
    SearchSettings *m_settings = nullptr;
    QComboBox *m_domain = nullptr;
    QComboBox *m_method = nullptr;
    QPushButton *m_compute = nullptr;
    WaysButton *m_ways = nullptr;
    QPushButton *m_apply = nullptr;
    QAction *m_analysis = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_found = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
    QWidget *m_chosen = nullptr; ///< only where something was found, as table and grid
    std::int64_t m_wanted = -1;  ///< the budget chosen by the user, in heads
    bool m_refreshing = false;
};

} // namespace headscope
