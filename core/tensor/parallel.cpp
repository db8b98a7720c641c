#include "core/tensor/parallel.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace headscope {
namespace {

std::atomic<ThreadPlan> g_plan = ThreadPlan();
thread_local bool t_inside = false;

/// One call of parallelFor as its threads see it.
struct Loop
{
    std::int64_t count = 0;
    const std::function<void(std::int64_t)> &work;
    bool gradients = false;
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex{};
    std::exception_ptr failure{};

    void takePart()
    {
        at::init_num_threads(); // a new thread begins with OpenMP's own count
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

} // namespace

ThreadPlan threadPlan() { return g_plan; }

void setThreadPlan(const ThreadPlan &plan)
{
    g_plan = {std::max(1, plan.workers), std::max(1, plan.threadsEach)};
    at::set_num_threads(threadPlan().threadsEach); // each thread that computes takes this over below
}

void parallelFor(std::int64_t count, const std::function<void(std::int64_t)> &work)
{
    const std::int64_t threads = std::min<std::int64_t>(count, threadPlan().workers);
    if (t_inside || threads <= 1) {
        if (!t_inside)
            at::init_num_threads();
        for (std::int64_t i = 0; i < count; ++i)
            work(i);
        return;
    }
    Loop loop{.count = count, .work = work, .gradients = c10::GradMode::is_enabled()};
    {
        std::vector<std::jthread> helpers;
        for (std::int64_t i = 1; i < threads; ++i)
            helpers.emplace_back([&loop] { loop.takePart(); });
        loop.takePart();
    }
    if (loop.failure)
        std::rethrow_exception(loop.failure);
}

} // namespace headscope
