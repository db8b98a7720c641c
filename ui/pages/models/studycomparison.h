#pragma once

#include "core/base/result.h"
#include "core/results/results.h"
#include "ui/charts/scatterchart.h"
#include "ui/exporting/exporter.h"
#include "ui/jobs/jobqueue.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <optional>
#include <string>

class QComboBox;
class QLabel;
class QPushButton;

namespace headscope {

class ErrorLabel;

/// A study to choose.
struct NamedStudy
{
    QString name;
    QString file;
};

/// Two studies head by head: the first of ablation, importance, confidence and relevance that both have, on the
/// in-domain data. Error: a study cannot be read, they have nothing in common, or heads of different models.
Result<CompareResult> compareStudies(const std::string &a, const std::string &b);

/// Chooses two studies, and shows their heads as a scatter.
class StudyComparison final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyComparison)
public:
    explicit StudyComparison(JobQueue &queue, QWidget *parent = nullptr);

    /// What there is to choose from; what was chosen stays so.
    void setStudies(const QList<NamedStudy> &studies);
    void choose(const QString &a, const QString &b); ///< files
    void compare();

    ScatterChart &chart() { return *m_chart; }
    const std::optional<CompareResult> &result() const { return m_result; }
    QString errorText() const;
    QList<ExportItem> exportItems() const;

Q_SIGNALS:
    void changed();

private:
    void refreshButton();
    void show(const Result<CompareResult> &result);
    QString headText(const HeadRef &head) const;

    JobQueue &m_queue;
    QComboBox *m_a;
    QComboBox *m_b;
    QPushButton *m_compare;
    ErrorLabel *m_error;
    ScatterChart *m_chart;
    std::optional<CompareResult> m_result;
};

} // namespace headscope
