/**
 * Executes an audit for the CLI and the extension: opens the GPUs and the journal, compiles ahead
 * of the measurements, and measures the longest shapes first.
 */
import { availableParallelism } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { t } from '@vscode/l10n';
import { MS_PER_SHAPE } from '../../core/audit/budget';
import {
  estimateMs,
  isPlanned,
  planShape,
  type PlannedShape,
  type UnplannedShape,
} from '../../core/audit/planned';
import type { ShapeResult } from '../../core/audit/result';
import type { Shape } from '../../core/audit/shapes';
import type { AuditEnded, AuditPlace } from '../../core/audit/summary';
import type { DispatchTable } from '../../core/defaults/dispatch/table';
import { DEFAULT_DEVICE, matchDevice, type DeviceId } from '../../core/hardware/devices';
import { closestDevice } from '../../core/hardware/closestDevice';
import type { Abort } from '../../core/measure/backend';
import type { Outcome } from '../../core/measure/measurement';
import { withSignal } from '../abort';
import type { CudaOptions } from '../cuda/backend';
import { openGpus, type OpenedGpus } from '../cuda/runner/gpus';
import { messageOf } from '../text';
import { openAuditJournal } from './journal';
import type { AuditLine } from '../../core/audit/journal';
import { measureShapes, type AuditProgress } from './measure';

export interface AuditRequest {
  readonly shapes: readonly Shape[];
  /** Device of the default schedules; default: the measuring GPU. */
  readonly device?: DeviceId;
  readonly tables?: readonly DispatchTable[];
  readonly journal: string;
  readonly fresh: boolean;
  readonly gpus: readonly number[];
  /** Maximum number of concurrent compilations; default: the number of CPU cores. */
  readonly workers?: number;
  /** Time limit; default: `MS_PER_SHAPE` per shape. */
  readonly milliseconds?: number;
  readonly where: string;
  readonly cuda?: Pick<CudaOptions, 'search' | 'cacheFolder'>;
}

/** The measuring GPUs of an audit, and the device of its default schedules. */
export interface AuditDevice {
  readonly device: DeviceId;
  readonly names: readonly string[];
  readonly uuids: readonly string[];
  readonly driver: string;
  readonly compiler: string;
}

export interface AuditContext {
  /**
   * Called when the GPUs are open, before the journal is. Returns lines of other journals that the
   * audit need not measure again.
   */
  readonly onOpen?: (device: AuditDevice) => Promise<readonly AuditLine[]>;
  readonly abort: Abort;
  readonly progress: (stage: string) => void;
  readonly onResult: (progress: AuditProgress) => void;
}

export interface AuditDone {
  readonly ok: true;
  readonly results: readonly ShapeResult[];
  readonly ended: AuditEnded;
  readonly place: Omit<AuditPlace, 'file' | 'format'>;
  readonly notes: readonly string[];
  readonly seconds: number;
}

export type AuditEnd =
  | AuditDone
  /** `unusable`: the file is not a journal. */
  | { readonly ok: false; readonly outcome: Outcome | 'unusable'; readonly message: string };

const COMPILE_TIMEOUT_MS = 60_000;

export function runAudit(request: AuditRequest, context: AuditContext): Promise<AuditEnd> {
  const began = performance.now();
  return withSignal(context.abort, async signal => {
    context.progress(t('Looking for nvcc and the GPU'));
    const { where, gpus, cuda = {} } = request;
    const opened = await openGpus({
      compileTimeoutMs: COMPILE_TIMEOUT_MS,
      ...cuda,
      where,
      gpus,
      ceilings: false,
      signal,
      progress: context.progress,
    });
    if (!opened.ok) return opened;
    const { device, note } = deviceFor(request, opened);
    const { names, uuids, driver, compiler } = opened;
    const others = await context.onOpen?.({ device, names, uuids, driver, compiler });
    context.progress(t('Choosing {0} schedules', request.shapes.length));
    const planned = await planAll(request, device, signal);
    const ready = planned.filter(isPlanned).toSorted((a, b) => estimateMs(b) - estimateMs(a));
    const found = await openAuditJournal({
      file: request.journal,
      fresh: request.fresh,
      ...(others === undefined ? {} : { others }),
      identity: { gpus: uuids, driver, compiler },
      kernels: new Map(ready.map(({ shape, kernel }) => [shape.key, opened.keyOf(kernel)])),
    });
    if (!found.ok) {
      const outcome = found.why === 'unusable' ? 'unusable' : 'unavailable';
      return { ok: false, outcome, message: found.message };
    }
    const { journal } = found;
    try {
      const measured = await measureShapes(
        { all: planned, ordered: ready, opened, journal, signal },
        {
          workers: request.workers ?? availableParallelism(),
          endsAt: began + (request.milliseconds ?? MS_PER_SHAPE * planned.length),
          onResult: context.onResult,
        },
      );
      return {
        ok: true,
        ...measured,
        place: { gpus: names, driver, compiler, journal: journal.name },
        notes: [...note, ...journal.notes, ...measured.notes],
        seconds: (performance.now() - began) / 1000,
      };
    } catch (error) {
      // A measurement could not be saved.
      return { ok: false, outcome: 'unavailable', message: messageOf(error) };
    } finally {
      await journal.close();
    }
  });
}

function deviceFor(
  { device }: AuditRequest,
  { first }: OpenedGpus,
): { readonly device: DeviceId; readonly note: readonly string[] } {
  if (device !== undefined) return { device, note: [] };
  const { name, computeCapability } = first.ready.device;
  const own = matchDevice(name);
  if (own !== undefined) return { device: own, note: [] };
  const similar = closestDevice(name) ?? closestDevice(computeCapability);
  return similar === undefined
    ? { device: DEFAULT_DEVICE, note: [t('The schedules are those of {0}.', DEFAULT_DEVICE)] }
    : { device: similar.device.id, note: [similar.why] };
}

async function planAll(
  { shapes, tables }: AuditRequest,
  device: DeviceId,
  signal: AbortSignal,
): Promise<readonly (PlannedShape | UnplannedShape)[]> {
  const planned: (PlannedShape | UnplannedShape)[] = [];
  for (const shape of shapes) {
    if (signal.aborted) break;
    planned.push(planShape(shape, { device, ...(tables === undefined ? {} : { tables }) }));
    await turn();
  }
  return planned;
}
