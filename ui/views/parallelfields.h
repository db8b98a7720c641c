#pragma once

#include "core/data/datasource.h"

#include <QWidget>

namespace headscope {

class FileEdit;

/// The file another one is parallel to, guessed: same folder, same name, another ending. Empty: none or several.
QString parallelFile(const QString &file);

/// Whether a name ends as dependency trees do: .conllu, packed or not.
bool isTreesName(const QString &file);

/// Two text files whose lines belong together.
class ParallelFields final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ParallelFields)
public:
    /// `title` for accessible names; `hint` in the empty source line.
    ParallelFields(const QString &title, const QString &hint, QWidget *parent = nullptr);

    void setSource(const DataSource &source);
    /// Sets the parts of `source` that have fields here.
    void writeTo(DataSource &source) const;

Q_SIGNALS:
    void edited();
    void sourceChosen(const QString &file); ///< by the file dialog

private:
    FileEdit *m_source = nullptr;
    FileEdit *m_reference = nullptr;
};

} // namespace headscope
