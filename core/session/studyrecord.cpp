#include "core/session/studyrecord.h"

#include "core/formats/hash.h"

#include <string_view>
#include <utility>

namespace headscope {

StudyModel studyModel(const ModelCard &card, const ModelOptions &options)
{
    StudyModel model;
    model.folder = card.folder;
    model.weightsHash = card.weightsHash;
    model.files = card.files;
    model.family = card.family;
    model.task = card.task;
    model.parameters = card.parameters;
    model.width = card.width;
    model.layout = card.layout;
    model.tokenizer = card.tokenizer;
    model.primaryMetric = card.primaryMetric;
    model.metrics = card.metrics;
    model.generation = card.generation;
    model.problem = card.problem;
    model.labels = card.labels;
    model.device = options.device;
    model.dtype = options.dtype;
    model.languages = card.languages;
    model.sourceLanguage = card.sourceLanguage;
    model.targetLanguage = card.targetLanguage;
    return model;
}

ModelCard modelCard(const StudyModel &model)
{
    ModelCard card;
    card.folder = model.folder;
    card.weightsHash = model.weightsHash;
    card.files = model.files;
    card.family = model.family;
    card.task = model.task;
    card.parameters = model.parameters;
    card.width = model.width;
    card.layout = model.layout;
    card.tokenizer = model.tokenizer;
    card.primaryMetric = model.primaryMetric;
    card.metrics = model.metrics;
    card.generation = model.generation;
    card.problem = model.problem;
    card.labels = model.labels;
    card.device = model.device;
    card.dtype = model.dtype;
    card.languages = model.languages;
    card.sourceLanguage = model.sourceLanguage;
    card.targetLanguage = model.targetLanguage;
    return card;
}

StudyData studyData(const DataCard &card)
{
    StudyData data;
    data.source = card.origin;
    data.name = card.name;
    data.hash = card.hash;
    data.sourceHash = card.sourceHash;
    data.referenceHash = card.referenceHash;
    data.treesHash = card.treesHash;
    data.rows = card.rows;
    data.meanWords = card.meanWords;
    data.pairs = card.pairs;
    data.labels = card.labels;
    return data;
}

DataCard dataCard(const StudyData &data)
{
    DataCard card;
    card.name = data.name;
    card.origin = data.source;
    card.hash = data.hash;
    card.sourceHash = data.sourceHash;
    card.referenceHash = data.referenceHash;
    card.treesHash = data.treesHash;
    card.trees = !data.treesHash.empty();
    card.rows = data.rows;
    card.meanWords = data.meanWords;
    card.pairs = data.pairs;
    card.labels = data.labels;
    return card;
}

std::string settingsHash(const ModelCard &card)
{
    Hasher hasher;
    for (const auto &[name, hash] : card.files) {
        hasher.add(std::string_view(name));
        hasher.add(std::string_view(hash));
    }
    return hasher.hex();
}

std::vector<std::string> changedFiles(const StudyModel &then, const ModelCard &now)
{
    std::vector<std::string> changed;
    if (then.weightsHash != now.weightsHash)
        changed.emplace_back("weights");
    if (then.files.empty()) // an older study does not say
        return changed;
    for (const auto &[name, hash] : then.files) {
        const auto found = now.files.find(name);
        if (found == now.files.end())
            changed.push_back(name + " (gone)");
        else if (found->second != hash)
            changed.push_back(name);
    }
    for (const auto &[name, hash] : now.files) {
        if (!then.files.contains(name))
            changed.push_back(name + " (new)");
    }
    return changed;
}

std::vector<std::string> changedFiles(const StudyData &then, const DataCard &now)
{
    std::vector<std::string> changed;
    const DataSource &files = then.source;
    const bool sameRows = then.hash == now.hash && then.rows == now.rows;
    const std::pair<std::string, bool> sides[] = {{files.source, then.sourceHash != now.sourceHash},
                                                  {files.reference, then.referenceHash != now.referenceHash}};
    for (const auto &[file, differs] : sides) {
        if (!sameRows && !then.sourceHash.empty() && differs && !file.empty())
            changed.push_back(file);
    }
    if (!sameRows && changed.empty()) { // not known by sides: the files that the rows come from
        for (const std::string *file : {&files.source, &files.reference, &files.table, &files.text}) {
            if (!file->empty())
                changed.push_back(*file);
        }
    }
    const bool treesAreRows = files.source.empty() && files.table.empty() && files.text.empty();
    const bool otherTrees = !then.treesHash.empty() && then.treesHash != now.treesHash;
    if (!files.conllu.empty() && (otherTrees || (treesAreRows && !sameRows)))
        changed.push_back(files.conllu);
    if (!sameRows && changed.empty())
        changed.push_back(then.name);
    return changed;
}

bool isStale(const Manifest &result, const ModelCard &model, const DataCard *data)
{
    const auto differs = [](const std::string &a, const std::string &b) { return !a.empty() && a != b; };
    return differs(result.weightsHash, model.weightsHash) || differs(result.settingsHash, settingsHash(model))
           || (data != nullptr && differs(result.dataHash, data->hash));
}

} // namespace headscope
