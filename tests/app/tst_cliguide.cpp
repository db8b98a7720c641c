// The guide and the command line say the same: commands, options, examples.
#include "tests/support/clirun.h"

#include <QDir>
#include <QFile>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

namespace {

/// Names of options in a text: "--out", "--no-header".
QStringList optionsIn(const QString &text)
{
    static const QRegularExpression option(u"(?<![\\w-])--[a-z][a-z0-9-]*"_s);
    QStringList found;
    for (auto at = option.globalMatch(text); at.hasNext();)
        found << at.next().captured();
    return found;
}

QString guide(const QString &page)
{
    return QString::fromUtf8(readFile(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/resources/guide/"_s + page));
}

/// A line that goes on after a backslash is one line.
QString joined(QString text)
{
    return text.replace(QRegularExpression(u"\\\\\\n\\s*"_s), u" "_s);
}

} // namespace

class TestCliGuide : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void everyCommandHasASection();
    void optionsOfSectionsExist();
    void sharedOptionsExist();
    void examplesExist_data();
    void examplesExist();

private:
    QMap<QString, QSet<QString>> m_commands; ///< with their options
    QSet<QString> m_options;                 ///< of any command, and of the window's program where it is built
};

void TestCliGuide::initTestCase()
{
    const Run help = run({u"--help"_s});
    QCOMPARE(help.code, 0);
    // A command with its summary a line, in groups
    static const QRegularExpression line(u"^  ([a-z][a-z0-9-]*)  +\\S"_s, QRegularExpression::MultilineOption);
    const QString list = QString::fromUtf8(help.out);
    for (auto at = line.globalMatch(list); at.hasNext();) {
        const QString command = at.next().captured(1);
        const Run about = run({command, u"--help"_s});
        QVERIFY2(about.code == 0, qPrintable(command));
        const QStringList options = optionsIn(QString::fromUtf8(about.out));
        m_commands[command] = {options.begin(), options.end()};
        m_options += m_commands[command];
    }
    QVERIFY2(m_commands.size() > 15, help.out.constData());
    const QStringList shared = optionsIn(QString::fromUtf8(help.out));
    m_options += QSet<QString>(shared.begin(), shared.end());
    const QString window = qEnvironmentVariable("HEADSCOPE_BIN") + u"/headscope"_s;
    if (QFile::exists(window)) {
        QProcess process;
        process.start(window, {u"--help"_s});
        QVERIFY(process.waitForFinished());
        const QStringList options = optionsIn(QString::fromUtf8(process.readAllStandardOutput()));
        m_commands[u"window"_s] = {options.begin(), options.end()};
    }
}

void TestCliGuide::everyCommandHasASection()
{
    static const QRegularExpression heading(u"^### (\\S+)$"_s, QRegularExpression::MultilineOption);
    QStringList sections;
    for (auto at = heading.globalMatch(guide(u"commands.md"_s)); at.hasNext();)
        sections << at.next().captured(1);
    sections.sort();
    QStringList commands = m_commands.keys();
    commands.removeAll(u"window"_s);
    QCOMPARE(sections, commands); // each of them once, and none that is gone
}

void TestCliGuide::optionsOfSectionsExist()
{
    const QStringList sections = guide(u"commands.md"_s).split(u"\n### "_s).mid(1);
    for (const QString &section : sections) {
        const QString command = section.section(u'\n', 0, 0);
        const QString text = section.section(u"\n## "_s, 0, 0);
        QVERIFY2(text.contains(u"headscope-cli "_s + command), qPrintable(command + u" has no example"_s));
        for (const QString &option : optionsIn(text))
            QVERIFY2(m_commands[command].contains(option), qPrintable(command + u' ' + option));
    }
}

void TestCliGuide::sharedOptionsExist()
{
    const QString shared
        = guide(u"commands.md"_s).section(u"## Options that most commands share"_s, 1).section(u"\n## "_s, 0, 0);
    QVERIFY(optionsIn(shared).size() > 20);
    for (const QString &option : optionsIn(shared))
        QVERIFY2(m_options.contains(option), qPrintable(option));
    // Of all pages: an option of some command, or of the window's program.
    if (!m_commands.contains(u"window"_s))
        return;
    const QString whole = guide(u"commands.md"_s).section(u"## The window's program"_s, 1);
    for (const QString &option : optionsIn(whole))
        QVERIFY2(m_commands[u"window"_s].contains(option), qPrintable(option));
}

void TestCliGuide::examplesExist_data()
{
    QTest::addColumn<QString>("page");
    const QDir folder(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/resources/guide"_s);
    for (const QString &page : folder.entryList({u"*.md"_s}))
        QTest::newRow(qPrintable(page)) << page;
    QTest::newRow("README") << u"../../README.md"_s;
}

/// Every line that can be copied: its command, and its options.
void TestCliGuide::examplesExist()
{
    QFETCH(QString, page);
    static const QRegularExpression line(u"^\\s*(headscope|headscope-cli) (.*)$"_s,
                                         QRegularExpression::MultilineOption);
    const QString text = joined(guide(page));
    QVERIFY(!text.isEmpty());
    for (auto at = line.globalMatch(text); at.hasNext();) {
        const auto match = at.next();
        static const QRegularExpression quoted(u"\"[^\"]*\""_s); // options of another program
        const QString rest = match.captured(2).section(u" #"_s, 0, 0).remove(quoted);
        const QString command = match.captured(1) == u"headscope" ? u"window"_s : rest.section(u' ', 0, 0);
        if (command == u"window" && !m_commands.contains(command))
            continue; // not built
        QVERIFY2(m_commands.contains(command), qPrintable(match.captured()));
        for (const QString &option : optionsIn(rest))
            QVERIFY2(m_commands[command].contains(option), qPrintable(match.captured() + u": "_s + option));
    }
}

QTEST_MAIN(TestCliGuide)
#include "tst_cliguide.moc"
