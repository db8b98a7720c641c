#include "ui/heatmap/attentiontable.h"

#include "core/results/rollout.h"
#include "ui/exporting/csvtext.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr QChar kWordStart(u'▁');
constexpr QChar kByteLevelStart(u'Ġ'); ///< a blank as byte-level vocabularies write it

/// Token positions that make one row or column.
struct Group
{
    AxisLabel label;
    std::vector<std::size_t> members;
    int segment = 0;
};

/// Says the part of speech of a word where it begins.
void addTags(const SentenceTree &tree, std::vector<AxisLabel> &labels)
{
    int before = -1;
    for (AxisLabel &label : labels) {
        if (label.treeWords.empty())
            continue;
        const int word = label.treeWords.front();
        if (word != before && word >= 0 && static_cast<std::size_t>(word) < tree.size())
            label.tag = QString::fromStdString(tree[static_cast<std::size_t>(word)].tag);
        before = label.treeWords.back();
    }
}

QString joinedText(const std::vector<TokenLabel> &tokens, const std::vector<std::size_t> &members)
{
    QString text;
    for (std::size_t member : members)
        text += axisLabel(tokens[member]).text;
    if (members.size() > 1)
        text.remove(u'␣');
    return text;
}

std::vector<Group> groupTokens(const std::vector<TokenLabel> &tokens, bool joinWords)
{
    std::vector<Group> groups;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool joins = joinWords && i > 0 && tokens[i].word >= 0 && tokens[i].word == tokens[i - 1].word;
        if (joins)
            groups.back().members.push_back(i);
        else
            groups.push_back({axisLabel(tokens[i]), {i}, tokens[i].segment});
    }
    for (Group &group : groups) {
        for (const std::size_t member : group.members) {
            const int word = tokens[member].treeWord;
            if (word >= 0 && std::ranges::find(group.label.treeWords, word) == group.label.treeWords.end())
                group.label.treeWords.push_back(word);
        }
    }
    if (joinWords) {
        for (Group &group : groups) {
            group.label.text = joinedText(tokens, group.members);
            group.label.continues = false;
        }
        return groups;
    }
    for (std::size_t i = 1; i < tokens.size(); ++i)
        groups[i].label.continues = tokens[i].word >= 0 && tokens[i].word == tokens[i - 1].word;
    return groups;
}

std::vector<Group> shownGroups(const std::vector<Group> &groups, bool hideSpecial, const std::optional<int> &segment)
{
    std::vector<Group> shown;
    for (const Group &group : groups) {
        if (segment ? group.segment == *segment : !hideSpecial || !group.label.special)
            shown.push_back(group);
    }
    if (segment)
        return shown;
    // A sentence of special tokens only is shown with them.
    return shown.empty() ? groups : shown;
}

} // namespace

AxisLabel axisLabel(const TokenLabel &token)
{
    AxisLabel label{QString::fromStdString(token.text), token.special, false};
    label.text.replace(kByteLevelStart, kWordStart);
    if (label.text.startsWith(kWordStart))
        label.text.remove(0, 1);
    if (label.text.startsWith("##"_L1) && label.text.size() > 2)
        label.text.remove(0, 2);
    label.text.replace(kWordStart, u'␣');
    if (label.text.isEmpty())
        label.text = u"␣"_s;
    return label;
}

bool hasValueNorms(const AttentionMap &map)
{
    return map.keys > 0 && map.valueNorms.size() == static_cast<std::size_t>(map.keys);
}

