/** Drawn epilogues, and specs of every algorithm that have one. */
import fc from 'fast-check';
import type { GemmSpec } from '../../src/core/spec/schema';
import type { EpilogueOps } from '../../src/core/spec/epilogue';
import { oneWarpGroupSpecs, tmaMmaSpecs, warpGroupSpecs } from './warpGroupSpecs';
import { fragmentSpecs, gemvSpecs, matrixSpecs, registerTileSpecs, specs } from './specs';

type Op = EpilogueOps[number];

const along = fc.constantFrom('m', 'n');
const activation = fc.constantFrom('relu', 'gelu', 'gelu-tanh', 'silu').map((op): Op => ({ op }));

const opFor = ({ m, n }: { readonly m: number; readonly n: number }): fc.Arbitrary<Op> =>
  fc.oneof(
    activation,
    fc.record({ op: fc.constant('bias'), along }).map(op => op as Op),
    fc.record({ op: fc.constant('scale'), along }).map(op => op as Op),
    fc.constant<Op>({ op: 'scale' }),
    fc
      .tuple(fc.constantFrom('row', 'col'), fc.constantFrom(0, 0, 1, 4))
      .map(([layout, gap]): Op => ({
        op: 'residual',
        layout,
        ...(gap === 0 ? {} : { ld: (layout === 'row' ? n : m) + gap }),
      })),
  );

const gateFor = ({ n, k, b }: GemmSpec['problem']): fc.Arbitrary<Op> =>
  fc
    .tuple(fc.constantFrom('silu', 'gelu', 'gelu-tanh', 'relu'), fc.constantFrom(0, 0, 1, 4, 8))
    .map(([act, gap]): Op => ({
      op: 'gate',
      act,
      ...(gap === 0 ? {} : { ld: (b?.layout === 'col' ? k : n) + gap }),
    }));

/** Adds an epilogue of one to four operations to drawn specs. */
export const withEpilogue = (drawn: fc.Arbitrary<GemmSpec>): fc.Arbitrary<GemmSpec> =>
  fc.oneof(
    { weight: 3, arbitrary: withElementOps(drawn) },
    { weight: 1, arbitrary: withGate(drawn) },
  );

const withElementOps = (drawn: fc.Arbitrary<GemmSpec>): fc.Arbitrary<GemmSpec> =>
  drawn.chain(spec =>
    fc
      .array(opFor(spec.problem), { minLength: 1, maxLength: 4 })
      .map((epilogue): GemmSpec => ({ ...spec, problem: { ...spec.problem, epilogue } })),
  );

/** Adds a gate, which may precede other operations, to drawn specs. */
export const withGate = (drawn: fc.Arbitrary<GemmSpec>): fc.Arbitrary<GemmSpec> =>
  drawn.chain(spec =>
    fc
      .tuple(gateFor(spec.problem), fc.array(opFor(spec.problem), { maxLength: 2 }))
      .map(([gate, others]): GemmSpec => {
        const problem = { ...spec.problem, beta: 0, epilogue: [gate, ...others] };
        return { ...spec, problem };
      }),
  );

/** Specs of `wgmma`, and of `mma` with TMA. */
export const warpGroupEpilogueSpecs = withEpilogue(
  fc.oneof(warpGroupSpecs, warpGroupSpecs, oneWarpGroupSpecs, tmaMmaSpecs),
);

const loopIrSpecs = fc.oneof(
  specs,
  specs,
  specs,
  fragmentSpecs,
  matrixSpecs,
  gemvSpecs,
  registerTileSpecs,
);

/** Specs of all algorithms whose kernels are printed from loop IR. */
export const epilogueSpecs = withEpilogue(loopIrSpecs);
export const gatedSpecs = withGate(loopIrSpecs);
