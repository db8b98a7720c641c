#pragma once

#include <QLabel>

namespace headscope {

/// Trouble told where it belongs: hidden while there is none, text can be copied.
class ErrorLabel final : public QLabel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ErrorLabel)
public:
    explicit ErrorLabel(QWidget *parent = nullptr);

    void setError(const QString &text);
    /// Offers to dismiss the message; then dismissed() is emitted.
    void setDismissable(bool dismissable);
    QString errorText() const { return m_text; }

Q_SIGNALS:
    void dismissed();

protected:
    void changeEvent(QEvent *event) override;

private:
    void refresh();

    QString m_text;
    bool m_dismissable = false;
};

} // namespace headscope
