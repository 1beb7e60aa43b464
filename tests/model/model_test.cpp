// Model: what is refused at load and at a call, by name; what a call promises about its arguments.
#include "core/model/model.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <thread>

#include "core/model/memory_needs.hpp"
#include "tests/model/golden_case.hpp"
#include "tests/model/small_configs.hpp"

namespace mm {
namespace {

using test::line_of;
using test::SyntheticCheckpoint;

ModelConfig small() {
    ModelConfig c = test::small();
    c.max_position_embeddings = 50;
    return c;
}

Model load(const SyntheticCheckpoint& checkpoint, const ModelConfig& config = small()) {
    return Model(checkpoint.table(), config, std::make_shared<ThreadPool>(1));
}

std::string load_error(ErrorKind kind, const std::function<void(SyntheticCheckpoint&)>& change) {
    SyntheticCheckpoint checkpoint(small(), 1);
    change(checkpoint);
    return line_of(kind, [&] { load(checkpoint); });
}

TEST(ModelLoad, NamesEveryMissingTensor) {
    const SyntheticCheckpoint whole(small(), 1);
    const TensorTable table = whole.table();
    for (const auto& entry : table.entries()) {
        const std::string line = load_error(ErrorKind::format, [&](auto& c) { c.remove(entry.name); });
        EXPECT_NE(line.find("made_up.pth: tensor " + entry.name), std::string::npos) << line;
    }
}

TEST(ModelLoad, NamesEveryMisshapenTensor) {
    const SyntheticCheckpoint whole(small(), 1);
    const TensorTable table = whole.table();
    for (const auto& entry : table.entries()) {
        const std::string line = load_error(ErrorKind::shape, [&](auto& c) {
            std::vector<std::int64_t> shape = entry.shape;
            ++shape[0];
            c.fill(entry.name, shape, 1);
        });
        EXPECT_NE(line.find("tensor " + entry.name + ": shape"), std::string::npos) << line;
    }
}

TEST(ModelLoad, NamesEveryTensorThatIsNotFinite) {
    const SyntheticCheckpoint whole(small(), 1);
    const TensorTable table = whole.table();
    for (const auto& entry : table.entries()) {
        for (const float value :
             {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
            const std::string line = load_error(ErrorKind::format, [&](SyntheticCheckpoint& c) {
                std::vector<float> values = c.at(entry.name).values;
                values[values.size() / 2] = value;
                c.set(entry.name, entry.shape, values);
            });
            EXPECT_NE(line.find("tensor " + entry.name), std::string::npos) << line;
            EXPECT_NE(line.find("NaN or infinite"), std::string::npos) << line;
        }
    }
}

TEST(ModelLoad, ExtraTensors) {
    const auto with = [](const std::string& name) {
        return [name](SyntheticCheckpoint& c) { c.fill(name, {12}, 1); };
    };
    EXPECT_NE(load_error(ErrorKind::unsupported, with("model.layers.0.self_attn.q_proj.bias"))
                  .find("q_proj.bias: bias"),
              std::string::npos);
    EXPECT_NE(load_error(ErrorKind::unsupported, with("lm_head.bias")).find("lm_head.bias"),
              std::string::npos);
    EXPECT_NE(load_error(ErrorKind::unsupported, with("model.layers.1.self_attn.o_proj.lora.A.weight"))
                  .find("LoRA"),
              std::string::npos);
    EXPECT_NE(load_error(ErrorKind::unsupported, with("model.layers.1.mlp.experts.0.up_proj.weight"))
                  .find("experts.0"),
              std::string::npos);
    EXPECT_NE(
        load_error(ErrorKind::unsupported, with("model.layers.0.attention_sink")).find("attention_sink"),
        std::string::npos);
    SyntheticCheckpoint checkpoint(small(), 1);
    checkpoint.fill("model.freqs_cos", {50, 6}, 1);
    checkpoint.fill("model.freqs_sin", {50, 6}, 1);
    checkpoint.fill("value_head.weight", {1, 12}, 1);
    EXPECT_EQ(load(checkpoint).ignored_tensors(), (std::vector<std::string>{"value_head.weight"}));
}

TEST(ModelLoad, OverlappingElementsCannotClaimMemory) {
    ModelConfig c = small();
    c.vocab_size = 1 << 20;
    const SyntheticCheckpoint checkpoint(small(), 1);
    const TensorTable honest = checkpoint.table();
    TensorTable table("liar.pth", "torch zip");
    static const std::vector<float> one_row(12, 0.5f);
    for (const auto& entry : honest.entries()) {
        TensorView view = *entry.view;
        if (entry.name == "model.embed_tokens.weight") {
            view.shape = {c.vocab_size, 12};
            view.strides = {0, 1};
            view.data = reinterpret_cast<const std::byte*>(one_row.data());
        }
        table.add(entry.name, view);
    }
    const std::string line =
        line_of(ErrorKind::unsupported, [&] { Model(table, c, std::make_shared<ThreadPool>(1)); });
    EXPECT_EQ(line.find("liar.pth: tensor model.embed_tokens.weight: stride"), 0U) << line;
}

TEST(ModelLoad, TiedWeightsAreHeldOnce) {
    ModelConfig untied = small();
    untied.tie_word_embeddings = false;
    const SyntheticCheckpoint two(untied, 1);
    const std::uint64_t panels = 2 * 16 * 12 * sizeof(float);  // 30 rows in two panels
    EXPECT_EQ(load(two, untied).weight_bytes() - load(SyntheticCheckpoint(small(), 1)).weight_bytes(),
              panels);
}

TEST(ModelLoad, TellsItsMemoryBeforeTakingIt) {
    ModelConfig config = small();
    config.vocab_size = config.hidden_size = config.intermediate_size = 32;
    config.num_attention_heads = 4;
    config.num_key_value_heads = 2;
    config.head_dim = 8;
    for (const bool tied : {true, false}) {
        config.tie_word_embeddings = tied;
        const SyntheticCheckpoint checkpoint(config, 1);
        EXPECT_EQ(weight_bytes(checkpoint.table(), config), load(checkpoint, config).weight_bytes());
    }
    // Rows that fill no panel: each matrix is rounded up by itself, the model joins some.
    const SyntheticCheckpoint odd(small(), 1);
    const std::uint64_t told = weight_bytes(odd.table(), small());
    EXPECT_GE(told, load(odd, small()).weight_bytes());
    EXPECT_LE(told, 2 * load(odd, small()).weight_bytes());
}

TEST(ModelLoad, RefusesWhatTheFullMalformedSetHolds) {
    const auto folder = test::kFullGolden / "malformed";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder.string();
    const Json manifest = Json::parse(test::read_text(folder / "manifest.json"));
    int refused = 0;
    for (const Json& file : manifest["files"]) {
        const std::string name = file["file"];
        const std::string bytes = test::read_text(folder / name);
        const auto attempt = [&] {
            const TensorTable table = read_checkpoint(as_bytes(bytes), name);
            const ModelConfig config =
                ModelConfig::from_checkpoint(table, &manifest["config"], "config.json", {});
            Model(table, config, std::make_shared<ThreadPool>(1));
        };
        if (file["expected"] == "ok") {
            EXPECT_NO_THROW(attempt()) << name;
            continue;
        }
        try {
            attempt();
            ADD_FAILURE() << name << " was accepted";
        } catch (const Error& error) {
            ++refused;
            const std::string line = error.what();
            EXPECT_NE(line.find(name), std::string::npos) << line;
            for (const char* part : {"tensor", "field"}) {
                if (!file.contains(part)) continue;
                // Its note: naming the gap that the absent tensor leaves is right as well.
                if (name.starts_with("st_missing_tensor") && line.find("gap") != std::string::npos) continue;
                EXPECT_NE(line.find(file[part].get<std::string>()), std::string::npos)
                    << name << ": " << line;
            }
        }
    }
    EXPECT_GT(refused, 30);
}

class ForwardArguments : public testing::Test {
  protected:
    std::string refusal(std::vector<TokenId> ids, std::span<KvCache> batch,
                        LogitsFor wanted = LogitsFor::last) {
        std::vector<std::size_t> before;
        for (const KvCache& one : batch) before.push_back(one.length());
        const std::uint64_t fed = workspace.tokens_fed();
        const std::string line =
            line_of(ErrorKind::range, [&] { model.forward(ids, batch, wanted, logits, workspace); });
        for (std::size_t r = 0; r < batch.size(); ++r) {
            EXPECT_EQ(batch[r].length(), before[r]) << "the cache must be as before";
        }
        EXPECT_EQ(workspace.tokens_fed(), fed);
        return line;
    }

    SyntheticCheckpoint checkpoint{small(), 1};
    Model model = load(checkpoint);
    KvCache cache{small()};
    Workspace workspace;
    Matrix logits;
};

TEST_F(ForwardArguments, AreChecked) {
    const std::span one(&cache, 1);
    std::vector<KvCache> batch;
    for (int i = 0; i < 3; ++i) batch.emplace_back(small());
    EXPECT_NE(refusal({}, one).find("ids"), std::string::npos);
    EXPECT_NE(refusal({1}, {}).find("no cache"), std::string::npos);
    EXPECT_NE(refusal({1, 30}, one).find("token id 30 is not in 0 … 29"), std::string::npos);
    EXPECT_NE(refusal({-1}, one).find("token id -1"), std::string::npos);
    EXPECT_NE(refusal({1, 2}, batch).find("rows differ"), std::string::npos);
    EXPECT_NE(refusal({1, 2, 3}, batch, LogitsFor::all).find("one row"), std::string::npos);
    EXPECT_NE(refusal(std::vector<TokenId>(51, 1), one).find("max_position_embeddings: position 50"),
              std::string::npos);

    const std::vector<TokenId> prompt(48, 1);
    model.forward({prompt}, batch[1], LogitsFor::last, logits, workspace);
    const std::vector<TokenId> each = {1, 2, 3};
    model.forward(each, batch, LogitsFor::last, logits, workspace);
    model.forward(each, batch, LogitsFor::last, logits, workspace);
    EXPECT_NE(refusal({1, 2, 3}, batch).find("position 50"), std::string::npos) << "row 1 holds 50";
    EXPECT_EQ(workspace.tokens_fed(), 48U + 3 * 2);
    workspace.reset_tokens_fed();
    EXPECT_EQ(workspace.tokens_fed(), 0U);
}

TEST_F(ForwardArguments, ACacheOfAnotherModelIsRefused) {
    ModelConfig other = small();
    other.head_dim = 8;
    KvCache wrong(other);
    const std::vector<TokenId> ids = {1};
    line_of(ErrorKind::range, [&] { model.forward({ids}, wrong, LogitsFor::last, logits, workspace); });
    other = small();
    other.num_hidden_layers = 3;
    KvCache deeper(other);
    line_of(ErrorKind::range, [&] { model.forward({ids}, deeper, LogitsFor::last, logits, workspace); });
}

TEST_F(ForwardArguments, OnlyTheLogitsAskedFor) {
    const std::vector<TokenId> ids = {5, 6, 7};
    logits = Matrix::from_shape({1, 1});
    model.forward({ids}, cache, LogitsFor::none, logits, workspace);
    EXPECT_EQ(logits.size(), 1U);
    model.forward({ids}, cache, LogitsFor::all, logits, workspace);
    EXPECT_EQ(logits.shape(0), 3U);
    EXPECT_EQ(logits.shape(1), 30U);
    model.forward({ids}, cache, LogitsFor::last, logits, workspace);
    EXPECT_EQ(logits.shape(0), 1U);
}

// Router scores that overflow make every probability NaN. Each token must still go to different experts, or
// their buffers would be too small; the layer that gives no numbers is named.
TEST(Experts, AreDifferentOnesForAnyScores) {
    ModelConfig c = test::small_moe();
    for (c.num_experts_per_tok = 1; c.num_experts_per_tok <= c.num_experts; ++c.num_experts_per_tok) {
        SyntheticCheckpoint checkpoint(c, 1);
        std::vector<float> router(static_cast<std::size_t>(c.num_experts * c.hidden_size), 3e38f);
        for (std::size_t i = 0; i < router.size(); i += 2) router[i] = -3e38f;
        checkpoint.set("model.layers.1.mlp.gate.weight", {c.num_experts, c.hidden_size}, router);
        const Model model = load(checkpoint, c);
        const std::vector<TokenId> ids(64, 7);
        KvCache cache(c);
        Workspace workspace;
        Matrix logits;
        EXPECT_EQ(line_of(ErrorKind::format,
                          [&] { model.forward({ids}, cache, LogitsFor::last, logits, workspace); }),
                  "made_up.pth: layer 1: gives NaN or infinite values for these ids: float32 overflows");
        EXPECT_EQ(cache.length(), 0U) << "the cache must be as before";
        EXPECT_EQ(workspace.tokens_fed(), 0U);
    }
}

TEST(NotFinite, NamesTheFirstPartThatIs) {
    const auto line_with = [](const std::string& tensor) {
        ModelConfig c = small();
        c.tie_word_embeddings = false;
        SyntheticCheckpoint checkpoint(c, 1);
        std::vector<float> values = checkpoint.at(tensor).values;
        for (float& value : values) value = value < 0 ? -3e38f : 3e38f;
        checkpoint.set(tensor, checkpoint.at(tensor).shape, values);
        const Model model = load(checkpoint, c);
        const std::vector<TokenId> ids = {1, 2, 3};
        KvCache cache(c);
        Workspace workspace;
        Matrix logits;
        return line_of(ErrorKind::format,
                       [&] { model.forward({ids}, cache, LogitsFor::all, logits, workspace); });
    };
    const std::string why = "gives NaN or infinite values for these ids: float32 overflows";
    for (const char* part : {"self_attn.o_proj", "mlp.down_proj", "post_attention_layernorm"}) {
        EXPECT_EQ(line_with(std::string("model.layers.0.") + part + ".weight"),
                  "made_up.pth: layer 0: " + why);
        EXPECT_EQ(line_with(std::string("model.layers.1.") + part + ".weight"),
                  "made_up.pth: layer 1: " + why);
    }
    EXPECT_EQ(line_with("lm_head.weight"), "made_up.pth: tensor lm_head.weight: " + why);
}

class Recorder : public Trace {
  public:
    void hidden(std::int64_t layer, std::span<const float> states, std::size_t width) override {
        layers.push_back(layer);
        values.insert(values.end(), states.begin(), states.end());
        EXPECT_EQ(states.size() % width, 0U);
    }
    std::vector<std::int64_t> layers;
    std::vector<float> values;
};

TEST_F(ForwardArguments, ATraceSeesEveryLayerAndChangesNothing) {
    const std::vector<TokenId> ids = {5, 6, 7};
    KvCache one(small());
    KvCache two(small());
    Matrix traced;
    Recorder recorder;
    model.forward({ids}, one, LogitsFor::all, logits, workspace);
    model.forward({ids}, two, LogitsFor::all, traced, workspace, &recorder);
    EXPECT_EQ(recorder.layers, (std::vector<std::int64_t>{-1, 0, 1, 2}));
    EXPECT_EQ(recorder.values.size(), 4U * 3 * 12);
    EXPECT_EQ(recorder.values[0], checkpoint.at("model.embed_tokens.weight").values[5 * 12]);
    EXPECT_TRUE(test::same_bits(logits.data(), traced.data(), logits.size()));
}

#ifndef __EMSCRIPTEN__  // built there without threads
TEST(ModelThreads, SessionsMayRunAtTheSameTime) {
    ModelConfig c = small();
    c.max_position_embeddings = 400;
    const SyntheticCheckpoint checkpoint(c, 1);
    const Model model = load(checkpoint, c);  // a pool of one thread may be shared
    std::vector<TokenId> ids(300);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>(i * 11 % 30);
    std::vector<Matrix> results(3);
    std::vector<std::thread> threads;
    for (Matrix& result : results) {
        threads.emplace_back([&] {
            KvCache cache(c);
            Workspace workspace;
            for (std::size_t t = 0; t < ids.size(); t += 50) {
                model.forward({std::span(ids).subspan(t, 50)}, cache, LogitsFor::last, result, workspace);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Matrix& result : results) {
        EXPECT_TRUE(test::same_bits(result.data(), results[0].data(), result.size()));
    }
}
#endif

}  // namespace
}  // namespace mm
