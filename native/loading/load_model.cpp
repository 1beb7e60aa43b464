#include "native/loading/load_model.hpp"

#include <system_error>
#include <utility>

#include "native/loading/cpu_count.hpp"

namespace mm {

std::shared_ptr<ThreadPool> make_thread_pool(const ModelOptions& options) {
    const int threads = options.threads ? static_cast<int>(*options.threads) : usable_cores();
    try {
        return std::make_shared<ThreadPool>(threads);
    } catch (const std::system_error& error) {
        throw Error(ErrorKind::io, "cannot start " + std::to_string(threads) + " threads: " + error.what(),
                    {}, "--threads 1 needs no further thread");
    }
}

Model load_model(const std::string& name, const ModelOptions& options, std::shared_ptr<ThreadPool> pool,
                 Console&) {
    const Checkpoint checkpoint(name, options.config);
    return Model(checkpoint.table(), checkpoint.model_config(options.values), std::move(pool));
}

}  // namespace mm
