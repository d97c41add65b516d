/** Element types: which go together on which target, and what a typed kernel's text says. */
import assert from 'node:assert/strict';
import { lanePlanIn } from '../../../src/core/plan/family';
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { plan } from '../../../src/core/plan/planner';
import type { Violation } from '../../../src/core/plan/plan';
import { typesText, type DType } from '../../../src/core/types/dtype';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule, Target } from '../../../src/core/spec/schema';
import { specKey } from '../../../src/core/plan/specKey';

type Types = readonly [a: DType, b?: DType, c?: DType, accumulator?: DType];

function specOf(
  [a, b, c, accumulator]: Types,
  schedule: Schedule = {},
  more: object = {},
): GemmSpec {
  const typed = (dtype: DType | undefined) => (dtype === undefined ? {} : { dtype });
  return {
    problem: {
      m: 256,
      n: 256,
      k: 256,
      a: typed(a),
      b: typed(b),
      c: typed(c),
      ...(accumulator === undefined ? {} : { accumulator }),
      ...more,
    },
    schedule,
  };
}

function violations(spec: GemmSpec, target: Target): readonly Violation[] {
  const planned = plan(resolve(spec), target);
  return planned.ok ? [] : planned.violations;
}

function kernelOf(spec: GemmSpec, target: Target): Kernel {
  const planned = plan(resolve(spec), target);
  assert.ok(planned.ok, JSON.stringify(planned));
  return emit(planned.plan);
}

