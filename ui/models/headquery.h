#pragma once

#include "ui/models/gridcontent.h"

#include <QString>

#include <set>

namespace headscope {

/// The heads of a query, or the word of it that is not understood.
struct HeadQuery
{
    std::set<HeadRef> heads;
    QString problem; ///< empty: understood
};

/// Words with blanks between them, all of which must hold for a head:
/// - an address or its beginning: cross, cross.3, encoder.2.6
/// - a role or its beginning: positional, syn, rare
/// - masked, pinned, significant, or their opposites unmasked, unpinned, insignificant
/// - a comparison by <, <=, >, >= or =: p<0.01, holm<0.05 (adjusted), rank<=10, value>0.5 (as the grid shows it)
/// Upper and lower case are the same. No words: no heads.
HeadQuery findHeads(const QString &words, const GridContent &content, const HeadMask &mask,
                    const std::set<HeadRef> &pins = {});

} // namespace headscope
