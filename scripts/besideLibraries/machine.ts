/** What a record says of the machine and of Dawn beside their measurements. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

/** As of src/host/dawn/worker.ts: timestamps are not rounded, and robustness is on as in a browser. */
export const DAWN_OPTIONS = ['disable-dawn-features=timestamp_quantization'];
export const DAWN_PACKAGE = 'webgpu';

export function dawnVersion(): string {
  const folder = path.dirname(fileURLToPath(import.meta.resolve(DAWN_PACKAGE)));
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return `${DAWN_PACKAGE} ${v.parse(v.object({ version: v.string() }), manifest).version}`;
}

export const GPU_QUERY =
  'name,driver_version,power.limit,clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu';

/** Undefined where there is no `nvidia-smi`. */
export function gpuState(): string | undefined {
  const args = [`--query-gpu=${GPU_QUERY}`, '--format=csv,noheader'];
  const { stdout, status } = spawnSync('nvidia-smi', args, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? stdout.trim() : undefined;
}
