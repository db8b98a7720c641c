#pragma once

#include "core/exporting/csvwriter.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace headscope {

/// A table whose column names are known when it is begun.
class CsvText : public CsvWriter
{
public:
    CsvText() = default;
    /// `header`: names separated by commas, none of which contains one.
    explicit CsvText(std::string_view header)
    {
        for (std::size_t start = 0; start <= header.size();) {
            const std::size_t end = std::min(header.find(',', start), header.size());
            *this << header.substr(start, end - start);
            start = end + 1;
        }
        endLine();
    }
};

} // namespace headscope
