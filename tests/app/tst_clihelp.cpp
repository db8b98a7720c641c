// What --help says, what is said of words that are not understood, and studies packed into one file.
#include "tests/support/clirun.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <utility>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

namespace {

QStringList commands()
{
    static const QRegularExpression line(u"^  ([a-z][a-z0-9-]*)  +\\S"_s, QRegularExpression::MultilineOption);
    QStringList found;
    for (auto at = line.globalMatch(QString::fromUtf8(run({u"--help"_s}).out)); at.hasNext();)
        found << at.next().captured(1);
    return found;
}

QString demo(const QString &file)
{
    return qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/resources/demo/"_s + file;
}

/// A zip archive of one empty file of this name.
QByteArray zipOf(const QByteArray &name)
{
    const auto number = [](quint64 value, int bytes) {
        QByteArray text;
        for (int i = 0; i < bytes; ++i)
            text += static_cast<char>(value >> (8 * i));
        return text;
    };
    const QByteArray about = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(0x21, 2) + number(0, 4)
                           + number(0, 4) + number(0, 4) + number(static_cast<quint64>(name.size()), 2) + number(0, 2);
    const QByteArray file = "PK\x03\x04" + about + name;
    const QByteArray directory = "PK\x01\x02" + number(20, 2) + about + number(0, 2) + number(0, 2) + number(0, 2)
                               + number(0, 4) + number(0, 4) + name;
    return file + directory + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2)
         + number(static_cast<quint64>(directory.size()), 4) + number(static_cast<quint64>(file.size()), 4)
         + number(0, 2);
}

/// Where the data of a slot come from, in a study's "data".
void setOrigin(QJsonObject &data, const QString &slot, const QJsonObject &origin)
{
    QJsonObject one = data[slot].toObject();
    one[u"origin"_s] = origin;
    data[slot] = one;
}

} // namespace

class TestCliHelp : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void overviewIsGrouped();
    void everyPageHasAnExampleThatRuns();
    void typesAreWordsOfTheProgram();
    void linesFitAndOwnOptionsComeFirst();
    void usageNamesWhatIsRequired();
    void analysesAreDescribed();
    void bashCompletes_data();
    void bashCompletes();
    void zshCompletes();
    void nearestNamesAreSuggested_data();
    void nearestNamesAreSuggested();
    void valuesMayLookLikeOptions();
    void packedStudiesOpenElsewhere();
    void packsSayWhatIsMissing();
    void packsNameWhatIsOutside();
    void packsHaveNamesOfEveryLanguage();
    void nothingLeavesTheFolder();
};

void TestCliHelp::overviewIsGrouped()
{
    const QString help = QString::fromUtf8(run({u"--help"_s}).out);
    qsizetype last = 0;
    for (const QString &group : {u"Models and outputs:"_s, u"Which heads are needed?\n"_s, u"What do heads do?\n"_s,
                                 u"Training:"_s, u"Reports, plans and other machines:"_s}) {
        QVERIFY2(help.indexOf(group) > last, qPrintable(group));
        last = help.indexOf(group);
    }
    const QStringList all = commands();
    QVERIFY(all.size() > 28);
    QCOMPARE(QSet<QString>(all.begin(), all.end()).size(), all.size());
    // No command is in no group: an unknown one is answered by all names there are.
    for (const QString &command : all)
        QCOMPARE(run({command, u"--help"_s}).code, 0);
}

