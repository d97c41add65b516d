/** Ability of each backend to run the shown kernel, with a remedy if it cannot. */
import { t } from '@vscode/l10n';
import { backendName } from '../src/core/measure/backendName';
import type { BackendId } from '../src/core/measure/measurement';
import { MAX_PROBLEM_FMAS } from '../src/core/simulate/limit';
import type { CheckReport } from '../src/core/defaults/check';
import type { Target } from '../src/core/spec/schema';
import type { Changes } from './edit';
import { formatNumber } from './format';
import type { State, ViewChoices } from './state';

export type Ability =
  | { readonly ok: true; readonly where: string }
  | {
      readonly ok: false;
      readonly why: string;
      readonly next: string;
      readonly action: Action | null;
    };

export type Action =
  | { readonly type: 'manageTrust' }
  | { readonly type: 'checkToolChain' }
  | { readonly type: 'openInBrowser' }
  | { readonly type: 'simulate' }
  | { readonly type: 'change'; readonly text: string; readonly changes: Changes };

export const TARGET_NAMES: Readonly<Record<Target, string>> = { cuda: 'CUDA', wgsl: 'WGSL' };

const untrusted = (): Ability => ({
  ok: false,
  why: t('This workspace is not trusted: kernels cannot run and files cannot be written.'),
  next: t('Configuration, analysis and Simulate still work. Fix: trust the workspace.'),
  action: { type: 'manageTrust' },
});

const illegal = (why: string): Ability => ({
  ok: false,
  why,
  next: t('Each invalid field shows the reason and the nearest legal value.'),
  action: null,
});

const notAsked = (target: Target): Ability => {
  const other = target === 'wgsl' ? 'cuda' : 'wgsl';
  return {
    ok: false,
    why: t(
      'This spec has no {0} kernel: its only target is {1}.',
      TARGET_NAMES[target],
      TARGET_NAMES[other],
    ),
    next: t('Run it on: {0}.', backendName(BACKEND_OF[other])),
    action: null,
  };
};

/** Kernel language of each backend. Simulate is absent, because it runs CUDA and WGSL. */
export const TARGET_OF = { webgpu: 'wgsl', cuda: 'cuda', cpu: 'cuda' } as const;
const BACKEND_OF = { wgsl: 'webgpu', cuda: 'cuda' } as const;

/**
 * Returns the selected backend. The default is a backend for a legal target (WGSL first), or for a
 * requested target if no target is legal.
 */
export function backendOf(
  { backend }: Pick<ViewChoices, 'backend'>,
  { legal, resolved: { targets } }: Pick<CheckReport, 'legal' | 'resolved'>,
): BackendId {
  if (backend !== null) return backend;
  const wanted = legal.length > 0 ? legal : targets;
  return wanted.length === 0 || wanted.includes('wgsl') ? BACKEND_OF.wgsl : BACKEND_OF.cuda;
}

export function abilityOf(
  state: Pick<State, 'trusted' | 'canOpenInBrowser' | 'webgpu' | 'backends' | 'spec'>,
  legal: readonly Target[],
  backend: BackendId,
): Ability {
  if (backend === 'simulate') return simulateAbility(state.spec, legal);
  if (!state.trusted) return untrusted();
  const target = TARGET_OF[backend];
  if (state.spec?.targets?.includes(target) === false) return notAsked(target);
  if (!legal.includes(target)) {
    return illegal(t('The configuration is not legal for {0}.', TARGET_NAMES[target]));
  }
  return backend === 'webgpu' ? webgpuAbility(state) : hostAbility(state, legal, backend);
}

/** Maximum of m, n and k in the suggested problem shape. */
const SMALL = 128;

function simulateAbility(spec: State['spec'], legal: readonly Target[]): Ability {
  if (spec === null || legal.length === 0) {
    return illegal(t('The configuration is not legal for any target.'));
  }
  const { m, n, k, batch = 1 } = spec.problem;
  if (m * n * k * batch <= MAX_PROBLEM_FMAS)
    return { ok: true, where: t('this page (interpreter)') };
  const small = { m: Math.min(m, SMALL), n: Math.min(n, SMALL), k: Math.min(k, SMALL) };
  return {
    ok: false,
    why: t(
      '{0} exceeds the Simulate limit of {1} FMAs.',
      [m, n, k, ...(batch > 1 ? [batch] : [])].map(formatNumber).join(' x '),
      formatNumber(MAX_PROBLEM_FMAS),
    ),
    next: t('Fix: choose a smaller problem shape.'),
    action: {
      type: 'change',
      text: t('Use {0}', `${small.m} x ${small.n} x ${small.k}`),
      changes: {
        'problem.m': small.m,
        'problem.n': small.n,
        'problem.k': small.k,
        ...(batch > 1 ? { 'problem.batch': undefined } : {}),
      },
    },
  };
}

function webgpuAbility({
  webgpu,
  backends,
  canOpenInBrowser,
}: Pick<State, 'webgpu' | 'backends' | 'canOpenInBrowser'>): Ability {
  // The page in the user's browser runs WebGPU for this window.
  const browser = backends.find(({ id }) => id === 'webgpu');
  if (browser?.available === true) return { ok: true, where: browser.note };
  if (webgpu === null) {
    return { ok: false, why: t('Requesting a WebGPU adapter.'), next: '', action: null };
  }
  if (webgpu.available) return { ok: true, where: webgpu.device.name };
  if (canOpenInBrowser) {
    const browserNext = t(
      'Your browser may have an adapter: open this page there to run WebGPU for this window.',
    );
    const next = `${browserNext} ${webgpu.next}`;
    return { ok: false, why: webgpu.why, next, action: { type: 'openInBrowser' } };
  }
  return { ok: false, why: webgpu.why, next: webgpu.next, action: { type: 'simulate' } };
}

type HostState = Parameters<typeof webgpuAbility>[0] & Pick<State, 'spec'>;

function hostAbility(state: HostState, legal: readonly Target[], backend: BackendId): Ability {
  const row = state.backends.find(({ id }) => id === backend);
  if (row?.available === true) return { ok: true, where: row.note };
  const why = row?.note ?? t('The extension has not reported whether this backend is available.');
  const hasCpu = state.backends.some(({ id, available }) => id === 'cpu' && available);
  const others: readonly BackendId[] = [
    ...(legal.includes('wgsl') && webgpuAbility(state).ok ? (['webgpu'] as const) : []),
    ...(backend !== 'cpu' && hasCpu ? (['cpu'] as const) : []),
    ...(simulateAbility(state.spec, legal).ok ? (['simulate'] as const) : []),
  ];
  return {
    ok: false,
    why,
    next: others.length === 0 ? '' : t('Available: {0}.', others.map(backendName).join(', ')),
    action: { type: 'checkToolChain' },
  };
}
