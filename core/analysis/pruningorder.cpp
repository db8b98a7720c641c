#include "core/analysis/pruningorder.h"

#include "core/analysis/pruningspec.h"
#include "core/base/result.h"

#include <filesystem>
#include <system_error>

namespace headscope {

void requirePruningOrder(const std::string &order)
{
    std::error_code ignored;
    if (!isFileOfOrder(order) || std::filesystem::exists(order, ignored))
        return;
    std::string names;
    for (const std::string_view name : kPruningOrders)
        names += std::string(name) + ", ";
    std::string text = "--order " + order + ": give " + names + "or a file (there is none with this name).";
    if (order == "token" || order == "example" || order == "batch" || order == "fisher")
        text += " Importance of that kind is --order importance --reduction " + order + ".";
    throw Failure(usageError(text));
}

} // namespace headscope
