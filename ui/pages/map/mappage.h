#pragma once

#include "ui/pages/map/mapseries.h"
#include "ui/pages/page.h"

#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;

namespace headscope {

class ErrorLabel;
class LayerChart;
class MapChart;
class MatrixChart;

/// Which heads are similar, and what do they attend to? Clark et al.'s (2019) map of heads, their distances, and over
/// the layers how far heads are from each other, what they attend to, and whether the loss follows that.
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
    QTabWidget &layerTabs() { return *m_layers; }
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
    QWidget *makeLayers();
    void connectAll();
    void refreshResult();
    void refreshLooks(); ///< selection, hover, masks
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
    void addGradientItems(QList<ExportItem> &items) const;

    MapChart *m_map = nullptr;
    MatrixChart *m_matrix = nullptr;
    LayerChart *m_spread = nullptr;
    LayerChart *m_attention = nullptr;
    LayerChart *m_gradients = nullptr;
    QTabWidget *m_layers = nullptr;
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
