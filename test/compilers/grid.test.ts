/**
 * What is emitted is what compilers accept, and what it computes is right. scripts/ has the longer
 * runs.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { compileTogether } from '../../scripts/grid/compile';
import { runManyOnCpu } from '../../scripts/grid/cpuRuns';
import { runOnDawn } from '../../scripts/grid/dawnRuns';
import { drawnKernels, replay } from '../../scripts/grid/draws';
import { drawnUnits } from '../../scripts/grid/drawnUnits';
import { evenly, taken } from '../../scripts/grid/taken';
import type { Kernel } from '../../src/core/kernel/kernel';
import { cpuBackend } from '../../src/host/cpu/backend';
import { findNvcc } from '../../src/host/toolchain';
import { dawnBackend, validateWgsl } from '../../src/host/dawn/backend';
import { IS_WHOLE, sampleOf } from '../helpers/depth';

const nvcc = await findNvcc();
const options = { worker: path.resolve('dist', 'dawnWorker.js'), where: 'test' };
const cpu = await cpuBackend({ where: 'test' }).probe();
const dawn = await dawnBackend(options).probe();

const suffix = (found: boolean, why: string): string => (found ? '' : ` (skipped: ${why})`);

const kindOf = ({ kernel: { plan, problem } }: { readonly kernel: Kernel }): string =>
  `${plan.algorithm} ${problem.a.dtype}`;

const NO_WARNING = { ok: true, output: '' };

describe('emitted kernels', () => {
  it(`pass nvcc's front end without a warning${suffix(nvcc.ok, 'no nvcc')}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(300_000);
    const units = taken(sampleOf(400), drawnUnits(['9.0'])).flatMap(drawn => drawn.units);
    assert.deepEqual(await compileTogether(nvcc.nvcc.path, units, 'language'), NO_WARNING);
  });

  it(`compile for four architectures without one${suffix(nvcc.ok, 'no nvcc')}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(300_000);
    const drawn = taken(sampleOf(20, 1), drawnUnits(['7.5', '8.0', '9.0', '12.0']));
    const result = await compileTogether(
      nvcc.nvcc.path,
      drawn.flatMap(({ units }) => units),
    );
    assert.deepEqual(result, NO_WARNING);
  });

  it("pass Dawn's validation", async function () {
    this.timeout(120_000);
    const drawn = taken(sampleOf(240), drawnKernels('wgsl'));
    const texts = drawn.map(({ kernel: { source } }) => ({ source }));
    const found = await validateWgsl(options, texts);
    assert.ok(found.ok, JSON.stringify(found));
    assert.equal(found.messages.length, drawn.length);
    found.messages.forEach((messages, i) => {
      assert.deepEqual(messages, [], `seed ${drawn[i]!.seed}\n${drawn[i]!.kernel.source}`);
    });
  });

  it(`are right in WGSL, every algorithm as often, on this machine's adapter${suffix(dawn.available, 'no WebGPU adapter')}`, async function () {
    if (!dawn.available) return this.skip();
    this.timeout(300_000);
    const drawn = taken(
      sampleOf(48, 4),
      evenly(drawnKernels('wgsl'), { each: IS_WHOLE ? 4 : 1, kindOf }),
    );
    const result = await runOnDawn(drawn.map(({ seed }) => seed));
    assert.ok(result.available, JSON.stringify(result));
    assert.equal(result.runs.length, drawn.length);
    const wrong = result.runs.flatMap(({ seed, outcome, message = '' }, i) =>
      outcome === 'correct'
        ? []
        : [replay({ seed, spec: drawn[i]!.spec, failures: [`webgpu: ${outcome}. ${message}`] })],
    );
    assert.equal(wrong.length, 0, wrong.slice(0, 10).join('\n'));
  });

  it(`are right in CUDA on this machine's CPU${suffix(cpu.available, 'no C++ compiler')}`, async function () {
    if (!cpu.available) return this.skip();
    this.timeout(300_000);
    const drawn = taken(sampleOf(40, 5), drawnKernels('cuda'));
    const measured = await runManyOnCpu(drawn.map(({ kernel }) => kernel));
    assert.equal(measured.length, drawn.length);
    const wrong = measured.flatMap(({ outcome, message = '' }, i) =>
      outcome === 'correct'
        ? []
        : [replay({ ...drawn[i]!, failures: [`cpu: ${outcome}. ${message}`] })],
    );
    assert.equal(wrong.length, 0, wrong.slice(0, 10).join('\n'));
  });
});
