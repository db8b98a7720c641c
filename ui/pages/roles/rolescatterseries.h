#pragma once

#include "core/base/headref.h"
#include "core/results/confidenceresult.h"
#include "core/results/relevanceresult.h"
#include "core/results/roles.h"
#include "core/results/rolesresult.h"
#include "ui/charts/plotframe.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// How relevant, confident and specialised heads are (Voita et al. 2019, Figure 1).
enum class RoleScatterForm {
    ByLayer, ///< relevance and confidence over the layers; within a layer the most relevant head first
    Scatter, ///< confidence against relevance
};

/// What the chart is made of; nullptr: not computed.
struct RoleScatterInput
{
    HeadLayout layout;
    const RolesResult *roles = nullptr;
    const std::vector<HeadRoles> *assigned = nullptr; ///< in the order of roles->heads
    const ConfidenceResult *confidence = nullptr;     ///< where roles, which have it too, are not computed
    const RelevanceResult *relevance = nullptr;
};

struct RoleScatterSeries
{
    struct Head
    {
        HeadRef head;
        std::vector<RoleLabel> roles{}; ///< supported labels, the one shown first
        std::optional<double> relevance{};
        double relevanceError = 0; ///< standard error
        double relevanceHalf = 0;  ///< of the 95 % interval
        std::optional<double> confidence{};
    };
    struct Point
    {
        std::size_t head = 0; ///< in `heads`
        double x = 0;
        double y = 0;
        double low = 0; ///< 95 % of y; equal to high: not known
        double high = 0;
    };
    struct Panel
    {
        HeadKind kind = HeadKind::Encoder;
        PlotAxes axes;
        std::vector<Point> points;
        std::vector<double> bands; ///< where the shaded layers begin; they are 1 wide
        double slot = 0;           ///< width of a head's place in x; 0: there are no places
    };
    std::vector<Head> heads;   ///< in the order of the layout
    std::vector<Panel> panels; ///< row by row
    int columns = 0;
    bool empty() const { return panels.empty(); }
};

RoleScatterSeries makeRoleScatter(const RoleScatterInput &input, RoleScatterForm form);

/// "encoder.2.6: positional −1 (94 %), relevance 0.210 ± 0.010, confidence 0.930"
QString roleScatterText(const RoleScatterSeries::Head &head);

} // namespace headscope
