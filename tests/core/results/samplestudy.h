#pragma once

#include "core/results/study.h"
#include "tests/core/results/sampleresults.h"

#include <filesystem>

namespace headscope::samples {

/// Something in every field, files below `root`.
inline Study sampleStudy(const std::filesystem::path &root)
{
    ModelCard model;
    model.folder = root / "models" / "tiny";
    model.weightsHash = "w1";
    model.files = {{"config.json", "c1"}, {"vocab.json", "v1"}};
    model.family = "marian";
    model.task = "translation";
    model.parameters = 9300000;
    model.width = 256;
    model.layout = HeadLayout({{HeadKind::Encoder, {{0, 1}, {0}}}, {HeadKind::Cross, {{0, 2}}}});
    model.tokenizer = "SentencePiece";
    model.primaryMetric = "BLEU";
    model.metrics = {"BLEU", "chrF2"};
    model.generation = "beams 4";
    model.languages = {"de", "en"};
    model.sourceLanguage = "en";
    model.targetLanguage = "de";
    model.tasks = {{"summarization", "summarize: "}};
    model.warnings = {"of the model"};
    DataCard data;
    data.origin.source = (root / "data" / "test.en").string();
    data.origin.reference = (root / "data" / "test.fr").string();
    data.origin.limit = 300;
    data.name = "test";
    data.hash = "d1";
    data.sourceHash = "s1";
    data.referenceHash = "r1";
    data.treesHash = "t1";
    data.rows = 300;
    data.meanWords = 11.5;
    data.references = false;
    data.trees = true;
    data.warnings = {"of the data"};

    Study study;
    study.model = model;
    study.data[0] = data;
    study.data[1] = data;
    study.data[1]->origin.table = (root / "out.tsv").string();
    study.data[1]->origin.worseColumn = "sentence_bad";
    study.data[1]->origin.paradigmColumn = "UID";
    study.data[1]->origin.windowStart = WindowStart::Bos;
    study.data[1]->origin.sourcePrefix = "question: ";
    study.data[1]->origin.text = (root / "wiki.txt").string();
    study.data[1]->origin.textUnit = TextUnit::Document;
    study.data[1]->origin.stride = 512;
    study.data[1]->origin.windowPredictions = WindowPredictions::Hf;
    study.mask = {{HeadKind::Encoder, 0, 1}, {HeadKind::Cross, 0, 2}};
    study.pins = {{HeadKind::Cross, 0, 2}};
    study.run.seed = 18446744073709551615ULL;
    study.run.decoding.beams = 4;
    study.run.decoding.lengthPenalty = 0.6;
    study.run.decoding.task = "summarization";
    study.layout = "AAAA/w==";
    return study;
}

} // namespace headscope::samples
