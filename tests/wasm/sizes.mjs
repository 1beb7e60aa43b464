// What a visitor downloads: fails when a part is over its budget.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { dist } from './support/paths.mjs';

const budgets = { 'minimind.wasm': 300, 'minimind.js': 10 };
let over = false;
for (const [name, budget] of Object.entries(budgets)) {
  const bytes = readFileSync(dist + name);
  const size = gzipSync(bytes, { level: 9 }).length / 1000;
  over ||= size > budget;
  console.log(`${name.padEnd(14)} ${(bytes.length / 1000).toFixed(1).padStart(7)} KB  gzip ${size.toFixed(1).padStart(6)} of ${budget} KB${size > budget ? '  OVER' : ''}`);
}
process.exitCode = over ? 1 : 0;
