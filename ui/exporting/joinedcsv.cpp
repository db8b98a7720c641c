#include "ui/exporting/joinedcsv.h"

#include "core/base/parsednumber.h"
#include "core/exporting/csvwriter.h"
#include "core/formats/csv.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace headscope {

namespace {
/// Numbers as numbers: a minus in front does not make them texts.
void add(CsvWriter &csv, const std::string &field)
{
    if (const auto whole = parsedNumber<std::int64_t>(field))
        csv << *whole;
    else if (const auto number = parsedNumber<double>(field))
        csv << *number;
    else
        csv << field;
}
} // namespace

std::string joinedCsv(const std::vector<std::string> &labels, const std::vector<LabelledTable> &tables)
{
    std::vector<std::vector<CsvRow>> all;
    std::vector<std::string> columns;
    for (const LabelledTable &table : tables) {
        all.push_back(parseCsv(table.csv, "table").valueOrThrow()); // of our own writer
        for (const std::string &name : all.back().empty() ? CsvRow() : all.back().front()) {
            if (std::ranges::find(columns, name) == columns.end())
                columns.push_back(name);
        }
    }
    CsvWriter csv;
    for (const std::string &name : labels)
        csv << name;
    for (const std::string &name : columns)
        csv << name;
    csv.endLine();
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t line = 1; line < all[i].size(); ++line) {
            for (const std::string &label : tables[i].labels)
                csv << label;
            for (const std::string &name : columns) {
                const CsvRow &names = all[i].front();
                const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
                add(csv, at < all[i][line].size() ? all[i][line][at] : std::string());
            }
            csv.endLine();
        }
    }
    return csv.text();
}

} // namespace headscope
