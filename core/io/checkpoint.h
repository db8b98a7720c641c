#pragma once

#include "core/base/jobcontrol.h"
#include "core/formats/mappedfile.h"
#include "core/formats/tensorentry.h"
#include "core/io/packedtensor.h"

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Where Marian's checkpoint says what the model is, and metadata() has it.
inline constexpr const char *kMarianConfig = "special:model.yml";

/// The weights of a model folder: model.safetensors, model.safetensors.index.json, pytorch_model.bin or
/// pytorch_model.bin.index.json, the first that is there, or else fairseq's checkpoint or Marian's; or a model in GGUF,
/// which is one file (ggufOf()). Files are checked in full on opening and never executed.
///
/// Names are normalised: "module." is dropped when all names begin with it, and a last component "gamma" or "beta"
/// becomes "weight" or "bias". Base-model prefixes are left to the families.
///
/// Weights of few bits (MXFP4 of gpt-oss, GPTQ, AWQ, bitsandbytes: quantised.h; GGUF: ggufnames.h) are there under the
/// names that they would have unpacked, as numbers, and are computed each time that they are asked for.
///
/// Where the folder has an adapter of low rank, by itself or beside the weights, tensors are those of its base with it
/// merged (adapter.h).
class Checkpoint
{
public:
    static Result<Checkpoint> open(const std::filesystem::path &folder);
    /// One file (.safetensors, .npz or PyTorch's) by itself, names as they are.
    static Result<Checkpoint> openFile(const std::filesystem::path &path);

    /// As the files have them, ascending.
    std::vector<std::string> names() const;
    bool contains(const std::string &name) const { return m_tensors.contains(name) || m_packed.contains(name); }
    /// Precondition: contains(name).
    const std::vector<std::int64_t> &shape(const std::string &name) const
    {
        const auto packed = m_packed.find(name);
        return packed != m_packed.end() ? packed->second.shape : m_tensors.at(name).entry.shape;
    }
    /// Names of all tensors as numbers: packed ones in the place of their parts; stacks stay as they are.
    std::vector<std::string> unpackedNames() const;
    /// Those of names() that a tensor's numbers are in. Precondition: contains(name).
    std::vector<std::string> filesOwn(const std::string &name) const;

    /// Rows of zeros at the end that the file does not have (of Marian's vocabularies). Precondition: contains(name).
    std::int64_t addedRows(const std::string &name) const
    {
        return m_packed.contains(name) ? 0 : m_tensors.at(name).entry.addedRows;
    }

    /// Contiguous, on the CPU, of the dtype on disk. Where the bytes are aligned the tensor is a view of the file that
    /// keeps it open (writing to it changes nothing on disk); otherwise a copy. Errors: no such tensor, a dtype
    /// that LibTorch lacks, a file that became shorter.
    Result<torch::Tensor> tensor(const std::string &name) const;
    /// Number `index` of the stack that a tensor is; of a packed stack only that is widened.
    Result<torch::Tensor> slice(const std::string &name, std::int64_t index) const;

    /// Whether tensor() gives a view of the file, which takes no memory of its own. Precondition: contains(name).
    bool isView(const std::string &name) const;
    /// The element type that tensor() gives; nothing where LibTorch has none. Precondition: contains(name).
    std::optional<torch::ScalarType> dtype(const std::string &name) const;

    /// Releases the memory of pages that were read: tensors stay valid, and their pages are read from disk as they are
    /// used.
    void forgetPages() const;
    /// Releases those that a tensor lies on. Precondition: contains(name).
    void forgetPages(const std::string &name) const;

    /// Identity of the weights: XXH3-128 over the bytes of all files.
    Result<std::string> contentHash(const JobControl &control = {}) const;

    /// Error when a file was written to since it was opened: what was computed may be of old and new weights together.
    /// Costs a look at sizes and times, unless those changed: then the bytes are compared by `hash`, that of
    /// contentHash().
    Result<Done> checkUnchanged(const std::string &hash, const JobControl &control = {}) const;

    /// Texts in the header of a safetensors file; "special:model.yml", what Marian's checkpoint says of itself.
    const std::map<std::string, std::string> &metadata() const { return m_metadata; }
    const std::vector<std::filesystem::path> &files() const { return m_files; }
    /// E.g. values that are no tensors, or code in a pickle.
    const std::vector<std::string> &warnings() const { return m_warnings; }

private:
    struct Stored
    {
        TensorEntry entry;
        std::shared_ptr<MappedFile> file;
        std::shared_ptr<std::vector<std::byte>> unpacked; ///< where its bytes are, if they are not the file's own

        std::byte *bytes() const;
    };

    /// Where a folder's weights are.
    static Result<std::filesystem::path> weightsIn(const std::filesystem::path &folder);
    Result<Done> addFile(const std::filesystem::path &path);
    /// The tensors of a file, whose bytes are its own or `unpacked`.
    Result<std::vector<TensorEntry>> readEntries(const MappedFile &file,
                                                 std::shared_ptr<std::vector<std::byte>> &unpacked);
    void takeMarianConfig(std::vector<TensorEntry> &entries, std::span<const std::byte> bytes);
    Result<Done> addShards(const std::filesystem::path &index);
    Result<Done> checkShards(const std::filesystem::path &index, const std::map<std::string, std::string> &weights);
    Result<Done> normaliseNames();
    /// Whether its bytes are read where they lie.
    static bool isInPlace(const Stored &stored);
    Result<Done> findPacked(const std::filesystem::path &folder);
    /// The tensor of a file.
    Result<torch::Tensor> stored(const std::string &name) const;
    Result<torch::Tensor> widened(const PackedTensor &packed, std::optional<std::int64_t> slice) const;
    Result<Done> mergeAdapter(const std::filesystem::path &folder);

    std::map<std::string, Stored> m_tensors;
    PackedTensors m_packed;
    std::map<std::string, torch::Tensor> m_merged; ///< with an adapter
    std::set<std::string> m_skipped;               ///< in the file, but no tensor
    std::vector<std::filesystem::path> m_files;
    std::vector<std::shared_ptr<MappedFile>> m_maps;
    std::map<std::string, std::string> m_metadata;
    std::vector<std::string> m_warnings;
};

} // namespace headscope