void TestCliHelp::everyPageHasAnExampleThatRuns()
{
    QFile page(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/resources/guide/commands.md"_s);
    QVERIFY(page.open(QFile::ReadOnly));
    QString guide = QString::fromUtf8(page.readAll());
    guide.replace(QRegularExpression(u"\\s*\\\\\\n\\s*"_s), u" "_s);
    for (const QString &command : commands()) {
        const QString help = QString::fromUtf8(run({command, u"--help"_s}).out);
        const QString example = QString(help.section(u"Example:\n  "_s, 1))
                                    .replace(QRegularExpression(u"\\s*\\\\\\n\\s*"_s), u" "_s)
                                    .section(u'\n', 0, 0);
        QVERIFY2(example.startsWith(u"headscope-cli "_s + command), qPrintable(command + u": "_s + example));
        QVERIFY2(guide.contains(example), qPrintable(example + u" is not in the guide"_s));
        QVERIFY2(help.contains(u"Exit codes: 0 done"_s), qPrintable(command));
    }
}

void TestCliHelp::typesAreWordsOfTheProgram()
{
    // {input}, {output} and {context} are places in the template of a prompt.
    static const QRegularExpression leaked(
        u"\\{(?!input|out|context)|TEXT:|UINT|\\bINT\\b|FLOAT|Excludes:|Needs:| in \\[\\d"_s);
    for (const QString &command : commands()) {
        const QString help = QString::fromUtf8(run({command, u"--help"_s}).out).section(u"Example:"_s, 0, 0);
        for (const QString &line : help.split(u'\n')) {
            const bool isName = line.startsWith(u"  -"_s) || line.startsWith(u"  "_s + line.trimmed().toUpper());
            QVERIFY2(!isName || !leaked.match(line.left(40)).hasMatch(), qPrintable(command + u": "_s + line));
        }
    }
    QVERIFY(run({u"ablate"_s, u"--help"_s}).out.contains("--no-header "));
    QVERIFY(run({u"ablate"_s, u"--help"_s}).out.contains("--format json|csv=json"));
}

void TestCliHelp::linesFitAndOwnOptionsComeFirst()
{
    QStringList pages{QString::fromUtf8(run({u"--help"_s}).out)};
    for (const QString &command : commands())
        pages << QString::fromUtf8(run({command, u"--help"_s}).out);
    for (const QString &page : std::as_const(pages)) {
        for (const QString &line : page.split(u'\n'))
            QVERIFY2(line.size() < 100, qPrintable(line));
    }
    const QString ablate = QString::fromUtf8(run({u"ablate"_s, u"--help"_s}).out);
    qsizetype last = 0;
    for (const QString &group :
         {u"\nAnalysis:\n"_s, u"\nOutput:\n"_s, u"\nModel:\n"_s, u"\nData:\n"_s, u"\nComputation:\n"_s}) {
        QVERIFY2(ablate.indexOf(group) > last, qPrintable(group));
        last = ablate.indexOf(group);
    }
}

void TestCliHelp::usageNamesWhatIsRequired()
{
    const auto usage = [](const QString &command) {
        return QString::fromUtf8(run({command, u"--help"_s}).out).section(u"Usage: "_s, 1).section(u'\n', 0, 0);
    };
    QCOMPARE(usage(u"ablate"_s), u"headscope-cli ablate --model DIR DATA [OPTIONS]"_s);
    QCOMPARE(usage(u"attention"_s), u"headscope-cli attention --model DIR (DATA | --text TEXT) [OPTIONS]"_s);
    QCOMPARE(usage(u"compare"_s), u"headscope-cli compare A B [OPTIONS]"_s);
    QCOMPARE(usage(u"demo"_s), u"headscope-cli demo [OPTIONS]"_s);
}

/// Every option of a command's page "Analysis" is described, with the values that the page has.
void TestCliHelp::analysesAreDescribed()
{
    const QJsonObject all = run({u"describe"_s}).json();
    QVERIFY(all[u"run"_s].toArray().size() > 5);
    int described = 0;
    for (const QJsonValue &value : all[u"analyses"_s].toArray()) {
        const QJsonObject analysis = value.toObject();
        if (!analysis[u"has_command"_s].toBool())
            continue;
        ++described;
        const QString help = QString::fromUtf8(run({analysis[u"name"_s].toString(), u"--help"_s}).out);
        for (const QJsonValue &one : analysis[u"options"_s].toArray()) {
            const QJsonObject option = one.toObject();
            QVERIFY2(help.contains(u"--"_s + option[u"name"_s].toString()), qPrintable(option[u"name"_s].toString()));
            for (const QJsonValue &name : option[u"values"_s].toArray())
                QVERIFY2(help.contains(name.toString()), qPrintable(name.toString()));
        }
        if (analysis.contains(u"second"_s))
            QVERIFY(help.contains(u"--"_s + analysis[u"second"_s][u"name"_s].toString()));
    }
    QVERIFY(described > 20);
}

void TestCliHelp::bashCompletes_data()
{
    QTest::addColumn<QString>("line"); // words with blanks between; the last is completed
    QTest::addColumn<QStringList>("found");
    QTest::newRow("command") << u"headscope-cli abl"_s << QStringList{u"ablate"_s};
    QTest::newRow("option") << u"headscope-cli prune --greedy"_s << QStringList{u"--greedy-step"_s};
    QTest::newRow("value") << u"headscope-cli ablate --replace r"_s << QStringList{u"resample"_s};
    QTest::newRow("value of a list") << u"headscope-cli prune --kinds c"_s << QStringList{u"cross"_s};
    QTest::newRow("value after =") << u"headscope-cli ablate --replace = w"_s << QStringList{u"window"_s};
    QTest::newRow("behind a global option") << u"headscope-cli --progress json inspe"_s << QStringList{u"inspect"_s};
    QTest::newRow("number") << u"headscope-cli ablate --limit "_s << QStringList{};
    QTest::newRow("no such option") << u"headscope-cli inspect --greedy"_s << QStringList{};
}

void TestCliHelp::bashCompletes()
{
    QFETCH(QString, line);
    QFETCH(QStringList, found);
    const Run script = run({u"completion"_s, u"bash"_s});
    QCOMPARE(script.code, 0);
    QTemporaryDir folder;
    QVERIFY(writeFile(folder.filePath(u"completion"_s), script.out));
    QProcess bash;
    bash.start(u"bash"_s,
               {u"--norc"_s, u"-c"_s,
                u"source \"$0\"; IFS=' ' read -ra COMP_WORDS <<< \"$1\"; [[ $1 == *' ' ]] && COMP_WORDS+=(''); "
                "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _headscope_cli; printf '%s\\n' \"${COMPREPLY[@]}\""_s,
                folder.filePath(u"completion"_s), line});
    QVERIFY(bash.waitForFinished());
    QCOMPARE(QString::fromUtf8(bash.readAllStandardError()), QString());
    QCOMPARE(QString::fromUtf8(bash.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts), found);
}

void TestCliHelp::zshCompletes()
{
    const Run script = run({u"completion"_s, u"zsh"_s});
    QCOMPARE(script.code, 0);
    QVERIFY(script.out.startsWith("#compdef headscope-cli\n"));
    QVERIFY(script.out.contains("'--replace[") && script.out.contains(":(zero mean resample optimal window)'"));
    QCOMPARE(run({u"completion"_s, u"fish"_s}).code, 2);
    if (QStandardPaths::findExecutable(u"zsh"_s).isEmpty())
        QSKIP("there is no zsh");
    QTemporaryDir folder;
    QVERIFY(writeFile(folder.filePath(u"_headscope-cli"_s), script.out));
    QProcess zsh;
    zsh.start(u"zsh"_s, {u"-n"_s, folder.filePath(u"_headscope-cli"_s)});
    QVERIFY(zsh.waitForFinished());
    QCOMPARE(QString::fromUtf8(zsh.readAllStandardError()), QString());
    QCOMPARE(zsh.exitCode(), 0);
}

void TestCliHelp::nearestNamesAreSuggested_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("said");
    QTest::newRow("option") << QStringList{u"evaluate"_s, u"--beam"_s, u"3"_s} << u"--beam: did you mean --beams?"_s;
    QTest::newRow("letters changed places")
        << QStringList{u"prune"_s, u"--oredr=random"_s} << u"--oredr: did you mean --order?"_s;
    QTest::newRow("of another command")
        << QStringList{u"confidence"_s, u"--greedy-step"_s, u"1"_s}
        << u"--greedy-step: confidence has no such option (prune has); headscope-cli confidence --help lists its options"_s;
    QTest::newRow("command") << QStringList{u"evalute"_s} << u"evalute: did you mean evaluate?"_s;
    QTest::newRow("nothing near") << QStringList{u"xylophone"_s}
                                  << u"xylophone: there is no such command; headscope-cli --help lists them"_s;
}

