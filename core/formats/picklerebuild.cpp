#include "core/formats/picklemachine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headscope {
namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kHighestRank = 8;
constexpr std::uint64_t kFreeElements = std::uint64_t{1} << 24;

std::optional<DType> storageDtype(const PickleValue &type)
{
    static constexpr std::pair<std::string_view, DType> kStorages[]
        = {{"FloatStorage", DType::F32},  {"HalfStorage", DType::F16}, {"BFloat16Storage", DType::BF16},
           {"DoubleStorage", DType::F64}, {"LongStorage", DType::I64}, {"IntStorage", DType::I32},
           {"ShortStorage", DType::I16},  {"CharStorage", DType::I8},  {"ByteStorage", DType::U8},
           {"BoolStorage", DType::Bool}};
    if (type.kind != Kind::Global || (type.text != "torch" && type.text != "torch.cuda"))
        return std::nullopt;
    for (const auto &[name, dtype] : kStorages)
        if (type.name == name)
            return dtype;
    return std::nullopt;
}

bool isOrderedDict(const PickleValue &function)
{
    return function.isGlobal("collections", "OrderedDict");
}

bool isTensorWrapper(const PickleValue &function)
{
    return function.isGlobal("torch._utils", "_rebuild_parameter")
        || function.isGlobal("torch._utils", "_rebuild_parameter_with_state")
        || function.isGlobal("torch.nn.parameter", "Parameter");
}

/// OrderedDict([(key, value), …]) as Python 2 wrote it.
void rebuildDict(const PickleValue &arguments, PickleValue &result)
{
    result.kind = Kind::Dict;
    if (arguments.items.empty())
        return;
    for (const PickleValue *pair : arguments.items[0]->items)
        if ((pair->kind == Kind::Tuple || pair->kind == Kind::List) && pair->items.size() == 2)
            result.items.insert(result.items.end(), pair->items.begin(), pair->items.end());
}

bool readDimensions(const PickleValue &tuple, std::vector<std::int64_t> &out)
{
    if ((tuple.kind != Kind::Tuple && tuple.kind != Kind::List) || tuple.items.size() > kHighestRank)
        return false;
    for (const PickleValue *item : tuple.items) {
        if (!item->asSize())
            return false;
        out.push_back(item->integer);
    }
    return true;
}

/// Elements from the first to one past the last that the tensor touches; nullopt when that overflows.
std::optional<std::uint64_t> extent(const PickleTensor &tensor)
{
    std::uint64_t end = 1;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        std::uint64_t reach = 0;
        if (tensor.shape[i] == 0)
            return 0;
        if (__builtin_mul_overflow(static_cast<std::uint64_t>(tensor.shape[i] - 1),
                                   static_cast<std::uint64_t>(tensor.strides[i]), &reach)
            || __builtin_add_overflow(end, reach, &end))
            return std::nullopt;
    }
    return end;
}

/// With a stride of zero a few bytes describe a tensor of any size, which would exhaust memory when expanded.
bool isReasonable(const PickleTensor &tensor)
{
    std::uint64_t elements = 1;
    for (const std::int64_t dim : tensor.shape)
        if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(dim), &elements))
            return false;
    return elements <= std::max(tensor.storage.viewElements, kFreeElements);
}

/// _rebuild_tensor_v2(storage, storage_offset, size, stride, …)
bool rebuildTensor(const PickleValue &arguments, PickleValue &result, std::string &why)
{
    const auto &items = arguments.items;
    if (items.size() < 4 || items[0]->kind != Kind::Storage)
        return true; // of a storage type that we do not know: stays opaque
    auto tensor = std::make_unique<PickleTensor>();
    tensor->storage = *items[0]->storage;
    const auto offset = items[1]->asSize();
    if (!offset || !readDimensions(*items[2], tensor->shape) || !readDimensions(*items[3], tensor->strides)
        || tensor->shape.size() != tensor->strides.size()) {
        why = "a tensor has an invalid shape";
        return false;
    }
    const auto end = extent(*tensor);
    const std::uint64_t room = tensor->storage.viewElements;
    if (!end || *offset > room || *end > room - *offset || !isReasonable(*tensor)) {
        why = fmt::format("a tensor {} reaches outside its storage of {} elements", shapeText(tensor->shape), room);
        return false;
    }
    tensor->offset = tensor->storage.viewOffset + *offset;
    result.kind = Kind::Tensor;
    result.tensor = std::move(tensor);
    return true;
}

