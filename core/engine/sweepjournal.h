#pragma once

#include "core/base/result.h"
#include "core/results/results.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// Identifies a sweep: what its shards must agree on.
struct SweepIdentity
{
    std::string key; ///< of the result (Manifest::key()): analysis, weights, data, options, device
    std::int64_t variants = 0;
    std::vector<std::int64_t> blocks; ///< examples in each; how a seeded random order of all of them is cut

    bool operator==(const SweepIdentity &) const = default;
};

/// The result of one block of examples: sufficient statistics of the base run, and of each variant where they differ.
struct SweptBlock
{
    struct Changes
    {
        std::int64_t variant = 0;
        std::int64_t changed = 0;       ///< examples whose prediction is another one
        std::vector<std::int64_t> rows; ///< of the block, whose statistics are others
        std::vector<double> values;     ///< [rows, columns]
    };
    std::int64_t columns = 0;
    std::vector<double> baseline;  ///< [examples, columns]
    std::vector<Changes> variants; ///< the variants that still needed examples
    PrecisionCheck precision;
};

/// The statistics of a sweep in a file that grows by a block at a time, each checked by a hash and on disk before the
/// next begins: a sweep that was stopped or killed resumes from it, and the files of shards are joined to one, since
/// statistics of different examples are independent. A block that was only half written when the program was killed is
/// cut off.
class SweepJournal
{
public:
    /// Begins a file, or goes on with one of the same sweep; how that one is cut into blocks stays. Errors: a file of
    /// another sweep, something else, or in use by another program.
    static Result<std::unique_ptr<SweepJournal>> open(const std::filesystem::path &file, const SweepIdentity &sweep);
    /// Whether another program has the file open.
    static bool isInUse(const std::filesystem::path &file);
    ~SweepJournal();
    SweepJournal(const SweepJournal &) = delete;
    SweepJournal &operator=(const SweepJournal &) = delete;

    const std::filesystem::path &file() const;
    /// Examples in each block.
    const std::vector<std::int64_t> &blocks() const;
    bool has(std::size_t block) const;
    /// Precondition: has(). Errors: the file was changed meanwhile.
    Result<SweptBlock> read(std::size_t block) const;
    /// The block is on disk when this returns; statistics that are not numbers are not kept. After an error the file is
    /// unchanged.
    Result<Done> append(std::size_t block, const SweptBlock &content);

    /// Joins files of one sweep into a new one. Errors: files of different sweeps; blocks that no file has, or that
    /// two have with other numbers, by their files.
    static Result<Done> join(const std::vector<std::filesystem::path> &files, const std::filesystem::path &joined);

private:
    struct Impl;
    explicit SweepJournal(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace headscope
