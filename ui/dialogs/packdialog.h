#pragma once

#include <QDialog>

#include <filesystem>

class QCheckBox;
class QLineEdit;
class QPushButton;

namespace headscope {

class ErrorLabel;

/// The file to pack a study into, and whether the model's folder goes with it.
class PackDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PackDialog)
public:
    /// `model`: its folder; `proposal`: the file, without its ending.
    PackDialog(const std::filesystem::path &model, const QString &proposal, QWidget *parent = nullptr);

    QString file() const; ///< with its ending
    bool withModel() const;
    QString problem() const; ///< why it cannot be packed like this; empty: it can

    QLineEdit &fileEdit() { return *m_file; }
    QCheckBox &modelBox() { return *m_model; }
    QPushButton &packButton() { return *m_pack; }

private:
    void browse();
    void refresh();

    QLineEdit *m_file = nullptr;
    ErrorLabel *m_problem = nullptr;
    QCheckBox *m_model = nullptr;
    QPushButton *m_pack = nullptr;
};

} // namespace headscope
