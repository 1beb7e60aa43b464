// The demo: two small checkpoints, their tokenizer and documents, embedded in the program so that the lab
// runs with no file at all.
#pragma once

#include "core/base/bytes.hpp"

namespace mm {

/// Contents of web/models/demo/, as they are there.
struct DemoFiles {
    Bytes pretrain;   // pretrain.pth
    Bytes sft;        // sft.pth
    Bytes tokenizer;  // tokenizer.json of both
    Bytes documents;  // pretrain_val.jsonl
};

/// The bytes live as long as the program.
DemoFiles demo_files();

}  // namespace mm
