#include "ui/dialogs/openremotedialog.h"

#include "core/remote/connection.h"
#include "core/remote/remotesession.h"
#include "ui/dialogs/sshhosts.h"
#include "ui/state/knownmachines.h"
#include "ui/state/windowwords.h"
#include "ui/views/errorlabel.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

namespace headscope {

namespace {

/// Where a model was opened last on that machine. Hosts may have characters that a key must not.
QString folderKey(const QString &host)
{
    return QStringLiteral("remote/folders/") + QString::fromLatin1(host.toUtf8().toHex());
}

QString userSshConfig()
{
    constexpr qint64 kLargest = 1 << 20;
    QFile file(QDir::home().filePath(QStringLiteral(".ssh/config")));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.read(kLargest)) : QString();
}

} // namespace

OpenRemoteDialog::OpenRemoteDialog(JobQueue &queue, QWidget *parent)
    : QDialog(parent), m_queue(queue), m_host(new QComboBox(this)), m_connect(new QPushButton(tr("&Connect"), this)),
      m_state(new QLabel(this)), m_error(new ErrorLabel(this)), m_folders(new RemoteFolderView(queue, this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("Open on another machine"));
    auto *layout = new QVBoxLayout(this);
    auto *explanation = new QLabel(tr("The model, its data and the computation stay on that machine. Headscope must be "
                                      "installed there; it is reached through your own ssh."),
                                   this);
    explanation->setWordWrap(true);
    layout->addWidget(explanation);
    auto *machine = new QHBoxLayout;
    auto *name = new QLabel(tr("&Machine:"), this);
    name->setBuddy(m_host);
    m_host->setEditable(true);
    m_host->setAccessibleName(tr("Machine"));
    m_host->lineEdit()->setPlaceholderText(tr("host, user@host, or a command"));
    m_host->setToolTip(tr("A host name for ssh, or a command that runs headscope-cli there, such as\n"
                          "ssh -p 2222 lab /opt/headscope/bin/headscope-cli\n"
                          "docker exec -i box headscope-cli"));
    machine->addWidget(name);
    machine->addWidget(m_host, 1);
    machine->addWidget(m_connect);
    layout->addLayout(machine);
    layout->addWidget(m_error);
    m_state->setWordWrap(true);
    layout->addWidget(m_state);
    layout->addWidget(m_folders, 1);
    layout->addWidget(m_buttons);
    resize(640, 520);
    fillHosts();
    m_connect->setAutoDefault(false);
    connect(m_connect, &QPushButton::clicked, this, &OpenRemoteDialog::reach);
    connect(m_host->lineEdit(), &QLineEdit::returnPressed, this, &OpenRemoteDialog::reach);
    connect(m_host, &QComboBox::currentTextChanged, this, &OpenRemoteDialog::refresh);
    connect(m_folders, &RemoteFolderView::chosenChanged, this, &OpenRemoteDialog::refresh);
    connect(m_folders, &RemoteFolderView::activated, this, &OpenRemoteDialog::accept);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &OpenRemoteDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
}

OpenRemoteDialog::~OpenRemoteDialog()
{
    m_queue.cancelTag(QStringLiteral("remote-connect"));
}

/// Hosts that were reached before, then the hosts of ssh's configuration.
void OpenRemoteDialog::fillHosts()
{
    QStringList hosts = knownMachines();
    for (const QString &host : sshHosts(userSshConfig())) {
        if (!hosts.contains(host))
            hosts << host;
    }
    m_host->addItems(hosts);
    if (hosts.isEmpty())
        m_host->clearEditText();
}

void OpenRemoteDialog::reach()
{
    const QString host = m_host->currentText().trimmed();
    if (host.isEmpty() || m_reaching)
        return;
    m_reaching = true;
    m_connection.reset();
    m_reached.clear();
    m_folders->setEnabled(false);
    m_error->setError({});
    const JobSpec spec{tr("Connect to %1").arg(host), QStringLiteral("remote-connect"), JobLane::Interactive};
    m_queue.start<std::shared_ptr<Connection>>(
        spec, [text = host.toStdString()](const JobControl &control) { return Connection::open(text, control); }, this,
        [this, host](const Result<std::shared_ptr<Connection>> &result) {
            m_reaching = false;
            if (result.isError())
                m_error->setError(inWindowWords(result.error().message));
            if (result.isOk())
                onReached(host, result.value());
            refresh();
        });
    refresh();
}

void OpenRemoteDialog::onReached(const QString &host, const std::shared_ptr<Connection> &connection)
{
    m_connection = connection;
    m_reached = host;
    rememberMachine(host);
    const auto list = [connection](const std::filesystem::path &folder, const JobControl &control) {
        return listRemoteFolder(*connection, folder, control);
    };
    m_folders->start(list, QSettings().value(folderKey(host)).toString());
    m_folders->setFocus();
}

QString OpenRemoteDialog::chosenModel() const
{
    const auto chosen = m_folders->chosen();
    if (chosen && chosen->entry.model)
        return chosen->path;
    return m_folders->folderIsModel() ? m_folders->folder() : QString();
}

void OpenRemoteDialog::refresh()
{
    const QString host = m_host->currentText().trimmed();
    const bool reached = !m_reached.isEmpty() && m_reached == host;
    m_folders->setEnabled(reached);
    m_connect->setEnabled(!host.isEmpty() && !m_reaching && !reached);
    m_state->setText(m_reaching ? tr("Connecting to %1…").arg(host)
                     : reached  ? tr("Choose the folder of a model:")
                                : QString());
    m_buttons->button(QDialogButtonBox::Open)->setEnabled(reached && !chosenModel().isEmpty());
    m_buttons->button(QDialogButtonBox::Open)->setDefault(reached);
}

void OpenRemoteDialog::accept()
{
    const QString folder = chosenModel();
    if (m_reached.isEmpty() || folder.isEmpty())
        return;
    QSettings().setValue(folderKey(m_reached), QFileInfo(folder).path());
    Q_EMIT modelChosen(m_reached, folder);
    QDialog::accept();
}

} // namespace headscope
