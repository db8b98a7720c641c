#pragma once

#include "ui/pages/page.h"
#include "ui/pages/pruning/pruningchart.h"
#include "ui/pages/pruning/pruningplan.h"
#include "ui/pages/pruning/rolestripchart.h"

#include <QTimer>

#include <vector>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLayout;
class QPushButton;
class QSlider;

namespace headscope {

class CurvesTable;
class ErrorLabel;
class FoldingSide;
class PruningSettings;
class WaysButton;

/// How many heads can be removed? Curves of score against heads removed, and a slider under them that masks heads.
class PruningPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PruningPage)
public:
    PruningPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();
    bool saysItsTime() const override { return true; }

    PruningSettings &settings() { return *m_settings; }
    PruningChart &chart() { return *m_chart; }
    CurvesTable &curves() { return *m_curves; }
    RoleStripChart &roleStrip() { return *m_roles; }
    QCheckBox &roleBox() { return *m_showRoles; }
    QSlider &slider() { return *m_slider; }
    /// The loss that is accepted, in % of the full model's score.
    QDoubleSpinBox &margin() { return *m_margin; }
    /// Which of their metrics curves of labels are drawn by.
    QComboBox &metricChoice() { return *m_metric; }
    /// Starts the curve of the present settings on every data set there is.
    void compute();
    void readOrderFile(const QString &path);
    std::vector<StudyController::Request> missing(Domain domain, bool shown) override;

protected:
    void refreshNow() override;
    void resizeEvent(QResizeEvent *event) override;
    QList<ExportItem> makeExportItems() const override;

private:
    void setupUi();
    FoldingSide *makeSide();
    QLayout *makePositionRow();
    void reserveTexts();
    void connectState();
    void refreshCurves();
    void refreshMetrics(const std::vector<PruningInput> &inputs);
    /// The curves of the settings, by the metric that is shown.
    std::vector<PruningInput> shownInputs() const;
    void refreshMask();
    void refreshPins();
    void chooseMargin(double percent);
    void refreshRoles();
    void refreshTexts();
    void refreshButtons();
    void alignSlider();
    void moveTo(int removed);
    void endDrag();
    /// Says that the model is being written there, and later that it was.
    void showSaving(const QString &folder, ExportForm form);
    void onJobFinished(qint64 id);
    std::vector<LiveScore> liveScores() const;
    QString whyEmpty() const;
    QString positionText() const;
    QString staleCurvesText() const;
    std::vector<StudyController::Request> chosen() const;
    QString lossText() const;
    PruningPicture exportPicture() const;
    ExportItem curvesItem(const PruningPicture &picture) const;

    PruningPlan m_plan;
    PruningSettings *m_settings = nullptr;
    PruningChart *m_chart = nullptr;
    QComboBox *m_metric = nullptr;
    CurvesTable *m_curves = nullptr;
    QDoubleSpinBox *m_margin = nullptr;
    PruningSeries m_series; ///< of all curves, hidden ones too
    RoleStripChart *m_roles = nullptr;
    QCheckBox *m_showRoles = nullptr;
    QWidget *m_sliderRow = nullptr;
    QSlider *m_slider = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_position = nullptr;
    QPushButton *m_compute = nullptr;
    WaysButton *m_ways = nullptr;
    QPushButton *m_save = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
    QString m_saveNote;
    QString m_doneNote; ///< what m_saveNote becomes when the model is written
    QTimer m_settle;    ///< key presses in quick succession are one undo step
    bool m_updating = false;
};

} // namespace headscope
