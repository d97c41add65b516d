/** Whether a backend can run what is shown, here and now, and what to do where it cannot. Pure. */
import type { BackendId } from '../src/core/measure/measurement';
import { SIMULATE_LIMIT } from '../src/core/simulate/backend';
import type { Target } from '../src/core/spec/schema';
import type { Changes } from './edit';
import { formatNumber } from './format';
import type { State } from './state';

export type Ability =
  | { readonly ok: true; readonly where: string }
  | {
      readonly ok: false;
      readonly why: string;
      readonly next: string;
      readonly action: Action | null;
    };

/** What one click can do about it. */
export type Action =
  | { readonly type: 'manageTrust' }
  | { readonly type: 'checkToolChain' }
  | { readonly type: 'simulate' }
  | { readonly type: 'change'; readonly text: string; readonly changes: Changes };

export const TARGET_NAMES: Readonly<Record<Target, string>> = { cuda: 'CUDA', wgsl: 'WGSL' };

export const BACKEND_NAMES: Readonly<Record<BackendId, string>> = {
  webgpu: 'WebGPU, this window',
  simulate: 'Simulate, this page',
  cuda: 'CUDA, extension host',
  cpu: 'CPU, extension host',
};

const UNTRUSTED: Ability = {
  ok: false,
  why: 'This workspace is not trusted, so nothing is run or written.',
  next: 'Configuration, analysis and Simulate work. Trust the workspace for the rest.',
  action: { type: 'manageTrust' },
};

const illegal = (target: string): Ability => ({
  ok: false,
  why: `The configuration is not legal for ${target}.`,
  next: 'The fields at fault say why, and offer the nearest legal value.',
  action: null,
});

export function abilityOf(
  state: Pick<State, 'trusted' | 'webgpu' | 'backends' | 'spec'>,
  legal: readonly Target[],
  backend: BackendId,
): Ability {
  if (backend === 'simulate') return simulateAbility(state.spec, legal);
  if (!state.trusted) return UNTRUSTED;
  const target = backend === 'webgpu' ? 'wgsl' : 'cuda';
  if (!legal.includes(target)) return illegal(TARGET_NAMES[target]);
  return backend === 'webgpu' ? webgpuAbility(state.webgpu) : hostAbility(state.backends, backend);
}

/** Small enough to take a second. */
const SMALL = 128;

function simulateAbility(spec: State['spec'], legal: readonly Target[]): Ability {
  if (spec === null || legal.length === 0) return illegal('any target');
  const { m, n, k } = spec.problem;
  if (m * n * k <= SIMULATE_LIMIT) return { ok: true, where: 'this page, statement by statement' };
  const small = { m: Math.min(m, SMALL), n: Math.min(n, SMALL), k: Math.min(k, SMALL) };
  return {
    ok: false,
    why: `${formatNumber(m)} x ${formatNumber(n)} x ${formatNumber(k)} is more than Simulate takes on: up to ${formatNumber(SIMULATE_LIMIT)} multiply-adds.`,
    next: 'Choose smaller sizes.',
    action: {
      type: 'change',
      text: `Use ${small.m} x ${small.n} x ${small.k}`,
      changes: { 'problem.m': small.m, 'problem.n': small.n, 'problem.k': small.k },
    },
  };
}

function webgpuAbility(webgpu: State['webgpu']): Ability {
  if (webgpu === null) {
    return { ok: false, why: 'Asking for a WebGPU adapter.', next: '', action: null };
  }
  if (webgpu.available) return { ok: true, where: webgpu.device.adapter };
  return { ok: false, why: webgpu.why, next: webgpu.next, action: { type: 'simulate' } };
}

function hostAbility(backends: State['backends'], backend: BackendId): Ability {
  const row = backends.find(({ id }) => id === backend);
  if (row?.available === true) return { ok: true, where: row.note };
  const why = row?.note ?? 'The extension has not said whether it can run this.';
  return {
    ok: false,
    why,
    next: 'Check the tool chain to see what is missing.',
    action: { type: 'checkToolChain' },
  };
}
