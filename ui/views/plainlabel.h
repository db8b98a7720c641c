#pragma once

#include <QLabel>

namespace headscope {

/// A label whose text is never taken for HTML: for whatever comes from data, files and models.
class PlainLabel final : public QLabel
{
public:
    explicit PlainLabel(QWidget *parent = nullptr) : QLabel(parent) { setTextFormat(Qt::PlainText); }
};

} // namespace headscope
