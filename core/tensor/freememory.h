#pragma once

namespace headscope {

/// Gives memory that is no longer used back to the system. The allocator would keep it for the next large tensors; worth
/// calling where the work that needed it is over.
void returnFreeMemory();

/// Lets the allocator keep what is freed, up to 1 GiB in each thread's share: fast paths free and take again blocks of
/// megabytes all the time, and fetching their pages from the system anew costs a tenth of all time. For the whole process.
void keepFreedMemory();

} // namespace headscope
