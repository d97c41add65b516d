/** The ceilings of a GPU: those that are kept, or measured now and kept. */
import { t } from '@vscode/l10n';
import path from 'node:path';
import { explainWrite } from '../../files';
import { ask, type Asking, type NoAnswer } from './asking';
import { ceilingsOf, keepCeilings, readCeilings, type GpuCeilings } from './ceilings';
import type { RunnerProgram } from './program';
import type { Ready } from './protocol';

export type FoundCeilings =
  | {
      readonly ok: true;
      readonly ready: Ready;
      readonly ceilings: GpuCeilings;
      /** Why they could not be kept. */
      readonly note?: string;
    }
  | NoAnswer;

const LIMIT_MS = 120_000;

const folderOf = ({ machine }: Asking): string => path.join(machine.cacheFolder, '..', 'ceilings');

/** Those that are known of this GPU and driver; else they are measured. */
export async function ceilingsOnce(
  ready: Ready,
  program: RunnerProgram,
  asking: Asking,
): Promise<FoundCeilings> {
  const known = await readCeilings(folderOf(asking), ready);
  return known === undefined
    ? await measureCeilings(program, asking)
    : { ok: true, ready, ceilings: known };
}

/** Measured now, whatever is known. */
export async function measureCeilings(
  program: RunnerProgram,
  asking: Asking,
): Promise<FoundCeilings> {
  asking.progress({ stage: t('measure the ceilings of this GPU, once') });
  const answered = await ask('ceilings', { type: 'ceilings' }, program, asking, LIMIT_MS);
  if (!answered.ok) return answered;
  const { ready, answer } = answered;
  const ceilings = ceilingsOf(answer);
  const folder = folderOf(asking);
  try {
    await keepCeilings(folder, ready, ceilings);
    return { ok: true, ready, ceilings };
  } catch (error) {
    return { ok: true, ready, ceilings, note: explainWrite(folder, error) };
  }
}
