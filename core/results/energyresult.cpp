#include "core/results/energyresult.h"

#include "core/base/result.h"

namespace headscope {

void checkEnergy(const EnergyResult &result)
{
    for (const LayerEnergy &layer : result.layers) {
        if (layer.curves.size() != layer.random.size())
            throw Failure(badInput("An attention has " + std::to_string(layer.curves.size()) + " energy curves and "
                                   + std::to_string(layer.random.size()) + " of random numbers; expected as many."));
    }
}

} // namespace headscope
