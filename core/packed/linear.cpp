#include "core/packed/linear.h"

#include "core/packed/kernels.h"
#include "core/tensor/halfkernels.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#if HEADSCOPE_HAS_DNNL
#include <dnnl.hpp>
#include <omp.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace headscope {

#if HEADSCOPE_HAS_DNNL

namespace {

using DataType = dnnl::memory::data_type;
using Tag = dnnl::memory::format_tag;

const dnnl::engine &engine()
{
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// oneDNN divides a product among as many threads as there are when it is made.
class OneThread
{
public:
    OneThread() : m_threads(omp_get_max_threads()) { omp_set_num_threads(1); }
    ~OneThread() { omp_set_num_threads(m_threads); }
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

private:
    int m_threads;
};

DataType typeOfRows(Products products)
{
    return products == Products::Exact ? DataType::f32 : products == Products::Byte ? DataType::u8 : DataType::bf16;
}

DataType typeOfWeights(Products products)
{
    return products == Products::Byte ? DataType::s8 : typeOfRows(products);
}

/// A 127th of the largest weight of every output [out].
torch::Tensor columnScales(const torch::Tensor &weight)
{
    return weight.abs().amax(1).div_(127);
}

/// Weights [out, in] as the products take them; split: [high, high, low] [out, 3·in], which meets the rows that
/// kernels::split makes.
/// `scales`: of bytes.
torch::Tensor weightsFor(Products products, const torch::Tensor &weight, const torch::Tensor &scales)
{
    if (products == Products::Exact)
        return weight.contiguous();
    if (products == Products::Byte)
        return (weight / scales.clamp_min(1e-30).unsqueeze(1)).round_().to(torch::kInt8).contiguous();
    const auto high = weight.to(torch::kBFloat16);
    if (products == Products::Half)
        return high.contiguous();
    const auto low = (weight - high.to(torch::kFloat32)).to(torch::kBFloat16);
    return torch::cat({high, high, low}, 1).contiguous();
}

template<typename T>
std::vector<T> &scratch(std::size_t size)
{
    thread_local std::vector<T> buffer;
    if (buffer.size() < size)
        buffer.resize(size);
    return buffer;
}

} // namespace

/// Rows of the smallest products: the last sentences of a batch that still go on are few.
constexpr std::int64_t kFewest = 4;
static_assert(PackedLinear::kRowStep % kFewest == 0); // there is room

struct PackedLinear::Impl
{
    std::int64_t inputs = 0; ///< of a row as the product sees it
    std::int64_t outputs = 0;
    Products products = Products::Exact;
    dnnl::memory weights;
    dnnl::memory bias;
    torch::Tensor biasValues;
    // For Products::Byte:
    torch::Tensor scales; ///< of the weights of each output
    torch::Tensor added;  ///< to each output by the 128 that rows are shifted by

    /// The product of a fixed number of rows.
    struct Step
    {
        std::int64_t rows = 0;
        dnnl::matmul::primitive_desc description;
        dnnl::matmul product;
    };
    std::vector<Step> steps; ///< from kSlice rows down to kFewest

    Step makeStep(std::int64_t rows, const dnnl::memory::desc &layout) const
    {
        const bool whole = products == Products::Byte; // whose scales and bias come afterwards
        const dnnl::memory::desc source({rows, inputs}, typeOfRows(products), Tag::ab);
        const dnnl::memory::desc destination({rows, outputs}, whole ? DataType::s32 : DataType::f32, Tag::ab);
        const dnnl::memory::desc biasLayout
            = whole ? dnnl::memory::desc() : dnnl::memory::desc({1, outputs}, DataType::f32, Tag::ab);
        dnnl::primitive_attr attributes;
        attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        Step step;
        step.rows = rows;
#if DNNL_VERSION_MAJOR >= 3
        step.description = {engine(), source, layout, biasLayout, destination, attributes};
#else
        step.description = {dnnl::matmul::desc(source, layout, biasLayout, destination), attributes, engine()};
#endif
        step.product = dnnl::matmul(step.description);
        return step;
    }

    /// Rows of the input as the product takes them.
    const void *prepare(const float *input, std::int64_t first, std::int64_t rows) const
    {
        if (products == Products::Exact)
            return input + first * inputs;
        if (products == Products::Byte) {
            thread_local std::vector<std::uint8_t> bytes; // not scratch(), whose bytes the product itself takes
            bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(kSlice * inputs)));
            kernels::quantize(input + first * inputs, rows, inputs, bytes.data(), rowScales());
            return bytes.data();
        }
        auto &halves = scratch<std::uint16_t>(static_cast<std::size_t>(kSlice * inputs));
        if (products == Products::Half)
            kernels::round(input + first * inputs, rows * inputs, halves.data());
        else
            kernels::split(input + first * (inputs / 3), rows, inputs / 3, halves.data());
        return halves.data();
    }

    static float *rowScales()
    {
        thread_local std::array<float, kSlice> scales;
        return scales.data();
    }

    void run(const Step &step, const void *input, float *output) const
    {
        thread_local dnnl::stream stream(engine());
        auto &pad = scratch<std::uint8_t>(step.description.scratchpad_desc().get_size() + 64);
        auto *aligned = pad.data() + (64 - reinterpret_cast<std::uintptr_t>(pad.data()) % 64) % 64;
        std::unordered_map<int, dnnl::memory> arguments{
            {DNNL_ARG_SRC, dnnl::memory(step.description.src_desc(), engine(), const_cast<void *>(input))},
            {DNNL_ARG_WEIGHTS, weights},
            {DNNL_ARG_DST, dnnl::memory(step.description.dst_desc(), engine(), output)},
            {DNNL_ARG_SCRATCHPAD, dnnl::memory(step.description.scratchpad_desc(), engine(), aligned)}};
        if (products != Products::Byte)
            arguments.emplace(DNNL_ARG_BIAS, bias);
        step.product.execute(stream, arguments);
        if (products == Products::Byte)
            kernels::dequantize(output, step.rows, outputs, rowScales(), scales.data_ptr<float>(),
                                added.data_ptr<std::int32_t>(), biasValues.data_ptr<float>());
    }
};

