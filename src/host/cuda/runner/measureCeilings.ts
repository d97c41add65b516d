/** Ceilings of a GPU: loaded from disk, or measured and stored. */
import { t } from '@vscode/l10n';
import path from 'node:path';
import { changeText, higherList } from '../../../core/measure/ceilings';
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
      /** Differences from the stored ceilings, or why they could not be stored. */
      readonly note?: string;
    }
  | NoAnswer;

const LIMIT_MS = 120_000;

const folderOf = ({ machine }: Asking): string => path.join(machine.cacheFolder, '..', 'ceilings');

/** Returns the stored ceilings of this GPU and driver, otherwise measures them. */
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

/** Measures the ceilings and stores the maximum of old and new values. */
export async function measureCeilings(
  program: RunnerProgram,
  asking: Asking,
): Promise<FoundCeilings> {
  asking.progress({ stage: t('Measuring the ceilings of this GPU (once)') });
  const answered = await ask('ceilings', { type: 'ceilings' }, program, asking, LIMIT_MS);
  if (!answered.ok) return answered;
  const { ready, answer } = answered;
  const measured = ceilingsOf(answer);
  const folder = folderOf(asking);
  const known = await readCeilings(folder, ready);
  const ceilings =
    known === undefined ? measured : { ...measured, list: higherList(known.list, measured.list) };
  const change = known && changeText(known, measured);
  const changed = change && t('These ceilings differ from the stored ones: {0}.', change);
  const noted = (note: string | undefined) => (note === undefined ? {} : { note });
  try {
    await keepCeilings(folder, ready, ceilings);
    return { ok: true, ready, ceilings, ...noted(changed) };
  } catch (error) {
    const unwritten = explainWrite(folder, error);
    return { ok: true, ready, ceilings, ...noted([changed, unwritten].filter(Boolean).join(' ')) };
  }
}
