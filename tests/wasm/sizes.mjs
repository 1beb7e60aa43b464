// What a visitor downloads: fails when a part is over its budget.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { dist } from './support/paths.mjs';

// The second file is brought when a model works already; the first one's goal is what a reader waits for.
const budgets = { 'minimind.wasm': 150, 'minimind.later.wasm': 120, 'minimind.js': 2, 'minimind.classic.js': 2 };
let over = false;
for (const [name, budget] of Object.entries(budgets)) {
  const bytes = readFileSync(dist + name);
  const size = gzipSync(bytes, { level: 9 }).length / 1024;
  over ||= size > budget;
  console.log(`${name.padEnd(20)} ${(bytes.length / 1024).toFixed(1).padStart(7)} KB  gzip ${size.toFixed(1).padStart(6)} of ${budget} KB${size > budget ? '  OVER' : ''}`);
}
process.exitCode = over ? 1 : 0;
