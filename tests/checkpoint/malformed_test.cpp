// The malformed set: each file ends as its manifest says. What only a model can see (a missing tensor, a
// wrong shape) is asked for through TensorTable::get, as the model layer does.
#include <nlohmann/json.hpp>

#include "tests/checkpoint/support.hpp"

namespace mm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Shape = std::vector<std::int64_t>;

struct Weight {
    std::string name;
    Shape shape;
};

// The weights of MiniMind's architecture with one layer, tied head.
std::vector<Weight> weights(const Json& config) {
    const auto size = [&](const char* key) { return config[key].get<std::int64_t>(); };
    const std::int64_t hidden = size("hidden_size");
    const std::int64_t inner = size("intermediate_size");
    const std::int64_t head = size("head_dim");
    const std::int64_t heads = size("num_attention_heads") * head;
    const std::int64_t kv = size("num_key_value_heads") * head;
    const std::string layer = "model.layers.0.";
    return {{"model.embed_tokens.weight", {size("vocab_size"), hidden}},
            {"model.norm.weight", {hidden}},
            {layer + "input_layernorm.weight", {hidden}},
            {layer + "post_attention_layernorm.weight", {hidden}},
            {layer + "self_attn.q_proj.weight", {heads, hidden}},
            {layer + "self_attn.k_proj.weight", {kv, hidden}},
            {layer + "self_attn.v_proj.weight", {kv, hidden}},
            {layer + "self_attn.o_proj.weight", {hidden, heads}},
            {layer + "self_attn.q_norm.weight", {head}},
            {layer + "self_attn.k_norm.weight", {head}},
            {layer + "mlp.gate_proj.weight", {inner, hidden}},
            {layer + "mlp.up_proj.weight", {inner, hidden}},
            {layer + "mlp.down_proj.weight", {hidden, inner}}};
}

void read_all(const std::string& bytes, const std::string& name, const Json& config) {
    const test::Loaded loaded(bytes, name);
    for (const Weight& weight : weights(config)) {
        for (const double value : test::elements(loaded.table().get(weight.name, weight.shape))) {
            // The model layer's check, here by hand.
            if (!std::isfinite(value)) throw Error(ErrorKind::format, "not finite", {name, weight.name, ""});
        }
    }
}

TEST(CheckpointMalformed, EndsAsTheManifestSays) {
    const fs::path folder = test::golden() / "malformed";
    const Json manifest = Json::parse(test::read_file(folder / "manifest.json"));
    int refused = 0;
    for (const Json& item : manifest["files"]) {
        const auto name = item["file"].get<std::string>();
        SCOPED_TRACE(name + ": " + item["what"].get<std::string>());
        if (item["expected"] == "ok") {
            EXPECT_NO_THROW(read_all(test::read_file(folder / name), name, manifest["config"]));
            continue;
        }
        try {
            read_all(test::read_file(folder / name), name, manifest["config"]);
            ADD_FAILURE() << "was read";
        } catch (const Error& error) {
            ++refused;
            EXPECT_EQ(error.context().file, name);
            // "naming a gap in data_offsets of the file is also right" (the manifest on this file).
            if (name == "st_missing_tensor/model.safetensors") {
                EXPECT_EQ(error.context().field, "data_offsets");
                continue;
            }
            EXPECT_EQ(error.context().tensor, item.value("tensor", error.context().tensor)) << error.what();
            EXPECT_EQ(error.context().field, item.value("field", error.context().field)) << error.what();
        }
    }
    EXPECT_EQ(refused, 34);
    EXPECT_FALSE(fs::exists("PICKLE_CODE_WAS_EXECUTED"));
}

}  // namespace
}  // namespace mm
