#pragma once

#include "core/data/datasource.h"

#include <QWidget>

namespace headscope {

/// The fields of one form in which data can be given (DataSlotEdit).
class SourceFields : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SourceFields)
public:
    explicit SourceFields(QWidget *parent);

    virtual void setSource(const DataSource &source) = 0;
    /// Sets the parts of `source` that have fields here.
    virtual void writeTo(DataSource &source) const = 0;
    /// Whether `source` is given in this form.
    virtual bool holds(const DataSource &source) const = 0;
    virtual void showPreview(const DataPreview &) { }

Q_SIGNALS:
    void edited();
    void sourceChosen(const QString &file); ///< by the file dialog
};

} // namespace headscope
