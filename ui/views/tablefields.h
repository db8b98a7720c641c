#pragma once

#include "core/data/datasource.h"

#include <QWidget>

#include <array>
#include <functional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace headscope {

class FileEdit;

/// Whether a name ends as tables do: .tsv, .csv, .jsonl, packed or not.
bool isTableName(const QString &file);

/// A table file, its columns and how its labels are read.
class TableFields final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TableFields)
public:
    /// `title` for accessible names; `modelLabels` to map to, empty where there are none.
    TableFields(const QString &title, const std::vector<std::string> &modelLabels, QWidget *parent = nullptr);

    void setSource(const DataSource &source);
    /// Sets the parts of `source` that have fields here.
    void writeTo(DataSource &source) const;
    /// Offers the columns that were found, and says what labels there are.
    void showPreview(const DataPreview &preview);

Q_SIGNALS:
    void edited();

private:
    enum Column { Text, Pair, Label };
    struct ColumnEdit
    {
        QComboBox *box = nullptr;
        std::string DataSource::*source = nullptr;
        std::string DataPreview::*found = nullptr;
        std::string chosen; ///< by the user; empty: found by its usual names
    };

    QWidget *makeColumns(const QString &title);
    void forgetColumns();
    void choose(Column column, const QString &name);
    void changed();

    FileEdit *m_file = nullptr;
    std::array<ColumnEdit, 3> m_columns;
    QCheckBox *m_header = nullptr;
    QCheckBox *m_quoted = nullptr;
    QLineEdit *m_labelMap = nullptr;
    QLabel *m_labels = nullptr;
    QString m_modelLabels;
    std::size_t m_columnCount = 0; ///< of the table that was looked at last
    bool m_filling = false;
};

} // namespace headscope
