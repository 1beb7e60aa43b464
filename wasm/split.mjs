// Splits the module in two: minimind.wasm, what opening a model and stepping through it runs, and minimind.later.wasm,
// everything else, which wasm/client brings when it is needed, at the latest by the call that needs it.
//
//     node split.mjs WHOLE.wasm DEMO_FOLDER OUTPUT_FOLDER
//
// binaryen's wasm-split separates the functions: an instrumented module runs opening.mjs, and what has run stays. The
// data that core/base/later.hpp marks lies together; it is moved here.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { open } from './opening.mjs';

const [whole, demo, output] = process.argv.slice(2);
const instrumented = `${output}/instrumented.wasm`;
const profile = `${output}/opening.profile`;
const split = (...args) => execFileSync('wasm-split', ['--all-features', ...args], { stdio: 'inherit' });

/** minimind.js, as a file that Node 18 takes for an ES module. */
async function moduleOf(wasm) {
  const script = `${output}/minimind.mjs`;
  copyFileSync(new URL('minimind.js', import.meta.url), script);
  const { default: createModule } = await import(pathToFileURL(script));
  rmSync(script);
  return createModule({ wasm, later: {} });
}

/** Which functions opening.mjs runs, in wasm-split's form; and where the data for later is. */
async function profileOpening() {
  split('--instrument', whole, '-o', instrumented);
  const module = await moduleOf(readFileSync(instrumented));
  rmSync(instrumented);
  open(module, `${demo}/`);
  const { __write_profile: write, __start_later: start, __stop_later: stop, mm_alloc: alloc } = module.exports;
  const size = write(0, 0);
  const at = alloc(size) >>> 0;
  write(at, size);
  return { functions: module.bytes.slice(at, at + size), start: start.value, stop: stop.value };
}

/** LEB128 at `at`: [value, where it ends]. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7, at += 1) {
    value += (bytes[at] & 0x7f) * 2 ** shift;
    if (bytes[at] < 0x80) return [value, at + 1];
  }
}
function leb(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** [{id, body}] */
function sectionsOf(wasm) {
  const sections = [];
  for (let at = 8; at < wasm.length; ) {
    const [size, start] = number(wasm, at + 1);
    sections.push({ id: wasm[at], body: wasm.subarray(start, start + size) });
    at = start + size;
  }
  return sections;
}
const wasmOf = (sections) =>
  Buffer.concat([Buffer.from('\0asm\x01\0\0\0', 'latin1'), ...sections.flatMap(({ id, body }) => [Buffer.from([id]), leb(body.length), body])]);

const CODE = 10;
const DATA = 11;
const DATA_COUNT = 12;
const CUSTOM = 0;

/** Segments of a data section: [{address, whole}], each with all its bytes. Only what emcc writes: active, memory 0. */
function segmentsOf(body) {
  const segments = [];
  let [count, at] = number(body, 0);
  for (; count > 0; count -= 1) {
    const begin = at;
    if (body[at] !== 0 || body[at + 1] !== 0x41) throw new Error('a data segment of an unknown kind');
    const [address, end] = number(body, at + 2);
    const [size, start] = number(body, end + 1);
    at = start + size;
    segments.push({ address, whole: body.subarray(begin, at) });
  }
  return segments;
}
const dataSection = (segments) => ({ id: DATA, body: Buffer.concat([leb(segments.length), ...segments.map(({ whole: bytes }) => bytes)]) });

/** Moves the segments within [start, stop) from one module to the other, which must have none. */
function moveData(first, second, start, stop) {
  const sections = sectionsOf(first).filter(({ id }) => id !== DATA_COUNT && id !== CUSTOM);
  const others = sectionsOf(second).filter(({ id }) => id !== CUSTOM);
  if (others.some(({ id }) => id === DATA)) throw new Error('the second file has data already');
  const data = sections.find(({ id }) => id === DATA);
  const segments = segmentsOf(data.body);
  const late = segments.filter(({ address }) => address >= start && address < stop);
  if (late.length === 0) throw new Error('nothing is marked as late');
  const rest = segments.filter((segment) => !late.includes(segment));
  const after = others.findIndex(({ id }) => id === CODE) + 1;
  return [
    wasmOf(sections.map((section) => (section === data ? dataSection(rest) : section))),
    wasmOf([...others.slice(0, after), dataSection(late), ...others.slice(after)]),
  ];
}

const [first, second] = ['minimind.wasm', 'minimind.later.wasm'].map((name) => `${output}/${name}`);
const { functions, start, stop } = await profileOpening();
writeFileSync(profile, functions);
split('--split', whole, `--profile=${profile}`, '-o1', first, '-o2', second, '--export-prefix=%');
rmSync(profile);
const moved = moveData(readFileSync(first), readFileSync(second), start, stop);
writeFileSync(first, moved[0]);
writeFileSync(second, moved[1]);
