#include "core/tokenize/spmfile.h"

#include "core/formats/textlines.h"
#include "core/tokenize/protobufreader.h"
#include "core/tokenize/spmcheck.h"

#include <bit>

namespace headscope {
namespace {

using Field = ProtobufReader::Field;

/// Precondition: the message was checked.
template<typename Handle>
void forEachField(std::string_view message, Handle handle)
{
    ProtobufReader reader(message);
    while (!reader.atEnd()) {
        const auto field = reader.next();
        if (!field)
            return;
        handle(*field);
    }
}

SpmFile::Piece readPiece(std::string_view message)
{
    SpmFile::Piece piece;
    forEachField(message, [&](const Field &field) {
        if (field.number == 1)
            piece.text = std::string(field.bytes);
        else if (field.number == 2)
            piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        else if (field.number == 3)
            piece.type = field.value;
    });
    return piece;
}

} // namespace

Result<SpmFile> readSpmFile(const std::filesystem::path &path)
{
    if (const auto regular = requireRegularFile(path); !regular.isOk())
        return regular.error();
    const auto bytes = readBytes(path, {}, std::int64_t{256} << 20);
    if (!bytes.isOk())
        return bytes.error();
    const auto checked = checkSentencePieceModel(bytes.value(), path.string());
    if (!checked.isOk())
        return checked.error();
    SpmFile file;
    forEachField(bytes.value(), [&](const Field &part) {
        if (part.number == 1)
            file.pieces.push_back(readPiece(part.bytes));
        else if (part.number == 2) // how it was trained
            forEachField(part.bytes, [&](const Field &field) {
                if (field.number == 3)
                    file.model = field.value;
            });
        else if (part.number == 3) // the normaliser
            forEachField(part.bytes, [&](const Field &field) {
                if (field.number == 2)
                    file.charsMap = std::string(field.bytes);
            });
    });
    return file;
}

} // namespace headscope
