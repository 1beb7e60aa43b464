// cache.py in the many ways people write it: correct programs are never accused, and what is surely missing
// is told.
#include <gtest/gtest.h>

#include "mutations.hpp"

namespace mm {
namespace {

using namespace test;

Grade judged(const std::string& text) {
    Submission submission = grading().own;
    text_of(submission, "cache.py") = text;
    return grading().judge(submission);
}

TEST(CachePy, BothWaysSpelledOut) {
    for (const char* text : {
             "m.generate(x, use_cache=True)\nm.generate(x, use_cache=False)\n",
             "m.generate(x)\nm.generate(x, use_cache=False)\n",
             "m.generate(x, use_cache=1)\nm.generate(x, use_cache=0)\n",
             "m . generate (x,\n    use_cache = True,\n)\nm.generate(x, use_cache=False)  # slow\n",
             "for c in (True, False):\n    m.generate(x, use_cache = c)\n",
             "m.generate(x, **{'use_cache': True})\nm.generate(x, **{\"use_cache\": False})\n",
             "run = model.generate\na = run(x, use_cache=True)\nb = run(x, use_cache=False)\n",
             "from minimind import generate as g\ng(x, use_cache=True)\ng(x, use_cache=False)\n",
             "from functools import partial\na = partial(m.generate, use_cache=True)\n"
             "b = partial(m.generate, use_cache=False)\na(x)\nb(x)\n",
             "\xEF\xBB\xBFm.generate(x)\r\nm.generate(x, use_cache=False)\r\n",
             "kw = dict(use_cache=True)\nm.generate(x, **kw)\nkw['use_cache'] = False\nm.generate(x, **kw)\n",
             "# old Mac\rm.generate(x)\r# both\rm.generate(x, use_cache=False)\r",
             // Other encodings, declared: "캐시" in CP949 and EUC-KR, "é" before a quote, a second byte "\\".
             "# -*- coding: cp949 -*-\nm.generate('\xc4\xb3\xbd\xc3')\nm.generate(x, use_cache=False)\n",
             "#!/usr/bin/python\n# vim: fileencoding=euc-kr\nm.generate(x, '\xc4\xb3')\n"
             "m.generate(x, use_cache=False)\n",
             "# coding=latin-1\nm.generate('\xe9')\nm.generate(x, use_cache=False)\n",
             "# coding: shift_jis\nprint('\x83\\')\nm.generate(x)\nm.generate(x, use_cache=False)\n",
         }) {
        const Grade grade = judged(text);
        EXPECT_EQ(failures(grade), Findings{}) << text;
        EXPECT_EQ(notes(grade), Findings{}) << text;
    }
}

TEST(CachePy, WhatCannotBeToldIsFullWithANote) {
    const Findings note = {{"cache.both_ways", {"cache.not_told"}}};
    for (const char* text : {
             "for c in (0, 1):\n    m.generate(x, use_cache=bool(c))\n",
             "for c in 'yn':\n    m.generate(x, use_cache=(c == 'y'))\n",
             "for kw in ({}, {'use_cache': False}):\n    m.generate(x, **kw)\n",
             "def run(**kw):\n    return m.generate(x, **kw)\nfor way in ways():\n    run(**way)\n",
             "def run(*args):\n    return m.generate(*args)\nrun(x)\nrun(y)\n",
             "g = getattr(m, 'generate')\ng(x)\ng(x, **off)\n",
             "from operator import methodcaller\nmethodcaller('generate', x)(m)\n",
             "from functools import partial\ng = partial(m.generate, x)\ng(**a)\ng(**b)\n",
             "m.config.use_cache = not m.config.use_cache\nm.generate(x)\nm.generate(x)\n",
             "with_cache, without = [f(x) for f in (m.generate, slow(m.generate))]\n",
             "m.generate(x, None, 64, 1.0, 1.0, 0, None, None, True)\n"
             "m.generate(x, None, 64, 1.0, 1.0, 0, None, None, False)\n",
             "import json\nm.generate(x, **json.load(open('with.json')))\n",
             "c = GenerationConfig(use_cache=flag)\nm.generate(x, c)\n",
             "from helper import generate_with_cache, generate_without_cache\n"
             "generate_with_cache()\ngenerate_without_cache()\n",
             "exec(open('run.py').read())\n",
             "import subprocess\nsubprocess.run(['python', 'run.py'])\n",
             "import runpy\nrunpy.run_path('run.py')\n",
             "print(f'{m.generate(x, use_cache=USE)}')\n",
             "def generate(m, x, use_cache):\n    return m(x)\ngenerate(m, x, a)\ngenerate(m, x, b)\n",
             "m.generate(x, use_cache=True if fast else slow)\n",
             "vars(type(m))['generate'](m, x)\n",
             "m.__getattribute__('generate')(x)\n",
             "type(m).__dict__['generate'](m, x)\n",
             "from my_tools import compare\ncompare(m, x)\n",
             "import torch, my_tools as t\nt.both(m)\nm.generate(x)\n",
             "from . import both\nboth(m)\n",
         }) {
        const Grade grade = judged(text);
        EXPECT_EQ(failures(grade), Findings{}) << text;
        EXPECT_EQ(notes(grade), note) << text;
    }
}

TEST(CachePy, WhatIsSurelyMissingFails) {
    const std::map<std::string, std::string> wrong = {
        {"m.generate(x)\n", "cache.one_way"},
        {"m.generate(x, use_cache=True)\n", "cache.one_way"},
        {"m.generate(x, use_cache=False)\n", "cache.one_way"},
        {"m.generate(x, max_new_tokens=32 * 2)\nm.generate(x, use_cache=True)\n", "cache.one_way"},
        {"m.generate(x, use_cache=False)\nm.generate(x, use_cache=False)\n", "cache.one_way"},
        {"m.generate(x, use_cache=True)  # and use_cache=False\n", "cache.one_way"},
        {"def run():\n    return m.generate(x, use_cache=True)\nfor i in range(3):\n    run()\n",
         "cache.one_way"},
        {"'''m.generate(use_cache=True) m.generate(use_cache=False)'''\n", "cache.no_generate"},
        {"# m.generate(x, use_cache=True); m.generate(x, use_cache=False)\n", "cache.no_generate"},
        {"print('generate is called with use_cache=True and use_cache=False')\n", "cache.no_generate"},
        {"def generate(x):\n    return x\n", "cache.no_generate"},
        {"from minimind import generate\n", "cache.no_generate"},
        {"generated = m(x)\n", "cache.no_generate"},
        {"import json\nprint(json.load(open('same.json')))\n", "cache.no_generate"},
        {"print('\\'", "cache.no_generate"},
        {"import torch, sys\nfrom model.model_minimind import MiniMindForCausalLM\nm(x)\n",
         "cache.no_generate"},
        {"# coding: cp949\n# \xc4\xb3\xbd\xc3 m.generate(x, use_cache=False)\nm.generate(x)\n",
         "cache.one_way"},
        {"\"\"\"", "cache.no_generate"},
    };
    for (const auto& [text, hint] : wrong) {
        EXPECT_EQ(failures(judged(text)), (Findings{{"cache.both_ways", {hint}}})) << text;
    }
}

}  // namespace
}  // namespace mm
