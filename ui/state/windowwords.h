#pragma once

#include <QString>

#include <string>

namespace headscope {

/// What the core says of data, with the fields of the data dialog in place of the command line's options.
QString inWindowWords(const std::string &message);

} // namespace headscope
