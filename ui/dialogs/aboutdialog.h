#pragma once

#include <QDialog>

namespace headscope {

/// What this is, and the facts for a bug report: versions, libraries, processor.
class AboutDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AboutDialog)
public:
    explicit AboutDialog(QWidget *parent = nullptr);

    /// One fact a line, as the copy button gives it.
    static QString systemInformation();
};

} // namespace headscope
