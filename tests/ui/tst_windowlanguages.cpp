// The window in other languages: translations are complete and fit the program, and files stay what they are.
#include "core/analysis/ablationspec.h"
#include "core/analysis/allphases.h"
#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/speedspec.h"
#include "core/data/readingoptions.h"
#include "core/results/roles.h"
#include "tests/support/nowarnings.h"
#include "ui/exporting/tableforms.h"
#include "ui/language/corewords.h"
#include "ui/language/language.h"
#include "ui/mainwindow/mainwindow.h"
#include "ui/models/numbertext.h"
#include "ui/pages/pageregistry.h"
#include "ui/state/studystate.h"

#include <QAction>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QKeySequence>
#include <QLibraryInfo>
#include <QLocale>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <QXmlStreamReader>

#include <clocale>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {
constexpr int kPatienceMs = 60'000;

QString sourceFolder()
{
    return qEnvironmentVariable("HEADSCOPE_SOURCE_DIR");
}

QString translationsFolder()
{
    return sourceFolder() + u"/resources/translations"_s;
}

QString contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Message
{
    QString context;
    QString source;
    bool counts = false; ///< has plurals
    bool finished = true;
    QStringList forms; ///< one, without plurals
};

QList<Message> messagesOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QList<Message> messages;
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == "name"_L1) {
            context = xml.readElementText();
        } else if (xml.name() == "message"_L1) {
            messages << Message{.context = context,
                                .source = {},
                                .counts = xml.attributes().value("numerus"_L1) == "yes"_L1,
                                .forms = {}};
        } else if (xml.name() == "source"_L1) {
            messages.last().source = xml.readElementText();
        } else if (xml.name() == "translation"_L1) {
            messages.last().finished = !xml.attributes().hasAttribute("type"_L1);
            if (!messages.last().counts)
                messages.last().forms << xml.readElementText();
        } else if (xml.name() == "numerusform"_L1) {
            messages.last().forms << xml.readElementText();
        }
    }
    return xml.hasError() ? QList<Message>() : messages;
}

QStringList matches(const QString &text, const QRegularExpression &pattern)
{
    QStringList found;
    for (const auto &match : pattern.globalMatch(text))
        found << match.captured();
    found.sort();
    return found;
}

/// What a translation has to keep of its text; `form` 0 may say "one" in words.
QString lostIn(const Message &message, qsizetype form)
{
    static const QRegularExpression places(u"%L?(\\d+|n)"_s);
    static const QRegularExpression count(u"%L?n"_s);
    static const QRegularExpression accelerators(u"&(?![&\\s]|[a-z]+;)"_s);
    static const QRegularExpression tags(u"</?[a-z][^>]*>"_s);
    const QString &text = message.forms[form];
    QStringList wanted = matches(message.source, places);
    if (message.counts && form == 0 && !text.contains(count))
        wanted.removeIf([](const QString &place) { return place.endsWith(u'n'); });
    if (text.trimmed().isEmpty() != message.source.trimmed().isEmpty())
        return u"text"_s;
    if (matches(text, places) != wanted)
        return u"placeholders"_s;
    if (matches(text, accelerators).size() != matches(message.source, accelerators).size())
        return u"accelerators"_s;
    if (matches(text, tags) != matches(message.source, tags))
        return u"tags"_s;
    const QString &source = message.source; // French has blanks that do not break, and some of its own before a colon
    const auto fits = [](QChar here, QChar there) { return here.isSpace() == there.isSpace() || here == QChar::Nbsp; };
    return fits(text.front(), source.front()) && fits(text.back(), source.back()) ? QString() : u"blanks"_s;
}

/// The visitor of specoptions.h that notes what an option is called and what is said of it.
struct WordsOfOptions
{
    QStringList &words;

