#include "core/train/runfolder.h"

#include "core/formats/atomicfile.h"
#include "core/formats/folderfiles.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/io/checkpoint.h"
#include "core/io/checkpointwriter.h"
#include "core/tensor/guarded.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *kPlaceKey = "place";

Json toJson(const TrainingPlace &place)
{
    return {{"step", place.step},
            {"epoch", place.epoch},
            {"batch", place.batch},
            {"optimizer_steps", place.optimizerSteps},
            {"epoch_loss", place.epochLoss},
            {"epoch_tokens", place.epochTokens},
            {"seconds", place.seconds},
            {"window",
             {place.window.updates, place.window.crossEntropy, place.window.tokens, place.window.gradientNorm,
              place.window.seconds}}};
}

TrainingPlace placeFromJson(const nlohmann::json &json)
{
    TrainingPlace place;
    json.at("step").get_to(place.step);
    json.at("epoch").get_to(place.epoch);
    json.at("batch").get_to(place.batch);
    json.at("optimizer_steps").get_to(place.optimizerSteps);
    json.at("epoch_loss").get_to(place.epochLoss);
    json.at("epoch_tokens").get_to(place.epochTokens);
    json.at("seconds").get_to(place.seconds);
    const auto &window = json.at("window");
    place.window = {window.at(0), window.at(1), window.at(2), window.at(3), window.at(4)};
    return place;
}

Json toJson(const TrainingPoint &point)
{
    Json json{{"step", point.step},
              {"epoch", point.epoch},
              {"loss", point.loss},
              {"gradient_norm", point.gradientNorm},
              {"learning_rate", point.learningRate},
              {"tokens_per_second", point.tokensPerSecond}};
    for (const auto &[head, closed] : point.closed)
        json["closed"][toText(head)] = closed;
    if (point.spread)
        json["spread"] = *point.spread;
    return json;
}

Json toJson(const TrainingEpoch &epoch)
{
    Json json{{"finished_epoch", epoch.epoch},
              {"step", epoch.step},
              {"train_loss", epoch.trainLoss},
              {"seconds", epoch.seconds},
              {"folder", epoch.folder}};
    if (epoch.validationLoss)
        json["validation_loss"] = *epoch.validationLoss;
    if (epoch.score && epoch.metric == TrainingEpoch().metric) {
        json["bleu"] = *epoch.score;
    } else if (epoch.score) {
        json["metric"] = epoch.metric;
        json["better"] = toText(epoch.better);
        json["score"] = *epoch.score;
    }
    if (epoch.mask) {
        json["closed_heads"] = epoch.mask->size();
        json["mask"] = toText(*epoch.mask);
    }
    return json;
}

double number(const nlohmann::json &json, const char *key)
{
    const auto &value = json.at(key);
    return value.is_null() ? std::nan("") : value.get<double>(); // JSON has no NaN
}

TrainingPoint pointFrom(const nlohmann::json &json)
{
    TrainingPoint point{.step = json.at("step"),
                        .epoch = number(json, "epoch"),
                        .loss = number(json, "loss"),
                        .gradientNorm = number(json, "gradient_norm"),
                        .learningRate = number(json, "learning_rate"),
                        .tokensPerSecond = number(json, "tokens_per_second")};
    if (json.contains("spread"))
        point.spread = number(json, "spread");
    if (const auto closed = json.find("closed"); closed != json.end()) {
        for (const auto &[head, value] : closed->items())
            point.closed[parseHeadRef(head).valueOrThrow()] = value.get<double>();
    }
    return point;
}

