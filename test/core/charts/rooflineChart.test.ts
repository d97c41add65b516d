import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Ceiling, Roofline, RooflinePoint } from '../../../src/core/roofline/contract';
import { analyze } from '../../../src/core/report/analyze';
import { figure } from '../../../src/core/text/figure';
import type { Chart, TextMark } from '../../../src/core/charts/chart';
import { CHARACTER_WIDTH, placeLabels, placesAround } from '../../../src/core/charts/chartLabels';
import {
  MIDDLE,
  panned,
  ticksOf,
  zoomed,
  type ChartWindow,
} from '../../../src/core/charts/chartScales';
import { wholeWindow } from '../../../src/core/charts/rooflineAxes';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { LONGEST_TRAIL, type TrailRun } from '../../../src/core/charts/rooflineTrail';
import { cubeSpec, kernelFor } from '../../helpers/kernels';
import { timed } from '../../helpers/measurements';

const positive = (most: number) => fc.double({ min: 1e-3, max: most, noNaN: true });
const ceilingOf = (kind: Ceiling['kind'], name: string) =>
  fc
    .record({ value: positive(kind === 'compute' ? 2000 : 9000), measured: fc.boolean() })
    .map(({ value, measured }): Ceiling => ({
      name,
      kind,
      value,
      unit: kind === 'compute' ? 'TFLOP/s' : 'GB/s',
      machine: 'M',
      from: measured ? 'measured' : 'spec',
    }));
const pointOf = (kind: RooflinePoint['kind']) =>
  fc.record({ intensity: positive(1e5), tflops: positive(2000) }).map((at): RooflinePoint => ({
    ...at,
    kind,
    name: kind,
    from: kind === 'measured' ? kind : 'derived',
    machine: 'M',
  }));
const unknown = figure(NaN, 'FLOP/B', 'derived');
const rooflines: fc.Arbitrary<Roofline> = fc
  .record({
    ceilings: fc.tuple(
      ceilingOf('compute', 'f32 peak'),
      ceilingOf('memory', 'DRAM bandwidth'),
      ceilingOf('compute', 'f32 FMA, measured'),
      ceilingOf('memory', 'copy, measured'),
    ),
    points: fc
      .tuple(pointOf('attainable'), pointOf('without-caches'), fc.array(pointOf('measured')))
      .map(([one, two, more]) => [one, two, ...more]),
  })
  .map(parts => ({
    machine: 'M',
    deviceRatio: unknown,
    problemRatio: unknown,
    kernelRatio: unknown,
    bound: 'unknown',
    attainable: unknown,
    ...parts,
  }));
const trails = fc.array(
  fc.record({ intensity: positive(1e5), tflops: positive(2000) }).map((run): TrailRun => ({
    ...run,
    specKey: 'k',
    backend: 'cuda',
    errorPercent: 0,
    machine: 'M',
  })),
  { maxLength: LONGEST_TRAIL },
);
const sizes = fc.record({
  width: fc.integer({ min: 240, max: 1300 }),
  height: fc.integer({ min: 180, max: 500 }),
});

const coordinates = (chart: Chart): readonly (readonly [number, number])[] =>
  chart.marks.flatMap(mark =>
    mark.kind === 'line' || mark.kind === 'curve'
      ? ([
          [mark.x1, mark.y1],
          [mark.x2, mark.y2],
        ] as const)
      : [[mark.x, mark.y] as const],
  );

const labels = (chart: Chart): readonly TextMark[] =>
  chart.marks.filter(mark => mark.kind === 'text').filter(({ item }) => item !== undefined);

const box = ({ x, y, text, anchor }: TextMark) => {
  const width = text.length * CHARACTER_WIDTH;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - 10, bottom: y + 2 };
};

