#!/usr/bin/env python3
"""KV 캐시 실습의 1~3단계를 PyTorch와 MiniMind의 generate로 직접 해 봅니다.

    python3 cache.py                 # 결과를 화면에 보이고, 곁의 JSON 파일들과 견줍니다
    python3 cache.py --out 폴더      # same.json, count.json, time.json을 그 폴더에도 씁니다

1. 같은 프롬프트 뒤를 욕심쟁이로 64토큰, 캐시를 켜고 한 번 끄고 한 번 생성합니다. 새 토큰이 같은가?
2. 그때 forward에 들어간 토큰을 셉니다. 식과 맞는가?
3. 두 방식의 시간을 잽니다. 캐시가 몇 배 빠른가?

끝남 상태: 0 모두 맞음 · 1 견준 것이 다름 · 2 옵션이 틀림 · 3 파일이 없거나 읽을 수 없음
"""

import argparse
import importlib.util
import json
import os
import statistics
import sys
import time
from pathlib import Path

DOCUMENTS = 6      # 프롬프트로 이어 붙일 문서
PROMPT_IDS = 200   # 그 토큰 가운데 앞에서 쓸 개수
NEW_TOKENS = 64    # 새로 생성할 토큰
BOS = 1            # <|im_start|>
TIMED_RUNS = 3     # 시간을 재는 횟수. 가운데 값을 씁니다
QUESTION = "가람 마을의 특산물은 뭐야?"

OFFICIAL_REF = Path("/opt/mm")
OFFICIAL_TOKENIZER = Path("/opt/minimind/model")


class InputError(Exception):
    """읽을 것이 없거나 잘못되었을 때. 한 줄로 알리고 끝냅니다."""


# ---------------------------------------------------------------- 파일 읽기


def first_file(*places):
    """places 가운데 처음으로 있는 파일. 하나도 없으면 맨 앞의 것을 이름 대며 그만둡니다."""
    for place in places:
        if place.is_file():
            return place
    raise InputError(f"{places[0]}: 파일이 없습니다")


def read_documents(path):
    """한 줄에 JSON 하나씩인 파일에서 앞 DOCUMENTS개 문서의 text를 읽습니다. 빈 줄은 건너뜁니다."""
    texts = []
    number = 0
    try:
        with open(path, encoding="utf-8-sig") as lines:
            while len(texts) < DOCUMENTS:
                number += 1
                line = lines.readline()
                if not line:
                    break
                if line.strip():
                    texts.append(json.loads(line)["text"])
                    texts[-1].encode("utf-8")  # 글이 아니거나 짝 없는 대리 문자가 있으면 여기서 걸립니다
    except OSError as error:
        raise InputError(f"{path}: 읽을 수 없습니다: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: {number}번째 줄에 글 text가 담긴 JSON이 없습니다: {error!r}") from error
    return texts


