#include "core/model/families/rotary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace headscope::rotaryconfig {
namespace {

constexpr const char *kKnown[] = {"type",
                                  "rope_type",
                                  "rope_theta",
                                  "partial_rotary_factor",
                                  "factor",
                                  "attention_factor",
                                  "original_max_position_embeddings",
                                  "finetuned",
                                  "low_freq_factor",
                                  "high_freq_factor",
                                  "beta_fast",
                                  "beta_slow",
                                  "mscale",
                                  "mscale_all_dim",
                                  "truncate",
                                  "short_factor",
                                  "long_factor"};

/// The stretching of positions: an object of config.json.
class Scaling
{
public:
    Scaling(const char *key, const nlohmann::json &object, ConfigReader &keys)
        : m_key(key), m_object(object), m_reader(object), m_keys(keys)
    {
        for (const auto &[name, value] : object.items()) {
            if (std::ranges::find(kKnown, name) == std::end(kKnown))
                fail("has \"" + name + "\": " + value.dump().substr(0, 60) + ", which Headscope does not know");
        }
    }

    double number(const char *name, double fallback)
    {
        const double value = m_reader.number(name, fallback);
        return std::isfinite(value) ? value : fallback;
    }
    bool flag(const char *name, bool fallback) { return m_reader.flag(name, fallback); }
    bool has(const char *name) const { return m_object.contains(name) && !m_object.at(name).is_null(); }
    /// A number above 0 that must be there.
    double positive(const char *name)
    {
        const double value = m_reader.number(name, 0);
        if (!(value > 0) || !std::isfinite(value)) {
            fail("needs a positive \"" + std::string(name) + "\"");
            return 1;
        }
        return value;
    }
    /// `count` positive numbers that must be there.
    std::vector<double> numbers(const char *name, std::int64_t count)
    {
        std::vector<double> values;
        const auto found = m_object.find(name);
        for (const auto &value : found == m_object.end() ? nlohmann::json::array() : *found)
            values.push_back(value.is_number() ? value.get<double>() : 0);
        if (std::ssize(values) != count || std::ranges::any_of(values, [](double value) { return !(value > 0); })) {
            fail("needs a list \"" + std::string(name) + "\" of " + std::to_string(count) + " positive numbers");
            values.assign(static_cast<std::size_t>(count), 1);
        }
        return values;
    }
    std::string kind()
    {
        const std::string kind = m_reader.text("rope_type", m_reader.text("type", "default"));
        if (m_reader.text("type", kind) != kind)
            fail("has two types");
        return kind;
    }
    void fail(const std::string &what)
    {
        m_keys.fail('"' + std::string(m_key) + "\" is " + m_object.dump().substr(0, 200) + ": it " + what + '.');
    }
    /// Trouble that reading had.
    void finish()
    {
        if (m_reader.error())
            fail("cannot be read (" + m_reader.error()->message.substr(std::string("config.json: ").size()) + ")");
    }

private:
    const char *m_key;
    const nlohmann::json &m_object;
    ConfigReader m_reader;
    ConfigReader &m_keys;
};

/// base^(−2i/width) of pair i, as what is read counts them: in float32.
std::vector<double> plainFrequencies(double base, std::int64_t width)
{
    std::vector<double> frequencies;
    for (std::int64_t i = 0; i < width; i += 2)
        frequencies.push_back(std::pow(base, -static_cast<double>(i) / static_cast<double>(width)));
    return frequencies;
}

/// Llama 3.1: long waves are stretched, short ones stay, and between them it goes over smoothly.
void stretchBands(Scaling &scaling, std::vector<double> &frequencies)
{
    const double factor = scaling.positive("factor");
    const double low = scaling.positive("low_freq_factor");
    const double high = scaling.positive("high_freq_factor");
    const double positions = scaling.positive("original_max_position_embeddings");
    for (double &frequency : frequencies) {
        const double wave = 2 * std::numbers::pi / frequency;
        if (wave < positions / high)
            continue;
        if (wave > positions / low) {
            frequency /= factor;
            continue;
        }
        const double smooth = (positions / wave - low) / (high - low);
        frequency = (1 - smooth) * frequency / factor + smooth * frequency;
    }
}

/// How long texts were before positions were stretched: config.json's own key wins over that of the object, as in
/// transformers 5.
double originalPositions(Scaling &scaling, std::int64_t positions, ConfigReader &keys)
{
    const std::int64_t own = keys.integer({"original_max_position_embeddings"}, 0, 1, std::int64_t{1} << 30);
    if (own > 0)
        return static_cast<double>(own);
    return scaling.has("original_max_position_embeddings") ? scaling.positive("original_max_position_embeddings")
                                                           : static_cast<double>(positions);
}

/// "factor", or where there is none how much longer texts became.
double stretchFactor(Scaling &scaling, double original, std::int64_t positions)
{
    return scaling.has("factor") ? scaling.positive("factor") : static_cast<double>(positions) / original;
}

/// Peng et al. 2023.
void stretchYarn(Scaling &scaling, double base, std::int64_t width, std::int64_t positions, RotarySpec &rotary,
                 std::vector<double> &frequencies, ConfigReader &keys)
{
    const double trained = originalPositions(scaling, positions, keys);
    const double factor = scaling.positive("factor");
    const auto magnitude = [](double scale, double by) { return scale <= 1 ? 1 : 0.1 * by * std::log(scale) + 1; };
    const double ofScores = scaling.number("mscale", 0);
    const double ofAll = scaling.number("mscale_all_dim", 0);
    const double usual
        = ofScores != 0 && ofAll != 0 ? magnitude(factor, ofScores) / magnitude(factor, ofAll) : magnitude(factor, 1);
    rotary.stretch = scaling.number("attention_factor", usual);
    const auto orDefault = [](double value, double fallback) { return value != 0 ? value : fallback; };
    const double dimensions = static_cast<double>(width);
    // The pair that turns so many times over the trained positions.
    const auto pairOf = [&](double turns) {
        return dimensions * std::log(trained / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
    };
    double low = pairOf(orDefault(scaling.number("beta_fast", 32), 32));
    double high = pairOf(orDefault(scaling.number("beta_slow", 1), 1));
    if (scaling.flag("truncate", true)) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, dimensions - 1);
    if (low == high)
        high += 0.001;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
        frequencies[i] = frequencies[i] / factor * ramp + frequencies[i] * (1 - ramp);
    }
}

