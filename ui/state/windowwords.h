#pragma once

#include <QString>

#include <string>
#include <vector>

namespace headscope {

/// What the core says of data, with the fields of the data dialog in place of the command line's options.
QString inWindowWords(const std::string &message);

/// "config.json, vocab.json"
QString listText(const std::vector<std::string> &names);

} // namespace headscope