void TestCliHelp::nearestNamesAreSuggested()
{
    QFETCH(QStringList, words);
    QFETCH(QString, said);
    const Run result = run(words);
    QCOMPARE(result.code, 2);
    QVERIFY2(QString::fromUtf8(result.err).startsWith(said + u'\n'), result.err.constData());
}

void TestCliHelp::valuesMayLookLikeOptions()
{
    // The sentence is a value; the folder is what is wrong.
    const Run result = run({u"attention"_s, u"--text"_s, u"--dashes and so on"_s, u"--model"_s, u"/nowhere"_s});
    QCOMPARE(result.code, 3);
    QVERIFY2(result.err.contains("/nowhere"), result.err.constData());
}

void TestCliHelp::packedStudiesOpenElsewhere()
{
    QTemporaryDir folder;
    const QString packed = folder.filePath(u"study.zip"_s);
    const QString there = folder.filePath(u"there"_s);
    QCOMPARE(checked({u"pack"_s, demo(u"demo.headscope"_s), u"--out"_s, packed, u"--with-model"_s}).code, 0);
    const Run unpacked = checked({u"unpack"_s, packed, u"--out"_s, there});
    QCOMPARE(unpacked.code, 0);
    QCOMPARE(QString::fromUtf8(unpacked.out).trimmed(), there + u"/demo.headscope"_s);
    const QJsonObject study = QJsonDocument::fromJson(readFile(there + u"/demo.headscope"_s)).object();
    QCOMPARE(study[u"model"_s][u"folder"_s].toString(), u"model"_s);
    const QJsonObject before = QJsonDocument::fromJson(readFile(demo(u"demo.headscope"_s))).object();
    for (const QString &slot : {u"in"_s, u"out"_s}) {
        for (const QString &file : {u"source"_s, u"reference"_s, u"conllu"_s}) {
            const QString name = study[u"data"_s][slot][u"origin"_s][file].toString();
            QVERIFY2(name.startsWith(u"data/"_s + slot + u'/'), qPrintable(name));
            QCOMPARE(readFile(there + u'/' + name),
                     readFile(demo(before[u"data"_s][slot][u"origin"_s][file].toString())));
        }
        QCOMPARE(study[u"data"_s][slot][u"results"_s].toArray().size(),
                 before[u"data"_s][slot][u"results"_s].toArray().size());
    }
    const auto results = QDir(there + u"/demo.headscope.results"_s).entryList(QDir::Files);
    QCOMPARE(results, QDir(demo(u"demo.headscope.results"_s)).entryList(QDir::Files));
    // It is the model, and it reads the data.
    const Run score = checked({u"evaluate"_s, u"--model"_s, there + u"/model"_s, u"--source"_s,
                               there + u"/data/in/in_domain.en"_s, u"--reference"_s, there + u"/data/in/in_domain.fr"_s,
                               u"--limit"_s, u"20"_s, u"--resamples"_s, u"0"_s});
    QCOMPARE(score.code, 0);
    QVERIFY(score.json()[u"metrics"_s][u"BLEU"_s].toDouble() > 50);
    QCOMPARE(run({u"unpack"_s, packed, u"--out"_s, there}).code, 3); // not over another folder

    const QString without = folder.filePath(u"without.zip"_s);
    QCOMPARE(checked({u"pack"_s, demo(u"demo.headscope"_s), u"--out"_s, without}).code, 0);
    QVERIFY(QFileInfo(without).size() < QFileInfo(packed).size() - 1'000'000);
    QCOMPARE(checked({u"unpack"_s, without, u"--out"_s, folder.filePath(u"w"_s)}).code, 0);
    const QJsonObject light = QJsonDocument::fromJson(readFile(folder.filePath(u"w/demo.headscope"_s))).object();
    QCOMPARE(light[u"model"_s][u"folder"_s].toString(), QDir::cleanPath(demo(u"training/epoch-006"_s)));
}

