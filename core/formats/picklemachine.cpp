#include "core/formats/picklemachine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace headscope {
namespace {

constexpr std::size_t kMostSteps = 20'000'000;
constexpr std::size_t kMostValues = 4'000'000;
constexpr std::size_t kLongestGlobal = 1024;
constexpr std::uint64_t kLongestInteger = 1024;

/// Pickle protocol 2 as torch.save writes it, and what protocol 4 puts in its place.
enum Opcode : unsigned {
    Mark = '(',
    Stop = '.',
    BinFloat = 'G',
    BinInt = 'J',
    BinInt1 = 'K',
    BinInt2 = 'M',
    NoneValue = 'N',
    BinPersId = 'Q',
    Reduce = 'R',
    BinString = 'T',
    ShortBinString = 'U',
    BinUnicode = 'X',
    Append = 'a',
    Build = 'b',
    Global = 'c',
    Appends = 'e',
    BinGet = 'h',
    LongBinGet = 'j',
    BinPut = 'q',
    LongBinPut = 'r',
    SetItem = 's',
    TupleMark = 't',
    SetItems = 'u',
    EmptyList = ']',
    EmptyTuple = ')',
    EmptyDict = '}',
    BinBytes = 'B',
    ShortBinBytes = 'C',
    Proto = 0x80,
    NewObj = 0x81,
    Tuple1 = 0x85,
    Tuple2 = 0x86,
    Tuple3 = 0x87,
    NewTrue = 0x88,
    NewFalse = 0x89,
    Long1 = 0x8A,
    Long4 = 0x8B,
    ShortBinUnicode = 0x8C,
    BinUnicode8 = 0x8D,
    EmptySet = 0x8F,
    AddItems = 0x90,
    FrozenSet = 0x91,
    StackGlobal = 0x93,
    Memoize = 0x94,
    Frame = 0x95,
};

constexpr unsigned kScalars[]{NoneValue, NewTrue, NewFalse, BinInt, BinInt1, BinInt2, BinFloat, Long1, Long4};
constexpr unsigned kTexts[]{BinUnicode,     ShortBinUnicode, BinUnicode8,  BinString,
                            ShortBinString, BinBytes,        ShortBinBytes};
constexpr unsigned kContainers[]{Mark,   EmptyTuple, EmptyList, EmptyDict, EmptySet, TupleMark, Tuple1,   Tuple2,
                                 Tuple3, Append,     Appends,   SetItem,   SetItems, AddItems,  FrozenSet};
constexpr unsigned kMemos[]{BinPut, LongBinPut, Memoize, BinGet, LongBinGet};
constexpr unsigned kObjects[]{Global, StackGlobal, BinPersId, Reduce, NewObj, Build};

} // namespace

Result<const PickleValue *> PickleMachine::run(ByteReader &reader)
{
    m_stack.clear();
    m_marks.clear();
    m_memo.clear();
    m_error.clear();
    while (true) {
        const auto opcode = reader.number(1);
        if (!opcode) {
            fail("it ends in the middle");
            break;
        }
        if (*opcode == Stop) {
            PickleValue *result = nullptr;
            if (pop(result))
                return result;
            break;
        }
        if (++m_steps > kMostSteps) {
            fail("it is too long");
            break;
        }
        if (!step(static_cast<unsigned>(*opcode), reader))
            break;
    }
    return badInput(fmt::format("{} is not a checkpoint that can be read: in its pickle, {}", m_name, m_error));
}

std::vector<const PickleStorage *> PickleMachine::storages() const
{
    std::vector<const PickleStorage *> found;
    for (const PickleValue &value : m_values)
        if (value.storage)
            found.push_back(value.storage.get());
    return found;
}

bool PickleMachine::fail(std::string what)
{
    if (m_error.empty())
        m_error = std::move(what);
    return false;
}

bool PickleMachine::step(unsigned opcode, ByteReader &reader)
{
    const auto isOf = [opcode](const auto &codes) { return std::ranges::find(codes, opcode) != std::end(codes); };
    if (isOf(kContainers))
        return stepContainer(opcode);
    if (isOf(kTexts))
        return stepText(opcode, reader);
    if (isOf(kScalars))
        return stepScalar(opcode, reader);
    if (isOf(kMemos))
        return stepMemo(opcode, reader);
    if (isOf(kObjects))
        return stepObject(opcode, reader);
    if (opcode == Proto) {
        const auto version = reader.number(1);
        return (version && *version <= 5) || fail("the protocol is unknown");
    }
    if (opcode == Frame) {
        const auto size = reader.number(8);
        return (size && *size <= reader.left()) || fail("a frame is truncated");
    }
    return fail(
        fmt::format("the opcode 0x{:02X} at byte {} is none that torch.save writes", opcode, reader.position() - 1));
}

