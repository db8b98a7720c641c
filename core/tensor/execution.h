#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace headscope {

/// Where a model is computed and with how much of the machine: device, number type, workers, and what follows from them.
/// Whoever opens a model makes one and hands it down with the model's examples (Task) or parameters (Trainer); nothing
/// else counts cores. The workers themselves are oneTBB's: they live as long as the program and wait between loops. No
/// result depends on their number.
class Execution
{
public:
    /// `threads`: 0 = one per core that the process may use.
    explicit Execution(const torch::Device &device = torch::kCPU, torch::ScalarType dtype = torch::kFloat32, int threads = 0);

    /// `asked`, or one per core that the process may use.
    static int threadCount(int asked);

    torch::TensorOptions tensorOptions() const { return torch::TensorOptions().device(m_device).dtype(m_dtype); }
    int threads() const { return m_workers * m_threadsEach; }

    /// Tokens of a padded batch: a processor keeps few of them in its caches, a GPU is idle with few.
    std::int64_t batchTokens() const { return m_device.is_cpu() ? 1024 : 8192; }
    /// Bytes on top of the model that kept states may take. The same on all machines: how examples are cut into blocks
    /// follows from it.
    static constexpr std::int64_t memory() { return std::int64_t(2) << 30; }

    /// Runs work(0) … work(count − 1), as many at once as there are workers; the caller's grad mode holds in all of them.
    /// When one throws, no further ones are begun and the first exception is thrown here. Inside another loop of any
    /// execution it is a plain loop. Whole batches side by side need no meeting after every small product, which is both
    /// faster on small models and unharmed by other programs on the same cores. Models in bf16 on a processor take one
    /// after the other on all threads: see HalfKernels.
    void parallelFor(std::int64_t count, const std::function<void(std::int64_t)> &work) const;

private:
    torch::Device m_device;
    torch::ScalarType m_dtype;
    int m_workers = 1;
    int m_threadsEach = 1; ///< LibTorch's threads in each piece of a loop, and outside of loops
};

/// Threads that LibTorch uses for one operation when this thread asks for it, as long as it lives.
class LibTorchThreads
{
public:
    explicit LibTorchThreads(int count);
    ~LibTorchThreads();
    LibTorchThreads(const LibTorchThreads &) = delete;
    LibTorchThreads &operator=(const LibTorchThreads &) = delete;

private:
    int m_before;
};

} // namespace headscope
