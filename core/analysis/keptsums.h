#pragma once

#include "core/analysis/throttle.h"
#include "core/engine/workfolder.h"
#include "core/formats/sumsarchive.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace headscope {

/// The sums of an analysis, kept while it goes through its examples part by part in a fixed order: after a stop
/// it goes on with the next part, to the same result in every bit.
class KeptSums
{
public:
    explicit KeptSums(const KeptWork &kept) : m_kept(kept) { }

    /// Fills `sums` with what was kept and returns the number of examples in it; 0: nothing was kept. `isEnd`: whether
    /// a part ends after so many examples.
    template<typename Sums>
    std::int64_t resume(Sums &sums, const std::function<bool(std::int64_t examples)> &isEnd) const
    {
        auto kept = m_kept.sums();
        if (!kept)
            return 0;
        try {
            const auto examples = kept->at("examples").get<std::int64_t>();
            if (examples <= 0 || !isEnd(examples)) // cut into other parts: another machine's memory
                return 0;
            Sums read = sums;
            SumsReader archive(kept->at("sums"));
            archive(read);
            sums = std::move(read);
            return examples;
        } catch (const nlohmann::json::exception &) { // damaged
            return 0;
        }
    }

    /// The same of sums over parts that are lists of examples, or of batches of them.
    template<typename Sums, typename Part>
    std::int64_t resume(Sums &sums, const std::vector<Part> &parts) const
    {
        return resume(sums, [&](std::int64_t examples) {
            std::int64_t seen = 0;
            return std::ranges::any_of(parts, [&](const Part &part) { return (seen += examplesIn(part)) == examples; });
        });
    }

    /// Lets `add` add those parts up in `sums` that end after the first `before` examples. After each the sums are
    /// kept, and then shown.
    template<typename Sums, typename Part, typename Add, typename Show>
    void addRest(Sums &sums, const std::vector<Part> &parts, std::int64_t before, Add &&add, Show &&show)
    {
        std::int64_t seen = 0;
        for (const Part &part : parts) {
            seen += examplesIn(part);
            if (seen <= before)
                continue;
            add(part);
            keep(sums, seen);
            show();
        }
    }

    /// After a part; often enough that little is lost.
    template<typename Sums>
    void keep(Sums &sums, std::int64_t examples)
    {
        if (!m_kept.isKept() || !m_throttle.isDue())
            return;
        nlohmann::json list = nlohmann::json::array();
        SumsWriter archive(list);
        archive(sums);
        m_kept.keepSums({{"examples", examples}, {"sums", std::move(list)}});
    }

private:
    static std::int64_t examplesIn(const std::vector<std::int64_t> &examples) { return std::ssize(examples); }
    static std::int64_t examplesIn(const std::vector<std::vector<std::int64_t>> &batches)
    {
        std::int64_t sum = 0;
        for (const auto &batch : batches)
            sum += std::ssize(batch);
        return sum;
    }

    const KeptWork &m_kept;
    Throttle m_throttle{std::chrono::milliseconds(500)};
};

} // namespace headscope
