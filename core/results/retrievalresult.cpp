#include "core/results/retrievalresult.h"

#include "core/base/result.h"

#include <algorithm>
#include <iterator>

namespace headscope {

void checkRetrieval(const RetrievalResult &result)
{
    const auto isIn = [](std::int64_t place, std::int64_t count) { return place >= 0 && place < count; };
    const bool fits
        = std::ranges::all_of(result.runs,
                              [&](const RetrievalRun &run) { return isIn(run.needle, std::ssize(result.needles)); })
       && std::ranges::all_of(result.heads, [&](const HeadRetrieval &head) {
              return head.keyHead >= 0 && head.keyHead <= head.head.head
                  && (!head.evidence || isIn(head.evidence->run, std::ssize(result.runs)));
          });
    if (!fits)
        throw Failure(badInput("The runs of the retrieval result do not fit to its needles and heads."));
}

} // namespace headscope
