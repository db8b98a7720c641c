#pragma once

#include "tests/core/formats/zipwriter.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope::testing {

/// Pieces of pickles (protocol 2), written by hand as torch.save writes them.
namespace pickle {

inline std::string text(const std::string &value)
{
    return 'X' + littleEndian(value.size(), 4) + value;
}

inline std::string integer(std::int64_t value)
{
    if (value >= 0 && value < 256)
        return 'K' + littleEndian(static_cast<std::uint64_t>(value), 1);
    return "\x8A\x08" + littleEndian(static_cast<std::uint64_t>(value), 8);
}

inline std::string global(const std::string &module, const std::string &name)
{
    return 'c' + module + '\n' + name + '\n';
}

inline std::string tuple(const std::vector<std::int64_t> &values)
{
    std::string bytes = "(";
    for (const std::int64_t value : values)
        bytes += integer(value);
    return bytes + 't';
}

/// The persistent id of a storage; `view` is the sixth item of old files.
inline std::string storage(const std::string &key, std::int64_t elements, const std::string &type = "FloatStorage",
                           const std::string &view = {})
{
    return "(" + text("storage") + global("torch", type) + text(key) + text("cpu") + integer(elements) + view + "tQ";
}

inline std::string orderedDict()
{
    return global("collections", "OrderedDict") + ")R";
}

inline std::string tensor(const std::string &storageBytes, std::int64_t offset, const std::vector<std::int64_t> &shape,
                          const std::vector<std::int64_t> &strides)
{
    return global("torch._utils", "_rebuild_tensor_v2") + '(' + storageBytes + integer(offset) + tuple(shape)
         + tuple(strides) + '\x89' + orderedDict() + "tR";
}

inline std::string parameter(const std::string &tensorBytes)
{
    return global("torch._utils", "_rebuild_parameter") + tensorBytes + '\x88' + orderedDict() + "\x87R";
}

/// An OrderedDict of already pickled values, with the _metadata that state_dict() leaves on it.
inline std::string stateDict(const std::vector<std::pair<std::string, std::string>> &items)
{
    std::string bytes = orderedDict() + "q\1(";
    for (const auto &[name, value] : items)
        bytes += text(name) + value;
    return bytes + "u}" + text("_metadata") + orderedDict() + "sb";
}

inline std::string whole(const std::string &value)
{
    return "\x80\x02" + value + '.';
}

} // namespace pickle

inline std::string floats(const std::vector<float> &values)
{
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

/// The zip form: a pickle and its storages "0", "1", ….
inline std::string torchZip(const std::string &value, const std::vector<std::string> &storages,
                            const std::string &byteOrder = "little")
{
    std::vector<ZipMember> members(3);
    members[0].name = "archive/data.pkl";
    members[0].data = pickle::whole(value);
    members[1].name = "archive/byteorder";
    members[1].data = byteOrder;
    members[2].name = "archive/version";
    members[2].data = "3\n";
    for (std::size_t i = 0; i < storages.size(); ++i) {
        ZipMember member;
        member.name = "archive/data/" + std::to_string(i);
        member.data = storages[i];
        member.padding = "FB" + littleEndian(4, 2) + "ZZZZ";
        members.push_back(member);
    }
    return zipBytes(members);
}

/// The old form: pickles one after the other, then per key a count and the elements.
inline std::string torchLegacy(const std::string &value,
                               const std::vector<std::pair<std::string, std::string>> &storages,
                               std::int64_t elementSize = 4, bool littleEndianFlag = true)
{
    std::string bytes = pickle::whole(std::string("\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19", 12));
    bytes += pickle::whole("M" + littleEndian(1001, 2));
    bytes += pickle::whole("}(" + pickle::text("protocol_version") + "M" + littleEndian(1001, 2)
                           + pickle::text("little_endian") + (littleEndianFlag ? '\x88' : '\x89')
                           + pickle::text("type_sizes") + "}" + pickle::text("int") + "K\4su");
    bytes += pickle::whole(value);
    std::string keys = "](";
    for (const auto &storage : storages)
        keys += pickle::text(storage.first);
    bytes += pickle::whole(keys + 'e');
    for (const auto &storage : storages) {
        std::string count = littleEndian(storage.second.size() / static_cast<std::size_t>(elementSize), 8);
        bytes += (littleEndianFlag ? count : std::string(count.rbegin(), count.rend())) + storage.second;
    }
    return bytes;
}

} // namespace headscope::testing