TrainingEpoch epochFrom(const nlohmann::json &json)
{
    TrainingEpoch epoch{.epoch = json.at("finished_epoch"),
                        .step = json.at("step"),
                        .trainLoss = number(json, "train_loss"),
                        .validationLoss = {},
                        .score = {},
                        .seconds = number(json, "seconds"),
                        .folder = json.at("folder")};
    if (!isPlainFileName(epoch.folder)) // every epoch is a folder of the run
        throw std::invalid_argument("no name of a folder");
    if (json.contains("score")) {
        epoch.metric = json.at("metric").get<std::string>();
        epoch.better = parseName<Better>(json.at("better").get<std::string>()).valueOrThrow();
        epoch.score = number(json, "score");
    }
    if (json.contains("validation_loss"))
        epoch.validationLoss = number(json, "validation_loss");
    if (json.contains("bleu"))
        epoch.score = number(json, "bleu");
    if (json.contains("mask"))
        epoch.mask = parseHeadMask(json.at("mask").get<std::string>()).valueOrThrow();
    return epoch;
}

void takeLine(const nlohmann::json &json, TrainingReport &report)
{
    if (!json.contains("finished_epoch")) {
        report.points.push_back(pointFrom(json));
        return;
    }
    TrainingEpoch epoch = epochFrom(json);
    if (epoch.epoch == 0)
        report.before = std::move(epoch);
    else
        report.epochs.push_back(std::move(epoch));
}

} // namespace

std::string RunFolder::epochName(std::int64_t epoch)
{
    return fmt::format("epoch-{:03}", epoch);
}

bool RunFolder::hasRun() const
{
    std::error_code error;
    return fs::exists(configFile(), error);
}

void RunFolder::clean() const
{
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(m_folder, error)) {
        const std::string name = entry.path().filename().string();
        const bool ours
            = name.starts_with(".epoch-") || name.starts_with(".training") || name.starts_with(".train.json");
        if (ours && (name.ends_with(".tmp") || name.ends_with(".partial")))
            fs::remove_all(entry.path(), error);
    }
}

Result<Done> RunFolder::saveState(const SavedState &state) const
{
    return writeSafetensors(
        stateFile(),
        {{"values", state.values}, {"first_moment", state.firstMoment}, {"second_moment", state.secondMoment}},
        {{"format", "pt"}, {kPlaceKey, toJson(state.place).dump()}});
}

Result<std::optional<SavedState>> RunFolder::loadState() const
{
    std::error_code error;
    if (!fs::exists(stateFile(), error))
        return std::optional<SavedState>();
    return guarded([&]() -> std::optional<SavedState> {
        const Checkpoint file = Checkpoint::openFile(stateFile()).valueOrThrow();
        try {
            SavedState state;
            state.place = placeFromJson(nlohmann::json::parse(file.metadata().at(kPlaceKey)));
            // Copies: the file will be replaced while the run goes on.
            state.values = file.tensor("values").valueOrThrow().clone();
            state.firstMoment = file.tensor("first_moment").valueOrThrow().clone();
            state.secondMoment = file.tensor("second_moment").valueOrThrow().clone();
            return state;
        } catch (const std::logic_error &) { // at()
        } catch (const nlohmann::json::exception &) {
        }
        throw Failure(badInput(stateFile().string()
                               + " is not the state of a training run. Move it away to begin the "
                                 "run anew."));
    });
}

std::int64_t RunFolder::savedStep() const
{
    const auto file = Checkpoint::openFile(stateFile());
    if (!file.isOk())
        return 0;
    const auto place = file.value().metadata().find(kPlaceKey);
    if (place == file.value().metadata().end())
        return 0;
    const auto json = nlohmann::json::parse(place->second, nullptr, false);
    return json.is_object() ? json.value("step", std::int64_t(0)) : 0;
}

Result<Done> RunFolder::appendLine(const std::string &line) const
{
    std::ofstream file(historyFile(), std::ios::app | std::ios::binary);
    file << line << '\n' << std::flush;
    if (!file)
        return resourceError("Cannot write " + historyFile().string() + ": " + std::strerror(errno) + ".");
    return Done{};
}

Result<Done> RunFolder::append(const TrainingPoint &point) const
{
    return appendLine(toJson(point).dump());
}

