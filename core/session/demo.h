#pragma once

#include "core/base/jobcontrol.h"
#include "core/train/trainingreport.h"

#include <array>
#include <filesystem>
#include <span>
#include <string>

namespace headscope {

/// The studies that come with the program: a translation model, and a classifier of the same sentences.
enum class Demo { Translation, Classifier };
inline constexpr std::array kDemos{Demo::Translation, Demo::Classifier};

/// A study's file: demo.headscope or classifier.headscope in the folder that HEADSCOPE_DEMO names, or in
/// ../share/headscope/demo beside the program, as it lies in the build folder too. Error: neither has it.
Result<std::filesystem::path> demoStudy(Demo demo = Demo::Translation);

/// Copies the corpus that comes with the program into `folder`, which is made if needed: texts for training and
/// validation, test sets, labels, gold trees, word frequencies (its README.md). Errors: demoStudy()'s; a folder or file
/// that cannot be written.
Result<Done> copyDemoCorpus(const std::filesystem::path &folder);

/// Builds some of these studies from scratch in `folder`, which must be empty or missing: a copy of the corpus, models
/// trained on it with all their epochs, and every result that the window shows.
///   demo.headscope, classifier.headscope      the studies, each with its folder of results
///   corpus/                                   what copyDemoCorpus() copies
///   training/, classifier/                    the runs: train.json, epoch-001 … in f16
Result<Done> makeDemo(const std::filesystem::path &folder, std::span<const Demo> demos, const JobControl &control,
                      const Publish<TrainingReport> &publish = {});

/// "demo.headscope"
std::string demoFile(Demo demo);

} // namespace headscope
