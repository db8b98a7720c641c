#pragma once

#include "ui/exporting/exporter.h"

#include <QDialog>
#include <QList>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace headscope {

/// Asks for the item to export, its format, size and file, shows a preview, and writes it. Errors are shown in the
/// dialog, which stays open for another try.
class ExportDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExportDialog)
public:
    /// Precondition: `items` is not empty. `folder` is proposed.
    ExportDialog(QList<ExportItem> items, const QString &folder, QWidget *parent = nullptr);

    /// The file written; empty before.
    const QString &writtenFile() const { return m_written; }
    ExportOptions options() const;
    QString path() const;
    void setPath(const QString &path);
    void setFormat(ExportFormat format);
    QString errorText() const;

public Q_SLOTS:
    /// Writes the file; closes the dialog only when that worked.
    void accept() override;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QLayout *makeForm();
    void setupUi();
    QWidget *makeFileRow();
    QWidget *makeSizeRow();
    const ExportItem &item() const;
    void onItemChanged();
    void onFormatChanged();
    void keepRatio();
    void browse();
    void refreshPreview();
    void showError(const QString &text);

    QList<ExportItem> m_items;
    QString m_folder;
    QString m_written;
    QString m_toReplace; ///< this file is there, and the next press writes over it
    QPushButton *m_save = nullptr;
    QComboBox *m_item = nullptr;
    QComboBox *m_format = nullptr;
    QSpinBox *m_dpi = nullptr;
    QDoubleSpinBox *m_width = nullptr;  ///< mm
    QDoubleSpinBox *m_height = nullptr; ///< mm
    QCheckBox *m_caption = nullptr;
    QCheckBox *m_manifest = nullptr;
    QLineEdit *m_path = nullptr;
    QLabel *m_pixels = nullptr;
    QLabel *m_preview = nullptr;
    QLabel *m_error = nullptr;
};

} // namespace headscope
