#include "ui/state/knownmachines.h"

#include "core/base/hostname.h"

#include <QSettings>

namespace headscope {

namespace {

constexpr int kMostRemembered = 10;

QString rememberedKey()
{
    return QStringLiteral("remote/hosts");
}

} // namespace

QStringList knownMachines()
{
    return QSettings().value(rememberedKey()).toStringList();
}

void rememberMachine(const QString &host)
{
    QStringList hosts = knownMachines();
    hosts.removeAll(host);
    hosts.prepend(host);
    QSettings().setValue(rememberedKey(), QStringList(hosts.mid(0, kMostRemembered)));
}

MachineInFile machineInFile(const QString &host)
{
    if (isHostName(host.toStdString()))
        return MachineInFile::Name;
    return knownMachines().contains(host) ? MachineInFile::KnownCommand : MachineInFile::UnknownCommand;
}

} // namespace headscope
