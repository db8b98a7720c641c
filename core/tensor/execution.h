#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace headscope {

/// How work is divided for a device.
struct WorkSizes
{
    std::int64_t batchTokens = 0;     ///< of a padded batch
    std::int64_t parts = 0;           ///< that a loop becomes, if each is worth it
    std::int64_t rowsOfPass = 0;      ///< that go through a stack at once, at most
    std::int64_t rowsOfStep = 0;      ///< of a step of decoding from scratch, at most
    std::int64_t examplesOfBlock = 0; ///< whose states are kept at once, at most
    std::int64_t piecesAtOnce = 0;    ///< that run in parallel, at most
};

/// Where a model is computed and with how much of the machine: device, number type, workers, and what follows from
/// them. Code that opens a model creates one and passes it on with the model's examples (Task) or parameters (Trainer);
/// nothing else counts cores. The workers themselves are oneTBB's: they live as long as the program and wait between
/// loops. No result depends on their number.
class Execution
{
public:
    /// `threads`: 0 = one per core that the process may use.
    explicit Execution(const torch::Device &device = torch::kCPU, torch::ScalarType dtype = torch::kFloat32,
                       int threads = 0);
    /// The processor with work divided as for a GPU: large pieces, rows by LibTorch. For tests of the code that GPUs
    /// run.
    static Execution asOnGpu(int threads = 0);

    /// `asked`, or one per core that the process may use.
    static int threadCount(int asked);

    torch::TensorOptions tensorOptions() const { return torch::TensorOptions().device(m_device).dtype(m_dtype); }
    int threads() const { return m_workers * m_threadsEach; }
    /// Pieces that run at once. Only work whose results show nothing of how it is divided may be divided by it.
    int workers() const { return m_workers; }

    /// A processor keeps few rows in its caches, and its cores share the pieces; a GPU is idle with few rows.
    const WorkSizes &workSizes() const { return m_workSizes; }
    /// Whether rows are computed by LibTorch even where something else could.
    bool byLibrary() const { return m_byLibrary; }
    /// Bytes on top of the model that kept states may take; how examples are cut into blocks follows from it. The same
    /// on all processors; of a GPU, half of what was free when this was made.
    std::int64_t memory() const { return m_memory; }

    /// Runs work(0) … work(count − 1), as many at once as there are workers; the caller's grad mode holds in all of
    /// them. When one throws, no further ones are begun and the first exception is thrown here. Inside another loop of
    /// any execution it is a plain loop. Batches in parallel need no synchronisation after every small product, which
    /// is faster on small models and less sensitive to other programs on the same cores. Models in bf16 on a processor
    /// run one batch after the other on all threads: see halfkernels.h.
    void parallelFor(std::int64_t count, const std::function<void(std::int64_t)> &work) const
    {
        loop(count, m_workers, work);
    }
    /// Runs pieces of work on the device, no more of them at once than it can use and has memory for: while a GPU is
    /// busy with one, the next is made ready.
    void runPieces(std::int64_t count, const std::function<void(std::int64_t)> &work) const;

private:
    void loop(std::int64_t count, int workers, const std::function<void(std::int64_t)> &work) const;

    torch::Device m_device;
    torch::ScalarType m_dtype;
    WorkSizes m_workSizes;
    std::int64_t m_memory = 0;
    bool m_byLibrary = false;
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
