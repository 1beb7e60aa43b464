#!/usr/bin/env python3
"""Write GGUF files of MiniMind's two usual sizes with random weights, for timing llama.cpp beside this project.

MiniMind-3 is architecture "qwen3" there. Speed does not depend on what a model has learnt. Needs the packages gguf
and numpy.

    make_gguf.py FOLDER        # lab-f32.gguf lab-f16.gguf minimind-3-f32.gguf minimind-3-f16.gguf
"""

import argparse
import pathlib

import gguf
import numpy as np

# hidden, layers, heads, head_dim, feed-forward, vocabulary; half as many KV heads as heads.
SIZES = {
    "lab": (128, 4, 4, 32, 448, 2048),
    "minimind-3": (768, 8, 8, 96, 2432, 6400),
}


def write(path, size, dtype):
    hidden, layers, heads, head_dim, feed_forward, vocabulary = SIZES[size]
    random = np.random.default_rng(0)
    writer = gguf.GGUFWriter(str(path), "qwen3")
    writer.add_name(f"{size}, random weights")
    writer.add_block_count(layers)
    writer.add_context_length(32768)
    writer.add_embedding_length(hidden)
    writer.add_feed_forward_length(feed_forward)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads // 2)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    writer.add_vocab_size(vocabulary)
    writer.add_tokenizer_model("gpt2")  # wllama samples words only: any will do
    writer.add_token_list([f"<{i}>" for i in range(vocabulary)])
    writer.add_token_types([gguf.TokenType.NORMAL] * vocabulary)
    writer.add_token_merges(["a b"])
    writer.add_file_type(gguf.LlamaFileType.ALL_F32 if dtype == np.float32 else gguf.LlamaFileType.MOSTLY_F16)

    def matrix(name, rows, columns):
        writer.add_tensor(name + ".weight", (random.standard_normal((rows, columns)) * 0.05).astype(dtype))

    def norm(name, width):
        writer.add_tensor(name + ".weight", np.ones(width, np.float32))

    matrix("token_embd", vocabulary, hidden)  # the head too: tied
    norm("output_norm", hidden)
    for layer in range(layers):
        block = f"blk.{layer}."
        norm(block + "attn_norm", hidden)
        matrix(block + "attn_q", heads * head_dim, hidden)
        matrix(block + "attn_k", heads // 2 * head_dim, hidden)
        matrix(block + "attn_v", heads // 2 * head_dim, hidden)
        matrix(block + "attn_output", hidden, heads * head_dim)
        norm(block + "attn_q_norm", head_dim)
        norm(block + "attn_k_norm", head_dim)
        norm(block + "ffn_norm", hidden)
        matrix(block + "ffn_gate", feed_forward, hidden)
        matrix(block + "ffn_up", feed_forward, hidden)
        matrix(block + "ffn_down", hidden, feed_forward)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for name, dtype in (("f32", np.float32), ("f16", np.float16)):
            write(folder / f"{size}-{name}.gguf", size, dtype)


if __name__ == "__main__":
    main()
