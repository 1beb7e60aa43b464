// Every sentence the grader can say about a check, in three languages. One row a hint, in the order of the
// enum. A row's sentence never holds a value of the reference: feedback "hint" shows it to students.
#include <array>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/lab/checks/finding.hpp"

namespace mm {
namespace {

struct Row {
    Hint hint;
    // code, ko, zh, en
    std::array<std::string_view, 4> texts;

    constexpr Row(Hint of, std::string_view code, std::string_view ko, std::string_view zh,
                  std::string_view en)
        : hint(of), texts{code, ko, zh, en} {}
};

constexpr std::array kRows{
    Row{Hint::folder_missing, "folder.missing", "폴더가 없습니다.", "文件夹不存在。",
        "There is no such folder."},
    Row{Hint::folder_link, "folder.link", "심볼릭 링크라서 따라가지 않았습니다. 진짜 폴더를 주세요.",
        "这是符号链接，不会跟随。请给出真正的文件夹。",
        "This is a symbolic link, which is not followed; give the folder itself."},
    Row{Hint::folder_special, "folder.not_a_folder", "폴더가 아닙니다.", "这不是文件夹。",
        "This is not a folder."},
    Row{Hint::folder_unreadable, "folder.unreadable", "폴더를 읽을 수 없습니다.", "无法读取该文件夹。",
        "The folder cannot be read."},
    Row{Hint::folder_interrupted, "folder.interrupted",
        "파일을 바꾸던 실습 실행이 도중에 멈춰 서로 다른 실행의 파일이 섞여 있을 수 있습니다. 같은 --out "
        "으로 lab 을 "
        "다시 실행하면 마무리됩니다.",
        "一次实验在替换文件时中断，文件可能来自不同的运行。用同一个 --out 再运行一次 lab 即可补全。",
        "A lab run stopped while it was putting its files in place, so files of two runs may be mixed; "
        "running "
        "lab again with the same --out completes it."},
    Row{Hint::folder_below, "folder.below",
        "참고: 파일들이 하위 폴더 {folder} 에 있어 그곳에서 채점했습니다.",
        "提示：文件在子文件夹 {folder} 中，已在那里评分。",
        "Note: the files are in the folder {folder} inside; they are graded there."},
    Row{Hint::folder_several, "folder.several",
        "실습 파일이 여러 하위 폴더({folders})에 있어 어느 것인지 알 수 없습니다. 하나만 내거나 그 폴더를 "
        "주세요.",
        "多个子文件夹（{folders}）中都有实验文件，无法确定是哪一个。请只提交一个，或直接给出该文件夹。",
        "Several folders inside ({folders}) hold the lab's files; give the one that is meant."},
    Row{Hint::file_missing, "file.missing", "{file} 파일이 없습니다.", "缺少文件 {file}。",
        "{file} is missing."},
    Row{Hint::file_other_name, "file.other_name",
        "{file} 파일이 없고 {found} 이(가) 있습니다. 이름을 {file} (으)로 바꾸세요.",
        "缺少文件 {file}，但有 {found}。请改名为 {file}。",
        "{file} is missing, but {found} is there; rename it to {file}."},
    Row{Hint::file_link, "file.link", "{file} 이(가) 심볼릭 링크라서 따라가지 않았습니다.",
        "{file} 是符号链接，不会跟随。", "{file} is a symbolic link, which is not followed."},
    Row{Hint::file_special, "file.special", "{file} 이(가) 보통 파일이 아닙니다.", "{file} 不是普通文件。",
        "{file} is not a regular file."},
    Row{Hint::file_too_large, "file.too_large", "{file} 이(가) {limit}바이트보다 커서 읽지 않았습니다.",
        "{file} 超过 {limit} 字节，未读取。", "{file} has more than {limit} bytes and was not read."},
    Row{Hint::file_unreadable, "file.unreadable", "{file} 을(를) 읽을 수 없습니다.", "无法读取 {file}。",
        "{file} cannot be read."},
    Row{Hint::file_empty, "file.empty", "파일이 비어 있습니다.", "文件是空的。", "The file is empty."},
    Row{Hint::text_not_utf8, "text.not_utf8", "UTF-8 이 아닙니다({byte}번째 바이트부터).",
        "不是 UTF-8（从第 {byte} 字节起）。", "This is not UTF-8 (from byte {byte} on)."},
    Row{Hint::json_utf16, "json.utf16",
        "UTF-16 으로 저장되었습니다. UTF-8 로 저장하세요(PowerShell 의 > 는 UTF-16 을 쓸 수 있습니다).",
        "文件以 UTF-16 保存。请保存为 UTF-8（PowerShell 的 > 可能写出 UTF-16）。",
        "The file is UTF-16; save it as UTF-8 (PowerShell's > may write UTF-16)."},
    Row{Hint::json_nan, "json.nan", "{place} 에 NaN 이나 Infinity 가 있습니다. JSON 에는 그런 수가 없습니다.",
        "{place} 处有 NaN 或 Infinity，JSON 中没有这样的数。",
        "There is a NaN or an Infinity at {place}; JSON has no such number."},
    Row{Hint::json_number_too_large, "json.number_too_large", "{place} 의 수가 너무 큽니다.",
        "{place} 处的数过大。", "The number at {place} is too large."},
    Row{Hint::json_twice, "json.duplicate_key", "키 {key} 가 두 번 나옵니다.", "键 {key} 出现了两次。",
        "The key {key} is given twice."},
    Row{Hint::json_too_deep, "json.too_deep", "{limit}단계보다 깊이 들어간 JSON 입니다.",
        "JSON 嵌套超过 {limit} 层。", "The JSON is nested deeper than {limit} levels."},
    Row{Hint::json_too_many, "json.too_many_values", "값이 {limit}개보다 많은 JSON 입니다.",
        "JSON 的值超过 {limit} 个。", "The JSON has more than {limit} values."},
    Row{Hint::json_syntax, "json.syntax",
        "{place}(줄:칸) 에서 JSON 이 아니게 됩니다. 파이썬이라면 json.dump 로 쓰세요.",
        "在 {place}（行：列）处不是合法的 JSON。在 Python 中请用 json.dump 写出。",
        "This is not JSON from {place} (line:column) on; in Python, write it with json.dump."},
    Row{Hint::json_not_object, "json.not_object", "JSON 객체 하나여야 합니다.", "应当是一个 JSON 对象。",
        "The file must hold one JSON object."},
    Row{Hint::json_byte_order_mark, "json.byte_order_mark",
        "참고: 맨 앞에 BOM 이 있습니다. 파이썬의 json.load 는 이 파일을 거절합니다.",
        "提示：文件开头有 BOM，Python 的 json.load 会拒绝它。",
        "Note: the file begins with a byte order mark, which Python's json.load refuses."},
    Row{Hint::keys_missing, "keys.missing", "빠진 키: {keys}.", "缺少键：{keys}。", "Missing keys: {keys}."},
    Row{Hint::keys_type, "keys.type", "값의 꼴이 다른 키: {keys}.", "值的类型不对的键：{keys}。",
        "Keys with a value of the wrong type: {keys}."},
    Row{Hint::keys_extra, "keys.extra", "참고: 실습에 없는 키가 있습니다: {keys}.",
        "提示：有实验中没有的键：{keys}。", "Note: there are keys the lab does not have: {keys}."},
    Row{Hint::needs_file, "needs.file", "{file} 을(를) 읽지 못해 채점할 수 없습니다.",
        "无法读取 {file}，不能评分。", "Cannot be judged, because {file} could not be used."},
    Row{Hint::needs_key, "needs.key", "{file} 에 쓸 수 있는 {key} 값이 없어 채점할 수 없습니다.",
        "{file} 中没有可用的 {key}，不能评分。", "Cannot be judged, because {file} has no usable {key}."},

    Row{Hint::prompt_one_short, "prompt.one_short",
        "프롬프트가 하나 짧습니다. bos(1) 를 빠뜨렸거나 200개 안에 넣어 센 것입니다. 앞 200개의 id 앞에 bos "
        "를 더하세요.",
        "提示词少一个：漏了 bos(1)，或把 bos 算进了 200 个之内。应在前 200 个 id 之前加上 bos。",
        "The prompt is one short: bos (1) is missing, or was counted among the 200; put bos in front of the "
        "first "
        "200 ids."},
    Row{Hint::prompt_one_long, "prompt.one_long",
        "프롬프트가 하나 깁니다. bos(1) 를 두 번 붙였거나 토크나이저가 특수 토큰을 더했습니다.",
        "提示词多一个：bos(1) 加了两次，或分词器又加了特殊标记。",
        "The prompt is one too long: bos (1) was put in front twice, or the tokenizer added a special "
        "token."},
    Row{Hint::prompt_length, "prompt.length",
        "프롬프트 길이가 다릅니다. 앞 6개 문서를 공백으로 이은 글의 앞 200토큰 앞에 bos 하나입니다.",
        "提示词长度不对：前 6 篇文档用空格连接，取前 200 个标记，再在前面加一个 bos。",
        "The prompt's length differs: it is the first 200 tokens of the first 6 documents joined by one "
        "space, with "
        "one bos in front."},
    Row{Hint::steps_one_more, "steps.one_more", "한 걸음 많습니다. 새 토큰은 64개입니다.",
        "多走了一步：新标记应为 64 个。", "One step too many: there are 64 new tokens."},
    Row{Hint::steps_one_less, "steps.one_less",
        "한 걸음 적습니다. 프롬프트를 넣은 첫 걸음에서도 새 토큰 하나가 나옵니다.",
        "少走了一步：输入提示词的第一步也会产生一个新标记。",
        "One step too few: the first step, which feeds the prompt, gives a new token too."},
    Row{Hint::steps_length, "steps.length",
        "새 토큰은 64개입니다(eos_token_id=None 이라 도중에 멈추지 않습니다).",
        "新标记应为 64 个（eos_token_id=None，不会提前停止）。",
        "There are 64 new tokens (eos_token_id=None: the run does not stop early)."},
    Row{Hint::ids_no_bos, "ids.no_bos", "bos 없이 생성한 결과입니다. 프롬프트 앞에 bos(1) 를 붙이세요.",
        "这是没有 bos 时的结果。请在提示词前加上 bos(1)。",
        "These are the ids of a run without bos; put bos (1) in front of the prompt."},
    Row{Hint::ids_bos_inside, "ids.bos_inside",
        "bos 를 200개 안에 넣어 자른 프롬프트의 결과입니다. 먼저 200개로 자른 뒤 앞에 bos 를 더하세요.",
        "这是把 bos 算在 200 个之内的结果。应先截取 200 个，再在前面加 bos。",
        "These are the ids of a prompt in which bos was one of the 200; cut to 200 first, then put bos in "
        "front."},
    Row{Hint::ids_no_space, "ids.no_space", "문서들을 공백 없이 이은 결과입니다. 공백 하나로 이으세요.",
        "这是文档之间没有空格的结果。请用一个空格连接。",
        "These are the ids for documents joined without a space; join them by one space."},
    Row{Hint::ids_newline, "ids.newline", "문서들을 줄바꿈으로 이은 결과입니다. 공백 하나로 이으세요.",
        "这是用换行连接文档的结果。请用一个空格连接。",
        "These are the ids for documents joined by line breaks; join them by one space."},
    Row{Hint::ids_sft_model, "ids.sft_model",
        "SFT 체크포인트로 생성한 결과입니다. 1단계는 사전학습 체크포인트를 씁니다.",
        "这是用 SFT 检查点生成的结果。第 1 步使用预训练检查点。",
        "These are the SFT checkpoint's ids; step 1 uses the pretrained one."},
    Row{Hint::ids_prompt_included, "ids.prompt_included",
        "프롬프트의 id 까지 적었습니다. 새 토큰만 적으세요.", "把提示词的 id 也写进来了。只写新标记。",
        "The prompt's ids are included; give the new tokens only."},
    Row{Hint::ids_one_step_more, "ids.one_step_more", "앞의 id 는 맞지만 한 걸음 많이 생성했습니다.",
        "前面的 id 正确，但多生成了一步。", "The ids are right, but there is one step too many."},
    Row{Hint::ids_one_step_less, "ids.one_step_less", "적은 id 는 맞지만 한 걸음 모자랍니다.",
        "写出的 id 正确，但少一步。", "The ids are right, but there is one step too few."},
    Row{Hint::ids_stopped_at_eos, "ids.stopped_at_eos",
        "eos 에서 멈춘 결과입니다. eos_token_id=None 으로 64개를 끝까지 생성하세요.",
        "在 eos 处停止了。请用 eos_token_id=None 生成全部 64 个。",
        "The run stopped at eos; pass eos_token_id=None to get all 64."},
    Row{Hint::ids_length, "ids.length", "id 의 개수가 다릅니다. 새 토큰 64개입니다.",
        "id 的个数不对，应为 64 个新标记。", "The number of ids differs: there are 64 new tokens."},
    Row{Hint::ids_differ, "ids.differ",
        "{position}번째 새 토큰부터 기준과 다릅니다. 프롬프트와 욕심쟁이 조건(do_sample=False, top_k=0, "
        "top_p=1.0)을 "
        "확인하세요.",
        "从第 {position} 个新标记起与基准不同。请检查提示词和贪心条件（do_sample=False, top_k=0, "
        "top_p=1.0）。",
        "The ids differ from the reference from new token {position} on; check the prompt and the greedy "
        "conditions "
        "(do_sample=False, top_k=0, top_p=1.0)."},
    Row{Hint::same_false, "same.false",
        "캐시가 있든 없든 욕심쟁이 생성은 같아야 합니다. 다르다면 캐시가 아니라 조건(샘플링·난수)이 다른 "
        "것입니다.",
        "有无缓存，贪心生成都应相同。不同说明条件（采样、随机数）不同，而不是缓存的问题。",
        "Greedy decoding gives the same tokens with and without the cache; if not, the conditions (sampling, "
        "random "
        "numbers) differ, not the cache."},

    Row{Hint::count_no_bos, "count.no_bos", "bos 가 없는 프롬프트로 센 값입니다.",
        "这是没有 bos 的提示词的计数。", "This is the count for a prompt without bos."},
    Row{Hint::count_two_bos, "count.two_bos", "프롬프트가 하나 길 때(bos 가 두 번) 센 값입니다.",
        "这是提示词多一个（bos 出现两次）时的计数。",
        "This is the count for a prompt one token too long (bos twice)."},
    Row{Hint::count_one_step_more, "count.one_step_more",
        "한 걸음 많이 센 값입니다. 마지막 새 토큰은 forward 에 다시 들어가지 않습니다.",
        "多算了一步。最后一个新标记不再进入 forward。",
        "This counts one step too many; the last new token never enters forward."},
    Row{Hint::count_one_step_less, "count.one_step_less", "한 걸음 적게 센 값입니다.", "少算了一步。",
        "This counts one step too few."},
    Row{Hint::count_swapped, "count.swapped", "캐시 있음과 없음의 값이 뒤바뀌었습니다.",
        "有缓存与无缓存的值写反了。", "The values with and without the cache are interchanged."},
    Row{Hint::count_cache_off, "count.cache_off",
        "이쪽도 캐시 없이 실행되었습니다(use_cache=True 인지 확인하세요).",
        "这一侧也没有使用缓存（请检查 use_cache=True）。",
        "This run had no cache either (check use_cache=True)."},
    Row{Hint::count_cache_on, "count.cache_on",
        "이쪽도 캐시를 켠 채 실행되었습니다(use_cache=False 인지 확인하세요).",
        "这一侧也使用了缓存（请检查 use_cache=False）。",
        "This run had the cache on too (check use_cache=False)."},
    Row{Hint::count_steps_only, "count.steps_only",
        "forward 가 불린 횟수를 셌습니다. 들어간 input_ids 의 길이를 더하세요.",
        "数的是调用 forward 的次数。应累加进入的 input_ids 的长度。",
        "This counts the calls of forward; sum the lengths of the input_ids that enter it."},
    Row{Hint::count_not_reset, "count.not_reset",
        "같은 생성을 여러 번 더한 값입니다. 실행마다 계수를 0으로 되돌리세요.",
        "这是同一生成多次累加的值。每次运行前把计数清零。",
        "This is the same run counted several times; reset the counter before each run."},
    Row{Hint::count_both_runs, "count.both_runs", "두 생성을 합친 값입니다. 실행마다 따로 세세요.",
        "这是两次生成之和。请分别计数。", "This is the sum of both runs; count each by itself."},
    Row{Hint::count_growth_forgotten, "count.growth_forgotten",
        "걸음마다 늘어나는 새 토큰을 빠뜨렸습니다. 캐시가 없으면 지금까지의 전체가 다시 들어갑니다.",
        "漏了每一步增加的新标记。没有缓存时，每步都会重新输入到目前为止的全部。",
        "The new tokens that each step adds are missing; without the cache everything so far enters again."},
    Row{Hint::count_growth_off_by_one, "count.growth_off_by_one",
        "늘어나는 부분이 한 걸음 빠릅니다. 첫 걸음에는 프롬프트만 들어갑니다.",
        "增长部分早了一步：第一步只输入提示词。",
        "The growth begins one step early; the first step feeds the prompt alone."},
    Row{Hint::count_differs, "count.differs", "식으로 계산한 값과 다릅니다.", "与公式计算的值不同。",
        "This differs from what the formula gives."},

    Row{Hint::time_not_positive, "time.not_positive", "시간은 0보다 커야 합니다.", "时间必须大于 0。",
        "Times must be above 0."},
    Row{Hint::time_cache_slower, "time.cache_slower",
        "캐시가 있는 쪽이 더 느립니다. 두 값이 뒤바뀌었거나, 데우는 첫 실행을 잰 것일 수 있습니다.",
        "有缓存反而更慢：两个值可能写反了，或把预热的第一次也计时了。",
        "The side with the cache is slower: the values may be interchanged, or the warm-up run was timed."},
    Row{Hint::time_speedup_inverted, "time.speedup_inverted", "speedup 이 거꾸로입니다. 없음 ÷ 있음입니다.",
        "speedup 写反了，应为 无缓存 ÷ 有缓存。", "speedup is inverted: it is without ÷ with."},
    Row{Hint::time_speedup_from_tokens, "time.speedup_from_tokens",
        "토큰 수의 배수를 적었습니다. speedup 은 잰 시간의 배수입니다.",
        "写的是标记数的倍数。speedup 是所测时间的倍数。",
        "This is the ratio of token counts; speedup is the ratio of the measured times."},
    Row{Hint::time_speedup_differs, "time.speedup_differs",
        "speedup 이 적힌 두 시간의 비(없음 ÷ 있음)와 다릅니다.",
        "speedup 与所写两个时间之比（无 ÷ 有）不符。",
        "speedup is not the ratio of the two times as written (without ÷ with)."},

    Row{Hint::kv_tokens, "kv.tokens", "토큰 100개를 넣고 잽니다(bos 를 더하지 않습니다).",
        "应输入 100 个标记（不加 bos）。", "100 tokens are fed (no bos is added)."},
    Row{Hint::kv_after_repeat, "kv.after_repeat",
        "repeat_kv 다음의 크기입니다. 캐시는 헤드를 복제하기 전의 K 와 V 를 담습니다.",
        "这是 repeat_kv 之后的大小。缓存保存的是复制头之前的 K 和 V。",
        "This is the size after repeat_kv; the cache holds K and V before heads are repeated."},
    Row{Hint::kv_half, "kv.half",
        "꼭 절반입니다. K 와 V 를 다 더했는지, 원소가 4바이트(float32)인지 확인하세요.",
        "恰好是一半。请检查是否同时加了 K 和 V、元素是否为 4 字节（float32）。",
        "This is exactly half: add both K and V, and check that elements are 4 bytes (float32)."},
    Row{Hint::kv_elements, "kv.elements", "바이트가 아니라 원소의 수입니다. 원소마다 4바이트입니다.",
        "这是元素个数而不是字节数。每个元素 4 字节。",
        "This is the number of elements, not bytes; each takes 4 bytes."},
    Row{Hint::kv_one_layer, "kv.one_layer", "한 층만 잰 값입니다. 모든 층을 더하세요.",
        "只量了一层。请把所有层加起来。", "This is one layer only; add all layers."},
    Row{Hint::kv_one_token_more, "kv.one_token_more",
        "토큰이 하나 더 들어간 캐시의 크기입니다(bos 를 더하지 않습니다).",
        "这是多一个标记时的大小（不加 bos）。", "This is the size with one more token (no bos is added)."},
    Row{Hint::kv_hidden_size, "kv.hidden_size", "KV 헤드 × head_dim 대신 hidden_size 를 곱한 값입니다.",
        "用 hidden_size 代替了 KV 头数 × head_dim。",
        "This multiplies by hidden_size instead of KV heads × head_dim."},
    Row{Hint::kv_differs, "kv.differs",
        "식(2 × 층 × 토큰 × KV 헤드 × head_dim × 4)이 이 모델에서 주는 값과 다릅니다.",
        "与公式（2 × 层 × 标记 × KV 头 × head_dim × 4）对该模型给出的值不同。",
        "This differs from what the formula (2 × layers × tokens × KV heads × head_dim × 4) gives for this "
        "model."},
    Row{Hint::kv_shape_repeated, "kv.shape_repeated",
        "repeat_kv 다음의 모양입니다. KV 헤드의 수가 그대로여야 합니다.",
        "这是 repeat_kv 之后的形状。应为 KV 头数。",
        "This is the shape after repeat_kv; it has the KV heads only."},
    Row{Hint::kv_shape_transposed, "kv.shape_transposed",
        "transpose 다음의 모양입니다. 순서는 (배치, 길이, KV 헤드, head_dim)입니다.",
        "这是 transpose 之后的形状。顺序为（批，长度，KV 头，head_dim）。",
        "This is the shape after transpose; the order is (batch, length, KV heads, head_dim)."},
    Row{Hint::kv_shape_flat, "kv.shape_flat",
        "헤드로 나누기 전의 모양입니다. 네 차원 (배치, 길이, KV 헤드, head_dim)입니다.",
        "这是分头之前的形状。应为四维（批，长度，KV 头，head_dim）。",
        "This is the shape before heads are split; it has four dimensions (batch, length, KV heads, "
        "head_dim)."},
    Row{Hint::kv_shape_differs, "kv.shape_differs",
        "첫 층 K 의 모양(배치, 길이, KV 헤드, head_dim)과 다릅니다.",
        "与第一层 K 的形状（批，长度，KV 头，head_dim）不同。",
        "This is not the shape of the first layer's K (batch, length, KV heads, head_dim)."},

    Row{Hint::temp_top_k, "temp.top_k", "top_k 를 기본값 50으로 둔 결과입니다. top_k=0 을 넘기세요.",
        "这是 top_k 保持默认值 50 的结果。请传入 top_k=0。",
        "This is a run with top_k left at 50; pass top_k=0."},
    Row{Hint::temp_top_p, "temp.top_p", "top_p 를 기본값 0.85로 둔 결과입니다. top_p=1.0 을 넘기세요.",
        "这是 top_p 保持默认值 0.85 的结果。请传入 top_p=1.0。",
        "This is a run with top_p left at 0.85; pass top_p=1.0."},
    Row{Hint::temp_defaults, "temp.defaults",
        "top_k 와 top_p 를 기본값으로 둔 결과입니다. top_k=0, top_p=1.0 을 넘기세요.",
        "这是 top_k 和 top_p 都保持默认值的结果。请传入 top_k=0, top_p=1.0。",
        "This is a run with top_k and top_p at their defaults; pass top_k=0, top_p=1.0."},
    Row{Hint::temp_not_reseeded, "temp.not_reseeded",
        "온도마다 시드를 다시 걸지 않은 결과입니다. 생성하기 직전마다 torch.manual_seed(0) 을 부르세요.",
        "这是没有为每个温度重新设种子的结果。请在每次生成前调用 torch.manual_seed(0)。",
        "This is a run that was not reseeded for each temperature; call torch.manual_seed(0) before each."},
    Row{Hint::temp_pretrain_model, "temp.pretrain_model",
        "사전학습 체크포인트로 답한 결과입니다. 5단계는 SFT 체크포인트를 씁니다.",
        "这是用预训练检查点回答的结果。第 5 步使用 SFT 检查点。",
        "These are the pretrained checkpoint's answers; step 5 uses the SFT one."},
    Row{Hint::temp_range, "temp.range", "서른 번의 답에서 서로 다른 답은 1에서 30까지입니다.",
        "30 次回答中不同答案的个数只能是 1 到 30。", "Of 30 answers 1 to 30 can be different."},
    Row{Hint::temp_decreasing, "temp.decreasing",
        "낮은 온도보다 서로 다른 답이 적습니다. 온도마다 시드와 조건이 같은지 확인하세요.",
        "比较低温度时的不同答案还少。请检查每个温度的种子和条件是否相同。",
        "There are fewer different answers than at the lower temperature; check that seed and conditions are "
        "the same "
        "for each."},
    Row{Hint::temp_other_random, "temp.other_random",
        "참고: 기준의 난수열로 센 값과 다르지만, 난수열은 PyTorch 의 판마다 다를 수 있어 맞은 것으로 봅니다.",
        "提示：与基准随机数流的计数不同，但随机数流可能因 PyTorch 版本而异，因此视为正确。",
        "Note: this is not the count under a known random stream; streams differ between PyTorch releases, "
        "so it is "
        "accepted."},

    Row{Hint::topp_no_bos, "topp.no_bos", "bos 없이 잰 값입니다. [bos] + '민수는' 을 넣으세요.",
        "这是没有 bos 的结果。请输入 [bos] + '민수는'。",
        "This is the count without bos; feed [bos] + '민수는'."},
    Row{Hint::topp_not_shifted, "topp.not_shifted",
        "하나 적습니다. 자르는 자리를 한 칸 밀어, p 를 처음 넘기는 토큰은 살리세요.",
        "少一个。截断处要后移一位，保留首个使累积概率超过 p 的标记。",
        "This is one too few: shift the cut by one, so that the token that first exceeds p stays."},
    Row{Hint::topp_sft_model, "topp.sft_model",
        "SFT 체크포인트로 잰 값입니다. 6단계는 사전학습 체크포인트를 씁니다.",
        "这是 SFT 检查点的结果。第 6 步使用预训练检查点。",
        "This is the SFT checkpoint's count; step 6 uses the pretrained one."},
    Row{Hint::topp_temperature, "topp.temperature", "온도 0.85 로 잰 값입니다. 온도는 1입니다.",
        "这是温度 0.85 的结果。温度应为 1。", "This is the count at temperature 0.85; the temperature is 1."},
    Row{Hint::topp_top_k, "topp.top_k",
        "먼저 top_k 50 으로 자른 분포에서 센 값입니다. top_k 는 쓰지 않습니다.",
        "这是先用 top_k 50 截断后的计数。不使用 top_k。",
        "This counts after a cut by top_k 50; top_k is not used."},
    Row{Hint::topp_sharp_text, "topp.sharp_text",
        "'마을의 특산물은' 뒤에서 센 값입니다. '민수는' 뒤에서 세세요.",
        "这是 '마을의 특산물은' 之后的计数。应在 '민수는' 之后计数。",
        "This is the count after '마을의 특산물은'; count after '민수는'."},
    Row{Hint::topp_borderline, "topp.borderline",
        "참고: 누적합이 p 와 거의 같은 자리여서 반올림에 따라 달라질 수 있어 맞은 것으로 봅니다.",
        "提示：此处的累积概率几乎等于 p，结果随舍入而变，因此视为正确。",
        "Note: the cumulative probability there is as good as equal to p, so rounding decides; accepted."},
    Row{Hint::topp_differs, "topp.differs", "기준 모델에서 MiniMind 의 규칙으로 센 값과 다릅니다.",
        "与按 MiniMind 规则在基准模型上的计数不同。",
        "This differs from the count that MiniMind's rule gives on the reference model."},

    Row{Hint::report_headings, "report.headings", "빠진 절 제목: {headings}. 한 줄에 이대로 쓰세요.",
        "缺少小节标题：{headings}。请原样单独写成一行。",
        "Missing headings: {headings}. Each stands alone on a line, exactly so."},
    Row{Hint::report_heading_look_alike, "report.heading_look_alike",
        "제목 {heading} 과(와) 같아 보이지만 보이지 않거나 닮은 다른 글자({characters})가 들어 있습니다. 그 "
        "줄을 "
        "새로 쓰세요.",
        "有一行看起来与标题 {heading} 相同，但含有看不见的或形似的其他字符（{characters}）。请重新输入该行。",
        "A line looks like the heading {heading} but has characters in it that are invisible or only look "
        "alike "
        "({characters}); type that line anew."},
    Row{Hint::report_heading_in_code, "report.heading_in_code",
        "제목 {heading} 이(가) 코드나 HTML 주석 안에 있습니다. 닫지 않은 ``` 가 앞에 있는지 확인하세요.",
        "标题 {heading} 位于代码或 HTML 注释之中。请检查前面是否有未关闭的 ```。",
        "The heading {heading} stands inside code or an HTML comment; is there a ``` before it that is never "
        "closed?"},
    Row{Hint::report_heading_decomposed, "report.heading_decomposed",
        "참고: 제목이 풀어쓴 유니코드(NFD)로 적혀 있습니다. 같은 글로 보았습니다.",
        "提示：标题以分解形式的 Unicode（NFD）写成，视为相同。",
        "Note: headings are written in decomposed Unicode (NFD); they are taken as the same text."},
    Row{Hint::report_other_file, "report.other_file",
        "{file} 에 쓸 수 있는 {key} 값이 없어 견줄 수 없습니다.", "{file} 中没有可用的 {key}，无法比较。",
        "Cannot be compared, because {file} has no usable {key}."},
    Row{Hint::report_number_missing, "report.number_missing",
        "{file} 의 {key} 값이 적힌 그대로 들어 있지 않습니다.", "没有原样写出 {file} 中的 {key}。",
        "The {key} of {file} is not there as it is written in that file."},
    Row{Hint::report_number_rounded, "report.number_rounded",
        "{file} 의 {key} 값이 반올림되어 있습니다. 파일에 적힌 그대로 옮기세요.",
        "{file} 中的 {key} 被四舍五入了。请照文件原样写出。",
        "The {key} of {file} is rounded; copy it as it is written in that file."},
    Row{Hint::report_number_grouped, "report.number_grouped",
        "{file} 의 {key} 값에 자릿수 구분 쉼표가 있습니다. 파일에 적힌 그대로 옮기세요.",
        "{file} 中的 {key} 带有千位分隔符。请照文件原样写出。",
        "The {key} of {file} has digit separators; copy it as it is written in that file."},

    Row{Hint::cache_no_generate, "cache.no_generate", "MiniMind 의 generate 를 부르는 곳이 없습니다.",
        "没有调用 MiniMind 的 generate。", "MiniMind's generate is never called."},
    Row{Hint::cache_one_way, "cache.one_way",
        "generate 를 use_cache=True 와 use_cache=False 두 가지로 부르지 않습니다.",
        "没有用 use_cache=True 和 use_cache=False 两种方式调用 generate。",
        "generate is not called both with use_cache=True and with use_cache=False."},
    Row{Hint::cache_not_told, "cache.not_told",
        "참고: 글로 읽어서는 generate 를 캐시 있이·없이 모두 부르는지 알 수 없어 맞은 것으로 봅니다.",
        "提示：仅凭阅读代码无法判断是否用有缓存和无缓存两种方式调用了 generate，因此视为正确。",
        "Note: reading the program does not tell whether generate is called with the cache and without; "
        "accepted."},
};

static_assert(kRows.size() == static_cast<std::size_t>(Hint::count_));
static_assert([] {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].hint) != i) return false;
    }
    return true;
}());

std::string_view text_of(Hint hint, std::size_t column) {
    return kRows[static_cast<std::size_t>(hint)].texts[column];
}

}  // namespace

std::string_view code_of(Hint hint) {
    return text_of(hint, 0);
}

std::string_view sentence(Hint hint, Language language) {
    switch (language) {
        case Language::ko:
            return text_of(hint, 1);
        case Language::zh:
            return text_of(hint, 2);
        case Language::en:
            return text_of(hint, 3);
    }
    throw_error(ErrorKind::internal, "unknown language");
}

}  // namespace mm
