#include "core/results/collaborateresult.h"

#include "core/base/result.h"

#include <iterator>
#include <string>

namespace headscope {

void checkCollaborate(const CollaborateResult &result)
{
    for (const SharedPoint &point : result.points) {
        for (const SharedLayer &layer : point.layers) {
            if (!layer.mixing.empty() && (point.width < 1 || std::ssize(layer.mixing) != std::ssize(layer.heads) * point.width))
                throw Failure(badInput("A mixing matrix has " + std::to_string(layer.mixing.size()) + " entries where "
                                       + std::to_string(layer.heads.size()) + " heads and a width of "
                                       + std::to_string(point.width) + " ask for another number."));
        }
    }
}

} // namespace headscope
