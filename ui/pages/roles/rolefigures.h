#pragma once

#include "core/results/anyresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/roles.h"
#include "core/results/similarityresult.h"
#include "ui/charts/lineseries.h"
#include "ui/exporting/exporter.h"
#include "ui/jobs/jobqueue.h"
#include "ui/models/headgridmodel.h" // HeadRef in signals
#include "ui/state/studystate.h"

#include <QWidget>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace headscope {

class HeatMapView;
class LineChart;

/// The figures of all heads together: what they attend to and how broadly, where partners lie and which heads find
/// them, what source and prefix contribute, and each token of an example.
enum class RoleFigure {
    Neighbours,
    Special,
    Delimiters,
    Entropy,
    Offsets,
    Partners,
    Contributions,
    ContributionEntropies,
    Tokens, ///< what each token of an example contributes to each output
};
inline constexpr std::array kRoleFigures
    = {RoleFigure::Neighbours, RoleFigure::Special,  RoleFigure::Delimiters,    RoleFigure::Entropy,
       RoleFigure::Offsets,    RoleFigure::Partners, RoleFigure::Contributions, RoleFigure::ContributionEntropies,
       RoleFigure::Tokens};

/// One of these figures, chosen in a box. Of partners, results of other models can be shown beside the open one's.
class RoleFigures final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RoleFigures)
public:
    RoleFigures(StudyState &state, JobQueue &queue, QWidget *parent = nullptr);

    /// Of the data set that the page shows; null: not computed.
    void setResults(std::shared_ptr<const RolesResult> roles, std::shared_ptr<const RelevanceResult> relevance,
                    std::shared_ptr<const SimilarityResult> similarity, std::shared_ptr<const RelevanceResult> tokens);
    void setReady(const QString &why); ///< empty: something can be computed
    /// Reads a result of `roles` of another model in a job. What cannot be shown is said below the chart.
    void addOther(const QString &file);

    RoleFigure figure() const;
    void setFigure(RoleFigure figure);
    LineChart &chart() { return *m_chart; }
    HeatMapView &tokens() { return *m_heat; }
    QSpinBox &exampleBox() { return *m_example; }
    /// The example whose tokens are asked for, from 0.
    std::int64_t example() const;
    void setExamples(std::int64_t count);
    QPushButton &computeButton() { return *m_compute; }
    /// All figures that there are numbers for.
    QList<ExportItem> exportItems(Domain domain) const;

Q_SIGNALS:
    void headChosen(const headscope::HeadRef &head);
    /// What the figure is made of is to be computed.
    void computeRequested(headscope::RoleFigure figure);

private:
    QComboBox *makeFigureChoice();
    void refresh();
    LineSeries seriesOf(RoleFigure figure, HeadKind kind) const;
    std::vector<const RolesResult *> allRoles() const;
    QString whyEmpty() const;
    HeadKind kind() const;
    ExportItem exportItem(RoleFigure figure, HeadKind kind) const;
    ExportItem tokensItem() const;
    template<typename Found>
    ExportItem itemOf(const QString &name, const QString &caption, const LineSeries &series, const Found &result,
                      std::function<std::string()> csv) const;
    void chooseOthers();
    void showOther(const QString &file, const Result<AnyResult> &read);

    StudyState &m_state;
    JobQueue &m_queue;
    std::shared_ptr<const RolesResult> m_roles;
    std::shared_ptr<const RelevanceResult> m_relevance;
    std::shared_ptr<const SimilarityResult> m_similarity;
    std::shared_ptr<const RelevanceResult> m_tokens;
    std::vector<std::shared_ptr<const RolesResult>> m_others;
    QString m_whyNot;
    QString m_otherError;
    QComboBox *m_figure = nullptr;
    QComboBox *m_kind = nullptr;
    QPushButton *m_compute = nullptr;
    QPushButton *m_beside = nullptr;
    LineChart *m_chart = nullptr;
    HeatMapView *m_heat = nullptr;
    QSpinBox *m_example = nullptr;
    QLabel *m_note = nullptr;
};

} // namespace headscope
