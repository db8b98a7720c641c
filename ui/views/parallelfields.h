#pragma once

#include "ui/views/sourcefields.h"

class QComboBox;

namespace headscope {

class FileEdit;

/// The file another one is parallel to, guessed: same folder, same name, another ending. Empty: none or several.
QString parallelFile(const QString &file);

/// Whether a name ends as dependency trees do: .conllu, packed or not.
bool isTreesName(const QString &file);

/// Two text files whose lines belong together, and how BLEU cuts their lines into words.
class ParallelFields final : public SourceFields
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ParallelFields)
public:
    /// `title` for accessible names; `hint` in the empty source line.
    ParallelFields(const QString &title, const QString &hint, QWidget *parent = nullptr);

    void setSource(const DataSource &source) override;
    void writeTo(DataSource &source) const override;
    bool holds(const DataSource &source) const override { return !source.source.empty() || !source.reference.empty(); }

private:
    FileEdit *m_source = nullptr;
    FileEdit *m_reference = nullptr;
    QComboBox *m_bleu
        = nullptr; ///< DataSource::bleuTokenize, typed or chosen; the first entry leaves it to the language
};

} // namespace headscope
