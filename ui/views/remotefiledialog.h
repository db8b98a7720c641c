#pragma once

#include "ui/views/remotefolderview.h"

#include <QDialog>

class QDialogButtonBox;

namespace headscope {

/// Chooses a file of another machine.
class RemoteFileDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RemoteFileDialog)
public:
    RemoteFileDialog(const ListFolder &list, const QString &host, const QString &folder, JobQueue &queue,
                     QWidget *parent = nullptr);

    void accept() override;

Q_SIGNALS:
    void fileChosen(const QString &file);

private:
    bool isFileChosen() const;

    RemoteFolderView *m_view = nullptr;
    QDialogButtonBox *m_buttons = nullptr;
};

} // namespace headscope
