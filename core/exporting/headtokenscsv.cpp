#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <cstddef>
#include <limits>
#include <string_view>

namespace headscope {
namespace {

/// The common columns of all lines of one end of a direction.
struct TokensLine
{
    const HeadRef &head;
    std::string_view circuit;
    std::string_view end;    ///< what its tokens are to the head
    std::int64_t number = 0; ///< of the direction, from 1, or the id of a source or query token
    bool isDirection = false;
    double singularValue = std::numeric_limits<double>::quiet_NaN();
};

void addTokens(CsvWriter &csv, const TokensLine &line, const TokenExtremes &tokens)
{
    const auto add = [&](const std::vector<RankedToken> &ranked, std::string_view side) {
        for (std::size_t place = 0; place < ranked.size(); ++place) {
            csv << toText(line.head) << headKindName(line.head.kind) << line.head.layer << line.head.head
                << line.circuit << (line.isDirection ? "direction" : "token") << line.number << line.singularValue
                << line.end << side << static_cast<std::int64_t>(place + 1) << ranked[place].id << ranked[place].text
                << ranked[place].value;
            csv.endLine();
        }
    };
    add(tokens.highest, "highest");
    add(tokens.lowest, "lowest");
}

} // namespace

std::string toCsv(const HeadTokensResult &result)
{
    CsvWriter csv;
    csv.header({"head", "kind", "layer", "head_number", "circuit", "of", "number", "singular_value", "end", "side",
                "place", "id", "text", "value"});
    for (const HeadTokens &head : result.heads) {
        for (const TokenEffect &effect : head.writes)
            addTokens(csv, {head.head, "ov", "writes", effect.id}, effect.tokens);
        for (const TokenEffect &effect : head.matches)
            addTokens(csv, {head.head, "qk", "keys", effect.id}, effect.tokens);
        const auto addDirections = [&](const std::vector<DirectionTokens> &directions, std::string_view circuit,
                                       std::string_view from, std::string_view to) {
            for (std::size_t i = 0; i < directions.size(); ++i) {
                const auto number = static_cast<std::int64_t>(i + 1);
                addTokens(csv, {head.head, circuit, from, number, true, directions[i].value}, directions[i].from);
                addTokens(csv, {head.head, circuit, to, number, true, directions[i].value}, directions[i].to);
            }
        };
        addDirections(head.ov, "ov", "reads", "writes");
        addDirections(head.qk, "qk", "queries", "keys");
    }
    return csv.text();
}

} // namespace headscope
