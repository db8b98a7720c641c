#pragma once

namespace headscope {

/// Gives memory that is no longer used back to the system. The allocator would keep it for the next large tensors;
/// worth calling where the work that needed it is over.
void returnFreeMemory();

} // namespace headscope
