#pragma once

#include <string>

namespace headscope {

/// Refuses an order of removal that is neither one of kPruningOrders nor a file that there is; the message lists the
/// orders. Throws Failure (usage).
void requirePruningOrder(const std::string &order);

} // namespace headscope
