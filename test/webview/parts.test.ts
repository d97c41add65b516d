import assert from 'node:assert/strict';
import { resolve } from '../../src/core/defaults/resolve';
import { check } from '../../src/core/defaults/check';
import type { GemmSpec, Layout } from '../../src/core/spec/schema';
import { abilityOf, backendOf } from '../../webview/ability';
import { offeredAlgorithms, offeredDtypes, scheduleFields, stepped } from '../../webview/fields';
import {
  formatBytes,
  formatMilliseconds,
  formatNumber,
  formatPercent,
  formatRate,
} from '../../webview/format';
import { blasLetters, majorName, shapeStride } from '../../webview/layouts';
import { initialState } from '../../webview/state';
import { readSaved } from '../../webview/vscode';

describe('explorer: numbers', () => {
  it('groups digits and keeps three significant ones', () => {
    assert.deepEqual([0, 128, 33_554_432, 12.3456, 0.00001234].map(formatNumber), [
      '0',
      '128',
      '33,554,432',
      '12.3',
      '1.23e-5',
    ]);
    assert.deepEqual([0.014, 0.07, 0.5, 2 / 3, 1].map(formatPercent), [
      '1.4 %',
      '7 %',
      '50 %',
      '66.7 %',
      '100 %',
    ]);
    assert.deepEqual([8192, 12_582_912].map(formatBytes), ['8,192 B', '12.6 MB']);
    assert.deepEqual([1500, 12.34, 0.0456].map(formatMilliseconds), [
      '1.5 s',
      '12.3 ms',
      '45.6 µs',
    ]);
    assert.deepEqual([3.21, 51_300].map(formatRate), ['3.21 GFLOP/s', '51.3 TFLOP/s']);
    assert.equal(formatNumber(Infinity), 'unbounded');
  });

  it('steps tile sizes by powers of two, and other fields by one', () => {
    assert.equal(stepped(64, true, 'double'), 128);
    assert.equal(stepped(65, false, 'double'), 64);
    assert.equal(stepped(65, true, 'double'), 128);
    assert.equal(stepped(1, false, 'double'), 1);
    assert.equal(stepped(0, false, 'one'), 0);
    assert.equal(stepped(1.5, true, 'any'), null);
  });
});

describe('explorer: layouts', () => {
  const problem = (a: Layout, b: Layout, c: Layout) =>
    resolve({
      problem: {
        m: 128,
        n: 64,
        k: 8,
        a: { layout: a },
        b: { layout: b, ld: 100 },
        c: { layout: c },
      },
    }).problem;

  it('names strides and the contiguous index', () => {
    const p = problem('col', 'row', 'row');
    assert.equal(shapeStride(p, 'a'), '(128,8):(1,128)');
    assert.equal(shapeStride(p, 'b'), '(8,64):(100,1)');
    assert.deepEqual(
      (['a', 'b', 'c'] as const).map(name => majorName(p, name)),
      ['M-major', 'N-major', 'N-major'],
    );
  });

  it('returns the BLAS letters with their convention', () => {
    assert.match(blasLetters(problem('col', 'col', 'col')), /^NN, column-major/);
    assert.match(blasLetters(problem('row', 'col', 'col')), /^TN, /);
    assert.match(blasLetters(problem('row', 'row', 'row')), /^NN, .*Cᵀ/);
    assert.match(blasLetters(problem('row', 'col', 'row')), /^TN, .*Cᵀ/);
  });
});

describe('explorer: fields', () => {
  const spec: GemmSpec = { problem: { m: 64, n: 64, k: 64 } };

  it('offers only algorithms and types that the core can plan', () => {
    assert.ok(offeredAlgorithms.includes('thread-tile-2d'));
    assert.ok(offeredDtypes.includes('f32') && offeredDtypes.includes('s32'));
  });

  it('shows the fields an algorithm uses, and unused fields that are set', () => {
    const names = (s: GemmSpec) =>
      scheduleFields(s, { algorithm: 'naive' }).map(({ name }) => name);
    assert.deepEqual(names(spec), ['BM', 'BN', 'split K', 'blocks/SM']);
    const given = { ...spec, schedule: { algorithm: 'naive', padding: { a: 4 } } } as const;
    assert.ok(names(given).includes('pad A'));
  });
});

