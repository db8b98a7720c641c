#pragma once

#include "core/base/random.h"
#include "core/formats/safetensors.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace headscope::testing {

enum class TensorRule {
    Waves,  ///< a formula that other programs can follow; matrices have rank two
    Random, ///< uniform, seeded by the tensor's name
};

/// Named tensors of a small model, always with the same values.
class TensorList
{
public:
    using Shape = std::vector<std::int64_t>;

    explicit TensorList(TensorRule rule = TensorRule::Waves) : m_rule(rule) { }

    /// Matrices get values within ±amplitude, biases a tenth, norm weights about 1.
    void add(const std::string &name, Shape shape, double amplitude = 0.35)
    {
        m_tensors.push_back({name, std::move(shape), amplitude});
    }

    void addLinear(const std::string &name, std::int64_t out, std::int64_t in, double amplitude = 0.35)
    {
        add(name + ".weight", {out, in}, amplitude);
        add(name + ".bias", {out});
    }

    void addNorm(const std::string &name, std::int64_t width)
    {
        add(name + ".weight", {width});
        add(name + ".bias", {width});
    }

    std::string serialized() const
    {
        std::vector<TensorEntry> entries;
        for (const Tensor &tensor : m_tensors) {
            TensorEntry entry;
            entry.name = tensor.name;
            entry.shape = tensor.shape;
            entries.push_back(entry);
        }
        const SafetensorsLayout layout = layoutSafetensors(entries, {{"format", "pt"}});
        std::string bytes = layout.header;
        for (std::size_t i : layout.order)
            bytes += values(m_tensors[i]);
        return bytes;
    }

private:
    struct Tensor
    {
        std::string name;
        Shape shape;
        double amplitude;
    };

    std::string values(const Tensor &tensor) const
    {
        int sum = 0;
        for (unsigned char c : tensor.name)
            sum += c;
        const double phase = 0.13 * (sum % 97);
        Random random(static_cast<std::uint64_t>(sum));
        std::int64_t count = 1;
        for (std::int64_t size : tensor.shape)
            count *= size;
        const bool norm = tensor.shape.size() == 1 && tensor.name.ends_with("weight");
        const bool bias = tensor.name.ends_with("bias");
        std::string bytes(static_cast<std::size_t>(count) * sizeof(float), '\0');
        for (std::int64_t i = 0; i < count; ++i) {
            const double x = m_rule == TensorRule::Random ? random.below(2001) / 1000.0 - 1
                                                          : std::sin(0.7 * static_cast<double>(i + 1) + phase);
            const auto value = static_cast<float>(norm ? 1 + 0.1 * x : bias ? 0.1 * x : tensor.amplitude * x);
            std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(float)), &value, sizeof value);
        }
        return bytes;
    }

    TensorRule m_rule;
    std::vector<Tensor> m_tensors;
};

} // namespace headscope::testing
