#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// Roles of heads in a task, by gates that are pulled both ways (causal head gating: Nam et al. 2025).
namespace headscope {

/// The taxonomy of Nam et al.
enum class GatedRole : std::uint8_t {
    Facilitating, ///< stays open although it is pulled to: the task needs it
    Interfering,  ///< closes although it is pulled open: the task is better without it
    Irrelevant,   ///< follows the pull
};
template<>
struct EnumNames<GatedRole>
{
    static constexpr std::array<std::string_view, 3> values{"facilitating", "interfering", "irrelevant"};
    static constexpr const char *what = "role by gates";
};

struct HeadGating
{
    HeadRef head;
    double opened = 0; ///< gate under the pull to 1 (G⁺), mean over seeds
    double closed = 0; ///< gate under the pull to 0 (G⁻)
    double facilitates = 0;
    double interferes = 0;
    double irrelevant = 0;
    /// The standard deviation of facilitates − interferes over seeds; NaN with one.
    double deviation = std::numeric_limits<double>::quiet_NaN();
    GatedRole role = GatedRole::Irrelevant;
    double agreement = 0; ///< share of the seeds that say so by themselves

    /// How far it helps rather than disturbs, from −1 to 1.
    double net() const { return facilitates - interferes; }
};

/// The gates of one seed, in the order of the heads.
struct GatingSeed
{
    std::uint64_t seed = 0;
    double freeLoss = 0;   ///< under gates without a pull, which the others began with
    double openedLoss = 0; ///< under G⁺
    double closedLoss = 0; ///< under G⁻
    std::vector<double> free{}, opened{}, closed{};
};

struct GatingResult
{
    static constexpr const char *kKind = "gating";
    Manifest manifest;
    double lambda = 0;
    std::int64_t steps = 0;
    double loss = 0; ///< of the whole model, nats per target token (or per example that has a label)
    std::vector<HeadGating> heads{};
    std::vector<GatingSeed> seeds{}; ///< those that are done
    std::int64_t examples = 0;
};

void describe(auto &visit, Of<HeadGating> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field(
        "role", head.role,
        "the largest of the next three: `facilitating` (stays open although it is pulled to), `interfering` (closes "
        "although it is pulled open), `irrelevant` (follows the pull)");
    visit.field("facilitates", head.facilitates, "gate under the pull to 0 (G⁻), mean over seeds");
    visit.field("interferes", head.interferes, "1 − gate under the pull to 1 (1 − G⁺), mean over seeds");
    visit.field("irrelevant", head.irrelevant, "G⁺ (1 − G⁻), mean over seeds");
    visit.field("deviation", head.deviation,
                "of facilitates − interferes: standard deviation over seeds; null with one");
    visit.field("agreement", head.agreement, "share of the seeds that give the head this role by themselves");
    visit.field("opened", head.opened, "gate under the pull to 1 (G⁺), mean over seeds");
    visit.field("closed", head.closed, "gate under the pull to 0 (G⁻), mean over seeds");
}

void describe(auto &visit, Of<GatingSeed> auto &seed)
{
    visit.field("seed", seed.seed, "of the gates' beginnings and the order of examples");
    visit.field("free_loss", seed.freeLoss, "under gates that nothing pulls");
    visit.field("opened_loss", seed.openedLoss, "under those that are pulled to 1");
    visit.field("closed_loss", seed.closedLoss, "under those that are pulled to 0");
    visit.field("free", seed.free, "gates that nothing pulls, in the order of `heads`");
    visit.field("opened", seed.opened, "those that are pulled to 1");
    visit.field("closed", seed.closed, "those that are pulled to 0");
}

void describe(auto &visit, Of<GatingResult> auto &result)
{
    visit.field("lambda", result.lambda, "of the pull, per target token and head");
    visit.field("steps", result.steps, "updates without a pull, and as many with each");
    visit.field("examples", result.examples, "used");
    visit.field("loss", result.loss, "of the whole model, nats per target token or labelled example");
    visit.field("heads", result.heads, "one each");
    visit.field("seeds", result.seeds, "gates of every seed");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
