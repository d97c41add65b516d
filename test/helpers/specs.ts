/** Arbitrary specs of this version's ladder, legal or not, small enough to simulate. */
import fc from 'fast-check';
import type { GemmSpec } from '../../src/core/spec/schema';

const size = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(1, 16, 32, 64));
const layout = fc.constantFrom('row' as const, 'col' as const);
const extent = fc.constantFrom(1, 2, 3, 4, 6, 8, 12, 16, 24, 32);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const schedule: fc.Arbitrary<NonNullable<GemmSpec['schedule']>> = fc.oneof(
  fc.record({
    algorithm: fc.constant('naive' as const),
    block: fc.record({ m: extent, n: extent }),
  }),
  fc.record({
    algorithm: fc.constant('coalesced' as const),
    block: fc.record({ m: extent, n: extent }),
    variant: fc.constantFrom('swap' as const, 'remap' as const),
  }),
  fc.record({
    algorithm: fc.constant('shared-tile' as const),
    block: fc.record({ m: extent, n: extent, k: extent }),
    variant: fc.constantFrom('2d' as const, '1d' as const, 'transposed' as const),
    padding: fc.record({ a: fc.constantFrom(0, 1), b: fc.constantFrom(0, 4) }),
  }),
  fc.record({
    algorithm: fc.constant('thread-tile-1d' as const),
    block: fc.record({ m: extent, n: extent, k: extent }),
    thread: fc.record({ m: fc.constantFrom(1, 2, 4, 8) }),
  }),
  fc.record({
    algorithm: fc.constant('thread-tile-2d' as const),
    block: fc.record({ m: extent, n: extent, k: extent }),
    thread: fc.record({ m: fc.constantFrom(1, 2, 3, 4, 8), n: fc.constantFrom(1, 2, 4, 8) }),
    padding: fc.record({ a: fc.constantFrom(0, 1), b: fc.constantFrom(0, 4) }),
  }),
);

export const specs: fc.Arbitrary<GemmSpec> = fc
  .record({
    ...{ m: size, n: size, k: size, gap: fc.constantFrom(0, 0, 1, 5) },
    ...{ a: layout, b: layout, c: layout, dtype: fc.constantFrom('f32' as const, 's32' as const) },
    alpha: optional(fc.constantFrom(2, -3, 0)),
    beta: optional(fc.constantFrom(0, 1, -2)),
    schedule,
  })
  .map(({ m, n, k, a, b, c, gap, dtype, alpha, beta, schedule: tiles }) => {
    const operand = (name: 'row' | 'col', rows: number, columns: number) => ({
      ...{ dtype, layout: name, ld: (name === 'row' ? columns : rows) + gap },
    });
    const spec: GemmSpec = {
      problem: {
        ...{ m, n, k, a: operand(a, m, k), b: operand(b, k, n), c: operand(c, m, n) },
        ...(alpha === undefined ? {} : { alpha }),
        ...(beta === undefined ? {} : { beta }),
      },
      schedule: tiles,
    };
    // Plain objects, as they come from a file (fast-check also makes some without a prototype).
    return JSON.parse(JSON.stringify(spec)) as GemmSpec;
  });
