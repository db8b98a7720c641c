#pragma once

#include <QString>
#include <QStringList>

/// The machines that models were opened on by this user, kept in the settings: names for ssh, or commands that the user
/// typed.
namespace headscope {

QStringList knownMachines(); ///< newest first
void rememberMachine(const QString &host);

/// A machine that a file names. A file may come from a stranger: its machine is reached only after the user has agreed,
/// and a command only if this user typed the same one before.
enum class MachineInFile { Name, KnownCommand, UnknownCommand };
MachineInFile machineInFile(const QString &host);

} // namespace headscope
