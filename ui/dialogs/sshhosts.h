#pragma once

#include <QString>
#include <QStringList>

namespace headscope {

/// The hosts that the user's ssh has names for: of the text of ~/.ssh/config, those of "Host" without patterns, in
/// their order.
QStringList sshHosts(const QString &config);

} // namespace headscope
