#pragma once

#include "core/base/result.h"
#include "core/results/cards.h"
#include "core/results/fields.h"
#include "core/results/fieldsjson.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The fields of cards, in messages and in studies.
namespace headscope {

inline constexpr std::array<std::string_view, 3> kProblemNames{"single_label", "multi_label", "regression"};

/// A field that nlohmann::json knows how to write and read.
template<typename T>
void plainField(auto &visit, const char *key, T &value)
{
    visit.form(
        key, value, "", [](const std::remove_const_t<T> &of) -> Json { return of; },
        [](std::remove_const_t<T> &of, const nlohmann::json &found) { found.get_to(of); });
}

template<typename T>
void pathField(auto &visit, const char *key, T &path)
{
    visit.form(
        key, path, "", [](const std::filesystem::path &of) -> Json { return of.string(); },
        [](std::filesystem::path &of, const nlohmann::json &found) { of = found.get<std::string>(); });
}

inline Json layoutJson(const HeadLayout &layout)
{
    Json blocks = Json::array();
    for (const auto &block : layout.blocks())
        blocks.push_back({{"kind", headKindName(block.kind)}, {"heads", block.layers}});
    return blocks;
}

inline HeadLayout layoutFrom(const nlohmann::json &list)
{
    std::vector<HeadLayout::Block> blocks;
    for (const nlohmann::json &block : list) {
        const HeadKind kind = parseHeadKind(block.at("kind").get<std::string>()).valueOrThrow();
        blocks.push_back({kind, block.at("heads").get<std::vector<std::vector<int>>>()});
    }
    return HeadLayout(std::move(blocks));
}

void describe(auto &visit, Of<LabelCount> auto &count)
{
    visit.field("label", count.label, "");
    visit.field("rows", count.rows, "");
}

void describe(auto &visit, Of<ModelCard> auto &card)
{
    visit.rare("host", card.host, "");
    pathField(visit, "folder", card.folder);
    visit.added("family", card.family, "");
    visit.added("task", card.task, "");
    visit.added("parameters", card.parameters, "");
    visit.added("memory_bytes", card.memoryBytes, "");
    visit.added("width", card.width, "");
    visit.form(
        "heads", card.layout, "", [](const HeadLayout &layout) { return layoutJson(layout); },
        [](HeadLayout &layout, const nlohmann::json &found) { layout = layoutFrom(found); }, true);
    visit.rare("key_groups", card.keyGroups, "");
    visit.added("tokenizer", card.tokenizer, "");
    visit.added("device", card.device, "");
    visit.added("dtype", card.dtype, "");
    visit.added("weights_hash", card.weightsHash, "");
    plainField(visit, "files", card.files);
    visit.added("primary_metric", card.primaryMetric, "");
    visit.added("metrics", card.metrics, "");
    visit.added("generation", card.generation, "");
    plainField(visit, "tasks", card.tasks);
    visit.form(
        "problem", card.problem, "",
        [](ProblemType problem) -> Json { return kProblemNames.at(static_cast<std::size_t>(problem)); },
        [](ProblemType &problem, const nlohmann::json &found) {
            const auto place = std::ranges::find(kProblemNames, found.get_ref<const std::string &>());
            if (place == kProblemNames.end())
                throw Failure(badInput("unknown kind of problem " + found.dump()));
            problem = static_cast<ProblemType>(place - kProblemNames.begin());
        });
    visit.rare("labels", card.labels, "");
    visit.rare("warnings", card.warnings, "");
    visit.rare("languages", card.languages, "");
    visit.rare("source_language", card.sourceLanguage, "");
    visit.rare("target_language", card.targetLanguage, "");
}

void describe(auto &visit, Of<DataSource> auto &source)
{
    visit.rare("source", source.source, "");
    visit.rare("reference", source.reference, "");
    visit.rare("table", source.table, "");
    visit.rare("text_column", source.textColumn, "");
    visit.rare("pair_column", source.pairColumn, "");
    visit.rare("label_column", source.labelColumn, "");
    visit.rare("header", source.header, true, "");
    visit.rare("quoted", source.quoted, "");
    visit.rare("label_map", source.labelMap, "");
    visit.rare("conllu", source.conllu, "");
    visit.rare("document_words", source.documentWords, kDefaultDocumentWords, "");
    visit.rare("limit", source.limit, "");
    visit.rare("sample", source.sample, "");
    plainField(visit, "sample_seed", source.sampleSeed); // may need all 64 bits
    visit.rare("name", source.name, "");
    visit.rare("text", source.text, "");
    visit.rare("text_unit", source.textUnit, TextUnit::Line, "");
    visit.rare("stride", source.stride, "");
    visit.rare("window_predictions", source.windowPredictions, WindowPredictions::All, "");
    visit.rare("window_start", source.windowStart, WindowStart::None, "");
    visit.rare("source_prefix", source.sourcePrefix, "");
    visit.rare("prompt", source.prompt, "");
    visit.rare("cloze", source.cloze, "");
    visit.rare("shots_file", source.shotsFile, "");
    visit.rare("shots", source.shots, "");
    visit.rare("bleu_tokenize", source.bleuTokenize, "");
    visit.rare("worse_column", source.worseColumn, "");
    visit.rare("paradigm_column", source.paradigmColumn, "");
}

void describe(auto &visit, Of<DataCard> auto &card)
{
    visit.added("name", card.name, "");
    visit.added("origin", card.origin, "");
    visit.added("hash", card.hash, "");
    visit.added("rows", card.rows, "");
    visit.added("mean_words", card.meanWords, "");
    visit.rare("pairs", card.pairs, "");
    visit.rare("labels", card.labels, "");
    visit.rare("warnings", card.warnings, "");
    visit.rare("references", card.references, true, "");
    visit.rare("trees", card.trees, "");
    visit.rare("patching_pairs", card.patchingPairs, "");
    visit.rare("source_hash", card.sourceHash, "");
    visit.rare("reference_hash", card.referenceHash, "");
    visit.rare("trees_hash", card.treesHash, "");
    visit.rare("metrics", card.metrics, "");
}

} // namespace headscope
