#!/usr/bin/env python3
"""Time MiniMind's own PyTorch model with random weights: what compare.py runs. Prints one JSON object.

Needs PyTorch, transformers, and MiniMind's source, which is imported from where the user has it.
"""

import argparse
import json
import statistics
import sys
import time

SIZES = {
    "lab": dict(hidden_size=128, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, head_dim=32,
                intermediate_size=448, vocab_size=2048),
    "minimind-3": dict(hidden_size=768, num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=4,
                       head_dim=96, intermediate_size=2432, vocab_size=6400),
}


def seconds(work, repeat, threads):
    """Median over `repeat`; of one thread the processor time, which a busy machine does not lengthen."""
    clock = time.process_time if threads == 1 else time.perf_counter
    times = []
    for _ in range(repeat):
        start = clock()
        work()
        times.append(clock() - start)
    return statistics.median(times)


def kernels(torch, transformers):
    """Versions, and what PyTorch multiplies with: the library its products call and the instructions it chose."""
    blas = "MKL" if torch.backends.mkl.is_available() else "no MKL (OPENBLAS_VERBOSE=2 tells OpenBLAS's choice)"
    choice = getattr(torch.backends.cpu, "get_cpu_capability", lambda: "instructions unknown")()
    return f"torch {torch.__version__}, transformers {transformers.__version__}, {blas}, {choice}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minimind", required=True, help="folder that holds model/model_minimind.py")
    parser.add_argument("--size", choices=SIZES, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-uncached", action="store_true")
    arguments = parser.parse_args()

    import torch
    import transformers

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    sys.path.insert(0, arguments.minimind)
    from model.model_minimind import MiniMindConfig, MiniMindForCausalLM

    config = MiniMindConfig(**SIZES[arguments.size])
    model = MiniMindForCausalLM(config).eval()
    prompt = torch.randint(3, config.vocab_size, (1, 201))
    greedy = dict(max_new_tokens=64, do_sample=False, top_k=0, top_p=1.0, eos_token_id=None)
    samples = dict(max_new_tokens=24, do_sample=True, top_k=0, top_p=1.0, temperature=1.0, eos_token_id=None,
                   num_return_sequences=30)
    with torch.inference_mode():
        model.generate(prompt, **{**greedy, "max_new_tokens": 4})  # warm-up
        times = {
            "prefill": seconds(lambda: model(prompt), arguments.repeat, arguments.threads),
            "cached": seconds(lambda: model.generate(prompt, **greedy), arguments.repeat, arguments.threads),
        }
        if not arguments.no_uncached:
            times["uncached"] = seconds(lambda: model.generate(prompt, use_cache=False, **greedy),
                                        1 if arguments.size != "lab" else arguments.repeat, arguments.threads)
        if arguments.size == "lab":
            question = torch.randint(3, config.vocab_size, (1, 24))
            times["samples"] = seconds(lambda: model.generate(question, **samples), arguments.repeat, arguments.threads)
    print(json.dumps({"kernels": kernels(torch, transformers), "seconds": times}))


if __name__ == "__main__":
    main()
