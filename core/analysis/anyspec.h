#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace headscope {

struct EvaluationSpec;
struct AblationSpec;
struct BestHeadsSpec;
struct ImportanceSpec;
struct PruningSpec;
struct SearchSpec;
struct RolesSpec;
struct RelevanceSpec;
struct ConfidenceSpec;
struct PatchSpec;
struct PathsSpec;
struct TakeoverSpec;
struct ShapleySpec;
struct InteractionsSpec;
struct GatingSpec;
struct NeededSpec;
struct ContingencySpec;
struct SimilaritySpec;
struct AttentionGradientsSpec;
struct ProbeSpec;
struct CoreferenceSpec;
struct FindSpec;
struct EnergySpec;
struct CollaborateSpec;
struct SpeedSpec;
struct DynamicsSpec;
struct DetectSpec;
struct FunctionsSpec;
struct RetrievalSpec;
struct WeightsSpec;
struct HeadTokensSpec;

template<typename... Specs>
struct SpecList
{
    static constexpr std::size_t kSize = sizeof...(Specs);
    using Held = std::variant<std::shared_ptr<const Specs>...>;
    template<typename Spec>
    static constexpr bool kHas = (std::is_same_v<Spec, Specs> || ...);
};

/// The options of all analyses, in the order in which `headscope-cli --help` and the window list them.
using AllSpecs
    = SpecList<EvaluationSpec, AblationSpec, BestHeadsSpec, ImportanceSpec, PruningSpec, SearchSpec, RolesSpec,
               RelevanceSpec, ConfidenceSpec, PatchSpec, PathsSpec, TakeoverSpec, ShapleySpec, InteractionsSpec,
               GatingSpec, NeededSpec, ContingencySpec, SimilaritySpec, AttentionGradientsSpec, ProbeSpec,
               CoreferenceSpec, FindSpec, EnergySpec, CollaborateSpec, SpeedSpec, DynamicsSpec, DetectSpec,
               FunctionsSpec, RetrievalSpec, WeightsSpec, HeadTokensSpec>;

/// The request of one analysis, whichever: its options, which all copies share and nobody changes. Never null. Who
/// only passes it on needs to know none of the specs, so that a new option compiles few files.
class AnySpec
{
public:
    template<typename Spec>
    requires(AllSpecs::kHas<Spec>) AnySpec(Spec spec)
        : m_spec(std::in_place_type<std::shared_ptr<const Spec>>, std::make_shared<const Spec>(std::move(spec)))
    {
    }

    /// Null: it is another analysis's.
    template<typename Spec>
    std::shared_ptr<const Spec> as() const
    {
        const auto *held = std::get_if<std::shared_ptr<const Spec>>(&m_spec);
        return held ? *held : nullptr;
    }
    template<typename Spec>
    bool is() const
    {
        return std::holds_alternative<std::shared_ptr<const Spec>>(m_spec);
    }

    /// The answer of `visitor`, called with the `const Spec &` that it holds. Needs analyses.h.
    template<typename Visitor>
    decltype(auto) visit(Visitor &&visitor) const
    {
        return std::visit([&](const auto &held) -> decltype(auto) { return visitor(*held); }, m_spec);
    }

    /// A copy with options that `change` has changed in the `Spec &` that it is called with. Needs analyses.h.
    template<typename Change>
    AnySpec changed(Change &&change) const
    {
        return visit([&](auto spec) {
            change(spec);
            return AnySpec(std::move(spec));
        });
    }

private:
    AllSpecs::Held m_spec;
};

} // namespace headscope
