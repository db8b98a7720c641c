#pragma once

#include "ui/heatmap/heatmappainter.h"
#include "ui/state/studycontroller.h"

#include <QScrollArea>

#include <algorithm>

class QLabel;
class QPushButton;

namespace headscope {

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

/// Everything known of the current head, each number with its interval and count, on both data sets.
class Inspector final : public QScrollArea
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

private:
    void connectState();
    void refresh();
    void refreshExample();
    void keepValuesWhole();
    QString exampleTitle(const AttentionResult &attention) const;
    QString valuesHtml(const HeadRef &head) const;
    QString roleHtml(const HeadRef &head, Domain domain) const;

    StudyState &m_state;
    StudyController &m_controller;
    QLabel *m_title = nullptr;
    QLabel *m_values = nullptr;
    QPushButton *m_mask = nullptr;
    QPushButton *m_showAttention = nullptr;
    QLabel *m_exampleTitle = nullptr;
    SmallHeatMap *m_example = nullptr;
};

} // namespace headscope