bool PickleMachine::stepScalar(unsigned opcode, ByteReader &reader)
{
    switch (opcode) {
    case NoneValue:
        return push(Kind::None) != nullptr;
    case NewTrue:
    case NewFalse:
        if (PickleValue *value = push(Kind::Bool)) {
            value->integer = opcode == NewTrue;
            return true;
        }
        return false;
    case BinInt: {
        auto value = reader.number(4);
        if (value)
            value = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(*value)));
        return pushNumber(value);
    }
    case BinInt1:
        return pushNumber(reader.number(1));
    case BinInt2:
        return pushNumber(reader.number(2));
    case BinFloat: {
        const auto bits = reader.number(8); // the other way round
        PickleValue *value = bits ? push(Kind::Float) : nullptr;
        if (value)
            value->number = std::bit_cast<double>(__builtin_bswap64(*bits));
        return value || fail("a number is truncated");
    }
    default:
        return pushLong(reader, opcode == Long1 ? 1 : 4);
    }
}

bool PickleMachine::pushNumber(std::optional<std::uint64_t> number)
{
    if (!number)
        return fail("a number is truncated");
    PickleValue *value = push(Kind::Integer);
    if (value)
        value->integer = static_cast<std::int64_t>(*number);
    return value != nullptr;
}

bool PickleMachine::pushLong(ByteReader &reader, std::size_t sizeBytes)
{
    const auto size = reader.number(sizeBytes);
    if (!size || *size > kLongestInteger)
        return fail("an integer is too long");
    const auto bytes = reader.text(*size);
    if (!bytes)
        return fail("a number is truncated");
    if (bytes->size() > 8) {
        PickleValue *value = push(Kind::BigInteger);
        if (value)
            value->text = *bytes;
        return value != nullptr;
    }
    std::uint64_t number = !bytes->empty() && (bytes->back() & 0x80) ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes->size(); i-- > 0;)
        number = number << 8 | static_cast<unsigned char>((*bytes)[i]);
    return pushNumber(number);
}

bool PickleMachine::stepText(unsigned opcode, ByteReader &reader)
{
    switch (opcode) {
    case BinUnicode:
    case BinString:
        return pushText(Kind::Text, reader, 4);
    case ShortBinUnicode:
    case ShortBinString:
        return pushText(Kind::Text, reader, 1);
    case BinUnicode8:
        return pushText(Kind::Text, reader, 8);
    case BinBytes:
        return pushText(Kind::Bytes, reader, 4);
    default:
        return pushText(Kind::Bytes, reader, 1);
    }
}

bool PickleMachine::pushText(Kind kind, ByteReader &reader, std::size_t sizeBytes)
{
    const auto size = reader.number(sizeBytes);
    const auto text = size ? reader.text(*size) : std::nullopt;
    if (!text)
        return fail("a text is longer than the file");
    PickleValue *value = push(kind);
    if (value)
        value->text = *text;
    return value != nullptr;
}

bool PickleMachine::stepContainer(unsigned opcode)
{
    switch (opcode) {
    case Mark:
        m_marks.push_back(m_stack.size());
        return true;
    case EmptyTuple:
        return push(Kind::Tuple) != nullptr;
    case EmptyList:
        return push(Kind::List) != nullptr;
    case EmptyDict:
        return push(Kind::Dict) != nullptr;
    case EmptySet:
        return push(Kind::Set) != nullptr;
    case Tuple1:
    case Tuple2:
    case Tuple3:
        return pushTuple(opcode - Tuple1 + 1);
    case TupleMark:
    case FrozenSet: {
        std::vector<PickleValue *> items;
        if (!popToMark(items))
            return false;
        PickleValue *value = push(opcode == TupleMark ? Kind::Tuple : Kind::Set);
        if (value)
            value->items = std::move(items);
        return value != nullptr;
    }
    case Append:
        return fill(Kind::List, 1);
    case SetItem:
        return fill(Kind::Dict, 2);
    case Appends:
        return fill(Kind::List, 0);
    case SetItems:
        return fill(Kind::Dict, 0);
    default:
        return fill(Kind::Set, 0);
    }
}

bool PickleMachine::pushTuple(std::size_t size)
{
    std::vector<PickleValue *> items(size);
    for (std::size_t i = size; i-- > 0;)
        if (!pop(items[i]))
            return false;
    PickleValue *value = push(Kind::Tuple);
    if (value)
        value->items = std::move(items);
    return value != nullptr;
}

