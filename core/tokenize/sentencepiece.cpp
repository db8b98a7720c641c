#include "core/tokenize/sentencepiece.h"

#include "core/base/programfolder.h"
#include "core/formats/textlines.h"
#include "core/tokenize/spmcheck.h"
#include "core/tokenize/spmmodule.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <cstdlib>

namespace headscope {
namespace {

constexpr const char *kModule = "headscope_spm.so";
constexpr int kLoadFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;

std::vector<std::filesystem::path> moduleFolders()
{
    // Installed; in the build folder; and for the tests in it.
    std::vector<std::filesystem::path> folders = relativeToProgram({"../lib/headscope", ".", "../bin"});
    if (const char *named = std::getenv("HEADSCOPE_MODULES"))
        folders.emplace_back(named);
    return folders;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/// Sanitizers replace dlopen() by one that refuses RTLD_DEEPBIND, since what is loaded that way can miss their
/// functions. This module does not, being linked with their library ahead of the C library, whose own dlopen() is
/// called for it.
void *openDeepBound(const char *path)
{
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    void *own = library ? dlsym(library, "dlopen") : nullptr;
    return own ? reinterpret_cast<decltype(&dlopen)>(own)(path, kLoadFlags) : nullptr;
}
#else
void *openDeepBound(const char *path)
{
    return dlopen(path, kLoadFlags);
}
#endif

Result<const HeadscopeSpmApi *> openModule(const std::filesystem::path &path)
{
    void *module = openDeepBound(path.c_str());
    if (!module)
        return resourceError(fmt::format("cannot load {}: {}. Is sentencepiece installed?", path.string(), dlerror()));
    const auto entry = reinterpret_cast<HeadscopeSpmEntry>(dlsym(module, "headscope_spm_api"));
    const HeadscopeSpmApi *api = entry ? entry() : nullptr;
    if (!api || api->version != kHeadscopeSpmVersion)
        return resourceError(path.string() + " belongs to another version of Headscope; install both anew");
    return api;
}

Result<const HeadscopeSpmApi *> loadModule()
{
    std::string tried;
    for (const std::filesystem::path &folder : moduleFolders()) {
        std::error_code ignored;
        if (std::filesystem::exists(folder / kModule, ignored))
            return openModule(folder / kModule);
        tried += (tried.empty() ? "" : ", ") + folder.string();
    }
    return resourceError(fmt::format("the tokenizer module {} is missing (looked in {}); install Headscope anew or "
                                     "set HEADSCOPE_MODULES to its folder",
                                     kModule, tried));
}

const Result<const HeadscopeSpmApi *> &module()
{
    static const Result<const HeadscopeSpmApi *> kModuleApi = loadModule();
    return kModuleApi;
}

/// Precondition: a model was loaded.
const HeadscopeSpmApi &api()
{
    return *module().value();
}

void takeText(void *text, const char *bytes, std::size_t size, int)
{
    static_cast<std::string *>(text)->assign(bytes, size);
}

/// The output of encode(): pieces, or the reason in the last "piece" with id -1.
void appendPiece(void *pieces, const char *bytes, std::size_t size, int id, std::size_t begin, std::size_t end)
{
    static_cast<std::vector<SentencePiece::Piece> *>(pieces)->push_back({std::string(bytes, size), id, begin, end});
}

void appendReason(void *pieces, const char *bytes, std::size_t size, int id)
{
    appendPiece(pieces, bytes, size, id, 0, 0);
}

[[noreturn]] void fail(const char *what, const std::string &why)
{
    throw Failure({ErrorCode::Internal, fmt::format("sentencepiece cannot {}: {}", what, why)});
}

} // namespace

Result<SentencePiece> SentencePiece::load(const std::filesystem::path &file)
{
    if (const auto regular = requireRegularFile(file); !regular.isOk())
        return regular.error();
    const auto bytes = readBytes(file, {}, std::int64_t{256} << 20);
    if (!bytes.isOk())
        return bytes.error();
    return fromBytes(bytes.value(), file.string());
}

Result<SentencePiece> SentencePiece::fromBytes(std::string_view bytes, const std::string &name)
{
    const auto checked = checkSentencePieceModel(bytes, name);
    if (!checked.isOk())
        return checked.error();
    if (!module().isOk())
        return module().error();
    std::string why;
    HeadscopeSpmModel *model = api().load(bytes.data(), bytes.size(), takeText, &why);
    if (!model)
        return badInput(fmt::format("{} is not a SentencePiece model: {}", name, why));
    return SentencePiece(std::shared_ptr<HeadscopeSpmModel>(model, api().unload));
}

namespace {

struct SentenceQueue
{
    std::span<const std::string> left;
};

int nextSentence(void *context, const char **text, std::size_t *size)
{
    auto &queue = *static_cast<SentenceQueue *>(context);
    if (queue.left.empty())
        return 0;
    *text = queue.left.front().data();
    *size = queue.left.front().size();
    queue.left = queue.left.subspan(1);
    return 1;
}

} // namespace

Result<std::string> SentencePiece::train(std::span<const std::string> sentences, const SentencePieceTraining &settings)
{
    if (!module().isOk())
        return module().error();
    // The number of threads is part of the result: sums over pieces are made per thread.
    const std::string options = fmt::format("model_type={}\nvocab_size={}\nnormalization_rule_name={}\n"
                                            "character_coverage={}\nhard_vocab_limit=false\nnum_threads=4\n"
                                            "minloglevel=2",
                                            settings.type, settings.size, settings.normalization, settings.coverage);
    SentenceQueue queue{sentences};
    std::string answer;
    if (api().train(options.c_str(), nextSentence, &queue, takeText, &answer) != 0)
        return badInput(fmt::format("SentencePiece cannot learn {} pieces from {} sentences: {}", settings.size,
                                    sentences.size(), answer));
    return answer;
}

std::int64_t SentencePiece::pieceCount() const
{
    return api().pieceCount(m_model.get());
}

std::string SentencePiece::piece(int id) const
{
    std::string text;
    if (api().piece(m_model.get(), id, takeText, &text) != 0)
        fail("name a piece", text);
    return text;
}

int SentencePiece::idOf(std::string_view piece) const
{
    return api().idOf(m_model.get(), piece.data(), piece.size());
}

std::vector<SentencePiece::Piece> SentencePiece::encode(std::string_view text) const
{
    std::vector<Piece> pieces;
    if (api().encode(m_model.get(), text.data(), text.size(), appendPiece, appendReason, &pieces) != 0)
        fail("encode", pieces.empty() ? std::string() : pieces.back().text);
    return pieces;
}

std::string SentencePiece::decode(std::span<const std::string> pieces) const
{
    std::vector<const char *> texts;
    std::vector<std::size_t> sizes;
    for (const std::string &piece : pieces) {
        texts.push_back(piece.data());
        sizes.push_back(piece.size());
    }
    std::string text;
    if (api().decode(m_model.get(), texts.data(), sizes.data(), texts.size(), takeText, &text) != 0)
        fail("decode", text);
    return text;
}

} // namespace headscope