    void say(const char *name, const char *help) { words << optionTitle(name) << QString::fromUtf8(help); }
    template<typename Mask>
    void mask(const char *, const Mask &)
    {
    }
    void flag(const char *name, bool &, const char *help) { say(name, help); }
    void without(const char *name, bool &, const char *help) { say(name, help); }
    template<typename T>
    void integer(const char *name, T &, const IntegerRange &, const char *help)
    {
        say(name, help);
    }
    template<typename T>
    void real(const char *name, T &, const Range &, const char *help)
    {
        say(name, help);
    }
    void text(const char *name, std::string &, const char *, const char *help) { say(name, help); }
    template<typename T>
    void integers(const char *name, T &, const IntegerRange &, const char *help)
    {
        say(name, help);
    }
    template<typename E>
    void choice(const char *name, E &, const char *help)
    {
        say(name, help);
    }
    template<typename E>
    void choices(const char *name, E &, const char *help)
    {
        say(name, help);
    }
};

/// The core's words on the page Analyses, in the program's help and in what is said of jobs.
QStringList wordsOfAnalyses()
{
    QStringList words;
    forEachAnalysis([&](auto spec) {
        using Spec = decltype(spec);
        if constexpr (AnalysisOf<Spec>::kInfo.hasCommand && !std::is_same_v<Spec, SpeedSpec>) {
            words << QString::fromUtf8(AnalysisOf<Spec>::kInfo.summary);
            WordsOfOptions visitor{words};
            describe(visitor, spec);
            if constexpr (requires { AnalysisOf<Spec>::kSecond; })
                words << QString::fromUtf8(AnalysisOf<Spec>::kSecond.help);
        }
    });
    QStringList reading; // in the help of the window's program, which has no titles
    WordsOfOptions visitor{reading};
    DataSource source;
    describeReading(visitor, source);
    for (qsizetype i = 1; i < reading.size(); i += 2)
        words << reading[i];
    for (const Phase &phase : allPhases())
        words << QString::fromStdString(std::string(phase.words));
    words.removeDuplicates();
    words.removeAll(QString());
    return words;
}

QString asSource(const QStringList &words)
{
    QString text;
    for (QString word : words) {
        word.replace(u'\\', u"\\\\"_s).replace(u'"', u"\\\""_s).replace(u'\n', u"\\n"_s);
        text += u"    QT_TRANSLATE_NOOP(\"headscope::CoreWords\", \"%1\"),\n"_s.arg(word);
    }
    return text;
}

/// The tables that all pages export, with the demo open.
std::vector<std::pair<QString, std::string>> tablesIn(const QString &language)
{
    useLanguage(language);
    MainWindow window;
    window.show();
    window.openDemo();
    if (!QTest::qWaitFor([&] { return window.state().session() && window.controller().queue().isIdle(); }, kPatienceMs))
        return {};
    window.state().selectHead(window.state().layout().heads().front());
    std::vector<std::pair<QString, std::string>> tables;
    for (const PageEntry &entry : pageRegistry()) {
        window.showView(entry.info.id);
        QTest::qWait(50); // pages that are shown first ask for more
    }
    if (!QTest::qWaitFor([&] { return window.controller().queue().isIdle(); }, kPatienceMs))
        return {};
    for (Page *page : window.pages()) {
        for (const ExportItem &item : page->allExportItems()) {
            if (item.csv)
                tables.emplace_back(item.name, item.csv());
        }
    }
    return tables;
}
} // namespace

class TestLanguages : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { failOnQtWarnings(); }
    void cleanup() { useLanguage(u"en"_s); }

    void wordsOfAnalysesAreListed();
    void otherWordsOfTheCoreAreListed();
    void everyPhaseIsInATable();
    void translationsAreComplete_data();
    void translationsAreComplete();
    void translationsAreUpToDate();
    void programHasThem();
    void englishCounts();
    void frenchCountsAndNumbers();
    void coreSpeaksTheWindowsLanguage();
    void windowIsFrench();
    void languageIsChosenInTheMenu();
    void tablesAreTheSameInAnyLanguage();

private:
    QTemporaryDir m_folder;
};

void TestLanguages::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    qputenv("HEADSCOPE_DEMO", (sourceFolder() + u"/resources/demo"_s).toUtf8());
    useLanguage(u"en"_s);
}