Result<Done> RunFolder::append(const TrainingEpoch &epoch) const
{
    return appendLine(toJson(epoch).dump());
}

Result<Done> RunFolder::readHistory(TrainingReport &report) const
{
    std::error_code error;
    if (!fs::exists(historyFile(), error))
        return Done{};
    if (const auto regular = requireRegularFile(historyFile()); !regular.isOk())
        return regular.error();
    const auto text = readBytes(historyFile());
    if (!text.isOk())
        return text.error();
    std::string_view rest = text.value();
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        const auto json = nlohmann::json::parse(rest.substr(0, end), nullptr, false);
        try {
            if (json.is_discarded())
                throw std::invalid_argument("no JSON");
            takeLine(json, report);
        } catch (const std::exception &) {
            report.warnings.push_back(historyFile().string() + " is damaged after update "
                                      + std::to_string(report.points.empty() ? 0 : report.points.back().step) + ".");
            break;
        }
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return Done{};
}

Result<Done> RunFolder::rewriteHistory(const TrainingReport &report) const
{
    std::string text = report.before ? toJson(*report.before).dump() + '\n' : std::string();
    std::size_t epoch = 0;
    const auto epochsUpTo = [&](std::int64_t step) {
        for (; epoch < report.epochs.size() && report.epochs[epoch].step < step; ++epoch)
            text += toJson(report.epochs[epoch]).dump() + '\n';
    };
    for (const TrainingPoint &point : report.points) {
        epochsUpTo(point.step);
        text += toJson(point).dump() + '\n';
    }
    epochsUpTo(std::numeric_limits<std::int64_t>::max());
    return writeFileAtomically(historyFile(), text);
}

std::optional<std::size_t> bestEpoch(const std::vector<TrainingEpoch> &epochs, ValidationGoal goal)
{
    std::optional<std::size_t> best;
    const auto better = [&](const TrainingEpoch &a, const TrainingEpoch &b) {
        if (goal == ValidationGoal::Loss)
            return *a.validationLoss < *b.validationLoss;
        return a.score && (!b.score || gain(a.better, *a.score - *b.score) > 0);
    };
    for (std::size_t i = 0; i < epochs.size(); ++i) {
        if (epochs[i].validationLoss && (!best || better(epochs[i], epochs[*best])))
            best = i;
    }
    return best;
}

std::optional<TrainingState> finishedState(const TrainingConfig &config, const TrainingReport &report)
{
    const std::int64_t epochs = std::ssize(report.epochs);
    if (epochs >= config.epochs || (config.steps > 0 && report.step >= config.steps))
        return TrainingState::Finished;
    if (config.patience > 0 && report.bestEpoch
        && epochs - 1 - static_cast<std::int64_t>(*report.bestEpoch) >= config.patience)
        return TrainingState::StoppedEarly;
    return std::nullopt;
}

nlohmann::ordered_json reportJson(const TrainingReport &report)
{
    constexpr const char *kStates[] = {"preparing", "running", "finished", "stopped_early"};
    Json json{{"result", "train"},
              {"state", kStates[static_cast<int>(report.state)]},
              {"folder", report.folder.string()},
              {"parameters", report.parameters},
              {"train_examples", report.trainExamples},
              {"updates", report.step},
              {"device", report.device},
              {"dtype", report.dtype}};
    if (report.bestEpoch)
        json["best_epoch"] = report.epochs[*report.bestEpoch].folder;
    if (report.before)
        json["before"] = toJson(*report.before);
    json["epochs"] = Json::array();
    for (const TrainingEpoch &epoch : report.epochs)
        json["epochs"].push_back(toJson(epoch));
    json["points"] = Json::array();
    for (const TrainingPoint &point : report.points)
        json["points"].push_back(toJson(point));
    json["warnings"] = report.warnings;
    return json;
}

} // namespace headscope