describe('element types', () => {
  it('have the default accumulator and C type', () => {
    const resolved = (types: Types) => {
      const { b, c, accumulator } = resolve(specOf(types)).problem;
      return [b.dtype, c.dtype, accumulator];
    };
    assert.deepEqual(resolved(['f64']), ['f64', 'f64', 'f64']);
    assert.deepEqual(resolved(['f16']), ['f16', 'f16', 'f32']);
    assert.deepEqual(resolved(['bf16']), ['bf16', 'bf16', 'f32']);
    assert.deepEqual(resolved(['tf32']), ['tf32', 'f32', 'f32']);
    assert.deepEqual(resolved(['e4m3']), ['e4m3', 'f32', 'f32']);
    assert.deepEqual(resolved(['s8']), ['s8', 's32', 's32']);
    assert.deepEqual(resolved(['f32', 'f64']), ['f64', 'f32', 'f64']);
  });

  const LEGAL: readonly Types[] = [
    ['f64'],
    ['f32'],
    ['f16'],
    ['bf16'],
    ['s8'],
    ['s32'],
    ['f32', 'f32', 'f32', 'f64'],
    ['f32', 'f32', 'f64', 'f64'],
    ['f16', 'f16', 'f16', 'f16'],
    ['f16', 'f16', 'f32', 'f16'],
    ['f16', 'f16', 'f32'],
    ['bf16', 'bf16', 'f32'],
    ['f16', 'bf16', 'bf16'],
    ['f32', 'f16'],
    ['s8', 's32'],
  ];
  for (const types of LEGAL) {
    const { problem } = resolve(specOf(types));
    const lacking = [problem.a, problem.b, problem.c, { dtype: problem.accumulator }].some(
      ({ dtype }) => ['f64', 'bf16', 's8'].includes(dtype),
    );
    it(`${typesText(problem)}: CUDA supports it, WGSL ${lacking ? 'reports why not' : 'as well'}`, () => {
      assert.deepEqual(violations(specOf(types), 'cuda'), []);
      const found = violations(specOf(types), 'wgsl');
      assert.equal(found.length > 0, lacking);
      assert.ok(found.every(({ message }) => message.startsWith('WGSL has no')));
    });
  }

  it('are incompatible if an input would be rounded, or an accumulator widened needlessly', () => {
    const only = (types: Types) => {
      const [first, ...rest] = violations(specOf(types), 'cuda');
      assert.deepEqual(rest, []);
      return [first?.rule, first?.path, first?.nearest];
    };
    assert.deepEqual(only(['f16', 's8']), ['dtype', 'problem.b.dtype', 'f16']);
    assert.deepEqual(only(['f64', 'f16']), ['dtype', 'problem.b.dtype', 'f64']);
    assert.deepEqual(only(['bf16', 'bf16', 'bf16', 'bf16']), [
      'dtype',
      'problem.accumulator',
      'f32',
    ]);
    assert.deepEqual(only(['f64', 'f64', 'f64', 'f32']), ['dtype', 'problem.accumulator', 'f64']);
    assert.deepEqual(only(['f32', 'f32', 'f64']), ['dtype', 'problem.c.dtype', 'f32']);
    assert.deepEqual(only(['s8', 's8', 's8']), ['dtype', 'problem.c.dtype', 's32']);
    assert.deepEqual(only(['f16', 'f16', 'bf16', 'f16']), ['dtype', 'problem.c.dtype', 'f16']);
  });

  it('name the algorithms that tensor-core types require', () => {
    for (const [dtype, nearest] of [
      ['tf32', 'f32'],
      ['e4m3', 'f16'],
      ['e5m2', 'f16'],
    ] as const) {
      const [first] = violations(specOf([dtype], { algorithm: 'naive' }), 'cuda');
      assert.match(
        first?.message ?? '',
        new RegExp(`${dtype} requires tensor cores.*mma or wgmma`),
      );
      assert.deepEqual([first?.path, first?.nearest], ['problem.a.dtype', nearest]);
    }
  });

  it('limit alpha and beta by the accumulator type', () => {
    const alpha = (value: number) =>
      violations(specOf(['f16', 'f16', 'f16', 'f16'], {}, { alpha: value }), 'cuda');
    assert.deepEqual(alpha(65519), []);
    assert.match(
      alpha(65520)[0]?.message ?? '',
      /alpha = 65520 exceeds the largest f16 value \(65,504\)/,
    );
    assert.deepEqual(violations(specOf(['f16'], {}, { alpha: 65520 }), 'cuda'), []);
    assert.equal(violations(specOf(['s8'], {}, { beta: 0.5 }), 'cuda')[0]?.rule, 'scalar');
  });

  it('determine the elements of a 16-byte access', () => {
    const wide = (types: Types, vector: 1 | 2 | 4 | 8, target: Target = 'cuda') =>
      violations(specOf(types, { algorithm: 'vectorized', vector }), target).map(
        ({ nearest }) => nearest,
      );
    assert.deepEqual(wide(['f16'], 8), []);
    assert.deepEqual(wide(['f16'], 8, 'wgsl'), [4]);
    assert.deepEqual(wide(['f16'], 4, 'wgsl'), []);
    assert.deepEqual(wide(['f32'], 8), [4]);
    assert.deepEqual(wide(['f64'], 4), [2]);
    assert.deepEqual(wide(['f32', 'f16'], 8), []);
    const mixed = lanePlanIn(
      kernelOf(specOf(['f32', 'f16'], { algorithm: 'vectorized', vector: 8 }), 'cuda').plan,
    );
    assert.deepEqual([mixed?.a.width, mixed?.b.width, mixed?.storeWidth], [4, 8, 4]);
  });

  it('determine whether asynchronous copies of 4, 8 or 16 bytes are possible', () => {
    const pipelined = (types: Types, schedule: Schedule, layout: 'row' | 'col') => {
      const spec = specOf(types, { algorithm: 'pipelined', ...schedule });
      return { ...spec, problem: { ...spec.problem, a: { ...spec.problem.a, layout } } };
    };
    const copies = (spec: GemmSpec) => lanePlanIn(kernelOf(spec, 'cuda').plan)?.copies;
    assert.equal(copies(pipelined(['f16'], {}, 'col')), 'asynchronous');
    assert.equal(copies(pipelined(['f16'], { vector: 2 }, 'col')), 'asynchronous');
    assert.equal(copies(pipelined(['f16'], { vector: 1 }, 'col')), 'registers');
    assert.equal(copies(pipelined(['f32'], {}, 'row')), 'asynchronous');
    // A row-major A is transposed while staged, element by element.
    const transposed = pipelined(['f16'], {}, 'row');
    assert.equal(copies(transposed), 'registers');
    assert.match(
      kernelOf(transposed, 'cuda').source,
      /No cp\.async: it copies at least 4 bytes, but copies of A are 2 bytes wide\./,
    );
    const [three] = violations(pipelined(['f16'], { stages: 3 }, 'row'), 'cuda');
    assert.deepEqual([three?.rule, three?.nearest], ['stages', 2]);
    assert.match(three?.message ?? '', /A allows only 2 B per copy/);
    assert.deepEqual(violations(pipelined(['f16'], { stages: 3 }, 'col'), 'cuda'), []);
  });

  it('are in the spec key unless they follow from A', () => {
    const types = (of: Types) => specKey(resolve(specOf(of))).split('-')[1];
    assert.deepEqual([types(['f16']), types(['s8']), types(['f64'])], ['f16', 's8', 'f64']);
    assert.equal(types(['f16', 'f16', 'f16', 'f16']), 'f16f16f16f16');
    assert.equal(types(['f32', 'f32', 'f32', 'f64']), 'f32f32f32f64');
  });

  it('are converted at loads and stores with standard intrinsics', () => {
    const text = (types: Types, algorithm: Schedule['algorithm'], target: Target = 'cuda') =>
      kernelOf(specOf(types, { algorithm }, { beta: 2 }), target).source;
    const f16 = text(['f16'], 'thread-tile-2d');
    assert.match(f16, /#include <cuda_fp16\.h>/);
    assert.match(f16, /a\[m\] = __half2float\(As\[threadRow \+ m\]\[k\]\);/);
    assert.match(f16, /= __float2half\(acc\[m\]\[n\] \+ beta \* __half2float\(C\[.*\]\)\);/);
    assert.match(
      text(['f16', 'f16', 'f16', 'f16'], 'naive'),
      /acc = __hfma\(A\[.*\], B\[.*\], acc\);/,
    );
    assert.match(
      text(['f16', 'f16', 'f16', 'f16'], 'warp-tile'),
      /fma2\(&acc\[m\]\[n\], a\[m\], &b\[n\]\);/,
    );
    assert.match(text(['bf16'], 'vectorized'), /to\[i\] = __bfloat162float\(v\[i\]\);/);
    assert.match(
      text(['f32', 'f32', 'f32', 'f64'], 'shared-tile'),
      /acc \+= double\(As\[.*\]\) \* double\(Bs\[/,
    );
    assert.match(text(['s8'], 'coalesced'), /const int8_t\* __restrict__ A/);
    assert.match(text(['f16'], 'warp-tile', 'wgsl'), /^enable f16;$/m);
    assert.match(
      text(['f16'], 'naive', 'wgsl'),
      /acc = fma\(f32\(A\[.*\]\), f32\(B\[.*\]\), acc\);/,
    );
    assert.doesNotMatch(text(['f32'], 'naive', 'wgsl'), /enable/);
  });
});
