#include "core/results/neuronresult.h"

#include <numeric>

namespace headscope {

double NeuronResult::product(std::int64_t q, std::int64_t k) const
{
    const float *of = vectorOf(query, q);
    return std::inner_product(of, of + width, vectorOf(key, k), 0.0);
}

} // namespace headscope