// HEADSCOPE_WRITE_WORDS=1 writes the list anew.
void TestLanguages::wordsOfAnalysesAreListed()
{
    const QString path = sourceFolder() + u"/ui/language/analysiswords.cpp"_s;
    QString text = contentOf(path);
    const QString begin = u"kAnalysisWords[] = {\n"_s;
    const qsizetype from = text.indexOf(begin) + begin.size();
    const qsizetype to = text.indexOf(u"};\n"_s, from);
    QVERIFY(from > begin.size() && to > from);
    const QString list = asSource(wordsOfAnalyses());
    if (qEnvironmentVariableIsSet("HEADSCOPE_WRITE_WORDS")) {
        text.replace(from, to - from, list);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    }
    QVERIFY2(text.mid(from, text.indexOf(u"};\n"_s, from) - from) == list,
             "run this test with HEADSCOPE_WRITE_WORDS=1, then packaging/translations.sh");
}

// What progress says is looked for where it is said.
void TestLanguages::otherWordsOfTheCoreAreListed()
{
    QString sources;
    for (const QString &folder : {u"/core"_s, u"/ui"_s}) {
        QDirIterator files(sourceFolder() + folder, {u"*.cpp"_s, u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            if (const QString path = files.next(); !path.contains("/language/"_L1))
                sources += contentOf(path);
        }
    }
    std::set<QString> listed;
    for (const char *word : coreWords())
        listed.insert(QString::fromUtf8(word));
    std::set<QString> said;
    for (const Role role : kAllRoles)
        said.insert(QString::fromStdString(std::string(roleName(role))));
    // The unit is the first text between the braces.
    static const QRegularExpression unit(u"(?:progress\\(|Progress \\w+)\\{[^\"]*?\"([^\"]*)\""_s);
    for (const auto &match : unit.globalMatch(sources)) {
        if (!match.captured(1).isEmpty())
            said.insert(match.captured(1));
    }
    QVERIFY(said.contains(u"examples"_s) && said.contains(u"updates"_s) && said.contains(u"batches"_s));
    for (const QString &word : said)
        QVERIFY2(listed.contains(word), qPrintable(word));
    for (const QString &word : listed) // and nothing else
        QVERIFY2(sources.contains(u'"' + word.section(QRegularExpression(u"[%(]"_s), 0, 0)), qPrintable(word));
}

// A phase that is in no table would be shown in English, and could not be known again when it comes as text.
void TestLanguages::everyPhaseIsInATable()
{
    std::set<QString> known{u"%1"_s}; // kPhaseOther stands for those that are not known
    for (const Phase &phase : allPhases())
        known.insert(QString::fromStdString(std::string(phase.id)));
    static const QRegularExpression declared(u"\\bPhase (k\\w+)\\{\\s*\"([^\"]*)\""_s);
    int found = 0;
    for (const QString &folder : {u"/core"_s, u"/ui"_s, u"/app"_s}) {
        QDirIterator files(sourceFolder() + folder, {u"*.cpp"_s, u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            for (const auto &match : declared.globalMatch(contentOf(files.next()))) {
                QVERIFY2(known.contains(match.captured(2)), qPrintable(match.captured(1)));
                ++found;
            }
        }
    }
    QCOMPARE(found, static_cast<int>(known.size()));
}

void TestLanguages::translationsAreComplete_data()
{
    QTest::addColumn<QString>("path");
    const QDir folder(translationsFolder());
    for (const QString &file : folder.entryList({u"headscope_*.ts"_s}))
        QTest::newRow(qPrintable(file)) << folder.filePath(file);
}

void TestLanguages::translationsAreComplete()
{
    QFETCH(QString, path);
    const QList<Message> messages = messagesOf(path);
    QVERIFY(!messages.isEmpty());
    for (const Message &message : messages) {
        const QString text = message.context + u": "_s + message.source;
        QVERIFY2(message.finished, qPrintable(text));
        QVERIFY2(message.counts ? message.forms.size() > 1 : message.forms.size() == 1, qPrintable(text));
        for (qsizetype form = 0; form < message.forms.size(); ++form) {
            const QString lost = lostIn(message, form);
            QVERIFY2(lost.isEmpty(), qPrintable(lost + u": "_s + text + u"\n→ "_s + message.forms[form]));
        }
    }
}

void TestLanguages::translationsAreUpToDate()
{
    if (!QFile::exists(QLibraryInfo::path(QLibraryInfo::BinariesPath) + u"/lupdate"_s))
        QSKIP("there is no lupdate here");
    const QTemporaryDir fresh;
    const QDir there(translationsFolder());
    for (const QString &file : there.entryList({u"*.ts"_s}))
        QVERIFY(QFile::copy(there.filePath(file), fresh.filePath(file)));
    QProcess update;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"HEADSCOPE_TRANSLATIONS"_s, fresh.path());
    update.setProcessEnvironment(environment);
    update.setProcessChannelMode(QProcess::MergedChannels);
    update.start(sourceFolder() + u"/packaging/translations.sh"_s, {});
    QVERIFY(update.waitForFinished(kPatienceMs));
    const QByteArray said = update.readAll();
    QVERIFY2(update.exitCode() == 0 && !said.contains("Q_OBJECT") && !said.contains("unknown"), said.constData());
    for (const QString &file : there.entryList({u"*.ts"_s})) {
        std::set<QString> now;
        std::set<QString> before;
        for (const Message &message : messagesOf(fresh.filePath(file)))
            now.insert(message.context + u": "_s + message.source);
        for (const Message &message : messagesOf(there.filePath(file)))
            before.insert(message.context + u": "_s + message.source);
        for (const QString &text : now)
            QVERIFY2(before.contains(text), qPrintable(u"new, run packaging/translations.sh: "_s + text));
        for (const QString &text : before)
            QVERIFY2(now.contains(text), qPrintable(u"gone, run packaging/translations.sh: "_s + text));
    }
}

void TestLanguages::programHasThem()
{
    const QStringList files = QDir(translationsFolder()).entryList({u"headscope_*.ts"_s});
    QCOMPARE(languages().size(), files.size());
    std::map<QString, QString> names;
    for (const Language &language : languages())
        names[language.code] = language.name;
    QCOMPARE(names[u"en"_s], u"English"_s);
    QCOMPARE(names[u"fr"_s], u"Français"_s);
    for (const QString &file : files) {
        QTranslator translator;
        QVERIFY(translator.load(u":/languages/"_s + QString(file).replace(u".ts"_s, u".qm"_s)));
        for (const Message &message : messagesOf(translationsFolder() + u'/' + file)) {
            const QString found = translator.translate(message.context.toUtf8(), message.source.toUtf8(), nullptr,
                                                       message.counts ? 1 : -1);
            QCOMPARE(found, message.forms.front());
        }
    }
}

void TestLanguages::englishCounts()
{
    QCOMPARE(headsText(0), u"0 heads"_s);
    QCOMPARE(headsText(1), u"1 head"_s);
    QCOMPARE(headsText(1234), u"1,234 heads"_s);
    useLanguage(u"de"_s); // without a translation: English texts, German numbers
    QCOMPARE(headsText(1), u"1 head"_s);
    QCOMPARE(numberText(0.5, 2), u"0,50"_s);
}

void TestLanguages::frenchCountsAndNumbers()
{
    useLanguage(u"fr"_s);
    QCOMPARE(headsText(0), u"0 tête"_s);
    QCOMPARE(headsText(1), u"1 tête"_s);
    QCOMPARE(headsText(8), u"8 têtes"_s);
    QCOMPARE(numberText(-0.5, 2), u"−0,50"_s);
    QCOMPARE(countText(1234), QLocale(QLocale::French).toString(1234));
    QVERIFY(countText(1234) != u"1234"_s && countText(1234) != u"1,234"_s);
}

void TestLanguages::coreSpeaksTheWindowsLanguage()
{
    QCOMPARE(fromCore("choosing head 12"), u"choosing head 12"_s);
    QCOMPARE(optionTitle("sample-ratio"), u"Sample ratio"_s);
    useLanguage(u"fr"_s);
    const QString choosing = fromCore("choosing head 12");
    QVERIFY2(!choosing.contains("head"_L1) && choosing.contains("12"_L1) && !choosing.contains(u'%'),
             qPrintable(choosing));
    const QString training = phaseText({kPhaseEpochLoss, {"3", "20", "2.346", "812"}});
    for (const QString &part : {u"3"_s, u"20"_s, u"2,346"_s, u"812"_s})
        QVERIFY2(training.contains(part), qPrintable(training));
    QVERIFY(optionTitle("sample-ratio") != u"Sample ratio"_s);
    PhaseNow full(kPhaseAblating);
    full.note = kPhaseNotKept;
    QVERIFY(!phaseText(full).contains("ablating"_L1) && !phaseText(full).contains("room"_L1));
    QVERIFY(phaseText({kPhaseOpening, {"run-2/epoch-001"}}).contains("run-2/epoch-001"_L1));
    // What nobody could translate beforehand.
    QCOMPARE(fromCore("opening run-2/epoch-001"), u"opening run-2/epoch-001"_s);
}

void TestLanguages::windowIsFrench()
{
    useLanguage(u"fr"_s);
    std::map<QString, QString> french;
    for (const Message &message : messagesOf(translationsFolder() + u"/headscope_fr.ts"_s)) {
        if (message.context == "headscope::MainWindow"_L1)
            french[message.source] = message.forms.front();
    }
    const MainWindow window;
    QStringList titles;
    for (const QAction *action : window.menuBar()->actions())
        titles << action->text();
    const QStringList english{u"&File"_s, u"&Edit"_s, u"&Model"_s, u"&Analyse"_s, u"&View"_s, u"&Help"_s};
    QCOMPARE(titles.size(), english.size());
    for (qsizetype i = 0; i < titles.size(); ++i)
        QCOMPARE(titles[i], french[english[i]]);
    QCOMPARE(titles.front(), u"&Fichier"_s);
    // Every letter opens one thing; those of pages are of their tabs too, and there are more pages than letters.
    QList<const QWidget *> menus{window.menuBar()};
    for (const QMenu *menu : window.menuBar()->findChildren<QMenu *>()) {
        if (menu->title() != french[u"&View"_s])
            menus << menu;
    }
    for (const QWidget *menu : menus) {
        std::map<QString, QString> letters;
        for (const QAction *action : menu->actions()) {
            const QString letter = QKeySequence::mnemonic(action->text()).toString();
            if (letter.isEmpty())
                continue;
            QVERIFY2(!letters.contains(letter), qPrintable(letters[letter] + u" / "_s + action->text()));
            letters[letter] = action->text();
        }
    }
}

void TestLanguages::languageIsChosenInTheMenu()
{
    MainWindow window;
    window.useSettings();
    QAction *french = nullptr;
    for (QAction *action : window.findChildren<QAction *>()) {
        if (action->text() == u"Français"_s)
            french = action;
    }
    QVERIFY(french && french->isCheckable() && !french->isChecked());
    QCOMPARE(savedLanguage(), QString());
    french->trigger();
    QCOMPARE(savedLanguage(), u"fr"_s);
    saveLanguage({});
}

void TestLanguages::tablesAreTheSameInAnyLanguage()
{
    const auto english = tablesIn(u"en"_s);
    QVERIFY(english.size() > 5);
    std::setlocale(LC_ALL, "fr_FR.UTF-8"); // where it is installed
    const auto french = tablesIn(u"fr"_s);
    std::setlocale(LC_ALL, "C.UTF-8");
    QCOMPARE(french.size(), english.size());
    bool renamed = false;
    for (std::size_t i = 0; i < english.size(); ++i) {
        QVERIFY2(french[i].second == english[i].second, qPrintable(english[i].first));
        renamed = renamed || french[i].first != english[i].first;
        const auto json = tableJson(english[i].second, u"name"_s, u"caption"_s);
        const auto again = tableJson(french[i].second, u"name"_s, u"caption"_s);
        QVERIFY(json.isOk() && again.isOk() && json.value() == again.value());
    }
    QVERIFY(renamed); // it was another language
}

QTEST_MAIN(TestLanguages)
#include "tst_windowlanguages.moc"
