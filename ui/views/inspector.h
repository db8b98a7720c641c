#pragma once

#include "ui/heatmap/heatmappainter.h"
#include "ui/models/gridcontent.h"
#include "ui/state/studycontroller.h"

#include <QWidget>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

class QLabel;
class QPushButton;
class QToolButton;

namespace headscope {

class CaptionLabel;

/// A small heat map without labels: one look at what the head attends to.
class SmallHeatMap final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SmallHeatMap)
public:
    explicit SmallHeatMap(QWidget *parent = nullptr);
    void setTable(AttentionTable table, bool masked);

    QSize sizeHint() const override { return {220, 200}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return std::min(width, 260); }

Q_SIGNALS:
    void clicked();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    AttentionTable m_table;
    bool m_masked = false;
};

/// Everything known of the current head on both data sets: its numbers with their intervals; tests, ranks and counts
/// are folded. What is clicked stands above the numbers and below them, so that numbers which come move none of it.
class Inspector final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Inspector)
public:
    Inspector(StudyState &state, StudyController &controller, QWidget *parent = nullptr);

    QSize sizeHint() const override { return {270, 560}; }

Q_SIGNALS:
    void attentionRequested();

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *makeNumbers();
    void connectState();
    void refresh();
    std::set<HeadRef> chosenHeads() const;
    void remeasure();
    void refreshExample();
    void keepValuesWhole();
    QString exampleTitle(const AttentionResult &attention) const;
    QString surfaceHtml(const HeadRef &head, Domain domain) const;
    QString nameOf(Measure measure, const GridContent &content) const;
    QString missingHtml(Domain domain, Measure measure) const;
    /// The measures of a data set, or of the model alone.
    struct DomainMeasures
    {
        Domain domain = Domain::In;
        std::vector<std::pair<Measure, GridContent>> contents{};
        bool isOfModel = false;
    };
    const std::vector<DomainMeasures> &measured();
    QString tableBegin(const DomainMeasures &part) const;
    QString factOf(const HeadRef &head, Domain domain, Measure measure, const GridContent &content) const;
    QString detectedHtml(const HeadRef &head) const;
    QString mutedLine(const QString &text) const;
    QString factsHtml(const HeadRef &head, const std::vector<DomainMeasures> &all) const;
    QString detailsHtml(const HeadRef &head, const std::vector<DomainMeasures> &all) const;
    QString windowText(Domain domain) const;
    QString roleHtml(const HeadRef &head, Domain domain) const;
    QString gatedRoleText(const HeadRef &head, Domain domain) const;
    QString takeoverText(const HeadRef &head, Domain domain) const;

    StudyState &m_state;
    StudyController &m_controller;
    std::optional<std::vector<DomainMeasures>> m_measured; ///< of all heads; nothing: something has changed since
    QLabel *m_title = nullptr;
    QLabel *m_values = nullptr;
    QToolButton *m_more = nullptr; ///< shows the details
    QLabel *m_details = nullptr;
    QPushButton *m_mask = nullptr;
    QPushButton *m_showAttention = nullptr;
    CaptionLabel *m_exampleTitle = nullptr;
    SmallHeatMap *m_example = nullptr;
};

} // namespace headscope
