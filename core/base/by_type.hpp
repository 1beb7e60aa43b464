// A few values, each found by its type: what steps leave for one another, without a list of all types that
// there are.
#pragma once

#include <any>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace mm {

class ByType {
  public:
    template <typename T>
    void set(T value) {
        for (std::any& one : values_) {
            if (T* const old = std::any_cast<T>(&one)) {
                *old = std::move(value);
                return;
            }
        }
        values_.emplace_back(std::move(value));
    }
    /// Null when there is none. Stays where it is until the next set().
    template <typename T>
    const T* find() const {
        for (const std::any& one : values_) {
            if (const T* const value = std::any_cast<T>(&one)) return value;
        }
        return nullptr;
    }
    /// @throws Error{internal} when there is none
    template <typename T>
    const T& get() const {
        const T* const value = find<T>();
        if (value == nullptr) throw_error(ErrorKind::internal, "a step's result is not there");
        return *value;
    }

  private:
    std::vector<std::any> values_;
};

}  // namespace mm
