#include "core/results/studypack.h"

#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/formats/zipfolder.h"
#include "core/results/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr const char *kStudyEnding = ".headscope";

/// A folder for files that are only packed.
class StagingFolder
{
public:
    StagingFolder()
    {
        std::string name = (fs::temp_directory_path() / "headscope-pack-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw Failure(resourceError(name + " cannot be made; is the disk full?"));
        m_path = name;
    }
    ~StagingFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    StagingFolder(const StagingFolder &) = delete;
    StagingFolder &operator=(const StagingFolder &) = delete;
    const fs::path &path() const { return m_path; }

private:
    fs::path m_path;
};

/// Weights for other libraries, which nothing here reads.
bool isForOthers(const fs::path &file)
{
    constexpr std::array<std::string_view, 6> kOthers{".h5", ".msgpack", ".ot", ".onnx", ".tflite", ".gguf"};
    return std::ranges::find(kOthers, file.extension().string()) != kOthers.end();
}

/// Files of a study's data: packed under names of their own, by which the study calls them from now on.
void takeData(DataCard &data, const std::string &slot, const fs::path &stage, std::vector<ZipSource> &files)
{
    std::vector<std::string> taken;
    for (std::string *file : filesOf(data.origin)) {
        if (file->empty())
            continue;
        std::error_code ignored;
        if (!fs::is_regular_file(*file, ignored))
            throw Failure(badInput(fmt::format(
                "{} of data set \"{}\" is not there: open the study and choose its data again.", *file, data.name)));
        std::string name = fs::path(*file).filename().string();
        while (std::ranges::find(taken, name) != taken.end())
            name = "2-" + name;
        taken.push_back(name);
        const std::string inside = "data/" + slot + "/" + name;
        files.push_back({inside, *file});
        *file = (stage / inside).string();
    }
}

void takeModel(ModelCard &model, const fs::path &stage, std::vector<ZipSource> &files)
{
    const std::vector<fs::path> found = packedModelFiles(model.folder);
    if (found.empty())
        throw Failure(badInput("the model's folder " + model.folder.string() + " cannot be read."));
    for (const fs::path &file : found)
        files.push_back({"model/" + file.filename().string(), file});
    model.folder = stage / "model";
}

/// A folder that is not packed has no place relative to the study any more.
void nameModelAbsolutely(const fs::path &study, const fs::path &model)
{
    auto json = readJsonFile(study).valueOrThrow();
    json["model"]["folder"] = model.generic_string();
    (void)writeFileAtomically(study, json.dump(2) + '\n').valueOrThrow();
}

PackedStudy pack(Study study, const StudyResults &results, std::string name, const fs::path &out, bool withModel,
                 const JobControl &control)
{
    if (!name.ends_with(kStudyEnding))
        name += kStudyEnding;
    if (study.model && !study.model->host.empty())
        throw Failure(
            usageError(fmt::format("Model and data of {} are on {}: pack the study there.", name, study.model->host)));
    const StagingFolder stage;
    std::vector<ZipSource> files;
    for (std::size_t slot = 0; slot < study.data.size(); ++slot) {
        if (study.data[slot])
            takeData(*study.data[slot], slot == 0 ? "in" : "out", stage.path(), files);
    }
    if (study.model && withModel)
        takeModel(*study.model, stage.path(), files);
    const fs::path inside = stage.path() / name;
    (void)saveStudy(study, results, inside).valueOrThrow();
    if (study.model && !withModel)
        nameModelAbsolutely(inside, fs::absolute(study.model->folder).lexically_normal());
    std::vector<ZipSource> all{{name, inside}};
    std::error_code none;
    for (const auto &entry : fs::directory_iterator(resultsFolder(inside), none))
        all.push_back({name + ".results/" + entry.path().filename().string(), entry.path()});
    std::sort(all.begin() + 1, all.end(), [](const ZipSource &a, const ZipSource &b) { return a.name < b.name; });
    all.insert(all.end(), files.begin(), files.end());
    (void)writeZip(out, all, control).valueOrThrow();
    PackedStudy packed;
    for (const ZipSource &file : all)
        packed.files.push_back(file.name);
    return packed;
}

template<typename T, typename Work>
Result<T> asResult(Work work)
{
    try {
        return work();
    } catch (const Failure &failure) {
        return failure.error();
    } catch (const Cancelled &) {
        return Result<T>::cancelled();
    }
}

} // namespace

std::vector<fs::path> packedModelFiles(const fs::path &folder)
{
    std::error_code failed;
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder, failed)) {
        std::error_code ignored;
        if (entry.is_regular_file(ignored) && !isForOthers(entry.path()))
            found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

Result<PackedStudy> packStudy(const fs::path &study, const fs::path &out, bool withModel, const JobControl &control)
{
    return asResult<PackedStudy>([&] {
        LoadedStudy loaded = loadStudy(study).valueOrThrow();
        PackedStudy packed
            = pack(std::move(loaded.study), loaded.results, study.filename().string(), out, withModel, control);
        packed.problems = std::move(loaded.problems);
        return packed;
    });
}

Result<PackedStudy> packStudy(const Study &study, const StudyResults &results, const std::string &name,
                              const fs::path &out, bool withModel, const JobControl &control)
{
    return asResult<PackedStudy>([&] { return pack(study, results, name, out, withModel, control); });
}

Result<fs::path> unpackStudy(const fs::path &packed, const fs::path &folder, const JobControl &control)
{
    return asResult<fs::path>([&]() -> fs::path {
        (void)unpackZip(packed, folder, control).valueOrThrow();
        for (const auto &entry : fs::directory_iterator(folder)) {
            if (entry.is_regular_file() && entry.path().extension() == kStudyEnding)
                return entry.path();
        }
        throw Failure(badInput(fmt::format("{} holds no study (NAME{}); what it holds is in {}.", packed.string(),
                                           kStudyEnding, folder.string())));
    });
}

} // namespace headscope
