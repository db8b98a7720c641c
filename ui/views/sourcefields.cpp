#include "ui/views/sourcefields.h"

namespace headscope {

SourceFields::SourceFields(QWidget *parent) : QWidget(parent) { }

} // namespace headscope
