#include "ui/pages/roles/tokenpicture.h"

#include "ui/heatmap/attentiontable.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

struct TokenWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::RoleFigures)
};

bool beginsWord(const std::string &token)
{
    return token.starts_with("\u2581") || token.starts_with("\u0120"); // SentencePiece's mark, and that of bytes
}

/// Start, end and what separates texts: "</s>", "[CLS]".
bool isSpecial(const std::string &token)
{
    return token.size() > 2
        && ((token.front() == '<' && token.back() == '>') || (token.front() == '[' && token.back() == ']'));
}

/// Pieces that continue a word are known by their spelling: their tokenizer marks beginnings, or what goes on.
std::vector<AxisLabel> labelsOf(const std::vector<std::string> &tokens)
{
    const bool marksWords = std::ranges::any_of(tokens, beginsWord);
    std::vector<AxisLabel> labels;
    for (const std::string &token : tokens) {
        AxisLabel label = axisLabel({.text = token});
        label.special = isSpecial(token);
        const bool goesOn = marksWords ? !beginsWord(token) : token.starts_with("##") && token.size() > 2;
        label.continues = goesOn && !label.special && !labels.empty() && !labels.back().special;
        labels.push_back(std::move(label));
    }
    return labels;
}

} // namespace

HeatMapPicture tokenPicture(const RelevanceResult &relevance)
{
    HeatMapPicture picture;
    if (!relevance.isOfOneExample())
        return picture;
    const ExampleRelevance &example = relevance.sentences.front();
    AttentionTable &table = picture.table;
    table.rows = labelsOf(example.targets);
    table.columns = labelsOf(example.sourceTokens);
    const std::vector<AxisLabel> prefix = labelsOf(example.prefixTokens);
    table.columns.insert(table.columns.end(), prefix.begin(), prefix.end());
    table.weights.assign(table.rows.size() * table.columns.size(), 0);
    table.hiddenMass.assign(table.rows.size(), 0);
    double largest = 0;
    for (std::size_t step = 0; step < table.rows.size(); ++step) {
        double *row = table.weights.data() + step * table.columns.size();
        const auto put = [&](const std::vector<std::vector<double>> &shares, std::size_t first) {
            for (std::size_t i = 0; step < shares.size() && i < shares[step].size() && first + i < table.columns.size();
                 ++i) {
                row[first + i] = shares[step][i];
                largest = std::max(largest, shares[step][i]);
            }
        };
        put(example.source, 0);
        put(example.prefix, example.sourceTokens.size());
    }
    if (!prefix.empty() && !example.sourceTokens.empty())
        picture.divider = static_cast<int>(example.sourceTokens.size());
    picture.scale = ColorScale::sequential(0, largest > 0 ? largest : 1);
    picture.title
        = TokenWords::tr("Contributions of tokens, example %1").arg(QLocale().toString(qlonglong(example.index + 1)));
    picture.rowsTitle = TokenWords::tr("outputs");
    picture.columnsTitle = example.sourceTokens.empty() ? TokenWords::tr("text so far")
                         : example.prefixTokens.empty() ? TokenWords::tr("text")
                                                        : TokenWords::tr("source, then output so far");
    picture.legendLabel = TokenWords::tr("share of the output's relevance");
    return picture;
}

} // namespace headscope
