#pragma once

#include "ui/pages/map/mapseries.h"
#include "ui/pages/page.h"
#include "ui/views/headmeasures.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;

namespace headscope {

class ErrorLabel;
class FoldingSide;
class LayerChart;
class MapChart;
class MatrixChart;
class MeasureScatterChart;

/// Which heads are similar, and what do they attend to? Clark et al.'s (2019) map of heads, their distances, any two
/// measures of them, and over the layers how far heads are from each other, what they attend to, and whether the loss
/// follows that.
class MapPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MapPage)
public:
    MapPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    MapChart &map() { return *m_map; }
    MatrixChart &matrix() { return *m_matrix; }
    LayerChart &spread() { return *m_spread; }
    LayerChart &attention() { return *m_attention; }
    LayerChart &gradients() { return *m_gradients; }
    QTabWidget &tabs() { return *m_tabs; }
    MeasureScatterChart &scatter() { return *m_scatter; }
    QComboBox &xBox() { return *m_x; }
    QComboBox &yBox() { return *m_y; }
    QComboBox &kindBox() { return *m_kind; }
    QComboBox &coloringBox() { return *m_coloring; }
    QPushButton &computeButton() { return *m_compute; }
    QPushButton &gradientsButton() { return *m_computeGradients; }
    void computeMissing(Domain domain, bool shown) override;
    QList<QAction *> analyses() const override { return {m_analysis, m_gradientsAnalysis}; }

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    QWidget *makeTop();
    QWidget *makeTabs(QWidget *parent);
    QWidget *makeMeasures(QWidget *parent);
    void connectAll();
    void refreshResult();
    void refreshLooks(); ///< selection, hover, masks
    void refreshMeasures();
    void refreshScatter();
    bool isMeasured() const;
    void refreshTexts();
    void compute();
    void compute(Domain domain);
    void computeGradients();
    Domain shown() const;
    const SimilarityResult *result() const { return m_state.results(shown()).similarity.get(); }
    const AttentionGradientsResult *gradientsResult() const { return m_state.results(shown()).gradients.get(); }
    std::optional<HeadKind> kind() const;           ///< none: nothing is computed
    const KindSimilarity *similarityOfKind() const; ///< null: it is not computed
    MapColoring coloring() const;
    QString summary() const;
    QString neighboursText() const;
    QString whyEmpty() const;
    QString whyNoGradients() const;
    void refreshButtons();
    QList<ExportItem> similarityItems() const;
    void addGradientItems(QList<ExportItem> &items) const;
    void addScatterItem(QList<ExportItem> &items) const;

    MapChart *m_map = nullptr;
    MatrixChart *m_matrix = nullptr;
    LayerChart *m_spread = nullptr;
    LayerChart *m_attention = nullptr;
    LayerChart *m_gradients = nullptr;
    MeasureScatterChart *m_scatter = nullptr;
    FoldingSide *m_side = nullptr; ///< beside the map
    QTabWidget *m_tabs = nullptr;
    QWidget *m_layers = nullptr; ///< of them, attention and the loss over the layers
    QComboBox *m_x = nullptr;
    QComboBox *m_y = nullptr;
    std::vector<HeadMeasure> m_measures; ///< that can be chosen
    QComboBox *m_kind = nullptr;
    QComboBox *m_coloring = nullptr;
    QComboBox *m_domain = nullptr;
    QPushButton *m_compute = nullptr;
    QPushButton *m_computeGradients = nullptr;
    QAction *m_analysis = nullptr;
    QAction *m_gradientsAnalysis = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope
