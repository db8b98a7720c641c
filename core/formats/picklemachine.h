#pragma once

#include "core/base/result.h"
#include "core/formats/bytereader.h"
#include "core/formats/picklevalue.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace headscope {

/// Reads Python pickles as data. It knows a closed list of opcodes and of globals (ordered dictionaries, tensor
/// rebuilding, storages); every other global stays an inert name. Nothing of a pickle is ever executed.
class PickleMachine
{
public:
    /// Errors call the file `name`. The values point into the bytes that were read, and live as long as the machine.
    explicit PickleMachine(std::string name) : m_name(std::move(name)) { }

    /// Reads one pickle up to its STOP and leaves `reader` after it.
    Result<const PickleValue *> run(ByteReader &reader);

    /// Every storage that the pickles read so far speak of.
    std::vector<const PickleStorage *> storages() const;
    /// Globals of the files read so far that would run programs in Python, e.g. "posix.system".
    const std::set<std::string> &codeGlobals() const { return m_codeGlobals; }

private:
    using Kind = PickleValue::Kind;

    // Each returns false after fail().
    bool step(unsigned opcode, ByteReader &reader);
    bool stepScalar(unsigned opcode, ByteReader &reader);
    bool stepText(unsigned opcode, ByteReader &reader);
    bool stepContainer(unsigned opcode);
    bool stepMemo(unsigned opcode, ByteReader &reader);
    bool stepObject(unsigned opcode, ByteReader &reader);

    bool pushNumber(std::optional<std::uint64_t> value);
    bool pushLong(ByteReader &reader, std::size_t sizeBytes);
    bool pushText(Kind kind, ByteReader &reader, std::size_t sizeBytes);
    bool pushTuple(std::size_t size);
    bool pushGlobal(std::string_view module, std::string_view name);
    bool fill(Kind kind, std::size_t count);
    bool persistent();
    bool reduce(bool isNew);
    bool build();

    PickleValue *push(Kind kind);
    bool pop(PickleValue *&value);
    /// Pops the values above the last mark, and the mark.
    bool popToMark(std::vector<PickleValue *> &values);
    bool memoPut(std::uint64_t index);
    bool memoGet(std::uint64_t index);
    bool fail(std::string what);

    std::string m_name;
    std::deque<PickleValue> m_values;
    std::vector<PickleValue *> m_stack;
    std::vector<std::size_t> m_marks;
    std::unordered_map<std::uint64_t, PickleValue *> m_memo;
    std::set<std::string> m_codeGlobals;
    std::string m_error;
    std::size_t m_steps = 0;
};

/// The value of calling `function` with `arguments`, if it is one of the known globals: fills `result` and leaves it
/// Opaque otherwise. False: a tensor that reaches outside its storage, told in `why`.
bool rebuildPickled(const PickleValue &function, const PickleValue &arguments, PickleValue &result, std::string &why);
/// A storage from its persistent id; `result` stays Opaque when its type is not known.
bool describeStorage(const PickleValue &id, PickleValue &result, std::string &why);
/// True for globals that are known to run programs.
bool runsCode(std::string_view module, std::string_view name);

} // namespace headscope
