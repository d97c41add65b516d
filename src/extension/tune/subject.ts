/**
 * Selection of the problem and backend of a tuning run. CUDA requires nvcc and a GPU; the
 * alternative is WebGPU on Dawn. Only targets of the spec are considered.
 */
import { t } from '@vscode/l10n';
import type { Availability } from '../../core/measure/backend';
import { resolve } from '../../core/defaults/resolve';
import type { ResolvedSpec } from '../../core/spec/resolved';
import type { Target } from '../../core/spec/schema';
import type { Objective } from '../../core/search/tune/events';
import { tuneSubject, type TuneSubject } from '../../core/search/tune/shown';
import type { TunableBackend } from '../../host/tune/run';
import type { Shown } from '../documents/shown';

export interface Subject {
  readonly backend: TunableBackend;
  /** Spec restricted to the target of the backend. */
  readonly spec: ResolvedSpec;
  readonly shown: Shown;
  readonly problem: string;
  /** Display text of the problem and of the GPU or backend. */
  readonly of: string;
  readonly key: TuneSubject;
}

export type FoundSubject =
  | ({ readonly ok: true } & Subject)
  | {
      readonly ok: false;
      readonly problem: string;
      readonly why: string;
      readonly key: TuneSubject;
    };

/** @param canStart true if this host can start processes */
export function subjectOn(
  shown: Shown,
  cuda: Availability,
  canStart: boolean,
  objective: Objective,
): FoundSubject {
  const { spec: written } = shown;
  const resolved = resolve(written);
  const { m, n, k, a } = resolved.problem;
  const problem = `${m} x ${n} x ${k}, ${a.dtype}`;
  const isAsked = (target: Target): boolean => written.targets?.includes(target) !== false;
  const subject = (backend: TunableBackend, target: Target, where: string): FoundSubject => {
    const spec = { ...resolve({ ...written, targets: [target] }), targets: [target] };
    const key = tuneSubject(spec, target);
    return { ok: true, backend, spec, shown, problem, of: t('{0} on {1}', problem, where), key };
  };
  if (canStart && cuda.available && isAsked('cuda')) {
    return subject('cuda', 'cuda', cuda.device.name);
  }
  if (objective === 'energy') {
    const why = t(
      'Tuning for energy requires CUDA. {0} Fix: set gemm.tune.objective to time.',
      cuda.available ? t('The targets of the spec exclude cuda.') : cuda.why,
    );
    return { ok: false, problem, why, key: tuneSubject(resolved, null) };
  }
  if (canStart && isAsked('wgsl')) return subject('webgpu', 'wgsl', 'WebGPU (Dawn)');
  const lacks = cuda.available ? '' : `${cuda.why} ${cuda.next}`;
  const why = t('Tuning is not available here. {0}', lacks);
  return { ok: false, problem, why, key: tuneSubject(resolved, null) };
}
