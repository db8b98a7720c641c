#pragma once

#include "core/base/enumnames.h"
#include "core/base/jobcontrol.h"
#include "core/train/trainingreport.h"

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// The studies that come with the program: a translation model, a classifier of the same sentences, and a small model
/// that says spelt words as a village says them, which has a positional head and one for rare words.
enum class Demo { Translation, Classifier, Pronunciation };
inline constexpr std::array kDemos{Demo::Translation, Demo::Classifier, Demo::Pronunciation};
template<>
struct EnumNames<Demo>
{
    static constexpr std::array<std::string_view, 3> values{"translation", "classifier", "pronunciation"};
    static constexpr const char *what = "demo";
};

/// A study's file, demoFile() in the folder that HEADSCOPE_DEMO names, or in ../share/headscope/demo beside the
/// program, as it lies in the build folder too. Error: neither has it.
Result<std::filesystem::path> demoStudy(Demo demo = Demo::Translation);

/// Copies the corpus that comes with the program into `folder`, which is made if needed: texts for training and
/// validation, test sets, labels, gold trees, word frequencies (its README.md). Errors: demoStudy()'s; a folder or file
/// that cannot be written.
Result<Done> copyDemoCorpus(const std::filesystem::path &folder);

/// Builds some of these studies from scratch in `folder`, which must be empty or missing: a copy of the corpus, models
/// trained on it with all their epochs, and every result that the window shows.
///   demo.headscope, classifier.headscope, pronunciation.headscope   the studies, each with its folder of results
///   corpus/                                   what copyDemoCorpus() copies
///   training/, classifier/, pronunciation/    the runs: train.json, epoch-001 … in f16; of the last one only the end
Result<Done> makeDemo(const std::filesystem::path &folder, std::span<const Demo> demos, const JobControl &control,
                      const Publish<TrainingReport> &publish = {});

/// Computes some of the studies in a folder that makeDemo() has filled, or a copy of one, anew from the corpus and the
/// models in it, which stay as they are. Errors: a run that is missing or was not trained to its end.
Result<Done> makeDemoStudies(const std::filesystem::path &folder, std::span<const Demo> demos,
                             const JobControl &control);

/// "demo.headscope", "classifier.headscope", "pronunciation.headscope"
std::string demoFile(Demo demo);

} // namespace headscope