bool hasPackedProducts()
{
    return true;
}

bool PackedLinear::canMake(Products products)
{
    static const std::array<bool, kProductKinds> can = [] {
        std::array<bool, kProductKinds> tried{};
        for (std::size_t kind = 0; kind < kProductKinds; ++kind) {
            try {
                const PackedLinear any(torch::ones({kRowStep, kRowStep}), {}, static_cast<Products>(kind));
                const std::vector<float> ones(kRowStep * kRowStep, 1);
                std::vector<float> sums(ones.size());
                any(ones.data(), kRowStep, sums.data());
                // Without instructions of their own, products of bytes are cut off at 16 bits on the way.
                tried[kind] = std::ranges::all_of(sums, [](float sum) { return std::abs(sum - kRowStep) < 0.1F; });
            } catch (const dnnl::error &) { // there is no such product for this processor
            }
        }
        return tried;
    }();
    return can[static_cast<std::size_t>(products)];
}

std::string productLibrary()
{
    const dnnl::version_t *version = dnnl::version();
    return "oneDNN " + std::to_string(version->major) + '.' + std::to_string(version->minor) + '.'
         + std::to_string(version->patch);
}

PackedLinear::PackedLinear(const torch::Tensor &weight, const torch::Tensor &bias, Products products)
    : m_impl(std::make_unique<Impl>())
{
    std::unique_lock<std::shared_mutex> alone;
    if (products != Products::Exact)
        alone = std::unique_lock(halfKernels());
    const OneThread oneThread;
    const torch::NoGradGuard noGrad;
    Impl &impl = *m_impl;
    impl.products = products;
    impl.outputs = weight.size(0);
    const auto numbers = weight.to(torch::kFloat32);
    if (products == Products::Byte)
        impl.scales = columnScales(numbers).contiguous();
    const auto values = weightsFor(products, numbers, impl.scales);
    impl.inputs = values.size(1);
    const DataType type = typeOfWeights(products);
    dnnl::memory::desc layout({impl.inputs, impl.outputs}, type, Tag::any);
    for (std::int64_t rows = kSlice; rows >= kFewest; rows /= 2) {
        impl.steps.push_back(impl.makeStep(rows, layout));
        layout = impl.steps.front().description.weights_desc();
    }
    dnnl::memory plain({{impl.inputs, impl.outputs}, type, Tag::ba}, engine(), values.data_ptr());
    impl.weights = dnnl::memory(layout, engine());
    dnnl::stream stream(engine());
    dnnl::reorder(plain, impl.weights).execute(stream, plain, impl.weights);
    stream.wait();
    impl.biasValues = bias.defined() ? bias.to(torch::kFloat32).contiguous().clone() : torch::zeros({impl.outputs});
    if (products == Products::Byte)
        impl.added = values.sum(1, false, torch::kInt32).mul_(128).contiguous();
    impl.bias = dnnl::memory({{1, impl.outputs}, DataType::f32, Tag::ab}, engine(), impl.biasValues.data_ptr());
}

void PackedLinear::operator()(const float *input, std::int64_t rows, float *output) const
{
    const Impl &impl = *m_impl;
    for (std::int64_t first = 0; first < rows;) {
        const std::int64_t room = (rows - first + kFewest - 1) / kFewest * kFewest;
        const Impl::Step &step = *std::ranges::find_if(impl.steps, [&](const auto &s) { return s.rows <= room; });
        const void *source = impl.prepare(input, first, step.rows);
        impl.run(step, source, output + first * impl.outputs);
        first += step.rows;
    }
}

torch::Tensor PackedLinear::seenByBytes(const torch::Tensor &weight)
{
    const auto numbers = weight.to(torch::kFloat32);
    const auto scales = columnScales(numbers);
    return weightsFor(Products::Byte, numbers, scales) * scales.unsqueeze(1);
}

std::int64_t PackedLinear::outputs() const
{
    return m_impl->outputs;
}

#else

struct PackedLinear::Impl
{
};
bool hasPackedProducts()
{
    return false;
}
bool PackedLinear::canMake(Products)
{
    return false;
}
std::string productLibrary()
{
    return {};
}
torch::Tensor PackedLinear::seenByBytes(const torch::Tensor &weight)
{
    return weight;
}
PackedLinear::PackedLinear(const torch::Tensor &, const torch::Tensor &, Products) { }
void PackedLinear::operator()(const float *, std::int64_t, float *) const { }
std::int64_t PackedLinear::outputs() const
{
    return 0;
}

#endif

PackedLinear::PackedLinear() = default;
PackedLinear::PackedLinear(PackedLinear &&) noexcept = default;
PackedLinear &PackedLinear::operator=(PackedLinear &&) noexcept = default;
PackedLinear::~PackedLinear() = default;

} // namespace headscope
