#include "core/tensor/execution.h"

#include "core/tensor/devicekernels.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace headscope {
namespace {

thread_local bool t_inside = false;

/// One call of parallelFor as its threads see it.
struct Loop
{
    std::int64_t count = 0;
    const std::function<void(std::int64_t)> &work;
    int threadsEach = 1;
    bool gradients = false;
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex{};
    std::exception_ptr failure{};

    void takePart()
    {
        const LibTorchThreads threads(threadsEach);
        const c10::AutoGradMode gradMode(gradients);
        t_inside = true;
        for (std::int64_t i = next++; i < count; i = next++) {
            try {
                work(i);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                if (!failure)
                    failure = std::current_exception();
                next = count;
            }
        }
        t_inside = false;
    }
};

/// A job that waits for a more urgent one keeps its workers. So each thread that begins loops has an arena of its own,
/// and the program may have more workers than cores.
oneapi::tbb::task_arena &arenaOfThisThread(int workers)
{
    static const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                                   std::max<std::size_t>(64, 4 * std::thread::hardware_concurrency()));
    thread_local oneapi::tbb::task_arena arena(workers);
    if (arena.max_concurrency() != workers) {
        arena.terminate();
        arena.initialize(workers);
    }
    return arena;
}

// Parts are about as many as a large processor has cores: as many on any machine, so that results do not depend on it.
constexpr WorkSizes kProcessorWorkSizes{.batchTokens = 1024,
                                        .parts = 16,
                                        .rowsOfPass = 2048,
                                        .rowsOfStep = 128,
                                        .examplesOfBlock = 256,
                                        .piecesAtOnce = std::numeric_limits<int>::max()};
constexpr WorkSizes kGpuWorkSizes{.batchTokens = 8192,
                                  .parts = 1,
                                  .rowsOfPass = 65'536,
                                  .rowsOfStep = 4096,
                                  .examplesOfBlock = 4096,
                                  .piecesAtOnce = 2};
constexpr std::int64_t kMemory = std::int64_t(2) << 30;

/// OpenBLAS in its build with threads of its own (pthread) does not know OpenMP's number of threads: left alone, it
/// divides every product of every worker among all cores.
void setThreadsOfOpenBlas(int count)
{
    using Get = int (*)();
    using Set = void (*)(int);
    constexpr int kOwnThreads = 1; // OPENBLAS_THREAD of its cblas.h
    const auto parallel = reinterpret_cast<Get>(::dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
    const auto set = reinterpret_cast<Set>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (parallel && set && parallel() == kOwnThreads)
        set(count);
}

} // namespace

Execution::Execution(const torch::Device &device, torch::ScalarType dtype, int threads)
    : m_device(device), m_dtype(dtype), m_workSizes(device.is_cpu() ? kProcessorWorkSizes : kGpuWorkSizes),
      m_memory(kMemory)
{
    if (device.is_cuda()) {
        m_byLibrary = true;
        m_memory = std::max(kMemory, freeMemory(device) / 2);
        at::globalContext().setAllowTF32CuBLAS(
            false); // whatever the environment says: float32 is what doubts are settled by
    }
    const bool sideBySide = !(device.is_cpu() && dtype == torch::kBFloat16);
    (sideBySide ? m_workers : m_threadsEach) = threadCount(threads);
    if (at::get_num_threads() != m_threadsEach)
        at::set_num_threads(m_threadsEach); // threads that are yet to begin take this over
    setThreadsOfOpenBlas(m_threadsEach);
}

Execution Execution::asOnGpu(int threads)
{
    Execution execution(torch::kCPU, torch::kFloat32, threads);
    execution.m_workSizes = kGpuWorkSizes;
    execution.m_byLibrary = true;
    return execution;
}

int Execution::threadCount(int asked)
{
    return asked > 0 ? asked : std::max(1, oneapi::tbb::info::default_concurrency());
}

void Execution::runPieces(std::int64_t count, const std::function<void(std::int64_t)> &work) const
{
    loop(count, static_cast<int>(std::min<std::int64_t>(m_workers, m_workSizes.piecesAtOnce)), work);
}

void Execution::loop(std::int64_t count, int workers, const std::function<void(std::int64_t)> &work) const
{
    const auto parts = static_cast<int>(std::min<std::int64_t>(count, workers));
    if (t_inside || parts <= 1) {
        const LibTorchThreads threads(t_inside ? at::get_num_threads() : m_threadsEach);
        for (std::int64_t i = 0; i < count; ++i)
            work(i);
        return;
    }
    Loop loop{.count = count, .work = work, .threadsEach = m_threadsEach, .gradients = c10::GradMode::is_enabled()};
    loop.next = 0; // TBB orders what is before and after the parts; by this and the reading below the thread sanitizer
                   // sees it
    arenaOfThisThread(m_workers).execute([&] {
        oneapi::tbb::parallel_for(
            0, parts, [&](int) { loop.takePart(); }, oneapi::tbb::simple_partitioner());
    });
    (void)loop.next.load();
    if (loop.failure)
        std::rethrow_exception(loop.failure);
}

LibTorchThreads::LibTorchThreads(int count) : m_before(at::get_num_threads())
{
    if (count != m_before)
        at::set_num_threads(count);
}

LibTorchThreads::~LibTorchThreads()
{
    if (at::get_num_threads() != m_before)
        at::set_num_threads(m_before);
}

} // namespace headscope
