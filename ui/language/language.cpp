#include "ui/language/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>
#include <QTranslator>

/// Resources of a static library are only there once asked for; the macro does not work inside a namespace.
static void initLanguages()
{
    Q_INIT_RESOURCE(languages);
}

namespace headscope {

namespace {
QString folder()
{
    initLanguages();
    return QStringLiteral(":/languages");
}

/// In place of what was installed under this name.
void install(const QString &name, const QLocale &locale, const QString &path)
{
    delete qApp->findChild<QTranslator *>(name, Qt::FindDirectChildrenOnly);
    auto *translator = new QTranslator(qApp);
    translator->setObjectName(name);
    if (translator->load(locale, name, QStringLiteral("_"), path))
        QCoreApplication::installTranslator(translator);
}
} // namespace

QList<Language> languages()
{
    QList<Language> found;
    for (const QString &file : QDir(folder()).entryList({QStringLiteral("headscope_*.qm")})) {
        const QString code = file.section(u'_', 1).section(u'.', 0, 0);
        QString name = QLocale(code).nativeLanguageName();
        name[0] = name[0].toUpper();
        found << Language{code, code == QLatin1String("en") ? QStringLiteral("English") : name};
    }
    return found;
}

void useLanguage(const QString &code)
{
    const QLocale system = QLocale::system();
    const QLocale asked(code);
    QLocale::setDefault(code.isEmpty() || asked.language() == system.language() ? system : asked);
    QLocale texts = code.isEmpty() ? system : asked;
    if (!QTranslator().load(texts, QStringLiteral("headscope"), QStringLiteral("_"), folder()))
        texts = QLocale(QLocale::English);
    // English has its plurals there.
    install(QStringLiteral("headscope"), texts, folder());
    install(QStringLiteral("qtbase"), texts, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
}

QString savedLanguage()
{
    return QSettings().value(QStringLiteral("language")).toString();
}

void saveLanguage(const QString &code)
{
    QSettings().setValue(QStringLiteral("language"), code);
}

} // namespace headscope
