#pragma once

#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/model/spec.h"

#include <map>
#include <vector>

namespace headscope {

/// The heads of a model in units. A unit is named by its first head.
class HeadUnits
{
public:
    HeadUnits(const TransformerSpec &spec, HeadUnit by);

    /// The first heads of all units.
    const HeadLayout &firsts() const { return m_firsts; }
    /// The unit of a head of the model, by its first head.
    HeadRef unitOf(const HeadRef &head) const { return m_unitOf.at(head); }
    /// The other heads of the unit that begins with `first`, ascending.
    std::vector<HeadRef> othersOf(const HeadRef &first) const;
    /// The first heads of the units of these kinds (empty: all kinds) that `mask` leaves.
    std::vector<HeadRef> firstsWithout(const HeadMask &mask, const std::vector<HeadKind> &kinds) const;
    /// All heads of the units that have one in `mask`.
    HeadMask whole(const HeadMask &mask) const;

private:
    HeadLayout m_firsts;
    std::map<HeadRef, HeadRef> m_unitOf;
    std::map<HeadRef, std::vector<HeadRef>> m_heads; ///< of every unit
};

} // namespace headscope