describe('explorer: backend availability', () => {
  const spec: GemmSpec = { problem: { m: 64, n: 64, k: 64 } };
  const state = { ...initialState(), spec, trusted: true };
  const device = { name: 'GPU', adapter: 'GPU adapter', driver: '', where: 'webview' };

  it('explains a missing adapter and the next step', () => {
    const none = { available: false, why: 'No GPU.', next: 'Buy one.' } as const;
    const ability = abilityOf({ ...state, webgpu: none }, ['wgsl'], 'webgpu');
    assert.deepEqual([ability.ok, !ability.ok && ability.why], [false, 'No GPU.']);
    assert.deepEqual(!ability.ok && ability.action, { type: 'simulate' });
    assert.deepEqual(
      abilityOf({ ...state, webgpu: { available: true, device } }, ['wgsl'], 'webgpu'),
      { ok: true, where: 'GPU' },
      'by the name that its runs have',
    );
    assert.equal(abilityOf(state, ['wgsl'], 'webgpu').ok, false, 'still asking');
  });

  it('offers the browser if the window has no adapter, and runs there once open', () => {
    const none = { available: false, why: 'No GPU.', next: 'Buy one.' } as const;
    const offered = abilityOf(
      { ...state, webgpu: none, canOpenInBrowser: true },
      ['wgsl'],
      'webgpu',
    );
    assert.deepEqual(!offered.ok && offered.action, { type: 'openInBrowser' });
    assert.match(offered.ok ? '' : offered.next, /Your browser may have an adapter.* Buy one\./);
    const backends = [{ id: 'webgpu', available: true, note: 'GPU, in browser' }] as const;
    const open = abilityOf({ ...state, webgpu: none, backends: [...backends] }, ['wgsl'], 'webgpu');
    assert.deepEqual(open, { ok: true, where: 'GPU, in browser' });
  });

  it('runs nothing but Simulate in an untrusted workspace', () => {
    const untrusted = { ...state, trusted: false, webgpu: { available: true, device } } as const;
    for (const backend of ['webgpu', 'cuda', 'cpu'] as const) {
      const ability = abilityOf(untrusted, ['cuda', 'wgsl'], backend);
      assert.equal(!ability.ok && ability.action?.type, 'manageTrust');
    }
    assert.equal(abilityOf(untrusted, ['cuda'], 'simulate').ok, true);
  });

  it('offers smaller sizes above the limit of Simulate', () => {
    const large = { ...state, spec: { problem: { m: 4096, n: 64, k: 4096 } } };
    const ability = abilityOf(large, ['cuda'], 'simulate');
    assert.deepEqual(!ability.ok && ability.action, {
      type: 'change',
      text: 'Use 128 x 64 x 128',
      changes: { 'problem.m': 128, 'problem.n': 64, 'problem.k': 128 },
    });
  });

  const bf16 = { a: { dtype: 'bf16' }, b: { dtype: 'bf16', layout: 'col' } } as const;
  const wgmma: GemmSpec = {
    problem: { m: 4096, n: 4096, k: 4096, ...bf16 },
    schedule: { algorithm: 'wgmma', block: { m: 128, n: 256, k: 64 } },
  };

  it("defaults to a backend of the spec's targets, and keeps the chosen one", () => {
    const first = (of: GemmSpec) => backendOf(initialState().view, check(of));
    assert.equal(first(spec), 'webgpu');
    assert.equal(first({ ...spec, targets: ['cuda'] }), 'cuda');
    assert.equal(first({ ...spec, targets: ['wgsl'] }), 'webgpu');
    assert.equal(first(wgmma), 'cuda', 'legal for CUDA alone');
    const illegal: GemmSpec = { ...wgmma, schedule: { ...wgmma.schedule, stages: 9 } };
    assert.equal(first({ ...illegal, targets: ['cuda'] }), 'cuda', 'asked for, though not legal');
    assert.equal(first(illegal), 'webgpu');
    const chosen = { ...initialState().view, backend: 'simulate' } as const;
    assert.equal(backendOf(chosen, check(wgmma)), 'simulate');
  });

  it('names the backend of the spec for a target that it excludes', () => {
    const asks: GemmSpec = { ...wgmma, targets: ['cuda'] };
    assert.deepEqual(abilityOf({ ...state, spec: asks }, ['cuda'], 'webgpu'), {
      ok: false,
      action: null,
      why: 'This spec has no WGSL kernel: its only target is CUDA.',
      next: 'Run it on: CUDA.',
    });
    const other = abilityOf({ ...state, spec: { ...spec, targets: ['wgsl'] } }, ['wgsl'], 'cpu');
    assert.equal(!other.ok && other.next, 'Run it on: WebGPU.');
    const at = abilityOf({ ...state, spec: asks }, [], 'cuda');
    assert.equal(!at.ok && at.why, 'The configuration is not legal for CUDA.');
  });

  it("shows the extension's note for its own backends", () => {
    const backends = [{ id: 'cuda', available: false, note: 'nvcc was not found.' }] as const;
    const ability = abilityOf({ ...state, backends: [...backends] }, ['cuda'], 'cuda');
    assert.equal(!ability.ok && ability.why, 'nvcc was not found.');
  });

  it('names only the backends that can run the kernel in place of CUDA', () => {
    const backends = [{ id: 'cuda', available: false, note: 'No GPU.' }] as const;
    const webgpu = { available: true, device } as const;
    const here = { ...state, backends: [...backends], webgpu };
    const nextOf = (...legal: readonly ('cuda' | 'wgsl')[]): string => {
      const ability = abilityOf(here, legal, 'cuda');
      return ability.ok ? '' : ability.next;
    };
    assert.match(nextOf('cuda', 'wgsl'), /^Available: WebGPU, Simulate\.$/);
    assert.match(nextOf('cuda'), /^Available: Simulate\.$/);
  });
});

describe('explorer: saved state', () => {
  it('falls back to the initial state for unknown data', () => {
    for (const value of [undefined, null, 5, {}, { view: { target: 'metal' } }, []]) {
      assert.equal(readSaved(value).spec, null);
    }
  });

  it('keeps the view and a valid spec', () => {
    const view = { target: 'wgsl', backend: 'simulate', machine: null };
    const spec = { problem: { m: 1, n: 2, k: 3 } };
    const saved = readSaved({ view, spec, name: 'x' });
    assert.deepEqual(
      [saved.view, saved.spec?.problem.k],
      [{ ...view, code: 'one', form: 'hidden' }, 3],
    );
    assert.equal(readSaved({ view, spec: { problem: { m: -1 } }, name: 'x' }).spec, null);
  });
});
