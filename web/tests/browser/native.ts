/** The native twin, for tests that hold the page against it. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { access, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, site } from './support';

const program = process.env.MM_NATIVE ?? join(root, 'build/native/mm-native');

async function built(): Promise<string> {
  await access(program).catch(() => {
    throw new Error(`${program} is not there: cmake --build --preset native --target mm-native`);
  });
  return program;
}

/** `mm-native lab` on the demo: name → bytes. */
export async function nativeLab(): Promise<Map<string, Buffer>> {
  const out = await mkdtemp(join(tmpdir(), 'mm-lab-'));
  try {
    await promisify(execFile)(await built(), ['lab', '--pretrain', 'demo:pretrain', '--sft', 'demo:sft', '--out', out]);
    const found = new Map<string, Buffer>();
    for (const name of await readdir(out)) found.set(name, await readFile(join(out, name)));
    return found;
  } finally {
    await rm(out, { recursive: true });
  }
}

/** `mm-native why` on the demo's short text: what it prints, and what it writes with --json. */
export async function nativeWhy(experiments: readonly string[]): Promise<{ text: string; json: string }> {
  const run = async (...more: string[]) => (await promisify(execFile)(await built(), ['why', '--experiments', experiments.join(','), ...more], { maxBuffer: 1 << 24 })).stdout;
  return { text: await run(), json: await run('--json') };
}

export async function nativeBench(): Promise<string> {
  const { stdout } = await promisify(execFile)(await built(), ['bench', '--sizes', 'lab', '--threads', '1', '--json'], { maxBuffer: 1 << 24 });
  return stdout;
}

/** `mm-native serve` on a free port. */
export async function nativeServe(): Promise<{ address: string; stop: () => Promise<number | null> }> {
  const server: ChildProcess = spawn(await built(), ['serve', '--port', '0', '--dir', site], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise<string>((resolve, reject) => {
    server.stdout?.once('data', (data: Buffer) => resolve(data.toString().trim()));
    server.once('exit', (code) => reject(new Error(`mm-native serve ended with ${code}`)));
  });
  return {
    address,
    stop: () =>
      new Promise((resolve) => {
        server.once('exit', resolve);
        server.kill('SIGTERM');
      }),
  };
}
