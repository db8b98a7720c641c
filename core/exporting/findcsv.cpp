#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <cstdint>
#include <string>

namespace headscope {

std::string toCsv(const FindResult &result)
{
    CsvWriter csv;
    csv.header({"head", "what", "rank", "index", "weight", "query", "key", "query_token", "key_token", "text"});
    std::int64_t rank = 0;
    for (const FoundPlace &place : result.places) {
        csv << toText(result.head) << result.what << ++rank << place.index << place.weight << place.query << place.key
            << place.queryToken << place.keyToken << place.text;
        csv.endLine();
    }
    return csv.text();
}

} // namespace headscope
