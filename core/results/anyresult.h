#pragma once

#include "core/results/bestheads.h"
#include "core/results/collaborateresult.h"
#include "core/results/contingencyresult.h"
#include "core/results/coreferenceresult.h"
#include "core/results/dynamicsresult.h"
#include "core/results/energyresult.h"
#include "core/results/gradientsresult.h"
#include "core/results/proberesult.h"
#include "core/results/relevanceresult.h"
#include "core/results/results.h"
#include "core/results/rolesresult.h"
#include "core/results/searchresult.h"
#include "core/results/similarityresult.h"
#include "core/results/speedresult.h"

#include <concepts>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

/// The kinds of results that there are: the list that files, studies and CSV read.
using ResultVariant
    = std::variant<EvaluationResult, AblationResult, ImportanceResult, PruningResult, ConfidenceResult, AttentionResult,
                   CompareResult, BestHeadsResult, SearchResult, RolesResult, RelevanceResult, SpeedResult,
                   ContingencyResult, SimilarityResult, AttentionGradientsResult, CoreferenceResult, DynamicsResult,
                   ProbeResult, EnergyResult, CollaborateResult>;

template<typename T>
concept ResultStruct = requires
{
    T::kKind;
};

/// A result of any kind. Copying and destruction are compiled in one place, since they are much code.
class AnyResult : public ResultVariant
{
public:
    AnyResult();
    template<ResultStruct T>
    AnyResult(T result) : ResultVariant(std::move(result))
    {
    }
    AnyResult(const AnyResult &other);
    AnyResult(AnyResult &&other) noexcept;
    AnyResult &operator=(const AnyResult &other);
    AnyResult &operator=(AnyResult &&other) noexcept;
    ~AnyResult();
};

/// A reference to a result of any kind.
class ResultRef
{
public:
    template<ResultStruct T>
    ResultRef(const T &result) : m_pointer(&result)
    {
    }
    ResultRef(const AnyResult &result)
        : m_pointer(std::visit([](const auto &one) { return Pointer(&one); }, result)) { }

    template<typename Visitor>
    auto visit(Visitor visitor) const
    {
        return std::visit([&](const auto *one) { return visitor(*one); }, m_pointer);
    }

private:
    template<typename Variant>
    struct PointerTo;
    template<typename... Ts>
    struct PointerTo<std::variant<Ts...>>
    {
        using Type = std::variant<const Ts *...>;
    };
    using Pointer = PointerTo<ResultVariant>::Type;
    Pointer m_pointer;
};

/// The manifest of a result; nullptr for a comparison, which has none.
const Manifest *manifestOf(const ResultRef &result);
Manifest *manifestOf(AnyResult &result);
/// "ablate", "importance", …: what files call it.
std::string kindOf(const ResultRef &result);

} // namespace headscope