/// (view key, offset, size), or None.
bool readView(const PickleValue &view, PickleStorage &storage)
{
    if (view.kind == Kind::None)
        return true;
    if (view.kind != Kind::Tuple || view.items.size() != 3)
        return false;
    const auto offset = view.items[1]->asSize();
    const auto size = view.items[2]->asSize();
    if (!offset || !size || *offset > storage.elements || *size > storage.elements - *offset)
        return false;
    storage.viewOffset = *offset;
    storage.viewElements = *size;
    return true;
}

void copyValue(const PickleValue &from, PickleValue &to)
{
    to.kind = from.kind;
    to.items = from.items;
    if (from.tensor)
        to.tensor = std::make_unique<PickleTensor>(*from.tensor);
}

} // namespace

bool runsCode(std::string_view module, std::string_view name)
{
    static constexpr std::array kModules
        = {std::string_view("os"),         std::string_view("posix"),    std::string_view("nt"),
           std::string_view("subprocess"), std::string_view("sys"),      std::string_view("runpy"),
           std::string_view("importlib"),  std::string_view("pty"),      std::string_view("shutil"),
           std::string_view("socket"),     std::string_view("commands"), std::string_view("webbrowser"),
           std::string_view("ctypes"),     std::string_view("code")};
    static constexpr std::array kBuiltins
        = {std::string_view("eval"),    std::string_view("exec"),       std::string_view("execfile"),
           std::string_view("compile"), std::string_view("getattr"),    std::string_view("setattr"),
           std::string_view("open"),    std::string_view("__import__"), std::string_view("apply"),
           std::string_view("input"),   std::string_view("breakpoint")};
    if (module == "builtins" || module == "__builtin__")
        return std::find(kBuiltins.begin(), kBuiltins.end(), name) != kBuiltins.end();
    const std::string_view top = module.substr(0, module.find('.'));
    return std::find(kModules.begin(), kModules.end(), top) != kModules.end();
}

bool describeStorage(const PickleValue &id, PickleValue &result, std::string &why)
{
    const auto &items = id.items;
    if (id.kind != Kind::Tuple || items.size() < 5 || items[0]->kind != Kind::Text || items[0]->text != "storage"
        || items[2]->kind != Kind::Text || !items[4]->asSize()) {
        why = "a reference to data has an unknown form";
        return false;
    }
    const auto dtype = storageDtype(*items[1]);
    if (!dtype)
        return true;
    auto storage = std::make_unique<PickleStorage>();
    storage->key = items[2]->text;
    storage->dtype = *dtype;
    storage->elements = storage->viewElements = *items[4]->asSize();
    if (items.size() > 5 && !readView(*items[5], *storage)) {
        why = "a view lies outside its storage";
        return false;
    }
    result.kind = Kind::Storage;
    result.storage = std::move(storage);
    return true;
}

bool rebuildPickled(const PickleValue &function, const PickleValue &arguments, PickleValue &result, std::string &why)
{
    if (isOrderedDict(function)) {
        rebuildDict(arguments, result);
        return true;
    }
    if (function.isGlobal("torch._utils", "_rebuild_tensor_v2") || function.isGlobal("torch._utils", "_rebuild_tensor"))
        return rebuildTensor(arguments, result, why);
    const bool wraps = isTensorWrapper(function) || function.isGlobal("torch", "Size");
    if (wraps && !arguments.items.empty()
        && (arguments.items[0]->kind == Kind::Tensor || arguments.items[0]->kind == Kind::Tuple))
        copyValue(*arguments.items[0], result);
    return true;
}

} // namespace headscope
