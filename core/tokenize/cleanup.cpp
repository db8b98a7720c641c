#include "core/tokenize/cleanup.h"

#include <string_view>
#include <utility>

namespace headscope {

std::string cleanUpTokenization(std::string text)
{
    static constexpr std::pair<std::string_view, std::string_view> kRules[]
        = {{" .", "."},     {" ?", "?"},   {" !", "!"},   {" ,", ","},     {" ' ", "'"},
           {" n't", "n't"}, {" 'm", "'m"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    // One rule after the other over the whole text: the order is part of the format.
    for (const auto &[from, to] : kRules) {
        std::string result;
        std::string_view rest = text;
        for (std::size_t at = rest.find(from); at != std::string_view::npos; at = rest.find(from)) {
            result.append(rest.substr(0, at)).append(to);
            rest.remove_prefix(at + from.size());
        }
        text = result.append(rest);
    }
    return text;
}

} // namespace headscope
