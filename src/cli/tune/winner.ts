/** Writes the spec and the kernel of the winner of a tuning run. */
import { emit } from '../../core/kernel/emit';
import { plan } from '../../core/plan/planner';
import { toSpec } from '../../core/spec/toSpec';
import type { ResolvedSpec } from '../../core/spec/resolved';
import type { Target } from '../../core/spec/schema';
import type { TuneResult } from '../../core/search/tune/events';
import { writeAllGenerated } from '../../host/files';
import { invalidInput } from '../result';

/**
 * Writes the spec and the kernel to `root`, and returns their paths. Throws if a file was edited or
 * cannot be written.
 */
export async function writeWinner(
  root: string,
  spec: ResolvedSpec,
  target: Target,
  { schedule, specKey }: TuneResult,
): Promise<string[]> {
  const resolved = { ...spec, schedule, targets: [target] };
  const planned = plan(resolved, target);
  if (!planned.ok) throw new Error(`${specKey} was measured but is not legal`);
  const kernel = emit(planned.plan);
  const result = await writeAllGenerated([
    { root, name: `${specKey}.gemm.json`, text: `${JSON.stringify(toSpec(resolved), null, 2)}\n` },
    { root, name: kernel.fileName, text: kernel.source },
  ]);
  if ('written' in result) return [...result.written];
  if ('failed' in result) throw invalidInput(result.failed);
  throw invalidInput(
    `'${result.path}' was edited and was left unchanged. Fix: choose a different folder for --out.`,
  );
}
