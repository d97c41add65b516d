/** What a roofline calls its roofs, and where its rates begin. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyze } from '../../../src/core/report/analyze';
import { ceilingTexts } from '../../../src/core/charts/ceilingTexts';
import { wholeWindow } from '../../../src/core/charts/rooflineAxes';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { cubeSpec, kernelFor } from '../../helpers/kernels';
import { timed } from '../../helpers/measurements';
import { runs } from '../../helpers/depth';

const rooflineAt = (gflops: number) =>
  analyze(kernelFor(cubeSpec(1024)), { device: 'h200', measurements: [timed({ gflops })] })
    .roofline;

describe('labels of a roofline', () => {
  it('have a name each, and call nothing but a kernel measured', () => {
    for (const width of [240, 320, 480, 760, 1300])
      for (const compact of [false, true]) {
        const { marks } = rooflineChart(rooflineAt(20_000), { width, height: 300 }, { compact });
        const texts = marks.flatMap(mark =>
          mark.kind === 'text' && mark.item !== undefined ? [mark.text] : [],
        );
        const isNumber = (text: string): boolean => /^\d$|^[\d.]+ %$/.test(text);
        for (const text of texts.filter(each => !isNumber(each)))
          assert.doesNotMatch(text, /^[\d.,]/, 'a value without a name');
        const measured = texts.filter(text => text.includes('measured'));
        assert.ok(measured.length <= 1, texts.join('; '));
      }
  });

  it('become shorter, and keep the name', () => {
    const peak = { name: 'bf16 tensor-core peak', from: 'spec' } as const;
    assert.deepEqual(ceilingTexts(peak, '989 TFLOP/s', false), [
      'bf16 tensor-core peak, datasheet: 989 TFLOP/s',
      'bf16 tensor-core peak: 989 TFLOP/s',
      'bf16 peak: 989 TFLOP/s',
    ]);
    const copy = { name: 'copy, measured on this GPU model', from: 'measured' } as const;
    assert.deepEqual(ceilingTexts(copy, '4,260 GB/s', true), [
      'copy, empirical: 4,260 GB/s',
      'copy: 4,260 GB/s',
    ]);
  });
});

describe('rates of a roofline', () => {
  it('begin at half of the lowest point', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e5, noNaN: true }), gflops => {
        const roofline = rooflineAt(gflops);
        const peaks = roofline.ceilings.filter(({ kind }) => kind === 'compute');
        const lowest = Math.min(
          ...roofline.points.map(({ tflops }) => tflops),
          ...peaks.map(({ value }) => value),
        );
        assert.equal(wholeWindow(roofline).y[0], lowest / 2);
      }),
      { ...runs(20) },
    );
  });
});
