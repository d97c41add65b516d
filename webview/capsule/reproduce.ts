/** Command that repeats a run with the spec of a capsule. */
import { BASELINES } from '../../src/core/measure/backend';
import type { Measurement } from '../../src/core/measure/measurement';
import type { Target } from '../../src/core/spec/schema';

/** File names that need no quotes in any shell. */
const PLAIN_NAME = /^[A-Za-z0-9][\w.-]{0,100}\.gemm\.json$/;
/** Returns the name of the spec file, or a name made from its key if it needs quotes in a shell. */
export const plainName = (name: string, specKey: string): string =>
  PLAIN_NAME.test(name) ? name : `${specKey.replace(/[^\w.-]/g, '_').slice(0, 100)}.gemm.json`;

/**
 * Returns the command that repeats the run, or that analyzes the spec if there is no run.
 *
 * @param file name of the spec file (`plainName`)
 */
export function commandOf(file: string, run: Measurement | undefined, target: Target): string {
  if (run === undefined) return `gemm-explorer analyze ${file} --target ${target}`;
  const { backend, device, timing, baseline, baselines } = run;
  const isTimed = timing !== undefined;
  const timed = baselines ?? (baseline === undefined ? [] : [baseline]);
  const libraries = BASELINES.filter(name => timed.some(({ id }) => id === name));
  return [
    `gemm-explorer ${isTimed ? 'bench' : 'run'} ${file} --backend ${backend}`,
    ...(isTimed && backend === 'cuda' && libraries.length > 0
      ? [`--baseline ${libraries.join(',')}`]
      : []),
    ...(device.robustness === 'off' ? ['--robustness off'] : []),
    ...(device.experimental === true ? ['--experimental'] : []),
  ].join(' ');
}
