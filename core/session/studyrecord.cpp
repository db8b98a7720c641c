#include "core/session/studyrecord.h"

namespace headscope {

StudyModel studyModel(const ModelCard &card, const ModelOptions &options)
{
    StudyModel model;
    model.folder = card.folder;
    model.weightsHash = card.weightsHash;
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
    card.rows = data.rows;
    card.meanWords = data.meanWords;
    card.pairs = data.pairs;
    card.labels = data.labels;
    return card;
}

} // namespace headscope
