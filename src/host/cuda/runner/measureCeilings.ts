/** Provides the ceilings of a GPU: reads stored ceilings, or measures and stores them. */
import { t } from '@vscode/l10n';
import path from 'node:path';
import { changeText, higherList } from '../../../core/measure/ceilings';
import { explainWrite } from '../../files';
import { sendRequest, type RunnerContext, type NoResponse } from './requests';
import { ceilingsOf, keepCeilings, readCeilings, type GpuCeilings } from './ceilings';
import type { RunnerProgram } from './program';
import type { Ready } from './protocol';

export type FoundCeilings =
  | {
      readonly ok: true;
      readonly ready: Ready;
      readonly ceilings: GpuCeilings;
      /**
       * Note about differences from the stored ceilings, or about a failure to store the ceilings.
       */
      readonly note?: string;
    }
  | NoResponse;

const LIMIT_MS = 120_000;

const folderOf = ({ machine }: RunnerContext): string =>
  path.join(machine.cacheFolder, '..', 'ceilings');

/**
 * Returns the stored ceilings of this GPU and driver. If none are stored, measures the ceilings.
 */
export async function ceilingsOnce(
  ready: Ready,
  program: RunnerProgram,
  context: RunnerContext,
): Promise<FoundCeilings> {
  const known = await readCeilings(folderOf(context), ready);
  return known === undefined
    ? await measureCeilings(program, context)
    : { ok: true, ready, ceilings: known };
}

/** Measures the ceilings. Stores the maximum of the previous and the new value of each ceiling. */
export async function measureCeilings(
  program: RunnerProgram,
  context: RunnerContext,
): Promise<FoundCeilings> {
  context.progress({ stage: t('Measuring the ceilings of this GPU') });
  const answered = await sendRequest('ceilings', { type: 'ceilings' }, program, context, LIMIT_MS);
  if (!answered.ok) return answered;
  const { ready, answer } = answered;
  const measured = ceilingsOf(answer);
  const folder = folderOf(context);
  const known = await readCeilings(folder, ready);
  const ceilings =
    known === undefined ? measured : { ...measured, list: higherList(known.list, measured.list) };
  const change = known && changeText(known, measured);
  const changed =
    change && t('The measured ceilings differ from the stored ceilings: {0}.', change);
  const noted = (note: string | undefined) => (note === undefined ? {} : { note });
  try {
    await keepCeilings(folder, ready, ceilings);
    return { ok: true, ready, ceilings, ...noted(changed) };
  } catch (error) {
    const unwritten = explainWrite(folder, error);
    return { ok: true, ready, ceilings, ...noted([changed, unwritten].filter(Boolean).join(' ')) };
  }
}
