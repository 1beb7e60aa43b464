#include "native/loading/load_model.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/printable.hpp"
#include "core/model/memory_needs.hpp"
#include "native/loading/cpu_count.hpp"
#include "native/loading/memory.hpp"

namespace mm {

std::shared_ptr<ThreadPool> make_thread_pool(const ModelOptions& options) {
    const int threads = options.threads ? static_cast<int>(*options.threads) : usable_cores();
    return std::make_shared<ThreadPool>(threads);
}

Model make_model(const Checkpoint& checkpoint, const ModelConfig& config, std::shared_ptr<ThreadPool> pool) {
    require_memory(weight_bytes(checkpoint.table(), config), checkpoint.table().file());
    return Model(checkpoint.table(), config, std::move(pool));
}

Model load_model(const std::string& name, const ModelOptions& options, std::shared_ptr<ThreadPool> pool,
                 Console& console) {
    const Checkpoint checkpoint(name, options.config);
    Model model = make_model(checkpoint, checkpoint.model_config(options.values), std::move(pool));
    note_ignored(model, name, console);
    return model;
}

void note_ignored(const Model& model, const std::string& name, Console& console) {
    const std::vector<std::string>& ignored = model.ignored_tensors();
    if (ignored.empty()) return;
    constexpr std::size_t kNamed = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(ignored.size(), kNamed); ++i) {
        names += (i > 0 ? ", " : "") + printable(ignored[i], 100);
    }
    console.note(name + ": not used: " + std::to_string(ignored.size()) +
                 (ignored.size() == 1 ? " tensor" : " tensors") + " that the model does not have (" + names +
                 (ignored.size() > kNamed ? ", …)" : ")"));
}

}  // namespace mm