/// Ding et al. 2024: a factor for each pair. Those for short texts, which are the ones that fit.
void stretchLong(Scaling &scaling, std::int64_t &positions, RotarySpec &rotary, std::vector<double> &frequencies,
                 ConfigReader &keys)
{
    const double original = originalPositions(scaling, positions, keys);
    const double factor = stretchFactor(scaling, original, positions);
    const double usual = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
    rotary.stretch = scaling.number("attention_factor", usual);
    const auto factors = scaling.numbers("short_factor", std::ssize(frequencies));
    for (std::size_t i = 0; i < frequencies.size(); ++i)
        frequencies[i] /= factors[i];
    positions = std::min(positions, static_cast<std::int64_t>(original));
}

/// Frequencies stretched as `kind` says.
void stretch(Scaling &scaling, const std::string &kind, std::int64_t width, std::int64_t &positions, RotarySpec &rotary,
             ConfigReader &keys)
{
    std::vector<double> frequencies = plainFrequencies(rotary.base, width);
    if (kind == "linear") {
        const double factor = scaling.positive("factor");
        for (double &frequency : frequencies)
            frequency /= factor;
    } else if (kind == "llama3") {
        stretchBands(scaling, frequencies);
    } else if (kind == "yarn") {
        stretchYarn(scaling, rotary.base, width, positions, rotary, frequencies, keys);
    } else if (kind == "longrope") {
        stretchLong(scaling, positions, rotary, frequencies, keys);
    } else {
        scaling.fail("has a type that Headscope does not know (it knows default, linear, dynamic, yarn, longrope and "
                     "llama3)");
    }
    rotary.frequencies.assign(frequencies.begin(), frequencies.end());
}

