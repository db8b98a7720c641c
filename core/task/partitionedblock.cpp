#include "core/task/partitionedblock.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

namespace headscope {

std::vector<std::vector<std::int64_t>> partition(const std::vector<std::int64_t> &ids, std::size_t devices)
{
    devices = std::clamp<std::size_t>(ids.size(), 1, devices);
    std::vector<std::vector<std::int64_t>> runs;
    for (std::size_t device = 0; device < devices; ++device) {
        const auto at
            = [&](std::size_t part) { return ids.begin() + static_cast<std::ptrdiff_t>(ids.size() * part / devices); };
        runs.emplace_back(at(device), at(device + 1));
    }
    return runs;
}

void runConcurrently(std::size_t count, const std::function<void(std::size_t)> &work)
{
    std::mutex mutex;
    std::exception_ptr failure;
    const auto guardedWork = [&](std::size_t i) {
        try {
            work(i);
        } catch (...) {
            const std::scoped_lock lock(mutex);
            if (!failure)
                failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < count; ++i)
            others.emplace_back([&, i] { guardedWork(i); });
        guardedWork(0);
    }
    if (failure)
        std::rethrow_exception(failure);
}

std::vector<ExampleOutput> joinedOutputs(std::vector<std::vector<ExampleOutput>> parts)
{
    if (parts.size() == 1)
        return std::move(parts.front());
    std::vector<ExampleOutput> all;
    for (auto &part : parts)
        std::ranges::move(part, std::back_inserter(all));
    return all;
}

PartitionedBlock::PartitionedBlock(std::vector<std::shared_ptr<const PreparedBlock>> parts) : m_parts(std::move(parts))
{
    for (const auto &part : m_parts)
        m_baseline.insert(m_baseline.end(), part->baseline().begin(), part->baseline().end());
}

std::vector<ExampleOutput> PartitionedBlock::outputs(const Variant &variant, const JobControl &control) const
{
    std::vector<std::vector<ExampleOutput>> outputs(m_parts.size());
    runConcurrently(m_parts.size(), [&](std::size_t p) { outputs[p] = m_parts[p]->outputs(variant, control); });
    return joinedOutputs(std::move(outputs));
}

PrecisionCheck PartitionedBlock::outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                              const JobControl &control) const
{
    struct Collected
    {
        std::vector<std::vector<ExampleOutput>> parts;
        std::size_t missing = 0;
    };
    std::vector<Collected> collected(variants.size());
    for (Collected &one : collected) {
        one.parts.resize(m_parts.size());
        one.missing = m_parts.size();
    }
    std::mutex mutex;
    PrecisionCheck check;
    runConcurrently(m_parts.size(), [&](std::size_t p) {
        const auto take = [&](std::size_t variant, const std::vector<ExampleOutput> &outputs) {
            Collected complete;
            {
                const std::scoped_lock lock(mutex);
                Collected &own = collected[variant];
                own.parts[p] = outputs;
                if (--own.missing > 0)
                    return;
                complete = std::move(own);
            }
            done(variant, joinedOutputs(std::move(complete.parts)));
        };
        const PrecisionCheck ofPart = m_parts[p]->outputsOfAll(variants, take, control);
        const std::scoped_lock lock(mutex);
        check.add(ofPart);
    });
    return check;
}

std::int64_t PartitionedBlock::memory() const
{
    std::int64_t most = 0; // each device has memory of its own
    for (const auto &part : m_parts)
        most = std::max(most, part->memory());
    return most;
}

} // namespace headscope
