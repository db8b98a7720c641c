#pragma once

#include "ui/state/studycontroller.h"

#include <QToolButton>

#include <functional>
#include <optional>
#include <vector>

class QAbstractButton;
class QMenu;

namespace headscope {

/// A menu of what can be done about work that takes long (WorkTimes::ways()), with the time that each way takes.
/// It is seen only while there is such work, and keeps its place while there is none.
class WaysButton final : public QToolButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WaysButton)
public:
    using Source = std::function<std::vector<StudyController::Way>()>;
    WaysButton(const QString &text, Source source, QWidget *parent);

    void refresh();

private:
    Source m_source;
};

/// Fills `menu` anew whenever it is about to be shown.
void fillWithWays(QMenu &menu, const WaysButton::Source &source);

/// The arrow is there whether or not there are ways: the button keeps its size and place.
void letChooseWays(QToolButton &button, QMenu &ways);

/// Room for `text` with any time (withTime()): what stands beside the button stays where it is.
void reserveTime(QAbstractButton &button, const QString &text);

/// "Compute (about 4 minutes)": `text` with how long what it does takes, where that is longer than anybody waits.
QString withTime(const QString &text, const std::optional<double> &seconds, double patience);

} // namespace headscope
