#include "native/loading/demo.hpp"

// Borders of each file, from the assembler file that CMakeLists.txt generates.
#define MM_DEMO_FILE(name)               \
    extern "C" {                         \
    extern const std::byte name[];       \
    extern const std::byte name##_end[]; \
    }
MM_DEMO_FILE(mm_demo_pretrain)
MM_DEMO_FILE(mm_demo_sft)
MM_DEMO_FILE(mm_demo_tokenizer)
MM_DEMO_FILE(mm_demo_documents)
#undef MM_DEMO_FILE

namespace mm {

DemoFiles demo_files() {
    return {.pretrain = Bytes(mm_demo_pretrain, mm_demo_pretrain_end),
            .sft = Bytes(mm_demo_sft, mm_demo_sft_end),
            .tokenizer = Bytes(mm_demo_tokenizer, mm_demo_tokenizer_end),
            .documents = Bytes(mm_demo_documents, mm_demo_documents_end)};
}

}  // namespace mm
