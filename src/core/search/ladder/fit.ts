/**
 * Fits a rung to a target. Selects a smaller schedule if the limits require it, and requests the
 * limits that the schedule needs.
 */
import { t } from '@vscode/l10n';
import { grouped } from '../../text/numbers';
import { DEFAULT_WEBGPU_LIMITS } from '../../plan/limits';
import type { Plan, Planned, Violation } from '../../plan/plan';
import { plan } from '../../plan/planner';
import { LADDER_WEBGPU_LIMITS, type Rung } from './rungs';
import { resolve } from '../../defaults/resolve';
import type { WebgpuLimits } from '../../spec/resolved';
import { MAX_WEBGPU_LIMITS, type GemmSpec, type Schedule, type Target } from '../../spec/schema';

/** Workgroup limits of a WebGPU adapter. `owner` names them in messages. */
export interface AdapterLimits extends WebgpuLimits {
  readonly owner: string;
}

export type Fitted =
  | { readonly ok: true; readonly plan: Plan; readonly adapted: string | null }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * Fits a rung to a target. Only WGSL may fall back to the small schedule of the rung.
 * @param limits limits of the adapter that will run the rung; ignored if the spec sets
 * `webgpuLimits`; default: limits of desktop adapters
 */
export function fitRung(
  spec: GemmSpec,
  rung: Rung,
  target: Target,
  limits?: AdapterLimits,
): Fitted {
  const taught = planned(spec, rung.schedule, target, limits);
  if (taught.ok || target !== 'wgsl' || rung.small === undefined) return asTaught(taught);
  const small = planned(spec, rung.small, target, limits);
  return small.ok
    ? { ok: true, plan: small.plan, adapted: adaptedText(taught.violations, small.plan) }
    : asTaught(small);
}

const asTaught = (of: Planned): Fitted =>
  of.ok ? { ok: true, plan: of.plan, adapted: null } : { ok: false, violations: of.violations };

const adaptedText = (violations: readonly Violation[], { tile }: Plan): string =>
  t(
    'Block tile reduced to {0} x {1} because the default tile exceeds the limits: {2}',
    tile.m,
    tile.n,
    violations.map(({ message }) => message).join(' '),
  );

function planned(
  spec: GemmSpec,
  schedule: Schedule,
  target: Target,
  room: AdapterLimits = { ...LADDER_WEBGPU_LIMITS, owner: t('limits of desktop adapters') },
): Planned {
  const requestedLimits = { ...spec, schedule, targets: [target] };
  if (target !== 'wgsl' || spec.webgpuLimits !== undefined)
    return plan(resolve(requestedLimits), target);
  const unlimited = plan(resolve({ ...requestedLimits, webgpuLimits: MAX_WEBGPU_LIMITS }), target);
  if (!unlimited.ok) return unlimited;
  const violations = excesses(unlimited.plan, room);
  if (violations.length > 0) return { ok: false, violations };
  const limits = requested(unlimited.plan);
  // Plan the resolved schedule, so that its defaults do not adapt to the limits again.
  const { schedule: resolved } = unlimited.plan.spec;
  return plan(
    resolve({
      ...requestedLimits,
      schedule: resolved,
      ...(limits === undefined ? {} : { webgpuLimits: limits }),
    }),
    target,
  );
}

function excesses({ threads, sharedBytes }: Plan, limits: AdapterLimits): readonly Violation[] {
  const { invocations, workgroupStorageBytes, owner } = limits;
  const common = { target: 'wgsl', nearest: null } as const;
  const over = [
    ...(threads > invocations
      ? [
          {
            ...common,
            rule: 'threads-per-block',
            path: 'webgpuLimits.invocations',
            message: t(
              '{0} threads per block > {1} ({2}).',
              grouped(threads),
              grouped(invocations),
              owner,
            ),
          },
        ]
      : []),
    ...(sharedBytes > workgroupStorageBytes
      ? [
          {
            ...common,
            rule: 'shared-memory',
            path: 'webgpuLimits.workgroupStorageBytes',
            message: t(
              '{0} B of shared memory > {1} B ({2}).',
              grouped(sharedBytes),
              grouped(workgroupStorageBytes),
              owner,
            ),
          },
        ]
      : []),
  ];
  return over;
}

/** Returns the limits to request; undefined if WebGPU's default limits suffice. */
function requested({ threads, sharedBytes }: Plan): WebgpuLimits | undefined {
  const { invocations, workgroupStorageBytes } = DEFAULT_WEBGPU_LIMITS;
  return threads <= invocations && sharedBytes <= workgroupStorageBytes
    ? undefined
    : {
        invocations: Math.max(invocations, threads),
        workgroupStorageBytes: Math.max(workgroupStorageBytes, sharedBytes),
      };
}
