#pragma once

#include "core/base/result.h"
#include "core/session/session.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/mainwindow/theme.h"

#include <QSize>
#include <QStringList>

#include <array>
#include <optional>

namespace headscope {

/// The request of the command line.
struct GuiOptions
{
    QString path;             ///< study, model folder or training run; empty: start page
    std::optional<Demo> demo; ///< opens a study that comes with the program
    std::array<std::optional<DataSource>, 2> data;
    ModelOptions model;
    RunOptions run;
    QString screenshot;                     ///< picture to write; empty: none
    QString view = QStringLiteral("heads"); ///< "start", or the id of a page
    QSize size{1280, 800};
    std::optional<Theme> theme;
    QString language;     ///< "fr"; empty: the saved one or the system's
    QString exportFolder; ///< --export-all; empty: none
    bool showHelp = false;
    bool showVersion = false;
    QString help;

    bool headless() const { return !screenshot.isEmpty() || !exportFolder.isEmpty(); }
};

/// The language that --language asks for, read before all else: the other options have texts already. Empty: nothing.
QString requestedLanguage(const QStringList &arguments);
/// Errors (ErrorCode::Usage) name the option. `arguments` begin with the program's name.
Result<GuiOptions> parseOptions(const QStringList &arguments);

} // namespace headscope
