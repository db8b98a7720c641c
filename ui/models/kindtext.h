#pragma once

#include "core/base/headref.h"

#include <QString>

/// What the window calls the kinds of attention.
namespace headscope {

QString headKindTitle(HeadKind kind);      ///< "Encoder self-attention"
QString headKindShortTitle(HeadKind kind); ///< "Encoder": where there is no room for more
QString headKindLongName(HeadKind kind);   ///< "encoder self-attention": within a sentence or a legend
QString headKindLabel(HeadKind kind);      ///< "encoder"

} // namespace headscope
