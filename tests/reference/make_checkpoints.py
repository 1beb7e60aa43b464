#!/usr/bin/env python3
"""Makes the small checkpoints of tests/golden/checkpoint and what PyTorch itself reads from each.

    python3 make_checkpoints.py OUT        (OUT: …/tests/golden/checkpoint/torch-VERSION)

Run it with each PyTorch whose files are to be covered: the committed folders come from 1.13, 2.6 and 2.15
(CPU). Beside every NAME.pth it writes NAME.json:

    {"format": "torch zip" | "torch legacy",
     "tensors": [{"name", "dtype", "shape", "strides", "values", "same_as"}]}

in file order (NAME.safetensors likewise, where the package safetensors is installed: 2.15). `strides` and `values` (row-major; numbers, or "nan", "inf", "-inf") are what torch.load gives;
they are null for element types the project does not read. `same_as` is the index of the first tensor that
begins at the same address. Values are fixed. The bytes of legacy files differ from run to run (they name
storages by address), and those of "training" hold what the optimiser computed; the rest repeats exactly.

Forms that PyTorch no longer writes (storage views, _rebuild_tensor, Python 2's OrderedDict, cuda locations)
are made by hand and then read by torch.load like the rest.
"""
import collections
import io
import json
import math
import os
import pickle
import struct
import sys
import warnings
import zipfile

import torch

warnings.simplefilter("ignore")
OUT = sys.argv[1]
VERSION = tuple(int(p) for p in torch.__version__.split(".")[:2])
READABLE = {torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int16,
            torch.int8, torch.uint8, torch.bool}

NEW_TYPES = ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")


def ramp(*shape, dtype=torch.float32, start=-3.0):
    """Values -3, -2.75, …: exact in every float type used here, each one different."""
    n = math.prod(shape)
    return (torch.arange(n, dtype=torch.float32) / 4 + start).reshape(shape).to(dtype)


class Call:
    """Pickles as a call of `function` with `arguments`: the way to forms that torch.save no longer writes."""

    def __init__(self, function, *arguments):
        self.pair = (function, arguments)

    def __reduce__(self):
        return self.pair


# --- what torch.load finds -----------------------------------------------------------------------------------

def load(path):
    options = {"map_location": "cpu"}
    if VERSION >= (1, 13):
        options["weights_only"] = False
    return torch.load(path, **options)


def number(x):
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    return x


def describe(state):
    tensors, seen = [], {}
    for name, value in state.items():
        if not isinstance(value, torch.Tensor) or not isinstance(name, str):
            continue
        value = value.detach()
        entry = {"name": name, "dtype": str(value.dtype).replace("torch.", ""), "shape": list(value.shape),
                 "strides": None, "values": None, "same_as": None}
        if value.dtype in READABLE:
            entry["strides"] = list(value.stride())
            wide = value.double() if value.is_floating_point() else value
            entry["values"] = [number(x) for x in wide.flatten().tolist()]
            if value.numel():
                entry["same_as"] = seen.setdefault(value.data_ptr(), len(tensors))
        tensors.append(entry)
    return tensors


def write_expected(path, rename=lambda name: name, expected=None):
    state = load(path) if expected is None else expected
    if isinstance(state, dict) and not any(isinstance(v, torch.Tensor) for v in state.values()):
        state = next(state[key] for key in ("model", "state_dict", "model_state_dict") if key in state)
    tensors = describe(state)
    for entry in tensors:
        entry["name"] = rename(entry["name"])
    with open(path, "rb") as file:
        form = "torch zip" if file.read(2) == b"PK" else "torch legacy"
    with open(os.path.splitext(path)[0] + ".json", "w", encoding="utf-8") as out:
        json.dump({"format": form, "tensors": tensors}, out, ensure_ascii=False)
        out.write("\n")


def save(name, obj, rename=lambda name: name, **options):
    path = os.path.join(OUT, name + ".pth")
    torch.save(obj, path, **options)
    write_expected(path, rename)
    return path


# --- forms ---------------------------------------------------------------------------------------------------

