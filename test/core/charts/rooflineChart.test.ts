import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Ceiling, Roofline, RooflinePoint } from '../../../src/core/roofline/contract';
import { analyze } from '../../../src/core/report/analyze';
import { figure } from '../../../src/core/text/figure';
import type { Chart, Role, TextMark } from '../../../src/core/charts/chart';
import { placeLabels, placesAround } from '../../../src/core/charts/chartLabels';
import {
  MIDDLE,
  panned,
  ticksOf,
  zoomed,
  type ChartWindow,
} from '../../../src/core/charts/chartScales';
import { wholeWindow } from '../../../src/core/charts/rooflineAxes';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { pointLegend } from '../../../src/core/charts/rooflineLegend';
import { LONGEST_TRAIL, type TrailRun } from '../../../src/core/charts/rooflineTrail';
import { cubeSpec, kernelFor } from '../../helpers/kernels';
import { box, corners, pairText, sharedArea } from '../../helpers/chartTexts';
import { runs } from '../../helpers/depth';
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
    machine: 'M',
  })),
  { maxLength: LONGEST_TRAIL },
);
const sizes = fc.record({
  width: fc.integer({ min: 240, max: 1300 }),
  height: fc.integer({ min: 180, max: 500 }),
});

const coordinates = (chart: Chart): readonly (readonly [number, number])[] =>
  chart.marks.flatMap(mark => {
    switch (mark.kind) {
      case 'line':
      case 'curve':
        return [[mark.x1, mark.y1] as const, [mark.x2, mark.y2] as const];
      case 'path':
        return mark.at;
      case 'rect':
        return [[mark.x, mark.y] as const, [mark.x + mark.width, mark.y + mark.height] as const];
      case 'text':
      case 'point':
      case 'area':
        return [[mark.x, mark.y] as const];
    }
  });

const labels = (chart: Chart): readonly TextMark[] =>
  chart.marks.filter(mark => mark.kind === 'text').filter(({ item }) => item !== undefined);

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

  it('lets no label overlap another text or leave the chart', () => {
    fc.assert(
      fc.property(rooflines, trails, sizes, (roofline, trail, size) => {
        const chart = rooflineChart(roofline, size, { trail });
        const texts = chart.marks.filter(mark => mark.kind === 'text');
        for (const one of labels(chart)) {
          for (const { x, y } of corners(one)) {
            assert.ok(x >= -0.01 && x <= size.width + 0.01, `${one.text}: x ${x}`);
            assert.ok(y >= -0.01 && y <= size.height + 0.01, `${one.text}: y ${y}`);
          }
          for (const other of texts.filter(mark => mark !== one))
            assert.ok(sharedArea(corners(one), corners(other)) < 0.01, pairText(one, other));
        }
      }),
    );
  });

  it('lets no label cover a point', () => {
    fc.assert(
      fc.property(rooflines, sizes, (roofline, size) => {
        const chart = rooflineChart(roofline, size);
        const points = chart.marks.filter(mark => mark.kind === 'point');
        for (const one of labels(chart))
          for (const { x, y, label } of points) {
            const point = { left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 };
            assert.ok(sharedArea(corners(one), box(point)) < 0.01, `${one.text} on ${label}`);
          }
      }),
    );
  });

  it('keeps the labels of ceilings away from the lines of other ceilings', () => {
    fc.assert(
      fc.property(rooflines, sizes, (roofline, size) => {
        const chart = rooflineChart(roofline, size);
        const isCeiling = ({ item = '' }: { readonly item?: string }): boolean =>
          item.startsWith('ceiling');
        const lines = chart.marks
          .filter(mark => mark.kind === 'line')
          .filter(line => isCeiling(line) && line.role !== 'leader');
        for (const label of labels(chart).filter(isCeiling))
          for (const line of lines.filter(({ item }) => item !== label.item))
            for (let part = 0; part <= 1; part += 0.01) {
              const x = line.x1 + part * (line.x2 - line.x1);
              const y = line.y1 + part * (line.y2 - line.y1);
              const point = box({ left: x - 1, right: x + 1, top: y - 1, bottom: y + 1 });
              assert.ok(sharedArea(corners(label), point) < 0.01, `${label.text} on ${line.item}`);
            }
      }),
      runs(100, 30),
    );
  });

  it('numbers the points, and names them with their rates in the legend', () => {
    const { roofline } = analyze(kernelFor(cubeSpec(2048)), {
      device: 'h200',
      measurements: [timed({ gflops: 31_000 })],
    });
    const legend = pointLegend(roofline);
    assert.deepEqual(
      legend.map(({ number, name }) => `${number} ${name}`),
      ['1 measured', '2 predicted', '3 attainable', '4 without caches'],
    );
    assert.match(legend[0]?.value ?? '', /^31 TFLOP\/s, 46\.\d % of attainable$/);
    for (const width of [300, 480, 700, 760, 1300]) {
      const drawn = labels(rooflineChart(roofline, { width, height: 300 }));
      for (const { number, item } of legend)
        assert.ok(
          drawn.some(mark => mark.item === item && mark.text === String(number)),
          `${number} at ${width}`,
        );
      if (width >= 480)
        for (const name of roofline.ceilings.map(ceiling => ceiling.name.split(',')[0] ?? ''))
          assert.ok(
            drawn.some(({ text }) => text.includes(name.replace(/ bandwidth$/, ''))),
            `${name} at ${width}: ${drawn.map(({ text }) => text).join(', ')}`,
          );
    }
  });

  it('separates no level label from its line by another level line', () => {
    fc.assert(
      fc.property(rooflines, fc.integer({ min: 240, max: 559 }), (roofline, width) => {
        const chart = rooflineChart(roofline, { width, height: 300 });
        const levels = chart.marks.filter(
          mark => mark.kind === 'line' && mark.y1 === mark.y2 && mark.item !== undefined,
        );
        for (const line of levels) {
          const label = labels(chart).find(({ item }) => item === line.item);
          if (label === undefined || line.kind !== 'line') continue;
          const [from, to] = [label.y - 4, line.y1].toSorted((a, b) => a - b);
          const between = levels.filter(
            other =>
              other.kind === 'line' &&
              other !== line &&
              other.y1 > (from ?? 0) &&
              other.y1 < (to ?? 0),
          );
          assert.deepEqual(between, [], label.text);
        }
      }),
      runs(200, 50),
    );
  });

  it('labels the ceilings at the right edge of a wide chart', () => {
    fc.assert(
      fc.property(rooflines, roofline => {
        const chart = rooflineChart(roofline, { width: 900, height: 450 });
        const axis = chart.marks.find(({ role }) => role === 'axis');
        assert.ok(axis?.kind === 'line');
        for (const [index, { kind }] of roofline.ceilings.entries()) {
          const item = `ceiling:${index}`;
          const line = chart.marks.find(mark => mark.kind === 'line' && mark.item === item);
          if (kind !== 'compute' || line === undefined) continue;
          const label = labels(chart).find(mark => mark.item === item);
          assert.ok(label !== undefined && label.x > axis.x2, item);
        }
      }),
      runs(100, 30),
    );
  });

  it('draws the gap from the newest point to the attainable rate with its percentage', () => {
    const of = (gflops?: number) =>
      analyze(kernelFor(cubeSpec(2048)), {
        device: 'h200',
        measurements: gflops === undefined ? [] : [timed({ gflops })],
      }).roofline;
    const size = { width: 760, height: 460 };
    const measured = of(31_000);
    const chart = rooflineChart(measured, size);
    const line = chart.marks.find(({ role }) => role === 'gap');
    const pointOfKind = (role: Role) =>
      chart.marks.filter(mark => mark.kind === 'point').find(mark => mark.role === role);
    assert.ok(line?.kind === 'line');
    assert.equal(line.y1, pointOfKind('measured')?.y);
    assert.ok(Math.abs(line.y2 - (pointOfKind('attainable')?.y ?? NaN)) < 1e-9);
    const percent = ((100 * 31) / measured.attainable.value).toPrecision(3);
    assert.ok(labels(chart).some(({ item, text }) => item === 'gap' && text === `${percent} %`));
    const predicted = rooflineChart(of(), size).marks;
    assert.ok(
      predicted.some(({ role }) => role === 'gap'),
      'of the prediction without a run',
    );
    const above = rooflineChart(of(500_000), size).marks;
    assert.ok(!above.some(({ role }) => role === 'gap'), 'none above the ceiling');
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
