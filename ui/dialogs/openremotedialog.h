#pragma once

#include "ui/jobs/jobqueue.h"
#include "ui/views/remotefolderview.h"

#include <QDialog>

#include <memory>

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QPushButton;

namespace headscope {

class Connection;
class ErrorLabel;

/// Chooses a model of another machine: first the machine, then the folder there.
class OpenRemoteDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(OpenRemoteDialog)
public:
    explicit OpenRemoteDialog(JobQueue &queue, QWidget *parent = nullptr);
    ~OpenRemoteDialog() override;

    void accept() override;

Q_SIGNALS:
    void modelChosen(const QString &host, const QString &folder);

private:
    void fillHosts();
    void reach();
    void onReached(const QString &host, const std::shared_ptr<Connection> &connection);
    QString chosenModel() const; ///< empty: none
    void refresh();

    JobQueue &m_queue;
    QComboBox *m_host = nullptr;
    QPushButton *m_connect = nullptr;
    QLabel *m_state = nullptr;
    ErrorLabel *m_error = nullptr;
    RemoteFolderView *m_folders = nullptr;
    QDialogButtonBox *m_buttons = nullptr;
    QString m_reached; ///< host
    bool m_reaching = false;
    std::shared_ptr<Connection> m_connection;
};

} // namespace headscope
