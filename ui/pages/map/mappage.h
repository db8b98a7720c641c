#pragma once

#include "ui/pages/map/mapseries.h"
#include "ui/pages/page.h"

#include <memory>

class QComboBox;
class QLabel;
class QPushButton;

namespace headscope {

class ErrorLabel;
class MapChart;
class MatrixChart;
class SpreadChart;

/// Which heads are alike? Clark et al.'s (2019) map of heads, their distances, and how far the heads of a layer are from each
/// other.
class MapPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MapPage)
public:
    MapPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    MapChart &map() { return *m_map; }
    MatrixChart &matrix() { return *m_matrix; }
    SpreadChart &spread() { return *m_spread; }
    QComboBox &kindBox() { return *m_kind; }
    QComboBox &coloringBox() { return *m_coloring; }
    QPushButton &computeButton() { return *m_compute; }
    void computeMissing(Domain domain, bool shown) override;
    QList<QAction *> analyses() const override { return {m_analysis}; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    QWidget *makeTop();
    void connectAll();
    void refreshResult();
    void refreshLooks(); ///< selection, hover, masks
    void refreshTexts();
    void compute();
    void compute(Domain domain);
    Domain shown() const;
    const SimilarityResult *result() const { return m_state.results(shown()).similarity.get(); }
    const KindSimilarity *kind() const; ///< null: nothing is computed
    MapColoring coloring() const;
    QString summary() const;
    QString whyEmpty() const;

    MapChart *m_map = nullptr;
    MatrixChart *m_matrix = nullptr;
    SpreadChart *m_spread = nullptr;
    QComboBox *m_kind = nullptr;
    QComboBox *m_coloring = nullptr;
    QComboBox *m_domain = nullptr;
    QPushButton *m_compute = nullptr;
    QAction *m_analysis = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope
