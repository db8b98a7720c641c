#pragma once

#include "core/results/ablationresult.h"
#include "core/results/attentionresult.h"
#include "core/results/bestheads.h"
#include "core/results/collaborateresult.h"
#include "core/results/compareresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/contingencyresult.h"
#include "core/results/coreferenceresult.h"
#include "core/results/detectresult.h"
#include "core/results/dynamicsresult.h"
#include "core/results/energyresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/findresult.h"
#include "core/results/functionsresult.h"
#include "core/results/gatingresult.h"
#include "core/results/gradientsresult.h"
#include "core/results/headtokensresult.h"
#include "core/results/importanceresult.h"
#include "core/results/interactionsresult.h"
#include "core/results/neededresult.h"
#include "core/results/patchresult.h"
#include "core/results/pathsresult.h"
#include "core/results/proberesult.h"
#include "core/results/pruningresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/retrievalresult.h"
#include "core/results/rolesresult.h"
#include "core/results/searchresult.h"
#include "core/results/shapleyresult.h"
#include "core/results/similarityresult.h"
#include "core/results/speedresult.h"
#include "core/results/takeoverresult.h"
#include "core/results/weightsresult.h"

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace headscope {

/// The kinds of results that there are: the list that files, studies and CSV read.
using ResultVariant
    = std::variant<EvaluationResult, AblationResult, ImportanceResult, PruningResult, ConfidenceResult, AttentionResult,
                   CompareResult, BestHeadsResult, SearchResult, RolesResult, RelevanceResult, SpeedResult,
                   ContingencyResult, SimilarityResult, AttentionGradientsResult, CoreferenceResult, DynamicsResult,
                   ProbeResult, EnergyResult, CollaborateResult, PatchResult, ShapleyResult, InteractionsResult,
                   FindResult, NeededResult, TakeoverResult, GatingResult, DetectResult, WeightsResult,
                   HeadTokensResult, PathsResult, FunctionsResult, RetrievalResult>;

template<typename T>
concept ResultStruct = requires
{
    std::remove_cvref_t<T>::kKind;
};

/// A complete result of any kind, which all who hold it share and nobody changes: copies cost nothing. Never null.
class AnyResult
{
public:
    /// Takes the result over.
    template<ResultStruct T>
    requires(!std::is_reference_v<T>) AnyResult(T &&result) : m_result(std::make_shared<const T>(std::move(result))) { }
    /// Makes a copy, which may be large: asked for by name.
    template<ResultStruct T>
    explicit AnyResult(const T &result) : m_result(std::make_shared<const T>(result))
    {
    }
    template<ResultStruct T>
    AnyResult(std::shared_ptr<T> result) : m_result(std::shared_ptr<const T>(std::move(result)))
    {
    }

    /// Null: it is of another kind.
    template<ResultStruct T>
    std::shared_ptr<const T> as() const
    {
        const auto *held = std::get_if<std::shared_ptr<const T>>(&m_result);
        return held ? *held : nullptr;
    }
    template<ResultStruct T>
    bool is() const
    {
        return std::holds_alternative<std::shared_ptr<const T>>(m_result);
    }
    bool isOfKind(const AnyResult &other) const { return m_result.index() == other.m_result.index(); }

    /// The answer of `visitor`, called with the `const T &` that it holds.
    template<typename Visitor>
    auto visit(Visitor visitor) const
    {
        return std::visit([&](const auto &held) { return visitor(*held); }, m_result);
    }

    /// Whether both are the same result, not whether equal numbers stand in them.
    bool operator==(const AnyResult &) const = default;

private:
    template<typename>
    struct Shared;
    template<typename... Ts>
    struct Shared<std::variant<Ts...>>
    {
        using Type = std::variant<std::shared_ptr<const Ts>...>;
    };
    Shared<ResultVariant>::Type m_result;
};

/// A result that somebody else owns, for the length of a call.
template<ResultStruct T>
AnyResult borrowed(const T &result)
{
    return std::shared_ptr<const T>(std::shared_ptr<const void>(), &result);
}

/// The manifest of a result; nullptr for a comparison, which has none. Lives as long as the result.
const Manifest *manifestOf(const AnyResult &result);
/// A copy of the result with a manifest that `change` has changed.
AnyResult withManifest(const AnyResult &result, const std::function<void(Manifest &)> &change);
/// "ablate", "importance", …: what files call it.
std::string kindOf(const AnyResult &result);

} // namespace headscope
