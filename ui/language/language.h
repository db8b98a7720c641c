#pragma once

#include <QList>
#include <QString>

namespace headscope {

struct Language
{
    QString code; ///< "fr"
    QString name; ///< "Français"
};

/// English and the languages of resources/translations.
QList<Language> languages();

/// Makes `code` the language of texts and numbers; empty: what the system asks for, English where there is no
/// translation, with numbers as the system writes them. Call it before the first text is made; a second call takes the
/// place of the first.
void useLanguage(const QString &code = {});

/// The language saved in the settings; empty: the system's.
QString savedLanguage();
void saveLanguage(const QString &code);

} // namespace headscope
