#pragma once

#include "core/analysis/collaboratespec.h"
#include "ui/pages/page.h"
#include "ui/pages/sharing/sharingseries.h"

#include <QTimer>

#include <cstdint>
#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QTabWidget;
class QTableView;

namespace headscope {

class CostsModel;
class ErrorLabel;
class LineChart;
class MixingChart;

/// How many query and key dimensions are needed, if heads share them? The score over the width of shared projections
/// beside heads cut by themselves, the energy of the projections, and which head uses which column (Cordonnier et al.
/// 2020). And what removing heads adds to it: the score over parameters, with heads removed before sharing and after
/// it.
class SharingPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SharingPage)
public:
    SharingPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    LineChart &scoreChart() { return *m_scores; }
    LineChart &energyChart() { return *m_energy; }
    /// Of the data set that is measured, and of the other one.
    LineChart &frontChart() { return *m_front; }
    LineChart &otherFrontChart() { return *m_otherFront; }
    MixingChart &mixingChart() { return *m_mixing; }
    QSlider &slider() { return *m_slider; }
    QLabel &positionLabel() { return *m_position; }
    QPushButton &computeButton() { return *m_compute; }
    QPushButton &computeFrontButton() { return *m_computeFront; }
    QTabWidget &tabs() { return *m_tabs; }
    QTableView &costsTable() { return *m_costsTable; }
    QPushButton &saveButton() { return *m_save; }
    /// Writes the model with the slider's number of columns into a new folder.
    void saveShared(const QString &folder);
    /// What the button asks for: the usual widths, by both methods.
    CollaborateSpec defaultSpec() const;
    /// The model with so many columns, with its mixing matrices.
    CollaborateSpec oneSpec(std::int64_t width) const;
    /// The usual widths with a quarter and half of the heads removed as well.
    CollaborateSpec frontSpec() const;
    void computeMissing(Domain domain, bool shown) override;
    /// The mixing matrices of a third of the columns, as in the paper.
    void computeForExport() override;

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    void makeButtons();
    QWidget *makeScores();
    QWidget *makeBeside();
    QWidget *makeFronts();
    QWidget *makeCosts();
    void chooseFolder();
    void refreshCosts();
    /// All points that were measured, as one result.
    CollaborateResult allPoints() const;
    QString whyNotSaved() const;
    void connectAll();
    void compute();
    void computeFront();
    void placeSlider();
    void scoreWidth();
    void refreshSlider();
    void refreshResults();
    void refreshPosition();
    void refreshTexts();
    Domain measured() const;
    std::int64_t fullWidth() const;
    /// What was measured of the width that the slider is at: shared by all heads.
    std::int64_t largestMeasuredWidth() const;
    const SharedPoint *measuredPoint() const; ///< null: nothing
    std::optional<SharedLayer> chosenLayer() const;
    ExportItem mixingItem(const SharedLayer &layer) const;
    QString positionText() const;
    QString summary() const;
    QString whyNot() const;
    QString whyEmpty() const;

    SharingResults m_results;
    bool m_isPlaced = false; ///< the slider stands where something was measured, or where it was moved to
    std::shared_ptr<const EnergyResult> m_energyResult;
    QTimer m_settle; ///< the slider has stopped
    LineChart *m_scores = nullptr;
    LineChart *m_energy = nullptr;
    LineChart *m_front = nullptr;
    LineChart *m_otherFront = nullptr;
    QTabWidget *m_tabs = nullptr;
    MixingChart *m_mixing = nullptr;
    QWidget *m_sliderRow = nullptr;
    QSlider *m_slider = nullptr;
    QComboBox *m_domain = nullptr;
    QComboBox *m_attention = nullptr; ///< that mixing is shown of
    QCheckBox *m_publishedScale = nullptr;
    QPushButton *m_compute = nullptr;
    QPushButton *m_computeFront = nullptr;
    QPushButton *m_save = nullptr;
    CostsModel *m_costs = nullptr;
    QTableView *m_costsTable = nullptr;
    QString m_saved; ///< what is said of the model that was written last
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_position = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope
