// Checkpoints made by hand, byte by byte: pickles from opcodes, zip archives from records, safetensors from a
// header. For files that no library would write.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace mm::forge {

inline std::string little(std::uint64_t value, int bytes) {
    std::string out;
    for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value & 255);
    return out;
}

// Pickle: each function gives the opcodes that leave one value on the stack.

inline std::string text(const std::string& value) {
    return "X" + little(value.size(), 4) + value;
}
inline std::string global(const std::string& module, const std::string& name) {
    return "c" + module + "\n" + name + "\n";
}
inline std::string number(std::int64_t value) {
    return "\x8a\x08" + little(static_cast<std::uint64_t>(value), 8);
}
inline std::string joined(const std::vector<std::string>& values) {
    std::string out;
    for (const std::string& value : values) out += value;
    return out;
}
inline std::string tuple(const std::vector<std::string>& values) {
    return "(" + joined(values) + "t";
}
inline std::string list(const std::vector<std::string>& values) {
    return "](" + joined(values) + "e";
}
/// Keys and values in turn.
inline std::string dict(const std::vector<std::string>& pairs) {
    return "}(" + joined(pairs) + "u";
}
inline std::string call(const std::string& callee, const std::string& arguments) {
    return callee + arguments + "R";
}
inline std::string numbers(const std::vector<std::int64_t>& values) {
    std::vector<std::string> parts;
    for (const std::int64_t value : values) parts.push_back(number(value));
    return tuple(parts);
}
inline std::string pickle(const std::string& value) {
    return "\x80\x02" + value + ".";
}

struct Tensor {
    std::string storage_class = "FloatStorage";
    std::string key = "0";
    std::int64_t numel = 6;  // of the storage
    std::int64_t offset = 0;
    std::vector<std::int64_t> size = {2, 3};
    std::vector<std::int64_t> stride = {3, 1};
    std::string metadata = {};  // a value; none when empty
};

inline std::string storage(const Tensor& tensor) {
    return tuple({text("storage"), global("torch", tensor.storage_class), text(tensor.key), text("cpu"),
                  number(tensor.numel)}) +
           "Q";
}

inline std::string rebuild(const Tensor& tensor) {
    std::vector<std::string> arguments = {
        storage(tensor), number(tensor.offset), numbers(tensor.size), numbers(tensor.stride), "\x89", "N"};
    if (!tensor.metadata.empty()) arguments.push_back(tensor.metadata);
    return call(global("torch._utils", "_rebuild_tensor_v2"), tuple(arguments));
}

// Zip archives.

struct Record {
    std::string name;
    std::string data;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
};

inline std::string zip(const std::vector<Record>& records) {
    std::string out;
    std::string directory;
    for (const Record& record : records) {
        const std::string common = little(record.flags, 2) + little(record.method, 2) + little(0, 8) +
                                   little(record.data.size(), 4) + little(record.data.size(), 4) +
                                   little(record.name.size(), 2) + little(0, 2);
        directory += "PK\x01\x02" + little(0, 2) + little(20, 2) + common + little(0, 10) +
                     little(out.size(), 4) + record.name;
        out += "PK\x03\x04" + little(20, 2) + common + record.name + record.data;
    }
    const std::size_t start = out.size();
    return out + directory + "PK\x05\x06" + little(0, 4) + little(records.size(), 2) +
           little(records.size(), 2) + little(directory.size(), 4) + little(start, 4) + little(0, 2);
}

/// A checkpoint of torch.save with this object and storages "0", "1", ….
inline std::string torch_zip(const std::string& object, const std::vector<std::string>& storages = {},
                             const std::vector<Record>& extra = {}) {
    std::vector<Record> records = {{"archive/data.pkl", pickle(object)}};
    for (const Record& record : extra) records.push_back(record);
    for (std::size_t i = 0; i < storages.size(); ++i) {
        records.push_back({"archive/data/" + std::to_string(i), storages[i]});
    }
    return zip(records);
}

/// A checkpoint whose state dict holds `tensor` as "w" over one storage of six floats.
inline std::string one_tensor(const Tensor& tensor) {
    return torch_zip(dict({text("w"), rebuild(tensor)}), {std::string(24, '\0')});
}

// The legacy container.

inline std::string torch_legacy(const std::string& object, const std::string& keys, const std::string& data) {
    const std::string magic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
    return pickle(magic) + pickle(number(1001)) + pickle(dict({})) + pickle(object) + pickle(keys) + data;
}

// Safetensors.

inline std::string safetensors(const std::string& header, const std::string& data) {
    return little(header.size(), 8) + header + data;
}

}  // namespace mm::forge
