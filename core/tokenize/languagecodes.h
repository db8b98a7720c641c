#pragma once

#include <span>
#include <string_view>

/// The languages of models whose old folders do not list them, in the order of their ids.
namespace headscope {

std::span<const std::string_view> mbartLanguages();   ///< 25
std::span<const std::string_view> mbart50Languages(); ///< the 25 of mBART and 27 more
std::span<const std::string_view> nllbLanguages();
std::span<const std::string_view> m2mLanguages();
/// Codes of the models made for WMT 2021, which read and write M2M-100's way.
std::span<const std::string_view> wmt21Languages();

} // namespace headscope
