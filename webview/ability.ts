/** Whether a backend can run what is shown, here and now, and what to do where it cannot. Pure. */
import type { BackendId } from '../src/core/measure/measurement';
import type { Target } from '../src/core/spec/schema';
import type { State } from './store';

export type Ability =
  | { readonly ok: true; readonly where: string }
  | {
      readonly ok: false;
      readonly why: string;
      readonly next: string;
      readonly action: Action | null;
    };
export type Action = 'manageTrust' | 'checkToolChain';

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
  action: 'manageTrust',
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
  if (backend === 'simulate') {
    return legal.length > 0 ? { ok: true, where: 'this page' } : illegal('any target');
  }
  if (!state.trusted) return UNTRUSTED;
  const target = backend === 'webgpu' ? 'wgsl' : 'cuda';
  if (!legal.includes(target)) return illegal(TARGET_NAMES[target]);
  return backend === 'webgpu' ? webgpuAbility(state.webgpu) : hostAbility(state.backends, backend);
}

function webgpuAbility(webgpu: State['webgpu']): Ability {
  if (webgpu === null) {
    return { ok: false, why: 'Asking for a WebGPU adapter.', next: '', action: null };
  }
  if (webgpu.available) return { ok: true, where: webgpu.device.adapter };
  return { ok: false, why: webgpu.why, next: webgpu.next, action: null };
}

function hostAbility(backends: State['backends'], backend: BackendId): Ability {
  const row = backends.find(({ id }) => id === backend);
  if (row?.available === true) return { ok: true, where: row.note };
  const why = row?.note ?? 'The extension has not said whether it can run this.';
  return {
    ok: false,
    why,
    next: 'Check the tool chain to see what is missing.',
    action: 'checkToolChain',
  };
}
