#pragma once

#include "app/gui/options.h"

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>

#include <optional>

namespace headscope {

/// Runs the window without anybody looking: waits until what was asked for is computed, writes the picture or the
/// folder (pictures, tables and the study itself), and ends the program with an exit code of the command line (0, 1,
/// 3).
class HeadlessRun final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeadlessRun)
public:
    HeadlessRun(MainWindow &window, const GuiOptions &options, QObject *parent = nullptr);

private:
    enum class Step { Opening, Computing, Painting, Saving };

    void check();
    void showView();
    void startComputing();
    void computeDomain(Domain domain);
    void paint();
    void finish(const std::optional<Error> &error);
    QString exportedStudy() const;
    std::optional<Error> foreignStudy() const;
    std::optional<Error> fatalError() const;
    QStringList pageErrors() const;
    void reportLeftOut() const;
    void report();

    MainWindow &m_window;
    const GuiOptions &m_options;
    Step m_step = Step::Opening;
    bool m_isForExport = false; ///< pages were asked for what only exports show
    QString m_reported;
    QElapsedTimer m_sinceReport;
};

} // namespace headscope
