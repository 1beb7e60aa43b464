// Long work of the page: begun by a call, carried on by "advance" (lab.cpp).
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/base/steps.hpp"
#include "core/page/workbench.hpp"

namespace mm::page {

template <typename T>
class TaskOf : public Task {
  public:
    /// @param begin  makes the steps from a context that lives as long as they do
    template <typename Begin>
    TaskOf(Workbench& bench, Begin&& begin, std::function<Json(T)> view)
        : context_(bench.context()), view_(std::move(view)) {
        bench.progress = {};
        context_.on_progress = [&bench](const LabProgress& progress) { bench.progress = progress; };
        steps_ = std::make_unique<Steps<T>>(begin(context_));
    }
    bool advance() override { return steps_->advance(); }
    Json value() override { return view_(steps_->result()); }

  private:
    LabContext context_;
    std::function<Json(T)> view_;
    std::unique_ptr<Steps<T>> steps_;
};

/// Begins the work that `begin(context)` makes, in place of what was begun before; `view` tells its result.
/// @returns what a call that begins work replies: null
template <typename T, typename Begin>
Json begin_task(Workbench& bench, Begin&& begin, std::function<Json(T)> view) {
    bench.task.reset();
    bench.task = std::make_unique<TaskOf<T>>(bench, std::forward<Begin>(begin), std::move(view));
    return nullptr;
}

}  // namespace mm::page