describe('roofline chart', () => {
  it('keeps every mark inside, whatever the machine and the size', () => {
    fc.assert(
      fc.property(rooflines, trails, sizes, (roofline, trail, size) => {
        for (const [x, y] of coordinates(rooflineChart(roofline, size, { trail }))) {
          assert.ok(x >= -1e-6 && x <= size.width + 1e-6, `x ${x}`);
          assert.ok(y >= -1e-6 && y <= size.height + 1e-6, `y ${y}`);
        }
      }),
    );
  });

  it('lets no label cover another one or stick out', () => {
    fc.assert(
      fc.property(rooflines, trails, sizes, (roofline, trail, size) => {
        const boxes = labels(rooflineChart(roofline, size, { trail })).map(box);
        for (const [index, one] of boxes.entries()) {
          assert.ok(one.left >= 0 && one.right <= size.width, JSON.stringify(one));
          for (const other of boxes.slice(index + 1)) {
            const apart =
              one.right <= other.left ||
              other.right <= one.left ||
              one.bottom <= other.top ||
              other.bottom <= one.top;
            assert.ok(apart, JSON.stringify([one, other]));
          }
        }
      }),
    );
  });

  it('puts no label of a ceiling as near to another level line as to its own', () => {
    fc.assert(
      fc.property(rooflines, sizes, (roofline, size) => {
        const chart = rooflineChart(roofline, size, {});
        const level = chart.marks.flatMap(mark =>
          mark.kind === 'line' && mark.y1 === mark.y2 && mark.item !== undefined ? [mark] : [],
        );
        for (const mark of labels(chart).filter(({ item = '' }) => item.startsWith('ceiling'))) {
          const { left, right, top, bottom } = box(mark);
          const near = level.find(
            line =>
              line.item !== mark.item &&
              line.y1 > top - 4 &&
              line.y1 < bottom + 4 &&
              line.x1 < right &&
              left < line.x2,
          );
          assert.equal(near, undefined, JSON.stringify([mark, near]));
        }
      }),
    );
  });

  it('names ceilings and points of a kernel at the width of a page and of a panel', () => {
    const { roofline } = analyze(kernelFor(cubeSpec(2048)), {
      device: 'h200',
      measurements: [timed({ gflops: 31_000 })],
    });
    for (const width of [300, 480, 760]) {
      const said = labels(rooflineChart(roofline, { width, height: 300 })).map(({ text }) => text);
      for (const name of ['attainable', 'without-caches', 'measured 31 TFLOP/s']) {
        assert.ok(said.includes(name.replace('-', ' ')), `${name} at ${width}: ${said.join(', ')}`);
      }
      if (width >= 480)
        for (const name of roofline.ceilings.map(ceiling => ceiling.name.split(',')[0] ?? ''))
          assert.ok(said.join().includes(name), `${name} at ${width}: ${said.join(', ')}`);
    }
  });

  it('has air between every two texts of a line, for fonts that are wider than the estimate', () => {
    fc.assert(
      fc.property(rooflines, trails, sizes, (roofline, trail, size) => {
        const { marks } = rooflineChart(roofline, size, { trail });
        const all = marks.flatMap(mark => (mark.kind === 'text' ? [mark] : []));
        for (const one of all.filter(({ item }) => item !== undefined))
          for (const other of all.filter(mark => mark !== one)) {
            const [a, b] = [box(one), box(other)];
            const isBeside = a.top < b.bottom && b.top < a.bottom;
            const apart = Math.max(a.left - b.right, b.left - a.right);
            assert.ok(!isBeside || apart >= 7.999, `${one.text} | ${other.text}: ${apart} px`);
          }
      }),
    );
  });

  it('joins a label that stands far from its point to it', () => {
    const shape = 'circle' as const;
    const point = { x: 100, y: 100, shape };
    const frame = { left: 0, right: 300, top: 0, bottom: 200 };
    const request = {
      texts: ['attainable', 'att.'],
      item: 'point:0',
      places: placesAround(point, 'above'),
      point,
    };
    const near = placeLabels([request], { points: [point], texts: [] }, frame);
    assert.deepEqual(
      near.map(({ role }) => role),
      ['label'],
    );
    const crowd = [
      { x: 130, y: 90 },
      { x: 70, y: 90 },
      { x: 130, y: 112 },
      { x: 70, y: 112 },
    ].map(at => ({ ...at, shape }));
    const far = placeLabels([request], { points: [point, ...crowd], texts: [] }, frame);
    assert.deepEqual(
      far.map(({ role }) => role),
      ['leader', 'label'],
    );
    const line = far[0];
    assert.ok(line?.kind === 'line' && line.x1 === point.x && line.y1 === point.y);
  });

  it('says it shorter where there is little room, and leaves it out where there is none', () => {
    const places = [{ x: 0, y: 20, anchor: 'start' as const }];
    const request = { texts: ['attainable', 'att.'], item: 'a', places };
    const nothing = { points: [], texts: [] };
    const room = (right: number) =>
      placeLabels([request], nothing, { left: 0, right, top: 0, bottom: 30 }).map(mark =>
        mark.kind === 'text' ? mark.text : '',
      );
    assert.deepEqual(room(60), ['attainable']);
    assert.deepEqual(room(59), ['att.']);
    assert.deepEqual(room(23), []);
  });
});

