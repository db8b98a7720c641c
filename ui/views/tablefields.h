#pragma once

#include "ui/views/sourcefields.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace headscope {

class FileEdit;

/// Whether a name ends as tables do: .tsv, .csv, .jsonl, packed or not.
bool isTableName(const QString &file);

/// What the rows of a table are: texts or pairs of them with labels, or minimal pairs and questions for language
/// models.
enum class TableRows { Labelled, MinimalPairs };

/// A table file, its columns and how its labels are read.
class TableFields final : public SourceFields
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TableFields)
public:
    /// `title` for accessible names; `modelLabels` to map to, empty where there are none.
    TableFields(const QString &title, TableRows rows, const std::vector<std::string> &modelLabels,
                QWidget *parent = nullptr);

    void setSource(const DataSource &source) override;
    void writeTo(DataSource &source) const override;
    bool holds(const DataSource &source) const override { return !source.table.empty(); }
    /// Offers the columns that were found, and says what labels there are.
    void showPreview(const DataPreview &preview) override;

private:
    static constexpr std::size_t kText = 0; ///< place of the text's column; the last is that of labels or paradigms
    struct ColumnEdit
    {
        QString name;
        QComboBox *box = nullptr;
        std::string DataSource::*source = nullptr;
        std::string DataPreview::*found = nullptr;
        std::string chosen; ///< by the user; empty: found by its usual names
    };

    void chooseColumns(TableRows rows);
    QWidget *makeChecks();
    QWidget *makeColumns(const QString &title);
    QWidget *makeQuestions(const QString &title);
    void forgetColumns();
    void choose(ColumnEdit &column, const QString &name);
    void changed();

    FileEdit *m_file = nullptr;
    std::array<ColumnEdit, 3> m_columns;
    QCheckBox *m_header = nullptr;
    QCheckBox *m_quoted = nullptr;
    QLineEdit *m_labelMap = nullptr;
    // Of questions for language models.
    QLineEdit *m_prompt = nullptr;
    QCheckBox *m_cloze = nullptr;
    QSpinBox *m_shots = nullptr;
    FileEdit *m_shotsFile = nullptr;
    QLabel *m_labels = nullptr;
    QString m_modelLabels;
    std::size_t m_columnCount = 0; ///< of the table that was looked at last
    bool m_filling = false;
};

} // namespace headscope
