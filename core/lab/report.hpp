// Step 7: report.md, what this run showed, in Korean.
//
// Arranges what each step says about its result under the lab's three headings. Nothing is measured here; of
// the times only time.json's numbers are known, so the same results and the same time.json give the same
// bytes wherever they were made.
#pragma once

#include <string>

#include "core/lab/greedy_pair.hpp"
#include "core/lab/kv_bytes.hpp"
#include "core/lab/temperature.hpp"
#include "core/lab/time_file.hpp"
#include "core/lab/top_p.hpp"

namespace mm {

/// The whole file. Numbers that a JSON file holds are written as they stand there.
std::string report_markdown(const GreedyPairResult& pair, const TimingSummary& times,
                            const KvBytesResult& kv_bytes, const TemperatureResult& temperature,
                            const TopPResult& top_p);

}  // namespace mm
