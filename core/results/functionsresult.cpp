#include "core/results/functionsresult.h"

#include "core/base/result.h"

#include <algorithm>

namespace headscope {

void checkFunctions(const FunctionsResult &result)
{
    const std::size_t tasks = result.tasks.size();
    const bool fits
        = std::ranges::all_of(result.heads, [&](const HeadFunction &head) { return head.tasks.size() == tasks; })
       && std::ranges::all_of(result.layers, [&](const VectorLayer &layer) {
              return layer.zeroShot.tasks.size() == tasks && layer.shuffled.tasks.size() == tasks;
          });
    if (!fits)
        throw Failure(badInput("The effects of heads do not fit to the tasks that they were found on."));
}

} // namespace headscope
