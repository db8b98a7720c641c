#pragma once

#include <string>

namespace headscope {

/// Hugging Face's clean_up_tokenization: no blank before . ? ! , and in English contractions.
std::string cleanUpTokenization(std::string text);

} // namespace headscope
