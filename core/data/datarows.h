#pragma once

#include "core/data/datasource.h"

#include <cstdint>

namespace headscope {

/// The rows of a data set that was read. They stay as they are, whatever becomes of the slot that they were read into;
/// any thread may ask for them.
class DataRows
{
public:
    DataRows() = default;
    DataRows(const DataRows &) = delete;
    DataRows &operator=(const DataRows &) = delete;
    virtual ~DataRows() = default;

    virtual std::int64_t size() const = 0;
    virtual DataRow at(std::int64_t index) const = 0; ///< 0 ≤ index < size()
};

} // namespace headscope
