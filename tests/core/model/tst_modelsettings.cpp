// What config.json and generation_config.json say and transformers computes, by families' specs alone.
#include "core/model/family.h"
#include "core/model/generate.h"

#include <QTest>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

using namespace headscope;

namespace {

nlohmann::json bartConfig()
{
    return {
        {"model_type", "bart"},         {"d_model", 8},         {"vocab_size", 20},     {"encoder_layers", 1},
        {"decoder_layers", 1},          {"encoder_ffn_dim", 4}, {"decoder_ffn_dim", 4}, {"encoder_attention_heads", 2},
        {"decoder_attention_heads", 2}, {"pad_token_id", 1},    {"bos_token_id", 0},    {"eos_token_id", 2},
        {"decoder_start_token_id", 2}};
}

nlohmann::json causalConfig(const char *type)
{
    return {{"model_type", type},       {"hidden_size", 12},
            {"vocab_size", 20},         {"num_hidden_layers", 3},
            {"num_attention_heads", 2}, {"num_key_value_heads", 1},
            {"intermediate_size", 6},   {"max_position_embeddings", 32},
            {"bos_token_id", 1},        {"eos_token_id", 2}};
}

Result<TransformerSpec> specOf(const nlohmann::json &config, const nlohmann::json &generation = {})
{
    return findFamily(config, "config.json").valueOrThrow()->makeSpec(config, generation);
}

GenerationSettings settingsOf(const nlohmann::json &changes, const nlohmann::json &generation)
{
    nlohmann::json config = bartConfig();
    if (changes.is_object())
        config.update(changes);
    return specOf(config, generation).valueOrThrow().generation;
}

const nlohmann::json kIds{{"eos_token_id", 2}, {"decoder_start_token_id", 2}, {"pad_token_id", 1}};

nlohmann::json with(nlohmann::json base, const nlohmann::json &more)
{
    base.update(more);
    return base;
}

std::vector<bool> windowsOf(const TransformerSpec &spec)
{
    std::vector<bool> windows;
    for (int layer = 0; layer < spec.decoder->layers(); ++layer)
        windows.push_back(spec.attention(HeadKind::Decoder, layer).reach.has_value());
    return windows;
}

} // namespace

class TestModelSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lengths_data()
    {
        QTest::addColumn<QByteArray>("generation");
        QTest::addColumn<int>("longest");
        QTest::addColumn<int>("shortest");
        QTest::newRow("nothing is said") << QByteArray("{}") << 21 << 0;
        QTest::newRow("a length") << QByteArray(R"({"max_length": 9, "min_length": 4})") << 9 << 4;
        QTest::newRow("new tokens") << QByteArray(R"({"max_new_tokens": 9, "min_new_tokens": 4})") << 10 << 5;
        QTest::newRow("both") << QByteArray(R"({"max_length": 30, "max_new_tokens": 9, "min_length": 7})") << 10 << 7;
    }
    void lengths()
    {
        QFETCH(QByteArray, generation);
        QFETCH(int, longest);
        QFETCH(int, shortest);
        const auto settings = settingsOf({}, with(kIds, nlohmann::json::parse(generation.toStdString())));
        QCOMPARE(settings.maxLength, longest);
        QCOMPARE(settings.minLength, shortest);
    }

    /// Beside generation_config.json nothing of config.json counts, unless transformers 4 made that file from it.
    void filesOfSettings()
    {
        const nlohmann::json own{{"num_beams", 4}, {"forced_bos_token_id", 7}, {"no_repeat_ngram_size", 3}};
        const auto beside = settingsOf(own, with(kIds, {{"max_length", 9}}));
        QCOMPARE(beside.beams, 1);
        QVERIFY(!beside.forcedFirst && beside.noRepeatNgram == 0 && beside.notes.empty());
        const auto alone = settingsOf(own, {});
        QVERIFY(alone.beams == 4 && alone.forcedFirst == 7 && alone.noRepeatNgram == 3);
        nlohmann::json made = with(kIds, {{"max_length", 9}, {"_from_model_config", true}});
        const auto anew = settingsOf(own, made);
        QVERIFY(anew.beams == 4 && anew.maxLength == 21 && anew.notes.size() == 1);
        QCOMPARE(settingsOf({{"forced_eos_token_id", 2}}, made).maxLength, 9); // BART's own
        made["transformers_version"] = "5.24.0";
        QCOMPARE(settingsOf(own, made).beams, 1);
    }

    void bannedTokens()
    {
        GenerationSettings settings
            = settingsOf({}, with(kIds, {{"suppress_tokens", {5, 6}}, {"begin_suppress_tokens", {7}}}));
        QCOMPARE(ScoreProcessor(settings).alwaysBanned(), (std::vector<std::int64_t>{5, 6}));
        const auto bannedAfter
            = [&](std::vector<std::int64_t> history) { return ScoreProcessor(settings).after({history}).banned; };
        QCOMPARE(bannedAfter({2}), (std::vector<std::int64_t>{7}));
        QVERIFY(bannedAfter({2, 3}).empty());
        settings.forcedFirst = 3; // then the first token that is chosen is the second
        QVERIFY(bannedAfter({2}).empty());
        QCOMPARE(bannedAfter({2, 3}), (std::vector<std::int64_t>{7}));
    }

    /// Models that go on with prompts count from these (transformers' begin_index, MinNewTokensLengthLogitsProcessor).
    void behindPrompts()
    {
        const auto settingsOfPrompted = [](const nlohmann::json &more) {
            return specOf(causalConfig("llama"), with({{"eos_token_id", 2}}, more)).valueOrThrow().generation;
        };
        QCOMPARE(settingsOfPrompted(nlohmann::json::object()).newTokens, 20);
        QCOMPARE(settingsOfPrompted({{"max_new_tokens", 9}}).newTokens, 9);
        const GenerationSettings whole = settingsOfPrompted({{"max_length", 9}});
        QVERIFY(!whole.newTokens && whole.maxLength == 9);
        GenerationSettings settings = settingsOfPrompted(
            {{"max_new_tokens", 3}, {"min_new_tokens", 2}, {"begin_suppress_tokens", {7}}, {"forced_eos_token_id", 2}});
        const std::vector<std::int64_t> tokens{1, 5, 6, 8, 2};
        const ScoreProcessor processor(settings);
        const auto after = [&](std::size_t said) { return History{std::span(tokens).first(3 + said), 3}; };
        QCOMPARE(processor.after(after(0)).banned, (std::vector<std::int64_t>{2, 7}));
        QCOMPARE(processor.after(after(1)).banned, (std::vector<std::int64_t>{2}));
        QVERIFY(processor.after(after(2)).banned.empty() && processor.after(after(2)).forced == 2);
        QVERIFY(!isComplete(after(0), settings) && !isComplete(after(1), settings) && isComplete(after(2), settings));
        settings.endIds.clear();
        QVERIFY(!isComplete(after(2), settings));
        settings.isStopped = [](std::span<const std::int64_t> said) { return said.back() == 8; };
        QVERIFY(isComplete(after(1), settings) && !isComplete(after(2), settings));
        settings.newTokens = 2;
        QVERIFY(isComplete(after(2), settings));
    }

    void whatIsNotComputedIsRefusedByName_data()
    {
        QTest::addColumn<QByteArray>("generation");
        QTest::addColumn<QByteArray>("name");
        for (const auto &[generation, name] :
             {std::pair(R"({"encoder_repetition_penalty": 1.2})", "encoder_repetition_penalty"),
              std::pair(R"({"diversity_penalty": 0.5})", "diversity_penalty"),
              std::pair(R"({"exponential_decay_length_penalty": [3, 1.1]})", "exponential_decay_length_penalty"),
              std::pair(R"({"penalty_alpha": 0.6})", "penalty_alpha"),
              std::pair(R"({"sequence_bias": {"3": 1.0}})", "sequence_bias"),
              std::pair(R"({"forced_bos_token_id": 77})", "forced_bos_token_id"),
              std::pair(R"({"bad_words_ids": [[3, -2]]})", "bad_words_ids"),
              std::pair(R"({"suppress_tokens": [4], "forced_bos_token_id": 4})", "suppress_tokens")})
            QTest::newRow(name) << QByteArray(generation) << QByteArray(name);
    }
    void whatIsNotComputedIsRefusedByName()
    {
        QFETCH(QByteArray, generation);
        QFETCH(QByteArray, name);
        const auto settings = settingsOf({}, with(kIds, nlohmann::json::parse(generation.toStdString())));
        QVERIFY(settings.refused.size() >= 1);
        QVERIFY(settings.refused.front().find(name.toStdString()) != std::string::npos);
        QVERIFY(settingsOf({}, kIds).refused.empty());
    }

    /// Only generation needs them; a decoder by itself is scored without.
    void idsThatScoringDoesNotNeed()
    {
        const nlohmann::json gpt2{
            {"model_type", "gpt2"}, {"vocab_size", 97}, {"n_embd", 8}, {"n_head", 2}, {"n_layer", 1}};
        QVERIFY(specOf(gpt2).isOk()); // 50256 by the class
        nlohmann::json qwen = causalConfig("qwen3");
        qwen.erase("eos_token_id");
        qwen.erase("bos_token_id");
        QVERIFY(specOf(qwen).isOk());
        nlohmann::json bart = bartConfig();
        bart["decoder_start_token_id"] = 99; // what losses are computed with
        QVERIFY(!specOf(bart).isOk());
    }

    void otherNamesOfKeysWin()
    {
        const auto gpt2 = specOf({{"model_type", "gpt2"},
                                  {"n_embd", 8},
                                  {"hidden_size", 12},
                                  {"n_head", 2},
                                  {"num_attention_heads", 3},
                                  {"n_layer", 1},
                                  {"num_hidden_layers", 2},
                                  {"n_positions", 8},
                                  {"max_position_embeddings", 9}})
                              .valueOrThrow();
        QCOMPARE(gpt2.width, 12);
        QCOMPARE(gpt2.decoder->layers(), 2);
        QCOMPARE(gpt2.attention(HeadKind::Decoder, 0).allHeads, 3);
        QCOMPARE(gpt2.maxPositions, 9);
        nlohmann::json bart = bartConfig();
        bart["num_attention_heads"] = 4; // the encoder's
        const TransformerSpec spec = specOf(bart).valueOrThrow();
        QCOMPARE(spec.attention(HeadKind::Encoder, 0).allHeads, 4);
        QCOMPARE(spec.attention(HeadKind::Decoder, 0).allHeads, 2);
    }

    void nullIsFalse()
    {
        const auto gpt2 = specOf({{"model_type", "gpt2"},
                                  {"n_embd", 8},
                                  {"n_head", 2},
                                  {"n_layer", 1},
                                  {"scale_attn_weights", nullptr}})
                              .valueOrThrow();
        QCOMPARE(gpt2.attention(HeadKind::Decoder, 0).scale, 1.0);
    }

    void activationsOfT5()
    {
        const auto feedForward = [](const nlohmann::json &changes) {
            nlohmann::json config{
                {"model_type", "t5"}, {"d_model", 8},    {"d_kv", 4},        {"d_ff", 6},
                {"num_heads", 2},     {"num_layers", 1}, {"vocab_size", 20}, {"feed_forward_proj", "relu"}};
            if (changes.is_object())
                config.update(changes);
            const TransformerSpec spec = specOf(config).valueOrThrow();
            return *spec.encoder->subLayers.back().feedForward();
        };
        QCOMPARE(feedForward({}).activation, Activation::Relu);
        QCOMPARE(feedForward({{"dense_act_fn", "silu"}}).activation, Activation::Silu);
        QCOMPARE(feedForward({{"feed_forward_proj", "gated-gelu"}}).activation, Activation::GeluTanh);
        QVERIFY(feedForward({{"is_gated_act", true}}).gated);
    }

    void windowsOfMistral()
    {
        nlohmann::json config = causalConfig("mistral");
        config["sliding_window"] = 4;
        QCOMPARE(windowsOf(specOf(config).valueOrThrow()), (std::vector<bool>{true, true, true}));
        config["layer_types"] = {"full_attention", "sliding_attention", "full_attention"};
        QCOMPARE(windowsOf(specOf(config).valueOrThrow()), (std::vector<bool>{false, true, false}));
        config["sliding_window"] = nullptr;
        QVERIFY(!specOf(config).isOk());
    }

    void stretchOfLongrope()
    {
        nlohmann::json config = causalConfig("llama");
        config["rope_parameters"] = {{"rope_type", "longrope"},
                                     {"rope_theta", 100.0},
                                     {"original_max_position_embeddings", 16},
                                     {"short_factor", {1.0, 1.0, 1.0}},
                                     {"long_factor", {1.0, 1.0, 1.0}}};
        const auto stretch
            = [&] { return specOf(config).valueOrThrow().attention(HeadKind::Decoder, 0).rotary->stretch; };
        QVERIFY(std::abs(stretch() - std::sqrt(1 + std::log(2.0) / std::log(16.0))) < 1e-12);
        config["rope_parameters"]["factor"] = 8.0;
        QVERIFY(std::abs(stretch() - std::sqrt(1 + std::log(8.0) / std::log(16.0))) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(TestModelSettings)
#include "tst_modelsettings.moc"
