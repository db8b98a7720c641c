#pragma once

namespace headscope {

/// Screen readers meet a HeadGridView as a table: a row for every layer of every kind of attention, from above as it is
/// shown, a column for every place of a head, cells that can be selected and masked. Calls after the first do nothing.
void installHeadGridAccessibility();

} // namespace headscope
