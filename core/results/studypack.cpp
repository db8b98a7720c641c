#include "core/results/studypack.h"

#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/formats/zipfolder.h"
#include "core/results/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
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
        std::error_code none;
        const fs::path above = fs::temp_directory_path(none);
        if (none)
            throw Failure(resourceError("there is no folder for temporary files: TMPDIR names "
                                        + std::string(std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp")
                                        + ", which is none"));
        std::string name = (above / "headscope-pack-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw Failure(resourceError(fmt::format("{} cannot be made: {}", name, std::strerror(errno))));
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

/// Whether a path leads into the folder, through whatever links.
bool isInside(const fs::path &path, const fs::path &folder)
{
    std::error_code ignored;
    const fs::path inner = fs::weakly_canonical(path, ignored);
    const fs::path outer = fs::weakly_canonical(folder, ignored);
    return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

/// Files that are packed from elsewhere than the study's folder: a study that somebody else has written can name any
/// file.
std::string noteOfOutside(const fs::path &file)
{
    return "packed from outside the study's folder: " + file.string();
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

/// The folder that files of a model may lie in: its own, or of a model in Hugging Face's cache all that the cache has
/// of it (snapshots/HASH/config.json is a link into blobs).
fs::path modelRoot(const fs::path &folder)
{
    const fs::path plain = fs::absolute(folder).lexically_normal();
    const fs::path snapshots = plain.has_filename() ? plain.parent_path() : plain.parent_path().parent_path();
    return snapshots.filename() == "snapshots" ? snapshots.parent_path() : plain;
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

/// Throws Failure if the archive would replace something that goes into it, or be a file of the model that is packed.
void checkOutput(const Study &study, const fs::path &out, bool withModel)
{
    std::error_code ignored;
    const auto refuse = [&](const std::string &why) {
        throw Failure(usageError(out.string() + " " + why + "; choose another name for the archive"));
    };
    for (const std::optional<DataCard> &data : study.data) {
        if (!data)
            continue;
        DataSource origin = data->origin;
        for (const std::string *file : filesOf(origin)) {
            if (!file->empty() && fs::equivalent(out, *file, ignored))
                refuse("is a file of data set \"" + data->name + '"');
        }
    }
    const fs::path above = fs::absolute(out).lexically_normal().parent_path();
    if (withModel && study.model && fs::equivalent(above, study.model->folder, ignored))
        refuse("would be a file of the model");
    for (const fs::path &file : study.model ? packedModelFiles(study.model->folder) : std::vector<fs::path>()) {
        if (fs::equivalent(out, file, ignored))
            refuse("is a file of the model");
    }
}

/// Every file that lies elsewhere than where whoever packs the study would look for it. `folder`: the study's; empty:
/// it is in no file.
std::vector<std::string> notesOfOutside(const Study &study, const fs::path &folder, bool withModel)
{
    std::vector<std::string> notes;
    for (const std::optional<DataCard> &data : study.data) {
        DataSource origin = data ? data->origin : DataSource();
        for (const std::string *file : filesOf(origin)) {
            if (!file->empty() && !folder.empty() && !isInside(*file, folder))
                notes.push_back(noteOfOutside(*file));
        }
    }
    if (!withModel || !study.model)
        return notes;
    if (!folder.empty() && !isInside(study.model->folder, folder))
        notes.push_back(noteOfOutside(study.model->folder));
    std::error_code ignored;
    for (const fs::path &file : packedModelFiles(study.model->folder)) {
        if (!isInside(file, modelRoot(study.model->folder)))
            notes.push_back(fmt::format("packed from outside the model's folder: {} is a link to {}", file.string(),
                                        fs::weakly_canonical(file, ignored).string()));
    }
    return notes;
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
    checkOutput(study, out, withModel);
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
        std::error_code ignored;
        const fs::path results = resultsFolder(study);
        if (fs::equivalent(study, out, ignored) || isInside(out, results))
            throw Failure(usageError(out.string() + " is of the study itself; choose another name for the archive"));
        const std::vector<std::string> notes
            = notesOfOutside(loaded.study, fs::absolute(study).parent_path(), withModel);
        PackedStudy packed
            = pack(std::move(loaded.study), loaded.results, study.filename().string(), out, withModel, control);
        packed.problems = std::move(loaded.problems);
        packed.problems.insert(packed.problems.end(), notes.begin(), notes.end());
        return packed;
    });
}

Result<PackedStudy> packStudy(const Study &study, const StudyResults &results, const std::string &name,
                              const fs::path &out, bool withModel, const JobControl &control)
{
    return asResult<PackedStudy>([&] {
        PackedStudy packed = pack(study, results, name, out, withModel, control);
        packed.problems = notesOfOutside(study, {}, withModel);
        return packed;
    });
}

Result<fs::path> unpackStudy(const fs::path &packed, const fs::path &folder, const JobControl &control)
{
    return asResult<fs::path>([&]() -> fs::path {
        (void)unpackZip(packed, folder, control).valueOrThrow();
        std::error_code none;
        for (const auto &entry : fs::directory_iterator(folder, none)) {
            if (entry.is_regular_file(none) && entry.path().extension() == kStudyEnding)
                return entry.path();
        }
        throw Failure(badInput(fmt::format("{} holds no study (NAME{}); what it holds is in {}.", packed.string(),
                                           kStudyEnding, folder.string())));
    });
}

} // namespace headscope
