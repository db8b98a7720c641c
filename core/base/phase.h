#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Phases of jobs, as values: whoever asks what a job does compares phases, never their words.
namespace headscope {

/// The cost of an example under a mask: it depends on how early the masked model differs from the whole one.
enum class MaskCost {
    Whole,     ///< a score by itself
    OneHead,   ///< a head, or all but one of a layer: all in front of it is shared with the whole model
    ManyHeads, ///< heads of many layers
};

/// A part of a job that is told apart from others. Analyses have theirs (AnalysisOf::kPhases), everything else is in
/// phases.h.
struct Phase
{
    /// Its name in names of journals, in messages and in logs: it never changes, or sweeps that were stopped
    /// do not go on. %1, %2, … stand for details.
    std::string_view id{};
    std::string_view words{}; ///< shown to people, who may be told it otherwise
    /// The cost of an example, where the phase counts examples under masks.
    std::optional<MaskCost> cost{};

    constexpr Phase() = default;
    /// `words`: none: as `id`.
    constexpr explicit Phase(std::string_view id, std::optional<MaskCost> cost = std::nullopt,
                             std::string_view words = {})
        : id(id), words(words.empty() ? id : words), cost(cost)
    {
    }
    constexpr bool operator==(const Phase &other) const { return id == other.id; }
    constexpr bool isNone() const { return id.empty(); }
};

/// A phase at one moment, with the numbers and names that stand in its words.
struct PhaseNow
{
    Phase phase{};
    std::vector<std::string> details{};
    Phase note{}; ///< said behind it, in brackets; none: nothing

    PhaseNow() = default;
    PhaseNow(const Phase &of, std::vector<std::string> with = {}) : phase(of), details(std::move(with)) { }
    bool operator==(const PhaseNow &) const = default;

    bool isNone() const { return phase.isNone(); }
    std::string id() const;    ///< "choosing head 3": the same in every version
    std::string words() const; ///< the English that is shown
};

/// `text` with details in the places of %1, %2, ….
std::string withDetails(std::string_view text, const std::vector<std::string> &details);

/// The phase that calls itself so (PhaseNow::id()), among `known`. One that is not there has its id as its only detail.
PhaseNow phaseNamed(std::string_view id, std::span<const Phase> known);

} // namespace headscope
