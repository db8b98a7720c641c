#pragma once

#include "core/task/variant.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Divides ids into consecutive parts of about equal length, one per device; fewer if there are fewer ids.
std::vector<std::vector<std::int64_t>> partition(const std::vector<std::int64_t> &ids, std::size_t devices);
/// Runs work(0) … work(count − 1), each on its own thread, whose loops may use further threads. When all have ended,
/// rethrows the first exception.
void runConcurrently(std::size_t count, const std::function<void(std::size_t)> &work);
std::vector<ExampleOutput> joinedOutputs(std::vector<std::vector<ExampleOutput>> parts);

/// A block whose examples lie on several devices.
class PartitionedBlock final : public PreparedBlock
{
public:
    /// `parts`: in the order of the examples.
    explicit PartitionedBlock(std::vector<std::shared_ptr<const PreparedBlock>> parts);

    const std::vector<ExampleOutput> &baseline() const override { return m_baseline; }
    std::vector<ExampleOutput> outputs(const Variant &variant, const JobControl &control) const override;
    PrecisionCheck outputsOfAll(std::span<const Variant> variants, const OutputsOfVariant &done,
                                const JobControl &control) const override;
    std::int64_t memory() const override;

private:
    std::vector<std::shared_ptr<const PreparedBlock>> m_parts;
    std::vector<ExampleOutput> m_baseline;
};

} // namespace headscope