describe('roofline window', () => {
  const whole: ChartWindow = { x: [1, 1e4], y: [1e-2, 1e2] };
  const inside = (window: ChartWindow) =>
    (['x', 'y'] as const).every(
      axis =>
        window[axis][0] >= whole[axis][0] * (1 - 1e-9) &&
        window[axis][1] <= whole[axis][1] * (1 + 1e-9) &&
        window[axis][0] < window[axis][1],
    );
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  const steps = fc.array(
    fc.record({
      factor: fc.double({ min: 0.1, max: 10, noNaN: true }),
      centre: fc.record({ x: part, y: part }),
      by: fc.record({
        x: fc.double({ min: -3, max: 3, noNaN: true }),
        y: fc.double({ min: -3, max: 3, noNaN: true }),
      }),
    }),
  );

  it('never leaves the whole chart, however it is zoomed and moved', () => {
    fc.assert(
      fc.property(steps, all => {
        let window = whole;
        for (const { factor, centre, by } of all) {
          window = panned(zoomed(window, factor, centre, whole), by, whole);
          assert.ok(inside(window), JSON.stringify(window));
        }
      }),
    );
  });

  it('keeps the value under the pointer, and comes back', () => {
    const near = zoomed(whole, 2, { x: 0.25, y: 0.75 }, whole);
    const value = (range: readonly [number, number], at: number) =>
      range[0] * (range[1] / range[0]) ** at;
    assert.ok(Math.abs(value(near.x, 0.25) / value(whole.x, 0.25) - 1) < 1e-9);
    assert.ok(Math.abs(value(near.y, 0.75) / value(whole.y, 0.75) - 1) < 1e-9);
    assert.deepEqual(zoomed(near, 0.5, MIDDLE, whole), whole);
    assert.equal(panned(whole, { x: 1, y: 0 }, whole).x[1], 1e4);
  });

  it('draws only what is inside of it', () => {
    fc.assert(
      fc.property(rooflines, steps, sizes, (roofline, all, size) => {
        const most = wholeWindow(roofline);
        const window = all.reduce(
          (at, { factor, centre }) => zoomed(at, factor, centre, most),
          most,
        );
        for (const [x, y] of coordinates(rooflineChart(roofline, size, { window }))) {
          assert.ok(x >= 0 && x <= size.width && y >= 0 && y <= size.height, `${x} ${y}`);
        }
      }),
    );
  });

  it('has two to a dozen ticks at every zoom', () => {
    fc.assert(
      fc.property(positive(1e4), fc.double({ min: 1.2, max: 1e6, noNaN: true }), (low, ratio) => {
        const ticks = ticksOf([low, low * ratio]);
        assert.ok(ticks.length >= 2 && ticks.length <= 12, `${low} ${ratio}: ${ticks.join()}`);
        assert.ok(ticks.every(tick => tick >= low * 0.999 && tick <= low * ratio * 1.001));
      }),
    );
    assert.deepEqual(ticksOf([1, 1000]), [1, 10, 100, 1000]);
    assert.deepEqual(ticksOf([1, 20]), [1, 2, 5, 10, 20]);
    assert.deepEqual(ticksOf([40, 60]), [40, 45, 50, 55, 60]);
  });
});
