#include "core/lab/readers.hpp"

#include "core/base/error.hpp"

namespace mm {

Readers readers_on_card(const ModelConfig& config, double card_gigabytes, std::int64_t context,
                        int bytes_per_value) {
    const auto check = [](bool right, const char* field, const char* message) {
        if (!right) throw_error(ErrorKind::range, message, {.field = field});
    };
    check(card_gigabytes >= 0 && card_gigabytes <= 1e9, "card_gb", "must be in 0 … 1e9");
    check(context >= 1, "context", "must be at least 1");
    check(bytes_per_value == 2 || bytes_per_value == 4, "bytes_per_value", "must be 2 or 4");
    Readers out;
    out.weight_bytes = 4 * config.parameter_count();
    out.bytes_per_reader = config.kv_bytes(static_cast<std::uint64_t>(context)) / 4 *
                           static_cast<std::uint64_t>(bytes_per_value);
    const double left = card_gigabytes * 1e9 - static_cast<double>(out.weight_bytes);
    const auto each = static_cast<double>(out.bytes_per_reader);
    out.readers = left < each ? 0 : static_cast<std::uint64_t>(left / each);
    return out;
}

}  // namespace mm