void TestCliHelp::packsSayWhatIsMissing()
{
    QTemporaryDir folder;
    QVERIFY(QFile::copy(demo(u"demo.headscope"_s), folder.filePath(u"alone.headscope"_s)));
    const Run lost = run({u"pack"_s, folder.filePath(u"alone.headscope"_s), u"--out"_s, folder.filePath(u"a.zip"_s)});
    QCOMPARE(lost.code, 3);
    QVERIFY2(lost.err.contains("corpus/in_domain.en of data set \"everyday life\" is not there"), lost.err.constData());
    QVERIFY(!QFile::exists(folder.filePath(u"a.zip"_s)));
    QVERIFY(writeFile(folder.filePath(u"b.zip"_s), "no archive"));
    QCOMPARE(run({u"unpack"_s, folder.filePath(u"b.zip"_s), u"--out"_s, folder.filePath(u"b"_s)}).code, 3);
}

void TestCliHelp::packsNameWhatIsOutside()
{
    QTemporaryDir folder;
    QVERIFY(QDir().mkpath(folder.filePath(u"study"_s)));
    QJsonObject study = QJsonDocument::fromJson(readFile(demo(u"demo.headscope"_s))).object();
    QJsonObject data = study[u"data"_s].toObject();
    for (const QString &slot : {u"in"_s, u"out"_s}) {
        QJsonObject origin = data[slot][u"origin"_s].toObject();
        for (const QString &file : {u"source"_s, u"reference"_s, u"conllu"_s}) {
            QVERIFY(QFile::copy(demo(origin[file].toString()), folder.filePath(u"study/"_s + slot + file)));
            origin[file] = QString(slot + file);
        }
        setOrigin(data, slot, origin);
    }
    study[u"data"_s] = data;
    QJsonObject model = study[u"model"_s].toObject();
    model[u"folder"_s] = u"model"_s;
    study[u"model"_s] = model;
    QVERIFY(QDir().mkpath(folder.filePath(u"study/model"_s)));
    QVERIFY(writeFile(folder.filePath(u"study/model/config.json"_s), "{}"));
    const QString file = folder.filePath(u"study/a.headscope"_s);
    QVERIFY(writeFile(file, QJsonDocument(study).toJson()));
    const QStringList words{u"pack"_s, file, u"--with-model"_s, u"--out"_s, folder.filePath(u"a.zip"_s)};
    const Run own = checked(words);
    QVERIFY2(own.code == 0 && !own.err.contains("outside"), own.err.constData());

    QJsonObject in = data[u"in"_s][u"origin"_s].toObject();
    in[u"source"_s] = u"/etc/passwd"_s;
    setOrigin(data, u"in"_s, in);
    study[u"data"_s] = data;
    QVERIFY(writeFile(file, QJsonDocument(study).toJson()));
    QVERIFY(QFile::link(u"/etc/hostname"_s, folder.filePath(u"study/model/notes.txt"_s)));
    const Run edited = checked(words);
    QVERIFY2(edited.err.contains("packed from outside the study's folder: /etc/passwd"), edited.err.constData());
    QVERIFY2(edited.err.contains("notes.txt is a link to /etc/hostname"), edited.err.constData());
    // The archive is no part of what it packs.
    const QString inside = folder.filePath(u"study/model/a.zip"_s);
    QCOMPARE(run({u"pack"_s, file, u"--with-model"_s, u"--out"_s, inside}).code, 2);
    QVERIFY(!QFile::exists(inside));
    QCOMPARE(run({u"pack"_s, file, u"--out"_s, folder.filePath(u"study/outreference"_s)}).code, 2);
    QVERIFY(QFileInfo(folder.filePath(u"study/outreference"_s)).size() > 1000);
}