def load_tokenizer(path):
    """tokenizer.json을 읽어 (글을 ids로 바꾸는 함수, 가장 큰 id)를 돌려줍니다."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        from transformers import PreTrainedTokenizerFast
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path))
        return (lambda text: tokenizer.encode(text, add_special_tokens=False),
                max(tokenizer.get_vocab().values()))
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return (lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
            max(tokenizer.get_vocab(with_added_tokens=True).values()))


def find_tokenizer(explicit, checkpoint, ref, vocab_size):
    """정해진 차례로 토크나이저를 찾습니다. 모델의 어휘보다 큰 id가 있는 것은 이 모델의 짝이 아닙니다."""
    if explicit is not None:
        places = [explicit]
    else:
        places = [checkpoint.parent, ref / "tokenizer", ref / "ref", ref]
        if ref == OFFICIAL_REF:
            places.append(OFFICIAL_TOKENIZER)
    for place in places:
        path = place / "tokenizer.json" if place.is_dir() else place
        if not path.is_file():
            continue
        try:
            encode, largest_id = load_tokenizer(path)
        except Exception as error:  # tokenizers는 여러 가지 예외를 던집니다
            raise InputError(f"{path}: 토크나이저로 읽을 수 없습니다: {error}") from error
        if largest_id < vocab_size:
            return path, encode
        misfit = f"{path}: 어휘가 {vocab_size}개인 모델과 맞지 않습니다 (가장 큰 id: {largest_id})"
        if explicit is not None:
            raise InputError(misfit)
        print(f"건너뜀      {misfit}")
    raise InputError("tokenizer.json을 찾지 못했습니다. 찾아본 곳: " + ", ".join(map(str, places)))


# ---------------------------------------------------------------- 모델


def load_state(torch, path):
    """체크포인트의 텐서들을 float32로. 학습을 이어 하려고 저장한 파일이면 그 안의 'model'을 꺼냅니다."""
    try:
        # weights_only: 파일에 숨은 코드를 실행하지 않고 텐서만 읽습니다.
        saved = torch.load(path, map_location="cpu", weights_only=True)
        state = saved["model"] if isinstance(saved.get("model"), dict) else saved
        return {name: tensor.float() for name, tensor in state.items()
                if not name.endswith(("freqs_cos", "freqs_sin"))}  # 위치 표는 모델이 새로 만듭니다
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else repr(error)
        raise InputError(f"{path}: 체크포인트로 읽을 수 없습니다: {reason}") from error


def settings_beside(checkpoint):
    """텐서의 모양으로는 알 수 없는 값. 체크포인트 곁에 config.json이 있을 때만 읽습니다."""
    path = checkpoint.with_name("config.json")
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
        names = ("rms_norm_eps", "rope_theta", "max_position_embeddings", "num_experts_per_tok",
                 "norm_topk_prob")
        settings = {name: found[name] for name in names if name in found}
        yarn = found.get("inference_rope_scaling", found.get("rope_scaling") is not None)
        return dict(settings, inference_rope_scaling=yarn)
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: 설정으로 읽을 수 없습니다: {error}") from error


def sizes_from(torch, state):
    """모델의 크기를 텐서의 모양에서 읽습니다. 따로 적어 두지 않아도 파일이 말해 줍니다."""
    embedding = state["model.embed_tokens.weight"]
    head = state.get("lm_head.weight")
    first = "model.layers.0."
    head_dim = state[first + "self_attn.q_norm.weight"].shape[0]
    sizes = {
        "vocab_size": embedding.shape[0],
        "hidden_size": embedding.shape[1],
        "num_hidden_layers": 1 + max(int(name.split(".")[2]) for name in state
                                     if name.startswith("model.layers.")),
        "num_attention_heads": state[first + "self_attn.q_proj.weight"].shape[0] // head_dim,
        "num_key_value_heads": state[first + "self_attn.k_proj.weight"].shape[0] // head_dim,
        "head_dim": head_dim,
        "tie_word_embeddings": head is None or torch.equal(head, embedding),
    }
    if first + "mlp.gate.weight" in state:  # 전문가 여럿 가운데 골라 쓰는 모델(MoE)
        sizes["use_moe"] = True
        sizes["num_experts"] = state[first + "mlp.gate.weight"].shape[0]
        sizes["moe_intermediate_size"] = state[first + "mlp.experts.0.gate_proj.weight"].shape[0]
    else:
        sizes["intermediate_size"] = state[first + "mlp.gate_proj.weight"].shape[0]
    return sizes


def import_minimind(place):
    """model_minimind.py를 불러옵니다. place는 그 파일, 그것이 든 폴더, 또는 MiniMind 저장소입니다."""
    path = first_file(place / "model" / "model_minimind.py", place / "model_minimind.py", place)
    spec = importlib.util.spec_from_file_location("model_minimind", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["model_minimind"] = module  # transformers가 클래스의 모듈을 여기서 찾습니다
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        raise InputError(f"{path}: 불러올 수 없습니다: {error} (pip install transformers)") from error
    return path, module


def load_model(torch, minimind, checkpoint):
    state = load_state(torch, checkpoint)
    try:
        sizes = sizes_from(torch, state)
    except KeyError as error:
        raise InputError(f"{checkpoint}: 텐서가 없습니다: {error.args[0]}") from error
    config = minimind.MiniMindConfig(**{**sizes, **settings_beside(checkpoint)})
    model = minimind.MiniMindForCausalLM(config)
    try:
        missing, unexpected = model.load_state_dict(state, strict=False)
    except RuntimeError as error:
        raise InputError(f"{checkpoint}: {' '.join(str(error).split())}") from error
    if sizes["tie_word_embeddings"]:  # 임베딩과 머리가 한 텐서이면 하나만 저장된 파일도 있습니다
        missing = [name for name in missing if name != "lm_head.weight"]
    if missing or unexpected:
        raise InputError(f"{checkpoint}: 없는 텐서 {list(missing)}, 남는 텐서 {list(unexpected)}")
    return model.eval(), sizes


# ---------------------------------------------------------------- 실습


def generate_with_cache(model, prompt):
    """캐시 있음: 첫 걸음에 프롬프트 전체를, 그 뒤로는 새 토큰 하나씩만 forward에 넣습니다."""
    return model.generate(prompt, max_new_tokens=NEW_TOKENS, do_sample=False, top_k=0, top_p=1.0,
                          eos_token_id=None, use_cache=True)


def generate_without_cache(model, prompt):
    """캐시 없음: 걸음마다 지금까지의 전체를 처음부터 다시 넣습니다."""
    return model.generate(prompt, max_new_tokens=NEW_TOKENS, do_sample=False, top_k=0, top_p=1.0,
                          eos_token_id=None, use_cache=False)


def count_tokens(generate, model, prompt):
    """생성한 새 토큰과, 그동안 forward에 들어간 토큰 수. generate가 부르는 model.forward를 감싸서 셉니다."""
    forward = model.forward
    fed = 0

    def counting_forward(input_ids, *args, **kwargs):
        nonlocal fed
        fed += input_ids.numel()
        return forward(input_ids, *args, **kwargs)

    model.forward = counting_forward
    try:
        ids = generate(model, prompt)
    finally:
        del model.forward  # 감싼 것을 벗기면 원래의 forward가 다시 보입니다
    return ids[0, prompt.shape[1]:].tolist(), fed


def median_seconds(generate, model, prompt):
    """세 번 잰 시간의 가운데 값. 데우기는 1단계에서 이미 했습니다."""
    seconds = []
    for _ in range(TIMED_RUNS):
        start = time.perf_counter()
        generate(model, prompt)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def run_lab(model, prompt):
    """1~3단계. 세 JSON 파일의 내용을 돌려줍니다."""
    with_ids, with_fed = count_tokens(generate_with_cache, model, prompt)
    without_ids, without_fed = count_tokens(generate_without_cache, model, prompt)
    lengths = {"prompt_len": prompt.shape[1], "new_tokens": NEW_TOKENS}
    same = dict(lengths, same_ids=with_ids == without_ids, ids=with_ids)
    count = dict(lengths, fed_with_cache=with_fed, fed_without_cache=without_fed)

    with_s = median_seconds(generate_with_cache, model, prompt)
    without_s = median_seconds(generate_without_cache, model, prompt)
    times = {"with_cache_s": with_s, "without_cache_s": without_s, "speedup": without_s / with_s}
    return {"same.json": same, "count.json": count, "time.json": times}


def show(results):
    """결과를 사람이 읽는 글로. 식과 어긋난 것이 있으면 그 설명의 목록을 돌려줍니다."""
    same, count, times = results["same.json"], results["count.json"], results["time.json"]
    p, n = same["prompt_len"], same["new_tokens"]
    fed_with, fed_without = count["fed_with_cache"], count["fed_without_cache"]
    print(f"\n1. 프롬프트 {p}토큰 뒤에 {n}토큰: 캐시 있음과 없음의 새 토큰이 "
          + ("모두 같습니다" if same["same_ids"] else "다릅니다!"))

    formula_with = p + (n - 1)
    formula_without = n * p + n * (n - 1) // 2
    print(f"2. forward에 들어간 토큰: 캐시 있음 {fed_with} (식 {formula_with}), "
          f"없음 {fed_without} (식 {formula_without}), {fed_without / fed_with:.2f}배")
    print(f"3. 시간: 캐시 있음 {times['with_cache_s']:.4f}초, 없음 {times['without_cache_s']:.4f}초, "
          f"{times['speedup']:.2f}배")
    if (fed_with, fed_without) == (formula_with, formula_without):
        return []
    return ["forward에 들어간 토큰 수가 식과 다릅니다"]


# ---------------------------------------------------------------- 곁의 결과와 견주기


def first_difference(mine, saved):
    """두 목록이 처음으로 달라지는 자리. 짧은 쪽이 끝난 자리도 다른 자리입니다."""
    for i, (a, b) in enumerate(zip(mine, saved)):
        if a != b:
            return i
    return min(len(mine), len(saved))


def explain_ids(torch, model, prompt, mine, saved):
    """새 토큰이 어디서 갈렸는지, 그 자리에서 1등과 2등의 로짓이 얼마나 가까운지."""
    if not isinstance(saved, list):
        return "ids가 목록이 아닙니다"
    at = first_difference(mine, saved)
    ids = torch.cat([prompt, torch.tensor([mine[:at]], dtype=torch.long)], dim=1)
    with torch.no_grad():
        best, second = model(ids).logits[0, -1].topk(2).values.tolist()
    found = saved[at] if at < len(saved) else "없음"
    expected = mine[at] if at < len(mine) else "없음"
    return (f"ids가 {at + 1}번째 새 토큰에서 갈립니다: 파일 {found}, PyTorch {expected}"
            f" (이 자리의 1등과 2등 로짓의 차이 {best - second:.2g})")


def check_times(saved):
    """시간은 기계마다 다르므로, 파일 안에서 앞뒤가 맞고 캐시 쪽이 빠른지만 봅니다."""
    numbers = [saved.get(key) for key in ("with_cache_s", "without_cache_s", "speedup")]
    if not all(type(number) in (int, float) and 0 < number < float("inf") for number in numbers):
        return ["with_cache_s, without_cache_s, speedup은 모두 0보다 큰 수여야 합니다"]
    with_s, without_s, speedup = numbers
    problems = []
    if with_s >= without_s:
        problems.append("캐시 쪽이 빠르지 않습니다")
    if not abs(speedup - without_s / with_s) <= 0.01 * without_s / with_s:
        problems.append(f"speedup: 파일 {speedup}, 두 시간의 비 {without_s / with_s}")
    return problems


def compare(torch, model, prompt, results, folder):
    """folder의 세 JSON 파일을 지금 얻은 결과와 견주고, 다른 것의 설명을 돌려줍니다."""
    print(f"\n견주기 ({folder})")
    all_problems = []
    for name, mine in results.items():
        path = folder / name
        if not path.exists():
            print(f"  {name:<11} 없어서 견주지 않았습니다")
            continue
        try:
            saved = json.loads(path.read_text(encoding="utf-8-sig"))
            if not isinstance(saved, dict):
                raise ValueError("객체 하나여야 합니다")
        except (OSError, ValueError) as error:
            problems = [f"읽을 수 없습니다: {error}"]
        else:
            if name == "time.json":
                problems = check_times(saved)
            else:
                problems = [f"{key}: 파일 {saved.get(key)}, PyTorch {value}"
                            for key, value in mine.items() if key != "ids" and saved.get(key) != value]
                if "ids" in mine and saved.get("ids") != mine["ids"]:
                    problems.append(explain_ids(torch, model, prompt, mine["ids"], saved.get("ids")))
        if name == "time.json" and not problems:
            verdict = f"앞뒤가 맞습니다 (파일 {saved['speedup']:.2f}배, PyTorch {mine['speedup']:.2f}배)"
        else:
            verdict = "; ".join(problems) or "같습니다"
        print(f"  {name:<11} {'다름: ' if problems else ''}{verdict}")
        all_problems += problems
    return all_problems


def compare_chat_text():
    """5단계의 채팅 형식이 강좌의 mmkit과 같은지. mmkit이 없는 곳에서는 조용히 지나갑니다."""
    if OFFICIAL_REF.is_dir():
        sys.path.append(str(OFFICIAL_REF))
    try:
        import mmkit
    except ImportError:
        return
    ours = f"<|im_start|>user\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n"
    for argument in ([{"role": "user", "content": QUESTION}], QUESTION):
        try:
            theirs = mmkit.chat_text(argument, add_generation_prompt=True)
        except Exception:  # 받는 모양이 다르면 다음 모양으로 해 봅니다
            continue
        if theirs == ours:
            print("\n채팅 형식: mmkit.chat_text와 같습니다")
        else:
            print(f"\n채팅 형식이 mmkit과 다릅니다! 5단계는 이 형식으로 다시 해야 합니다:\n"
                  f"  mmkit     {theirs!r}\n  이 실습   {ours!r}")
        return
    print("\n채팅 형식: mmkit.chat_text를 부를 수 없어 견주지 못했습니다")


# ---------------------------------------------------------------- 처음과 끝


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    def env(name, default=None):
        return os.environ.get(name) or default  # 비어 있으면 없는 것으로 봅니다

    parser.add_argument("--ref", type=Path, default=env("MM_REF", OFFICIAL_REF),
                        help="ref/pretrain.pth와 data/pretrain_val.jsonl이 든 폴더 (기본: %(default)s)")
    parser.add_argument("--minimind", type=Path, default=env("MM_MINIMIND", "/opt/minimind"),
                        help="MiniMind 저장소 또는 model_minimind.py (기본: %(default)s)")
    parser.add_argument("--tokenizer", type=Path, default=env("MM_TOKENIZER"),
                        help="tokenizer.json 또는 그 폴더 (기본: 체크포인트 곁부터 찾아봄)")
    parser.add_argument("--out", type=Path, default=env("MM_OUT"),
                        help="세 JSON 파일을 쓸 폴더 (기본: 쓰지 않음)")
    return parser.parse_args()


def write_results(results, out):
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, result in results.items():
            (out / name).write_text(json.dumps(result) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename}: 쓸 수 없습니다: {error.strerror}") from error
    print(f"\n썼습니다: {out}")


def main():
    options = parse_options()
    checkpoint = first_file(options.ref / "ref" / "pretrain.pth", options.ref / "pretrain.pth")
    documents = first_file(options.ref / "data" / "pretrain_val.jsonl", options.ref / "pretrain_val.jsonl")
    texts = read_documents(documents)
    try:
        import torch
    except ImportError:
        raise InputError("torch 패키지가 필요합니다 (pip install torch)") from None
    minimind_path, minimind = import_minimind(options.minimind)
    model, sizes = load_model(torch, minimind, checkpoint)
    tokenizer_path, encode = find_tokenizer(options.tokenizer, checkpoint, options.ref, sizes["vocab_size"])
    ids = encode(" ".join(texts))[:PROMPT_IDS]
    if not ids:
        raise InputError(f"{documents}: 문서에 글이 없어 프롬프트를 만들 수 없습니다")
    prompt = torch.tensor([[BOS] + ids])

    print(f"체크포인트  {checkpoint}")
    print(f"토크나이저  {tokenizer_path}")
    print(f"문서        {documents}")
    print(f"MiniMind    {minimind_path}")
    print(f"PyTorch     {torch.__version__}, 스레드 {torch.get_num_threads()}개")

    results = run_lab(model, prompt)
    problems = show(results)
    problems += compare(torch, model, prompt, results, Path(__file__).resolve().parent)
    compare_chat_text()
    if options.out is not None:
        write_results(results, options.out)
    return 1 if problems else 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.exit(main())
    except InputError as error:
        print(f"cache.py: {error}", file=sys.stderr)
        sys.exit(3)