bool checkBase(double base, ConfigReader &keys)
{
    if (base > 0 && std::isfinite(base))
        return true;
    keys.fail("\"rope_theta\" is " + std::to_string(base) + ", expected a positive number.");
    return false;
}

/// How many columns of a head are turned; 0: trouble.
std::int64_t turnedWidth(double share, std::int64_t headWidth, ConfigReader &keys)
{
    const auto width = static_cast<std::int64_t>(static_cast<double>(headWidth) * share);
    if (width >= 2 && width <= headWidth && width % 2 == 0)
        return width;
    keys.fail("heads of width " + std::to_string(headWidth)
              + " (\"head_dim\", or \"hidden_size\" divided by \"num_attention_heads\") of which "
              + std::to_string(width) + " columns are turned cannot have rotary positions: they turn pairs.");
    return 0;
}

struct Found
{
    const char *key = nullptr;
    const nlohmann::json *object = nullptr;
};

/// The stretching of positions, if there is any.
std::optional<Found> findScaling(const nlohmann::json &config, const Keys &names, ConfigReader &keys)
{
    for (const char *key : {"rope_parameters", "rope_scaling"}) {
        const auto found = config.find(key);
        if (found == config.end() || found->is_null())
            continue;
        if (!found->is_object()) {
            keys.fail('"' + std::string(key) + "\" is " + found->dump().substr(0, 200) + ", expected an object.");
            return std::nullopt;
        }
        if (names.layerType && found->contains(names.layerType) && found->at(names.layerType).is_object())
            return Found{key, &found->at(names.layerType)};
        return Found{key, &*found};
    }
    return std::nullopt;
}

} // namespace

RotarySpec plain(double base, std::int64_t headWidth, ConfigReader &keys)
{
    RotarySpec rotary;
    rotary.base = base;
    if (checkBase(base, keys))
        (void)turnedWidth(1, headWidth, keys);
    return rotary;
}

RotarySpec local(const nlohmann::json &config, double base, std::int64_t headWidth, ConfigReader &keys)
{
    const auto parts = config.find("rope_parameters");
    if (parts == config.end() || !parts->is_object() || !parts->contains("sliding_attention"))
        return plain(base, headWidth, keys);
    nlohmann::json own{{"rope_parameters", parts->at("sliding_attention")}};
    for (const char *key : {"max_position_embeddings", "original_max_position_embeddings"}) {
        if (config.contains(key))
            own[key] = config.at(key);
    }
    std::int64_t positions = ConfigReader(own).integer({"max_position_embeddings"}, 1 << 30, 1, 1 << 30);
    return read(own, headWidth, {.baseDefault = base}, positions, keys);
}

RotarySpec read(const nlohmann::json &config, std::int64_t headWidth, const Keys &names, std::int64_t &positions,
                ConfigReader &keys)
{
    RotarySpec rotary;
    rotary.neighbours = names.neighbours;
    rotary.base = keys.number(names.base, names.baseDefault);
    double share = keys.number(names.share, names.shareDefault);
    const std::optional<Found> found = findScaling(config, names, keys);
    std::optional<Scaling> scaling;
    std::string kind = "default";
    if (found) {
        scaling.emplace(found->key, *found->object, keys);
        kind = scaling->kind();
        if (names.otherNames && (kind == "su" || kind == "yarn"))
            kind = "longrope";
        rotary.base = scaling->number("rope_theta", rotary.base);
        share = scaling->number("partial_rotary_factor", share);
    }
    const std::int64_t width = headWidth > 0 ? turnedWidth(share, headWidth, keys) : 0;
    if (!checkBase(rotary.base, keys) || width == 0)
        return rotary;
    if (width < headWidth)
        rotary.width = width;
    if (scaling && kind != "default" && kind != "dynamic")
        stretch(*scaling, kind, width, positions, rotary, keys);
    if (scaling)
        scaling->finish();
    return rotary;
}

} // namespace headscope::rotaryconfig
