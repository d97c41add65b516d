/** CodeLens, hover, status bar and page: the same numbers of one kernel from the same store. */
import assert from 'node:assert/strict';
import { DEFAULT_DEVICE, deviceOf } from '../../../src/core/hardware/devices';
import { archOf } from '../../../src/core/hardware/computeCapability';
import { rateWithInterval } from '../../../src/core/measure/intervalText';
import type { Measurement } from '../../../src/core/measure/measurement';
import { parseKernelText } from '../../../src/core/source/kernelFile';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { hashText } from '../../../src/core/text/hash';
import { sourceOf } from '../../../src/core/text/markdown';
import { labelOf } from '../../../src/extension/display/iconLabel';
import { createKernelFactsCache } from '../../../src/extension/editor/kernelFacts';
import { kernelCard } from '../../../src/extension/editor/kernelCard';
import {
  isRunOf,
  occupancyText,
  rooflineShareText,
  runText,
} from '../../../src/extension/runs/lensText';
import { rateText } from '../../../src/extension/runs/runText';
import { compiledMessages, type CompiledFacts } from '../../../src/extension/toolchain/facts';
import { runAt } from '../../../src/extension/workbench/kernelRun';
import { statusText } from '../../../src/extension/workbench/statusText';
import { shownRun } from '../../../src/core/measure/newestRuns';
import { derive, isKernel } from '../../../webview/derive';
import { initialState, type State } from '../../../webview/state';
import { reduce } from '../../../webview/store';
import { CUDA_VIEW } from '../../helpers/cudaView';
import { timed } from '../../helpers/measurements';

const spec: GemmSpec = {
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'thread-tile-2d' },
  device: DEFAULT_DEVICE,
};
const page = { ...initialState(CUDA_VIEW), spec };
const { cuda } = derive(page).kernels;
assert.ok(isKernel(cuda));
const { source, specKey, entry, spec: resolved } = cuda;
const { computeCapability = '' } = deviceOf(DEFAULT_DEVICE);
const compiled: CompiledFacts = {
  entry,
  arch: archOf(computeCapability),
  registers: 128,
  sharedBytes: 8192,
  spillStores: 0,
  spillLoads: 0,
  compiler: 'nvcc 13.0.88',
};
const run = (rest: Partial<Measurement>): Measurement => ({
  ...timed({ gflops: 8470, specKey, resolved }),
  sourceHash: hashText(source),
  backend: 'cuda',
  ...rest,
});
const verified = (rest: Partial<Measurement>): Measurement => {
  const { timing, ...others } = run(rest);
  assert.ok(timing);
  return others;
};

/** Numbers of every surface for the same runs and compiler facts. */
function surfaces(runs: readonly Measurement[]) {
  const text = source;
  const facts = createKernelFactsCache({
    factsOf: (of, name) => (of === text && name === entry ? compiled : undefined),
    runsOf: (of, key) => runs.filter(isRunOf(of, key)),
    runs: () => runs,
    device: () => DEFAULT_DEVICE,
  }).of(parseKernelText(text, 'kernel.cu'), entry);
  assert.ok(facts.ok);
  const { analysis, newest, ofSpec } = facts;
  const active = runAt(parseKernelText(text, 'kernel.cu'), 0, runs);
  const [card = ''] = sourceOf(kernelCard(entry, facts, { loop: undefined, theme: 'light' }))
    .replaceAll('\\', '')
    .split('![');
  const messages = compiledMessages({ sourceHash: hashText(text), facts: [compiled] });
  const shownState = messages.reduce<State>(
    (state, message) => reduce(state, { type: 'received', message }),
    { ...page, runs },
  );
  const derived = derive({ ...shownState, spec });
  assert.ok(derived.shown.ok);
  const inPage = derived.shown.onDevice;
  return {
    lens: {
      occupancy: occupancyText(analysis),
      registers: analysis.occupancy?.registers,
      predicted: analysis.prediction?.tflops.value,
      attainable: analysis.roofline.attainable.value,
      rate: runText(newest, ofSpec),
      share: rooflineShareText(analysis, newest, ofSpec),
    },
    card,
    status: labelOf(
      statusText({
        target: 'cuda',
        cuda: null,
        adapter: null,
        running: null,
        last: active ?? null,
      }),
    ),
    page: {
      occupancy: occupancyText(inPage),
      registers: inPage.occupancy?.registers,
      predicted: inPage.prediction?.tflops.value,
      attainable: inPage.roofline.attainable.value,
      run: shownRun(derived.newest.filter(({ stale }) => !stale)),
    },
  };
}

describe('CodeLens, hover, status bar and page', () => {
  it('show the same registers, occupancy, prediction and ceiling', () => {
    const { lens, card, page: inPage } = surfaces([run({})]);
    assert.deepEqual(lens.registers, inPage.registers);
    assert.equal(lens.registers?.value, 128, 'the compiler\u2019s count');
    assert.equal(lens.occupancy, inPage.occupancy);
    assert.equal(lens.predicted, inPage.predicted);
    assert.equal(lens.attainable, inPage.attainable);
    assert.match(card, /128 registers/);
    const percent = /occupancy (\d+) %/.exec(inPage.occupancy ?? '')?.[1] ?? 'no';
    assert.match(card, new RegExp(`occupancy \\| ${percent} %`));
    const predicted = Number(inPage.predicted?.toPrecision(3));
    assert.ok(card.includes(`predicted | ${predicted} TFLOP/s`), card);
  });

  it('show the same measured rate, also after a verification', () => {
    const timedRun = run({});
    const rate = rateText(timedRun) ?? '';
    assert.ok(timedRun.timing);
    const withInterval = rateWithInterval(timedRun.timing);
    for (const later of [[], [verified({})], [verified({ backend: 'simulate' })]]) {
      const { lens, card, status, page: inPage } = surfaces([timedRun, ...later]);
      assert.equal(inPage.run, timedRun);
      assert.ok(lens.rate.startsWith(withInterval), lens.rate);
      assert.match(lens.share, /% of roofline|GFLOP/);
      assert.ok(status.endsWith(` ${rate}`), status);
      assert.ok(card.includes(withInterval), card);
    }
  });

  it('show no rate of another kernel, and none of a kernel that failed since', () => {
    const other = run({ sourceHash: 'f'.repeat(64), specKey: 'gemm-f32-other' });
    const failed: Measurement = { ...verified({}), outcome: 'incorrect' };
    for (const runs of [[other], [run({}), failed]]) {
      const { lens, status, card, page: inPage } = surfaces(runs);
      assert.equal(inPage.run?.timing, undefined);
      assert.doesNotMatch(status, /FLOP/);
      assert.doesNotMatch(lens.share + lens.rate, /\d FLOP|[GT]FLOP/);
      assert.doesNotMatch(card.split('newest run')[1] ?? '', /\d [GT]FLOP/);
    }
  });
});
