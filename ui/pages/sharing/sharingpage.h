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

namespace headscope {

class ErrorLabel;
class LineChart;
class MixingChart;

/// How many query and key dimensions are needed, if heads share them? The score over the width of shared projections beside
/// heads cut by themselves, the energy of the projections, and which head uses which column (Cordonnier et al. 2020).
class SharingPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SharingPage)
public:
    SharingPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    LineChart &scoreChart() { return *m_scores; }
    LineChart &energyChart() { return *m_energy; }
    MixingChart &mixingChart() { return *m_mixing; }
    QSlider &slider() { return *m_slider; }
    QLabel &positionLabel() { return *m_position; }
    QPushButton &computeButton() { return *m_compute; }
    /// What the button asks for: the usual widths, by both methods.
    CollaborateSpec usualSpec() const;
    /// The model with so many columns, with its mixing matrices.
    CollaborateSpec oneSpec(std::int64_t width) const;
    void computeMissing(Domain domain, bool shown) override;

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    QWidget *makeMain();
    QWidget *makeSide();
    void connectAll();
    void compute();
    void scoreWidth();
    void refreshResults();
    void refreshPosition();
    void refreshTexts();
    Domain measured() const;
    std::int64_t fullWidth() const;
    /// What was measured of the width that the slider is at: shared by all heads.
    const SharedPoint *measuredPoint() const; ///< null: nothing
    std::optional<SharedLayer> chosenLayer() const;
    QString positionText() const;
    QString summary() const;
    QString whyNot() const;
    QString whyEmpty() const;

    SharingResults m_results;
    std::shared_ptr<const EnergyResult> m_energyResult;
    QTimer m_settle; ///< the slider has come to rest
    LineChart *m_scores = nullptr;
    LineChart *m_energy = nullptr;
    MixingChart *m_mixing = nullptr;
    QSlider *m_slider = nullptr;
    QComboBox *m_domain = nullptr;
    QComboBox *m_attention = nullptr; ///< that mixing is shown of
    QCheckBox *m_publishedScale = nullptr;
    QPushButton *m_compute = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_position = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope
