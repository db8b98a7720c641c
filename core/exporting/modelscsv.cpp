#include "core/exporting/csv.h"

#include "core/exporting/csvwriter.h"

#include <limits>

namespace headscope {

std::string toCsv(const std::vector<ModelsRow> &rows)
{
    CsvWriter csv;
    for (const char *column : {"model", "data", "metric", "score", "heads", "heads_for_99_percent", "order", "r",
                               "r_with", "r_all_but_one", "roles"})
        csv << column;
    csv.endLine();
    const auto count = [&](const std::optional<std::int64_t> &value) {
        if (value)
            csv << *value;
        else
            csv << "";
    };
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN(); // an empty field
    for (const ModelsRow &row : rows) {
        csv << row.model << row.data << row.metric << row.score.value_or(kNone);
        count(row.heads);
        count(row.needed);
        csv << row.order << row.r.value_or(kNone) << row.rWith << row.rAllButOne.value_or(kNone)
            << rolesText(row.roles);
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
