// The grader's working table: results are filled in by id, files and keys are opened here so that every
// artifact is judged for presence, form, keys and types in the same way.
//
// Used by the checks of this folder only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lab/checks/grade.hpp"
#include "core/lab/checks/submitted_json.hpp"

namespace mm::checks {

enum class KeyType {
    integer,
    number,
    boolean,
    integers,
    counts
};  // counts: an object with an integer "distinct"

struct Key {
    std::string_view name;  // must outlive what is opened
    KeyType type;
};

/// A JSON artifact after GROUP.file and GROUP.keys were judged.
struct OpenedJson {
    std::string_view group;
    std::string file;
    std::optional<SubmittedValue> object;  // empty: the file is of no use
    std::vector<std::string_view> usable;  // keys that are there with the right type

    /// The value of a usable key, else null.
    const SubmittedValue* value(std::string_view key) const;
};

class Judge {
  public:
    Judge(const Submission& submission, const Points& points);

    const Submission& submission() const { return submission_; }

    void pass(std::string_view id, std::vector<Finding> notes = {});
    void pass(std::string_view id, Finding note);
    void fail(std::string_view id, std::vector<Finding> findings);
    void fail(std::string_view id, Finding finding);

    /// Judges `id` by whether the file is there, is UTF-8 and says anything. Empty when not; without its byte
    /// order mark.
    std::optional<std::string_view> open_text(std::string_view id, const std::string& name);
    /// Judges GROUP.file and GROUP.keys of GROUP.json.
    OpenedJson open_json(std::string_view group, const std::vector<Key>& keys);
    /// Judges `id` by the value of a key: fails it when there is none, else leaves it to `check`.
    void with_value(std::string_view id, const OpenedJson& json, std::string_view key,
                    const std::function<void(const SubmittedValue&)>& check);
    /// with_value for an integer that must be `expected`; `mistake` names what a wrong one comes from.
    void integer(std::string_view id, const OpenedJson& json, std::string_view key, std::int64_t expected,
                 const std::function<std::vector<Finding>(std::int64_t)>& mistakes, Hint otherwise);

    /// A number of another file, as written there, that report.md has to hold.
    struct Quoted {
        std::string key;
        std::string file;
        std::string written;  // empty: the file has no such value
        double value = 0;
    };
    void quote(Quoted number) { quoted_.push_back(std::move(number)); }
    const std::vector<Quoted>& quoted() const { return quoted_; }

    /// Every check must have been judged once. @throws Error{internal} naming one that was not
    std::vector<CheckResult> results() &&;

  private:
    CheckResult& unjudged(std::string_view id);
    /// Fails `id` when the file could not be taken.
    bool file_there(std::string_view id, const std::string& name);

    const Submission& submission_;
    std::vector<CheckResult> results_;
    std::vector<bool> judged_;
    std::vector<Quoted> quoted_;
};

void check_folder(Judge& judge);

/// Checks ID_PREFIX.prompt_len and ID_PREFIX.new_tokens, which same.json and count.json share.
void check_lengths(Judge& judge, const OpenedJson& json, const GradeReference& reference);

}  // namespace mm::checks
