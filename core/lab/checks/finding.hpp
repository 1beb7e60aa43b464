// What the grader says about a check: a hint from a fixed list, with the values it speaks of.
//
// The sentences, in three languages, are in hints.cpp; how much of a finding is shown is the renderers'
// business.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/join.hpp"

namespace mm {

enum class Language { ko, zh, en };

/// "ko", "zh", "en". @throws Error{range} that lists them.
Language parse_language(std::string_view name);

enum class Hint {
    // the folder
    folder_missing,
    folder_link,
    folder_special,
    folder_unreadable,
    folder_interrupted,
    folder_below,
    folder_several,
    // a file
    file_missing,
    file_other_name,
    file_link,
    file_special,
    file_too_large,
    file_unreadable,
    file_empty,
    text_not_utf8,
    // its JSON
    json_utf16,
    json_nan,
    json_number_too_large,
    json_twice,
    json_too_deep,
    json_too_many,
    json_syntax,
    json_not_object,
    json_byte_order_mark,
    keys_missing,
    keys_type,
    keys_extra,
    needs_file,
    needs_key,
    // the prompt and the new tokens
    prompt_one_short,
    prompt_one_long,
    prompt_length,
    steps_one_more,
    steps_one_less,
    steps_length,
    ids_no_bos,
    ids_bos_inside,
    ids_no_space,
    ids_newline,
    ids_sft_model,
    ids_prompt_included,
    ids_one_step_more,
    ids_one_step_less,
    ids_stopped_at_eos,
    ids_length,
    ids_differ,
    same_false,
    // counts
    count_no_bos,
    count_two_bos,
    count_one_step_more,
    count_one_step_less,
    count_swapped,
    count_cache_off,
    count_cache_on,
    count_steps_only,
    count_not_reset,
    count_both_runs,
    count_growth_forgotten,
    count_growth_off_by_one,
    count_differs,
    // times
    time_not_positive,
    time_cache_slower,
    time_speedup_inverted,
    time_speedup_from_tokens,
    time_speedup_differs,
    // bytes
    kv_tokens,
    kv_after_repeat,
    kv_half,
    kv_elements,
    kv_one_layer,
    kv_one_token_more,
    kv_hidden_size,
    kv_differs,
    kv_shape_repeated,
    kv_shape_transposed,
    kv_shape_flat,
    kv_shape_differs,
    // temperature
    temp_top_k,
    temp_top_p,
    temp_defaults,
    temp_not_reseeded,
    temp_pretrain_model,
    temp_range,
    temp_decreasing,
    temp_other_random,
    // top-p
    topp_no_bos,
    topp_not_shifted,
    topp_sft_model,
    topp_temperature,
    topp_top_k,
    topp_sharp_text,
    topp_borderline,
    topp_differs,
    // the report
    report_headings,
    report_heading_look_alike,
    report_heading_in_code,
    report_heading_decomposed,
    report_other_file,
    report_number_missing,
    report_number_rounded,
    report_number_grouped,
    // cache.py
    cache_no_generate,
    cache_one_way,
    cache_not_told,
    count_,  // how many there are
};

/// A stable name for programs, e.g. "kv.after_repeat"; the same in every language.
std::string_view code_of(Hint hint);
/// The sentence with {placeholders}.
std::string_view sentence(Hint hint, Language language);

/// What stands for the placeholders of a sentence: {{"file", name}, {"limit", 100}}.
class FindingValues : public std::vector<std::pair<std::string_view, std::string>> {
  public:
    struct Value {
        std::string_view name;
        Part text;
    };

    FindingValues() = default;
    FindingValues(std::initializer_list<Value> values);
};

struct Finding {
    Hint hint{};
    FindingValues values = {};
    // A teacher's part, shown with full feedback only; may be empty.
    std::string expected = {};
    std::string found = {};
};

/// The finding as a sentence, values filled in; with `reference` the expected and the found value follow.
std::string finding_text(const Finding& finding, Language language, bool reference);

/// `text` of a student as it may stand inside a sentence: as printable() shows it, at most 60 characters.
std::string safe_text(std::string_view text);

}  // namespace mm