void TestCliHelp::packsHaveNamesOfEveryLanguage()
{
    QTemporaryDir folder;
    const QString name = u"T\u00e4st \u4e2d\u6587.en"_s;
    QJsonObject study = QJsonDocument::fromJson(readFile(demo(u"demo.headscope"_s))).object();
    study.remove(u"model"_s);
    QJsonObject data = study[u"data"_s].toObject();
    data.remove(u"out"_s);
    QJsonObject in = data[u"in"_s][u"origin"_s].toObject();
    QVERIFY(QFile::copy(demo(in[u"source"_s].toString()), folder.filePath(name)));
    for (const QString &file : {u"reference"_s, u"conllu"_s})
        in.remove(file);
    in[u"source"_s] = name;
    setOrigin(data, u"in"_s, in);
    study[u"data"_s] = data;
    QVERIFY(writeFile(folder.filePath(u"a.headscope"_s), QJsonDocument(study).toJson()));
    for (const char *locale : {"C", "C.UTF-8", "de_DE.ISO-8859-1"}) {
        qputenv("LC_ALL", locale);
        const QString packed = folder.filePath(QString::fromLatin1(locale) + u".zip"_s);
        const QString there = folder.filePath(QString::fromLatin1(locale)) + u'/';
        QCOMPARE(checked({u"pack"_s, folder.filePath(u"a.headscope"_s), u"--out"_s, packed}).code, 0);
        QCOMPARE(checked({u"unpack"_s, packed, u"--out"_s, there}).code, 0);
        QCOMPARE(readFile(there + u"data/in/"_s + name), readFile(folder.filePath(name)));
    }
    qunsetenv("LC_ALL");
}

void TestCliHelp::nothingLeavesTheFolder()
{
    QTemporaryDir folder;
    for (const char *name : {"../outside", "/tmp/headscope-outside", "in/../../outside"}) {
        QVERIFY(writeFile(folder.filePath(u"evil.zip"_s), zipOf(name)));
        const Run result
            = run({u"unpack"_s, folder.filePath(u"evil.zip"_s), u"--out"_s, folder.filePath(u"new/there"_s)});
        QCOMPARE(result.code, 3);
        QVERIFY2(result.err.contains("is refused"), result.err.constData());
        QVERIFY(!QFile::exists(folder.filePath(u"new/there"_s)));
        QVERIFY(!QFile::exists(folder.filePath(u"new/outside"_s)) && !QFile::exists(u"/tmp/headscope-outside"_s));
    }
}

QTEST_MAIN(TestCliHelp)
#include "tst_clihelp.moc"
