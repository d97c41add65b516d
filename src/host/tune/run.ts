/**
 * Executes a tuning run for the CLI and the extension: opens the bench and the journal, then runs
 * the search.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { t } from '@vscode/l10n';
import type { Adapter } from '../../core/defaults/dispatch/adapterFamily';
import type { DispatchTable } from '../../core/defaults/dispatch/table';
import type { BackendId, Outcome } from '../../core/measure/measurement';
import { resolveWithOrigin } from '../../core/defaults/resolve';
import type { ResolvedSchedule, ResolvedSpec } from '../../core/spec/resolved';
import type { Target } from '../../core/spec/schema';
import type { Objective, TuneSummary } from '../../core/search/tune/events';
import { problemId } from '../../core/search/tune/journal';
import type { TuneSpace } from '../../core/search/tune/space';
import { tune, type TuneContext } from '../../core/search/tune/tune';
import { withSignal } from '../abort';
import type { CudaOptions } from '../cuda/backend';
import type { DawnOptions } from '../dawn/client';
import { openCudaBench } from './cudaBench';
import { openDawnBench } from './dawnBench';
import { openJournal } from './journal';
import type { OpenedBench } from './opened';
import { toSpec } from '../../core/spec/toSpec';

export const TUNABLE = { cuda: 'cuda', webgpu: 'wgsl' } as const satisfies Partial<
  Record<BackendId, Target>
>;
export type TunableBackend = keyof typeof TUNABLE;

export interface TuneRequest {
  readonly spec: ResolvedSpec;
  readonly backend: TunableBackend;
  readonly space: TuneSpace;
  readonly seeds: readonly ResolvedSchedule[];
  /**
   * Dispatch tables for WebGPU. The adapter's default schedule from these tables is measured before
   * the seeds.
   */
  readonly adapterTables?: readonly DispatchTable[];
  readonly schedules?: number;
  readonly milliseconds?: number;
  readonly exhaustive?: boolean;
  readonly objective?: Objective;
  readonly journal: string;
  readonly fresh?: boolean;
  readonly gpus: readonly number[];
  readonly where: string;
  readonly dawn: Omit<DawnOptions, 'where'>;
  readonly cuda?: Pick<CudaOptions, 'search' | 'cacheFolder' | 'cache'>;
}

export type TuneEnd =
  | { readonly ok: true; readonly summary: TuneSummary }
  /** `unusable`: the file is not a journal. */
  | { readonly ok: false; readonly outcome: Outcome | 'unusable'; readonly message: string };

export interface TuneRunContext extends Pick<TuneContext, 'abort' | 'say' | 'onMeasurement'> {
  readonly progress: (stage: string) => void;
}

export const runTune = (request: TuneRequest, context: TuneRunContext): Promise<TuneEnd> =>
  withBench(request, context, opened => runOn(opened, request, context));

/** Opens the bench of a backend, and calls `use` with it. */
export async function withBench<T>(
  { backend, where, gpus, dawn, cuda = {} }: Pick<TuneRequest, BenchField>,
  { abort, progress }: Pick<TuneRunContext, 'abort' | 'progress'>,
  use: <P>(opened: OpenedBench<P>) => Promise<T>,
): Promise<T> {
  // The benches have different types of compiled kernels, so each backend has its own call.
  return await withSignal(abort, async signal => {
    if (backend === 'webgpu') {
      progress(t('Looking for a WebGPU adapter'));
      return await use(await openDawnBench({ ...dawn, where }));
    }
    progress(t('Looking for nvcc and the GPU'));
    return await use(await openCudaBench({ ...cuda, where, gpus, signal, progress }));
  });
}

type BenchField = 'backend' | 'where' | 'gpus' | 'dawn' | 'cuda';

async function runOn<P>(
  opened: OpenedBench<P>,
  request: TuneRequest,
  context: TuneRunContext,
): Promise<TuneEnd> {
  if (!opened.ok) return opened;
  const { spec, backend, journal: file, fresh = false, adapterTables, ...wanted } = request;
  const { bench, identity, adapter } = opened;
  const seeds = [...adapterDefaults(adapter, spec, adapterTables), ...wanted.seeds];
  const target = TUNABLE[backend];
  const found = await openJournal({
    file,
    fresh,
    identity: { ...identity, problem: problemId(spec.problem), target, backend },
  });
  if (!found.ok) {
    const outcome = found.why === 'unusable' ? 'unusable' : 'unavailable';
    return { ok: false, outcome, message: found.message };
  }
  const { journal } = found;
  const place = { backend, target, device: spec.device, gpus: bench.gpus };
  try {
    const summary = await tune(
      { ...wanted, seeds, spec, place, notes: journal.notes },
      bench,
      journal,
      { ...context, now: () => performance.now(), pause: () => turn() },
    );
    return { ok: true, summary };
  } catch (error) {
    // `tune` throws if a measurement cannot be saved.
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, outcome: 'unavailable', message };
  } finally {
    await journal.close();
  }
}

/** Returns the default schedule of an adapter, as a list; empty without an adapter or tables. */
export function adapterDefaults(
  adapter: Adapter | undefined,
  spec: ResolvedSpec,
  tables: readonly DispatchTable[] | undefined,
): readonly ResolvedSchedule[] {
  if (adapter === undefined || tables === undefined) return [];
  const targets = ['wgsl' as const];
  const open = { ...toSpec(spec), schedule: undefined, device: undefined, targets };
  const { found } = resolveWithOrigin(open, tables, adapter);
  return found === null ? [] : [found.schedule];
}
