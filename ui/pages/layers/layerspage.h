#pragma once

#include "ui/pages/layers/bestheadsmodel.h"
#include "ui/pages/page.h"

#include <array>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace headscope {

class ErrorLabel;
class LineChart;
class WaysButton;

/// Is one head of a layer enough? Every layer with all but one of its heads removed (Michel et al. 2019, Tables 2 and
/// 3): the head is chosen on one data set and reported on the other where there are two.
class LayersPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LayersPage)
public:
    LayersPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();
    bool saysItsTime() const override { return true; }

    BestHeadsModel &model() { return *m_model; }
    LineChart &chart() { return *m_chart; }
    /// Removes all but one head of every layer, on every data set there is.
    void compute();
    std::vector<StudyController::Request> missing(Domain domain, bool shown) override;

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    void setupUi();
    void makeTable();
    void connectState();
    void refreshTexts();
    Domain reported() const;
    std::vector<StudyController::Request> wanted() const;
    QString summary() const;
    QString whyEmpty() const;
    QString title() const;
    std::vector<double> columnWidths(QFont font) const;
    void paintTable(QPainter &painter, const QRectF &rect) const;

    BestHeadsModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    LineChart *m_chart = nullptr; ///< what each layer loses with its best head alone
    QComboBox *m_domain = nullptr;
    WaysButton *m_ways = nullptr;
    QPushButton *m_compute = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_empty = nullptr;
    ErrorLabel *m_error = nullptr;
    QStackedLayout *m_stack = nullptr;
    /// What the table was made of last: of the reported and of the other data set.
    std::array<std::shared_ptr<const AblationResult>, 2> m_shown;
};

} // namespace headscope
