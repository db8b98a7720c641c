#pragma once

#include "ui/state/studycontroller.h"

#include <QFrame>

#include <vector>

class QLabel;
class QPushButton;

namespace headscope {

/// Says above all pages which results are of files that have changed since, as long as there are any.
class StaleStrip final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StaleStrip)
public:
    StaleStrip(StudyState &state, StudyController &controller, QWidget *parent = nullptr);

protected:
    void changeEvent(QEvent *event) override;

private:
    void refresh();
    void refreshColors();

    StudyState &m_state;
    StudyController &m_controller;
    QLabel *m_text;
    QPushButton *m_again;
    QPushButton *m_discard;
};

/// "Outdated, since these have changed: weights. Affected: score, ablation (in-domain); score (out-of-domain)."
QString staleSummary(const std::vector<StaleResult> &results);

} // namespace headscope
