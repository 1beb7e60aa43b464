#include "native/loading/lab_source.hpp"

#include <filesystem>

#include "core/base/error.hpp"
#include "native/files/file.hpp"
#include "native/loading/checkpoint.hpp"
#include "native/loading/tokenizer_search.hpp"

namespace mm {
namespace {

std::string below(const std::string& ref, const char* path) {
    return (std::filesystem::path(ref) / path).string();
}

// REF, or nothing for the demo.
std::optional<std::string> choose_ref(const LabPaths& paths, std::string& note) {
    if (paths.ref) return paths.ref;
    const bool pretrain = is_regular_file(below(kOfficialFolder, "ref/pretrain.pth"));
    const bool sft = is_regular_file(below(kOfficialFolder, "ref/sft.pth"));
    if (pretrain && sft) return kOfficialFolder;
    if (pretrain || sft) {
        note = std::string(kOfficialFolder) + " has no ref/" + (pretrain ? "sft.pth" : "pretrain.pth") +
               ": using the demo";
    }
    return std::nullopt;
}

void refuse_mixing(const LabPaths& paths, const LabNeeds& needs, const LabSource& source) {
    const bool pretrain_counts = needs.pretrain || paths.pretrain;
    const bool sft_counts = needs.sft || paths.sft;
    const bool pretrain_demo = is_embedded(source.pretrain);
    if (pretrain_counts && sft_counts && pretrain_demo != is_embedded(source.sft)) {
        const bool own_pretrain = !pretrain_demo;
        throw_error(ErrorKind::range,
                    "the demo and checkpoints of your own are never mixed: " +
                        std::string(own_pretrain ? "--sft" : "--pretrain") + " is needed too",
                    {.field = own_pretrain ? "--pretrain" : "--sft"});
    }
    const bool demo = pretrain_counts ? pretrain_demo : is_embedded(source.sft);
    if (needs.documents && !demo && source.documents.empty()) {
        throw_error(ErrorKind::range, "is needed with checkpoints of your own: documents for the prompt",
                    {.field = "--val"});
    }
}

}  // namespace

LabSource choose_lab_source(const LabPaths& paths, const LabNeeds& needs) {
    LabSource source;
    const std::optional<std::string> ref = choose_ref(paths, source.note);
    source.ref = ref.value_or(kOfficialFolder);
    source.pretrain = paths.pretrain.value_or(ref ? below(*ref, "ref/pretrain.pth") : "demo:pretrain");
    source.sft = paths.sft.value_or(ref ? below(*ref, "ref/sft.pth") : "demo:sft");
    source.documents = paths.val.value_or(ref ? below(*ref, "data/pretrain_val.jsonl") : "");
    refuse_mixing(paths, needs, source);

    const bool official = ref && same_folder(*ref, kOfficialFolder);
    const bool replaced = paths.pretrain || paths.sft || paths.val;
    const bool demo = is_embedded(source.pretrain) && is_embedded(source.sft);
    source.kind = demo ? "demo" : official && !replaced ? "official" : "ref";
    source.out = paths.out.value_or(official ? "/root/mm/infer" : "./infer");
    return source;
}

}  // namespace mm
