#include "core/results/anyresult.h"

namespace headscope {

AnyResult::AnyResult() = default;
AnyResult::AnyResult(const AnyResult &other) = default;
AnyResult::AnyResult(AnyResult &&other) noexcept = default;
AnyResult &AnyResult::operator=(const AnyResult &other) = default;
AnyResult &AnyResult::operator=(AnyResult &&other) noexcept = default;
AnyResult::~AnyResult() = default;

} // namespace headscope
