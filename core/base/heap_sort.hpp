// A sort for what is short or seldom sorted: a fifth of the code that std::sort makes for each type.
#pragma once

#include <algorithm>
#include <functional>

namespace mm {

/// Like std::sort: n log n steps at most; equals come in no particular order.
template <typename Range, typename Less = std::less<>>
void heap_sort(Range& range, Less less = {}) {
    std::make_heap(range.begin(), range.end(), less);
    std::sort_heap(range.begin(), range.end(), less);
}

}  // namespace mm
