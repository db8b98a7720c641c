#pragma once

#include <cstdint>
#include <functional>

namespace headscope {

/// How many threads share the work of one job. LibTorch itself runs on one thread in each of them: whole batches side
/// by side need no meeting after every small product, which is both faster on small models and unharmed by other
/// programs on the same cores. Set once by setThreads (device.h).
int workerCount();
void setWorkerCount(int count);

/// Runs work(0) … work(count − 1), several at once; the caller's grad mode holds in all of them. When one throws, no
/// further ones are begun and the first exception is thrown here. Inside another parallelFor it is a plain loop.
void parallelFor(std::int64_t count, const std::function<void(std::int64_t)> &work);

} // namespace headscope
