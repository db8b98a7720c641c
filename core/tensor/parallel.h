#pragma once

#include <cstdint>
#include <functional>

namespace headscope {

/// How the threads of a job are used: `workers` batches side by side, LibTorch on `threadsEach` threads in each. Whole
/// batches side by side need no meeting after every small product, which is both faster on small models and unharmed
/// by other programs on the same cores. Set by device.h.
struct ThreadPlan
{
    int workers = 1;
    int threadsEach = 1;
};
ThreadPlan threadPlan();
void setThreadPlan(const ThreadPlan &plan);

/// Runs work(0) … work(count − 1), several at once; the caller's grad mode holds in all of them. When one throws, no
/// further ones are begun and the first exception is thrown here. Inside another parallelFor it is a plain loop.
void parallelFor(std::int64_t count, const std::function<void(std::int64_t)> &work);

} // namespace headscope
