#!/usr/bin/env python3
"""Copies the tokenizer goldens into tests/golden/tokenizer: every case, without the fields no test reads.

Dropped: hf_stream*, which record another decoder for comparison, and everything of MiniMind's own (its
tokenizer.json, its cases, the ids in chat_golden.json that need it).

    python3 tests/reference/copy_tokenizer_goldens.py FOLDER_OF_THE_GOLDENS
"""
import json
import shutil
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
TARGET = Path(__file__).resolve().parents[1] / "golden" / "tokenizer"


def lines(items):
    return "[\n" + ",\n".join(json.dumps(item, ensure_ascii=True, separators=(",", ":")) for item in items) + "\n]"


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [f"{json.dumps(key)}: {lines(value) if isinstance(value, list) and value else json.dumps(value)}"
             for key, value in document.items()]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def main():
    for path in sorted(SOURCE.rglob("*_golden.json")):
        if path.name == "tokenizer_golden.json":
            continue
        document = json.loads(path.read_text())
        for item in document.get("decode", []):
            for key in [key for key in item if key.startswith("hf_stream")]:
                del item[key]
        for item in document.get("template_cases", []):
            del item["ids"]
        for item in document.get("plain_chatml", []):
            item["ids"].pop("minimind")
        write(TARGET / path.relative_to(SOURCE), document)
    shutil.copyfile(SOURCE / "unicode_classes.json", TARGET / "unicode_classes.json")
    for path in sorted((SOURCE / "tokenizers").glob("*.json")):
        if path.name != "minimind.json":
            (TARGET / "tokenizers").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, TARGET / "tokenizers" / path.name)


if __name__ == "__main__":
    main()
