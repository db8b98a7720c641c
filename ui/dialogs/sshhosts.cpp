#include "ui/dialogs/sshhosts.h"

#include <QRegularExpression>

namespace headscope {

QStringList sshHosts(const QString &config)
{
    static const QRegularExpression hostLine(QStringLiteral("^\\s*Host(?:\\s+|\\s*=\\s*)(.+)$"),
                                             QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression blanks(QStringLiteral("\\s+"));
    QStringList hosts;
    for (const QString &line : config.split(u'\n')) {
        const auto match = hostLine.match(line.section(u'#', 0, 0).trimmed());
        if (!match.hasMatch())
            continue;
        for (QString host : match.captured(1).split(blanks, Qt::SkipEmptyParts)) {
            host.remove(u'"');
            const bool pattern
                = host.contains(u'*') || host.contains(u'?') || host.startsWith(u'!') || host.startsWith(u'-');
            if (!pattern && !host.isEmpty() && !hosts.contains(host))
                hosts << host;
        }
    }
    return hosts;
}

} // namespace headscope
