#pragma once

#include <Qt>

namespace headscope {

/// Data roles of item models of heads, besides those of Qt.
enum HeadRole : int {
    HeadRefRole = Qt::UserRole + 1, ///< HeadRef
    SortRole,                       ///< double or text, for proxies
    ValueRole,                      ///< double; invalid when missing
    IntervalLowRole,
    IntervalHighRole,
    PRole,
    RankRole,
    CountRole,       ///< sentences behind the value
    MaskedRole,      ///< bool
    SignificantRole, ///< bool; invalid when nothing was tested
    MissingRole,     ///< bool: not computed yet
};

} // namespace headscope