class Tiny(torch.nn.Module):
    """A linear layer, a norm and a tied head: names and metadata as a language model's state dict has them."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(4, 3)
        self.norm = torch.nn.LayerNorm(3)
        self.head = torch.nn.Linear(3, 4, bias=False)
        with torch.no_grad():
            self.embed.weight.copy_(ramp(4, 3))
            self.norm.weight.copy_(ramp(3, start=1.0))
        self.head.weight = self.embed.weight


def weights(dtype):
    return {"embed.weight": ramp(4, 3, dtype=dtype), "norm.weight": ramp(3, dtype=dtype, start=1.0),
            "scale": ramp(dtype=dtype, start=0.5), "cube": ramp(2, 1, 3, dtype=dtype, start=-1.0),
            "empty": torch.zeros(0, 3, dtype=dtype)}


def special():
    values = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 2.0 ** -149, 2.0 ** -24, 65504.0, -1.5]
    return {str(d).replace("torch.", ""): torch.tensor(values).to(d)
            for d in (torch.float32, torch.float16, torch.bfloat16)}


def strided():
    base = ramp(6, 8)
    base[:, 7] = -9.0
    line = ramp(24, start=10.0)
    return {"whole": base, "transposed": base.t(), "window": base[1:4, 2:5], "every_other": base[::2, 1::3],
            "offset": line[5:11], "again": line[5:11], "column": base[:, 3], "expanded": line[3:4].expand(5),
            "none": line[24:24], "diagonal": base.diagonal(), "flat": line.view(2, 3, 4).permute(2, 0, 1)}


def training(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    for _ in range(2):
        model.head(model.norm(model.embed(torch.tensor([1, 2])))).pow(2).sum().backward()
        optimizer.step()
        scheduler.step()
    return {"model": {k: v.half() for k, v in model.state_dict().items()}, "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(), "scaler": torch.cuda.amp.GradScaler(enabled=False).state_dict(),
            "epoch": 1, "step": 10, "world_size": 1, "wandb_id": None}


def other_values():
    return {"a": ramp(2, 2), "device": torch.device("cuda", 1), "dtype": torch.bfloat16, "size": torch.Size([2, 3]),
            "layout": torch.strided, "bytes": b"\x00\xff", "bytearray": bytearray(b"ab"), "set": {1, "x"},
            "frozenset": frozenset([2]), "complex": 1 + 2j, "none": None, "big": 2 ** 100, "negative": -(2 ** 40),
            "counter": collections.Counter("aab"), "list": [1.5, True, ["deep", (1, 2, 3, 4)]],
            "default": collections.defaultdict(list, {"k": [1]}), "tensors": [ramp(2)], 7: ramp(2), "z": ramp(3)}


def parameters():
    tagged = torch.nn.Parameter(ramp(2, 2))
    tagged.note = "an attribute"
    attributed = ramp(3)
    attributed.note = [1]
    return collections.OrderedDict([("plain", torch.nn.Parameter(ramp(2, 3))), ("tagged", tagged),
                                    ("frozen", torch.nn.Parameter(ramp(2), requires_grad=False)),
                                    ("attributed", attributed)])


def integers():
    state = {str(d).replace("torch.", ""): torch.arange(-2, 3).to(d) if d != torch.uint8 else torch.arange(5).to(d)
             for d in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.float64)}
    state["bool"] = torch.tensor([True, False, True])
    state["complex64"] = torch.tensor([1 + 2j])
    state["w"] = ramp(2)
    for name in NEW_TYPES:
        if hasattr(torch, name):
            state[name] = torch.tensor([1, 2]).to(getattr(torch, name))
    return state


def by_hand():
    whole = ramp(4, 3)
    storage = whole.storage()
    hooks = collections.OrderedDict()
    state = collections.OrderedDict()
    state["v1"] = Call(torch._utils._rebuild_tensor, storage, 3, (2, 3), (3, 1))
    state["v2"] = Call(torch._utils._rebuild_tensor_v2, storage, 3, (2, 3), (3, 1), False, hooks)
    state["v2_size"] = Call(torch._utils._rebuild_tensor_v2, storage, 0, torch.Size([4]), (3,), False, hooks)
    state["parameter"] = Call(torch.nn.parameter.Parameter, ramp(2), False)
    if hasattr(torch._utils, "_rebuild_tensor_v3"):
        state["v3"] = Call(torch._utils._rebuild_tensor_v3, ramp(4, 3).untyped_storage(), 6, (2, 3), (3, 1), False, hooks,
                           torch.float32)
    if hasattr(torch._utils, "_rebuild_device_tensor_from_cpu_tensor"):
        state["device"] = Call(torch._utils._rebuild_device_tensor_from_cpu_tensor, ramp(3), torch.float32, "cpu",
                               False)
    return state


def python2():
    return Call(collections.OrderedDict, [["a", ramp(2)], ["b", ramp(3)]])


# --- containers ----------------------------------------------------------------------------------------------

def storage_views(path):
    """The legacy form of 2017, whose tensors may name a part of a storage: (view key, offset, size)."""
    whole = ramp(12)

    class Views(pickle.Pickler):
        def persistent_id(self, obj):
            return obj.id if isinstance(obj, Storage) else None

    class Storage:
        def __init__(self, *view):
            self.id = ("storage", torch.FloatStorage, "100", "cpu", 12, view or None)

    part = Storage("101", 4, 6)
    hooks = collections.OrderedDict()
    state = {"whole": Call(torch._utils._rebuild_tensor_v2, Storage(), 0, (12,), (1,), False, hooks),
             "part": Call(torch._utils._rebuild_tensor_v2, part, 0, (2, 3), (3, 1), False, hooks),
             "later": Call(torch._utils._rebuild_tensor_v2, part, 4, (2,), (1,), False, hooks)}
    with open(path, "wb") as out:
        sizes = {"short": 2, "int": 4, "long": 8}
        pickle.dump(0x1950A86A20F9469CFC6C, out, 2)
        pickle.dump(1001, out, 2)
        pickle.dump({"protocol_version": 1001, "little_endian": True, "type_sizes": sizes}, out, 2)
        Views(out, 2).dump(state)
        pickle.dump(["100"], out, 2)
        out.write(struct.pack("<q12f", 12, *whole.tolist()))
    write_expected(path)


def zip_variants(source):
    """The records of `source` in other archives than torch's writer makes; the expectation is the source's."""
    with zipfile.ZipFile(source) as archive:
        records = [(i.filename.split("/", 1)[1], archive.read(i)) for i in archive.infolist()]
    expected = load(source)

    def write(name, folder, **options):
        path = os.path.join(OUT, name + ".pth")
        streamed = io.BytesIO() if not options.get("streamed") else Unseekable()
        with zipfile.ZipFile(streamed, "w") as archive:
            archive.comment = options.get("comment", b"")
            for extra in options.get("extras", ()):
                archive.writestr(zipfile.ZipInfo(extra), b"")
            for record, data in records:
                info = zipfile.ZipInfo(folder + record)
                info.file_size = len(data)
                with archive.open(info, "w", force_zip64=options.get("zip64", False)) as out:
                    out.write(data)
        data = streamed.getvalue()
        with open(path, "wb") as out:
            out.write(zip64_directory(data) if options.get("zip64") else data)
        write_expected(path, expected=expected)

    class Unseekable(io.BytesIO):
        def seekable(self):
            return False

        def tell(self):
            raise OSError

        def seek(self, *_):
            raise OSError

    write("zip_python", "archive/")
    write("zip_no_folder", "")
    write("zip_folder_unicode", "가람 v1.5/")
    write("zip_folder_deep", "out/run_3/")
    write("zip_streamed", "archive/", streamed=True)
    write("zip_comment", "archive/", comment=b"PK\x05\x06 packed by hand")
    write("zip_repacked", "model/", extras=("model/", "model/data/", "__MACOSX/model/._data.pkl"))
    write("zip_zip64", "archive/", zip64=True)


def safetensors_files():
    """Needs the package safetensors; its own reader gives the expected values. File order is header order."""
    from safetensors.torch import load_file, save_file

    def save_one(name, state, **options):
        path = os.path.join(OUT, name + ".safetensors")
        save_file(state, path, **options)
        with open(path, "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        read = load_file(path)
        tensors = describe({name: read[name] for name in header if name != "__metadata__"})
        with open(os.path.join(OUT, name + ".json"), "w", encoding="utf-8") as out:
            json.dump({"format": "safetensors", "tensors": tensors}, out, ensure_ascii=False)
            out.write("\n")

    save_one("st_f32", weights(torch.float32))
    save_one("st_f16", weights(torch.float16), metadata={"format": "pt", "note": "가람"})
    save_one("st_special", special())
    save_one("st_dtypes", integers())


def zip64_directory(data):
    """Moves sizes, offsets and counts of the central directory into zip64 fields, as for files beyond 4 GB."""
    end = data.rindex(b"PK\x05\x06")
    count, size, start = struct.unpack("<HII", data[end + 10:end + 20])
    directory, at, entries = data[start:start + size], 0, b""
    for _ in range(count):
        head = bytearray(directory[at:at + 46])
        packed, unpacked, name, extra, comment = struct.unpack("<IIHHH", head[20:34])
        offset, = struct.unpack("<I", head[42:46])
        field = struct.pack("<HHQQQ", 1, 24, unpacked, packed, offset)
        head[20:28] = b"\xff" * 8
        head[42:46] = b"\xff" * 4
        head[30:32] = struct.pack("<H", len(field))
        entries += bytes(head) + directory[at + 46:at + 46 + name] + field
        at += 46 + name + extra + comment
    end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(entries), start)
    locator = struct.pack("<IIQI", 0x07064B50, 0, start + len(entries), 1)
    last = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:start] + entries + end64 + locator + last


def main():
    os.makedirs(OUT, exist_ok=True)
    torch.manual_seed(0)
    legacy = {"_use_new_zipfile_serialization": False}
    plain = save("f32", weights(torch.float32))
    save("f16", weights(torch.float16))
    save("bf16", weights(torch.bfloat16))
    save("special", special())
    save("module", Tiny().state_dict())
    save("strided", strided())
    save("training", training(Tiny()))
    save("other_values", other_values())
    save("parameters", parameters())
    save("dtypes", integers())
    save("by_hand", by_hand())
    save("python2", python2())
    save("state_dict_key", {"epoch": 3, "state_dict": weights(torch.float16)})
    save("parallel", {"module." + k: v for k, v in weights(torch.float32).items()}, lambda n: n.removeprefix("module."))
    save("compiled", {"_orig_mod." + k: v for k, v in weights(torch.float32).items()}, lambda n: n.removeprefix("_orig_mod."))
    save("both_wrappers", {"module._orig_mod.layers.0._orig_mod." + k: v for k, v in weights(torch.float32).items()},
         lambda n: n.removeprefix("module.").replace("_orig_mod.", ""))
    save("legacy_f32", weights(torch.float32), **legacy)
    save("legacy_bf16", weights(torch.bfloat16), **legacy)
    save("legacy_strided", strided(), **legacy)
    save("legacy_training", training(Tiny()), **legacy)
    # torch.load does not read the types of version 2.3 and later back from its own legacy files.
    save("legacy_dtypes", {k: v for k, v in integers().items() if k not in NEW_TYPES}, **legacy)
    save("legacy_protocol4", weights(torch.float16), pickle_protocol=4, **legacy)
    for protocol in (3, 4, 5):
        save(f"protocol{protocol}", {**weights(torch.float32), "deep": {"x": [1, {2, 3}]}}, pickle_protocol=protocol)
    tag = torch.serialization.location_tag
    torch.serialization.location_tag = lambda storage: "cuda:0"
    save("cuda", weights(torch.float16))
    save("legacy_cuda", weights(torch.float16), **legacy)
    torch.serialization.location_tag = tag
    storage_views(os.path.join(OUT, "legacy_views.pth"))
    zip_variants(plain)
    try:
        safetensors_files()
    except ImportError:
        print("no safetensors package: its files are left out", file=sys.stderr)
    try:
        from torch.utils.serialization import config
    except ImportError:
        return
    if hasattr(config.save, "storage_alignment"):
        with config.patch({"save.storage_alignment": 512}):
            save("aligned512", weights(torch.float32))
    if hasattr(torch.serialization, "set_crc32_options"):
        torch.serialization.set_crc32_options(False)
        save("no_crc", weights(torch.float32))


main()
