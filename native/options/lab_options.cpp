#include "native/options/lab_options.hpp"

namespace mm {

void add_ref_option(CLI::App& app, LabPaths& paths) {
    add_option(app,
               {"--ref", "DIR", "holds ref/pretrain.pth, ref/sft.pth and data/pretrain_val.jsonl", "Options",
                "/opt/mm when that has the checkpoints, else the built-in demo"},
               paths.ref);
}

void add_lab_file_options(CLI::App& app, LabPaths& paths) {
    add_option(app, {"--pretrain", "FILE", "pretrained checkpoint, instead of REF's"}, paths.pretrain);
    add_option(app, {"--sft", "FILE", "SFT checkpoint, instead of REF's"}, paths.sft);
    add_option(app,
               {"--val", "FILE", "validation documents, a JSON object with a text a line, instead of REF's"},
               paths.val);
}

}  // namespace mm
