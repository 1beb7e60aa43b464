// What can be said of any folder, file, JSON text and prompt.
#pragma once

#include "core/lab/checks/hint.hpp"

namespace mm {

inline constexpr Hints<35> kCommonHints{{{
    Hint{"folder.missing", "폴더가 없습니다.", "文件夹不存在。", "There is no such folder."},
    Hint{"folder.link", "심볼릭 링크라서 따라가지 않았습니다. 진짜 폴더를 주세요.",
         "这是符号链接，不会跟随。请给出真正的文件夹。",
         "This is a symbolic link, which is not followed; give the folder itself."},
    Hint{"folder.not_a_folder", "폴더가 아닙니다.", "这不是文件夹。", "This is not a folder."},
    Hint{"folder.unreadable", "폴더를 읽을 수 없습니다.", "无法读取该文件夹。", "The folder cannot be read."},
    Hint{"folder.interrupted",
         "파일을 바꾸던 실습 실행이 도중에 멈춰 서로 다른 실행의 파일이 섞여 있을 수 있습니다. 같은 --out "
         "으로 lab 을 "
         "다시 실행하면 마무리됩니다.",
         "一次实验在替换文件时中断，文件可能来自不同的运行。用同一个 --out 再运行一次 lab 即可补全。",
         "A lab run stopped while it was putting its files in place, so files of two runs may be mixed; "
         "running "
         "lab again with the same --out completes it."},
    Hint{"folder.below", "참고: 파일들이 하위 폴더 {folder} 에 있어 그곳에서 채점했습니다.",
         "提示：文件在子文件夹 {folder} 中，已在那里评分。",
         "Note: the files are in the folder {folder} inside; they are graded there."},
    Hint{"folder.several",
         "실습 파일이 여러 하위 폴더({folders})에 있어 어느 것인지 알 수 없습니다. 하나만 내거나 그 폴더를 "
         "주세요.",
         "多个子文件夹（{folders}）中都有实验文件，无法确定是哪一个。请只提交一个，或直接给出该文件夹。",
         "Several folders inside ({folders}) hold the lab's files; give the one that is meant."},
    Hint{"file.missing", "{file} 파일이 없습니다.", "缺少文件 {file}。", "{file} is missing."},
    Hint{"file.other_name", "{file} 파일이 없고 {found} 이(가) 있습니다. 이름을 {file} (으)로 바꾸세요.",
         "缺少文件 {file}，但有 {found}。请改名为 {file}。",
         "{file} is missing, but {found} is there; rename it to {file}."},
    Hint{"file.link", "{file} 이(가) 심볼릭 링크라서 따라가지 않았습니다.", "{file} 是符号链接，不会跟随。",
         "{file} is a symbolic link, which is not followed."},
    Hint{"file.special", "{file} 이(가) 보통 파일이 아닙니다.", "{file} 不是普通文件。",
         "{file} is not a regular file."},
    Hint{"file.too_large", "{file} 이(가) {limit}바이트보다 커서 읽지 않았습니다.",
         "{file} 超过 {limit} 字节，未读取。", "{file} has more than {limit} bytes and was not read."},
    Hint{"file.unreadable", "{file} 을(를) 읽을 수 없습니다.", "无法读取 {file}。", "{file} cannot be read."},
    Hint{"file.empty", "파일이 비어 있습니다.", "文件是空的。", "The file is empty."},
    Hint{"text.not_utf8", "UTF-8 이 아닙니다({byte}번째 바이트부터).", "不是 UTF-8（从第 {byte} 字节起）。",
         "This is not UTF-8 (from byte {byte} on)."},
    Hint{"json.utf16",
         "UTF-16 으로 저장되었습니다. UTF-8 로 저장하세요(PowerShell 의 > 는 UTF-16 을 쓸 수 있습니다).",
         "文件以 UTF-16 保存。请保存为 UTF-8（PowerShell 的 > 可能写出 UTF-16）。",
         "The file is UTF-16; save it as UTF-8 (PowerShell's > may write UTF-16)."},
    Hint{"json.nan", "{place} 에 NaN 이나 Infinity 가 있습니다. JSON 에는 그런 수가 없습니다.",
         "{place} 处有 NaN 或 Infinity，JSON 中没有这样的数。",
         "There is a NaN or an Infinity at {place}; JSON has no such number."},
    Hint{"json.number_too_large", "{place} 의 수가 너무 큽니다.", "{place} 处的数过大。",
         "The number at {place} is too large."},
    Hint{"json.duplicate_key", "키 {key} 가 두 번 나옵니다.", "键 {key} 出现了两次。",
         "The key {key} is given twice."},
    Hint{"json.too_deep", "{limit}단계보다 깊이 들어간 JSON 입니다.", "JSON 嵌套超过 {limit} 层。",
         "The JSON is nested deeper than {limit} levels."},
    Hint{"json.too_many_values", "값이 {limit}개보다 많은 JSON 입니다.", "JSON 的值超过 {limit} 个。",
         "The JSON has more than {limit} values."},
    Hint{"json.syntax", "{place}(줄:칸) 에서 JSON 이 아니게 됩니다. 파이썬이라면 json.dump 로 쓰세요.",
         "在 {place}（行：列）处不是合法的 JSON。在 Python 中请用 json.dump 写出。",
         "This is not JSON from {place} (line:column) on; in Python, write it with json.dump."},
    Hint{"json.not_object", "JSON 객체 하나여야 합니다.", "应当是一个 JSON 对象。",
         "The file must hold one JSON object."},
    Hint{"json.byte_order_mark", "참고: 맨 앞에 BOM 이 있습니다. 파이썬의 json.load 는 이 파일을 거절합니다.",
         "提示：文件开头有 BOM，Python 的 json.load 会拒绝它。",
         "Note: the file begins with a byte order mark, which Python's json.load refuses."},
    Hint{"keys.missing", "빠진 키: {keys}.", "缺少键：{keys}。", "Missing keys: {keys}."},
    Hint{"keys.type", "값의 꼴이 다른 키: {keys}.", "值的类型不对的键：{keys}。",
         "Keys with a value of the wrong type: {keys}."},
    Hint{"keys.extra", "참고: 실습에 없는 키가 있습니다: {keys}.", "提示：有实验中没有的键：{keys}。",
         "Note: there are keys the lab does not have: {keys}."},
    Hint{"needs.file", "{file} 을(를) 읽지 못해 채점할 수 없습니다.", "无法读取 {file}，不能评分。",
         "Cannot be judged, because {file} could not be used."},
    Hint{"needs.key", "{file} 에 쓸 수 있는 {key} 값이 없어 채점할 수 없습니다.",
         "{file} 中没有可用的 {key}，不能评分。", "Cannot be judged, because {file} has no usable {key}."},
    Hint{"prompt.one_short",
         "프롬프트가 하나 짧습니다. bos(1) 를 빠뜨렸거나 200개 안에 넣어 센 것입니다. 앞 200개의 id 앞에 bos "
         "를 더하세요.",
         "提示词少一个：漏了 bos(1)，或把 bos 算进了 200 个之内。应在前 200 个 id 之前加上 bos。",
         "The prompt is one short: bos (1) is missing, or was counted among the 200; put bos in front of the "
         "first "
         "200 ids."},
    Hint{"prompt.one_long",
         "프롬프트가 하나 깁니다. bos(1) 를 두 번 붙였거나 토크나이저가 특수 토큰을 더했습니다.",
         "提示词多一个：bos(1) 加了两次，或分词器又加了特殊标记。",
         "The prompt is one too long: bos (1) was put in front twice, or the tokenizer added a special "
         "token."},
    Hint{"prompt.length",
         "프롬프트 길이가 다릅니다. 앞 6개 문서를 공백으로 이은 글의 앞 200토큰 앞에 bos 하나입니다.",
         "提示词长度不对：前 6 篇文档用空格连接，取前 200 个标记，再在前面加一个 bos。",
         "The prompt's length differs: it is the first 200 tokens of the first 6 documents joined by one "
         "space, with "
         "one bos in front."},
    Hint{"steps.one_more", "한 걸음 많습니다. 새 토큰은 64개입니다.", "多走了一步：新标记应为 64 个。",
         "One step too many: there are 64 new tokens."},
    Hint{"steps.one_less", "한 걸음 적습니다. 프롬프트를 넣은 첫 걸음에서도 새 토큰 하나가 나옵니다.",
         "少走了一步：输入提示词的第一步也会产生一个新标记。",
         "One step too few: the first step, which feeds the prompt, gives a new token too."},
    Hint{"steps.length", "새 토큰은 64개입니다(eos_token_id=None 이라 도중에 멈추지 않습니다).",
         "新标记应为 64 个（eos_token_id=None，不会提前停止）。",
         "There are 64 new tokens (eos_token_id=None: the run does not stop early)."},
}}};

}  // namespace mm
