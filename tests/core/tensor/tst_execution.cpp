// Loops over workers: everything is done once, errors come back, loops inside loops and beside each other end.
#include "core/tensor/execution.h"
#include "core/tensor/halfkernels.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace headscope;

namespace {

Execution withThreads(int threads, torch::ScalarType dtype = torch::kFloat32)
{
    return Execution(torch::kCPU, dtype, threads);
}

} // namespace

class TestExecution : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyPieceIsDoneOnce()
    {
        for (const int threads : {1, 2, 5}) {
            for (const std::int64_t count : {0, 1, 3, 1000}) {
                std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
                withThreads(threads).parallelFor(count, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
                QVERIFY(std::ranges::all_of(done, [](const auto &times) { return times == 1; }));
            }
        }
    }

    // Pieces that wait for each other end only if all of them run at once.
    void asManyAtOnceAsThereAreWorkers()
    {
        std::latch all(3);
        withThreads(3).parallelFor(3, [&](std::int64_t) { all.arrive_and_wait(); });
        QVERIFY(all.try_wait());
    }

    void firstErrorComesBackAndEndsTheLoop()
    {
        std::atomic<int> begun = 0;
        const auto work = [&](std::int64_t i) {
            ++begun;
            if (i == 2)
                throw std::runtime_error("two");
        };
        for (const int threads : {1, 3}) {
            begun = 0;
            QVERIFY_THROWS_EXCEPTION(std::runtime_error, withThreads(threads).parallelFor(100'000, work));
            QVERIFY(begun < 100'000);
        }
    }

    void loopInsideALoopIsPlain()
    {
        std::atomic<int> done = 0;
        withThreads(2).parallelFor(4, [&](std::int64_t) {
            const auto own = std::this_thread::get_id();
            withThreads(3).parallelFor(5, [&](std::int64_t) { done += std::this_thread::get_id() == own ? 1 : 0; });
        });
        QCOMPARE(done.load(), 20);
    }

    // A job that waits for a more urgent one holds its workers; the urgent one must end all the same.
    void loopsOfTwoThreadsDoNotWaitForEachOther()
    {
        const Execution execution = withThreads(2);
        std::latch waiting(2);
        std::latch urgent(1);
        std::jthread job([&] {
            execution.parallelFor(2, [&](std::int64_t) {
                waiting.count_down();
                urgent.wait();
            });
        });
        waiting.wait();
        std::latch both(2);
        execution.parallelFor(2, [&](std::int64_t) { both.arrive_and_wait(); });
        urgent.count_down();
    }

    void gradModeAndThreadsHoldInWorkers()
    {
        for (const bool gradients : {false, true}) {
            const torch::AutoGradMode mode(gradients);
            std::atomic<int> same = 0;
            withThreads(3).parallelFor(30, [&](std::int64_t) {
                same += torch::GradMode::is_enabled() == gradients && at::get_num_threads() == 1 ? 1 : 0;
            });
            QCOMPARE(same.load(), 30);
        }
    }

    // Models in bf16 on a processor take one batch after the other, each on all threads.
    void halfOnAProcessorIsOneAfterTheOther()
    {
        const Execution execution = withThreads(3, torch::kBFloat16);
        std::set<std::thread::id> used;
        int threads = 0;
        execution.parallelFor(10, [&](std::int64_t) {
            used.insert(std::this_thread::get_id());
            threads = at::get_num_threads();
        });
        QCOMPARE(used.size(), std::size_t(1));
        QCOMPARE(threads, 3);
        QCOMPARE(execution.threads(), 3);
    }

    void productsInHalfHoldTheKernelsAlone()
    {
        const auto isFree = [] {
            bool free = false;
            std::jthread([&] {
                const std::unique_lock lock(halfKernels(), std::try_to_lock);
                free = lock.owns_lock();
            }).join();
            return free;
        };
        {
            const auto alone = lockHalfKernels(torch::TensorOptions(torch::kBFloat16));
            QVERIFY(!isFree());
        }
        const auto alone = lockHalfKernels(torch::TensorOptions(torch::kFloat32));
        QVERIFY(isFree());
    }
};

QTEST_GUILESS_MAIN(TestExecution)
#include "tst_execution.moc"