AttentionTable makeAttentionTable(const AttentionMap &map, const std::vector<TokenLabel> &queries,
                                  const std::vector<TokenLabel> &keys, const AttentionTableOptions &options)
{
    const auto queryCount = static_cast<std::size_t>(map.queries);
    const auto keyCount = static_cast<std::size_t>(map.keys);
    if (queries.size() != queryCount || keys.size() != keyCount || map.weights.size() != queryCount * keyCount)
        return {};
    const std::vector<float> weights
        = measuredWeights(map, options.normWeighted ? AttentionMeasure::Norms : AttentionMeasure::Weights);
    const std::vector<Group> rows
        = shownGroups(groupTokens(queries, options.joinWords), options.hideSpecial, options.querySegment);
    const std::vector<Group> allColumns = groupTokens(keys, options.joinWords);
    const std::vector<Group> columns = shownGroups(allColumns, options.hideSpecial, options.keySegment);

    AttentionTable table;
    table.hidesKeys = columns.size() < allColumns.size();
    const auto labelOf = [](const Group &group) {
        AxisLabel label = group.label;
        label.tokens.assign(group.members.begin(), group.members.end());
        return label;
    };
    for (const Group &column : columns)
        table.columns.push_back(labelOf(column));
    for (const Group &row : rows) {
        table.rows.push_back(labelOf(row));
        double whole = 0;
        for (std::size_t query : row.members)
            for (std::size_t key = 0; key < keyCount; ++key)
                whole += weights[query * keyCount + key];
        double shown = 0;
        for (const Group &column : columns) {
            double sum = 0;
            for (std::size_t query : row.members)
                for (std::size_t key : column.members)
                    sum += weights[query * keyCount + key];
            shown += sum;
            table.weights.push_back(sum / static_cast<double>(row.members.size()));
        }
        table.hiddenMass.push_back(
            table.hidesKeys ? std::max(whole - shown, 0.0) / static_cast<double>(row.members.size()) : 0);
    }
    return table;
}

const AttentionMap *attentionMapOf(const AttentionResult &result, const HeadRef &head)
{
    const auto found = std::find_if(result.maps.begin(), result.maps.end(),
                                    [&](const AttentionMap &map) { return map.head == head; });
    return found == result.maps.end() ? nullptr : &*found;
}

AttentionTable attentionTableOf(const AttentionResult &result, const HeadRef &head,
                                const AttentionTableOptions &options, const std::vector<float> *rollout)
{
    const AttentionMap *map = attentionMapOf(result, head);
    if (!map)
        return {};
    const auto &queries = head.kind == HeadKind::Encoder ? result.sourceTokens : result.targetTokens;
    const auto &keys = head.kind == HeadKind::Decoder ? result.targetTokens : result.sourceTokens;
    AttentionMap other;
    if (rollout) {
        other.head = head;
        other.queries = map->queries;
        other.keys = map->keys;
        other.weights = *rollout;
        map = &other;
    }
    AttentionTable table = makeAttentionTable(*map, queries, keys, options);
    if (options.withTree && head.kind == HeadKind::Encoder)
        addTags(result.sourceTree, table.rows);
    if (options.withTree && head.kind != HeadKind::Decoder)
        addTags(result.sourceTree, table.columns);
    return table;
}

std::optional<QPoint> cellOfTokens(const AttentionTable &table, int query, int key)
{
    const auto placeOf = [](const std::vector<AxisLabel> &labels, int token) {
        const auto found = std::ranges::find_if(labels, [&](const AxisLabel &label) {
            return std::ranges::find(label.tokens, token) != label.tokens.end();
        });
        return found == labels.end() ? -1 : static_cast<int>(found - labels.begin());
    };
    const QPoint cell(placeOf(table.columns, key), placeOf(table.rows, query));
    return cell.x() < 0 || cell.y() < 0 ? std::nullopt : std::optional(cell);
}

std::string attentionCsv(const AttentionTable &table, const HeadRef &head, const std::string &measure)
{
    CsvText csv("head,kind,layer,head_number,query,query_token,key,key_token,measure,weight");
    const auto add = [&](std::size_t row, std::int64_t key, const std::string &token, double weight) {
        csv << toText(head) << headKindName(head.kind) << head.layer << head.head << static_cast<std::int64_t>(row)
            << table.rows[row].text.toStdString() << key << token << measure << weight;
        csv.endLine();
    };
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            add(row, static_cast<std::int64_t>(column), table.columns[column].text.toStdString(),
                table.weight(row, column));
        if (table.hidesKeys)
            add(row, -1, "(hidden tokens)", table.hiddenMass[row]);
    }
    return csv.text();
}

} // namespace headscope