/// Adds the top `count` values (0: all above the mark) to the container below them.
bool PickleMachine::fill(Kind kind, std::size_t count)
{
    std::vector<PickleValue *> items(count);
    if (count == 0 && !popToMark(items))
        return false;
    for (std::size_t i = count; i-- > 0;)
        if (!pop(items[i]))
            return false;
    if (m_stack.empty() || (!m_marks.empty() && m_stack.size() <= m_marks.back()))
        return fail("values are appended to an empty stack");
    PickleValue *container = m_stack.back();
    if (container->kind == Kind::Opaque || container->kind == Kind::Object)
        return true; // an object of a class that we do not know, filled like a list or a dictionary
    if (container->kind != kind || (kind == Kind::Dict && items.size() % 2 != 0))
        return fail("values are appended to an object that is not a container");
    container->items.insert(container->items.end(), items.begin(), items.end());
    return true;
}

bool PickleMachine::stepMemo(unsigned opcode, ByteReader &reader)
{
    if (opcode == Memoize)
        return memoPut(m_memo.size());
    const auto index = reader.number(opcode == BinPut || opcode == BinGet ? 1 : 4);
    if (!index)
        return fail("a number is truncated");
    return opcode == BinPut || opcode == LongBinPut ? memoPut(*index) : memoGet(*index);
}

bool PickleMachine::memoPut(std::uint64_t index)
{
    if (m_stack.empty() || (!m_marks.empty() && m_stack.size() <= m_marks.back()))
        return fail("an empty stack is memoized");
    m_memo[index] = m_stack.back();
    return true;
}

bool PickleMachine::memoGet(std::uint64_t index)
{
    const auto found = m_memo.find(index);
    if (found == m_memo.end())
        return fail("an unknown memo index is used");
    m_stack.push_back(found->second);
    return true;
}

bool PickleMachine::stepObject(unsigned opcode, ByteReader &reader)
{
    switch (opcode) {
    case Global: {
        const auto module = reader.line(kLongestGlobal);
        const auto name = module ? reader.line(kLongestGlobal) : std::nullopt;
        return name ? pushGlobal(*module, *name) : fail("a name is truncated");
    }
    case StackGlobal: {
        PickleValue *name = nullptr;
        PickleValue *module = nullptr;
        if (!pop(name) || !pop(module))
            return false;
        if (name->kind != Kind::Text || module->kind != Kind::Text)
            return fail("a name is not a text");
        return pushGlobal(module->text, name->text);
    }
    case BinPersId:
        return persistent();
    case Build:
        return build();
    default:
        return reduce(opcode == NewObj);
    }
}

bool PickleMachine::pushGlobal(std::string_view module, std::string_view name)
{
    if (runsCode(module, name))
        m_codeGlobals.insert(fmt::format("{}.{}", module.substr(0, 60), name.substr(0, 60)));
    PickleValue *value = push(Kind::Global);
    if (!value)
        return false;
    value->text = module;
    value->name = name;
    return true;
}

bool PickleMachine::persistent()
{
    PickleValue *id = nullptr;
    if (!pop(id))
        return false;
    std::string why;
    PickleValue *value = push(Kind::Opaque);
    return value && (describeStorage(*id, *value, why) || fail(why));
}

bool PickleMachine::reduce(bool isNew)
{
    PickleValue *arguments = nullptr;
    PickleValue *function = nullptr;
    if (!pop(arguments) || !pop(function))
        return false;
    if (arguments->kind != Kind::Tuple)
        return fail(isNew ? "an object is made without arguments" : "a call has no arguments");
    std::string why;
    PickleValue *value = push(Kind::Opaque);
    return value && (rebuildPickled(*function, *arguments, *value, why) || fail(why));
}

/// State of an object: attributes of one that stays opaque are kept as data (argparse.Namespace); what is known keeps
/// none (an ordered dictionary's _metadata, a parameter's hooks).
bool PickleMachine::build()
{
    PickleValue *state = nullptr;
    if (!pop(state))
        return false;
    if (m_stack.empty())
        return fail("state is set on an empty stack");
    PickleValue *object = m_stack.back();
    if (object->kind == Kind::Opaque && state->kind == Kind::Dict) {
        object->kind = Kind::Object;
        object->items = state->items;
    }
    return true;
}

PickleValue *PickleMachine::push(Kind kind)
{
    if (m_values.size() >= kMostValues) {
        fail("it holds too many values");
        return nullptr;
    }
    PickleValue &value = m_values.emplace_back();
    value.kind = kind;
    m_stack.push_back(&value);
    return &value;
}

bool PickleMachine::pop(PickleValue *&value)
{
    if (m_stack.empty() || (!m_marks.empty() && m_stack.size() <= m_marks.back()))
        return fail("a value is missing");
    value = m_stack.back();
    m_stack.pop_back();
    return true;
}

bool PickleMachine::popToMark(std::vector<PickleValue *> &values)
{
    if (m_marks.empty())
        return fail("a mark is missing");
    const auto start = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
    values.assign(start, m_stack.end());
    m_stack.erase(start, m_stack.end());
    m_marks.pop_back();
    return true;
}

} // namespace headscope
