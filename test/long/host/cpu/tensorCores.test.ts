/**
 * Tensor cores on the CPU: the emitted text with its inline PTX is verified, and what is wrong with
 * a fragment is found.
 */
import assert from 'node:assert/strict';
import type { Runnable } from '../../../../src/core/kernel/kernel';
import type { DType } from '../../../../src/core/types/dtype';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { asmStatements } from '../../../../src/host/cpu/asmStatements';
import { gpuOnlyPtx, translateInlinePtx } from '../../../../src/host/cpu/inlinePtx';
import { cudaKernel, edited, hasCxx, lineOf, runAll, runOne } from '../../../host/cpu/support';

type Problem = GemmSpec['problem'];
type Schedule = NonNullable<GemmSpec['schedule']>;

const of = (
  problem: Partial<Problem> = {},
  schedule: Partial<Schedule> = {},
  device?: string,
): GemmSpec => ({
  problem: { m: 64, n: 64, k: 96, a: { dtype: 'f16' }, ...problem },
  schedule: {
    algorithm: 'mma',
    block: { m: 32, n: 64, k: 32 },
    warp: { m: 32, n: 32 },
    ...schedule,
  },
  ...(device === undefined ? {} : { device }),
});

const LAYOUTS = ['row', 'col'] as const;
const layouts = (
  dtype: DType,
  problem: Partial<Problem> = {},
): Readonly<Record<string, GemmSpec>> =>
  Object.fromEntries(
    LAYOUTS.flatMap(a =>
      LAYOUTS.flatMap(b =>
        LAYOUTS.map(c => [
          `${dtype} ${a} ${b} ${c}`,
          of({ ...problem, a: { dtype, layout: a }, b: { layout: b }, c: { layout: c } }),
        ]),
      ),
    ),
  );

const deep = { block: { m: 32, n: 64, k: 64 } } as const;
const SPECS: Readonly<Record<string, GemmSpec>> = {
  ...layouts('f16'),
  ...layouts('bf16', { m: 40, n: 56, k: 72 }),
  ...layouts('tf32', { m: 33, n: 47, k: 61 }),
  s8: of({ a: { dtype: 's8' }, b: { layout: 'col' } }, deep),
  's8, odd': of({ m: 37, n: 41, k: 71, a: { dtype: 's8' }, b: { layout: 'col' } }, deep),
  ...Object.fromEntries(
    (['e4m3', 'e5m2'] as const).flatMap(dtype => [
      [dtype, of({ a: { dtype }, b: { layout: 'col' } }, deep)],
      [
        `${dtype}, odd, into bf16`,
        of(
          {
            m: 37,
            n: 41,
            k: 71,
            a: { dtype },
            b: { layout: 'col' },
            c: { dtype: 'bf16' },
            alpha: 2,
            beta: 1,
          },
          deep,
        ),
      ],
    ]),
  ),
  'tf32, 4 deep': of({ a: { dtype: 'tf32' } }, { mma: { m: 16, n: 8, k: 4 } }),
  'f16, 8 deep': of({}, { mma: { m: 16, n: 8, k: 8 } }),
  'bf16, 8 deep': of({ a: { dtype: 'bf16' } }, { mma: { m: 16, n: 8, k: 8 } }),
  'f16 accumulation': of({ accumulator: 'f16', k: 48 }),
  'no asynchronous copies': of({}, {}, 't4'),
  'single elements': of({ m: 33, n: 35, k: 37 }),
  'alpha and beta': of({ m: 50, alpha: 2, beta: -1, c: { dtype: 'f32' } }),
  batches: of({ batch: 3, m: 40 }),
  'leading dimensions': of({
    a: { dtype: 'f16', ld: 104 },
    b: { ld: 72 },
    c: { ld: 80 },
    m: 50,
  }),
  'split-K': of({ k: 200 }, { splitK: 3 }),
  'split-K into f32': of({ k: 200, c: { dtype: 'f32' }, beta: 1 }, { splitK: 2 }),
  'four stages, two buffers': of({ m: 70, k: 130 }, { stages: 4, fragments: 2, swizzle: 'xor' }),
  padded: of({}, { swizzle: 'none', padding: { a: 8, b: 8 } }),
  defaults: {
    problem: { m: 260, n: 140, k: 90, a: { dtype: 'bf16' } },
    schedule: { algorithm: 'mma' },
  },
};

/** A kernel of one warp around inline PTX, as hand-written ones hold it. */
const handWritten = (body: string): string => `#include <cstdint>
#include <cuda_fp16.h>
extern "C" __global__ void tile(int M, int N, int K, const __half* A, const __half* B, float* C) {
  __shared__ __align__(16) __half As[16][16], Bs[8][16];
  const int lane = threadIdx.x;
${body}
  uint32_t a[4], b[2];
  float d[4] = {0, 0, 0, 0};
  const unsigned from = (unsigned)__cvta_generic_to_shared(&As[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\\n"
    : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
    : "=r"(b[0]), "=r"(b[1]) : "r"((unsigned)__cvta_generic_to_shared(&Bs[lane % 8][lane / 8 % 2 * 8])));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
    : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
  for (int i = 0; i < 4; ++i) C[(lane / 4 + i / 2 * 8) * N + lane % 4 * 2 + i % 2] = d[i];
}
`;
const COPIES = `  const unsigned toA = (unsigned)__cvta_generic_to_shared(&As[lane / 2][lane % 2 * 8]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(toA), "l"(A + lane * 8));
  if (lane < 16) {
    const unsigned toB = (unsigned)__cvta_generic_to_shared(&Bs[lane / 2][lane % 2 * 8]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(toB), "l"(B + lane * 8), "n"(16));
  }
  asm volatile("cp.async.commit_group; cp.async.wait_group %0;" :: "n"(0));
  __syncthreads();`;

const one: GemmSpec = {
  problem: {
    m: 16,
    n: 8,
    k: 16,
    a: { dtype: 'f16' },
    b: { layout: 'col' },
    c: { dtype: 'f32' },
  },
  schedule: { algorithm: 'naive' },
};
const byHand = (body: string): Runnable => ({
  ...cudaKernel(one),
  source: handWritten(body),
  entry: 'tile',
  grid: { x: 1, y: 1, z: 1 },
  block: { x: 32, y: 1, z: 1 },
  arguments: ['m', 'n', 'k', 'a', 'b', 'c'],
});

/** Every number of 8 bits through a float and back, and what lies between two or past the end. */
const FLOATS = `#include <cuda_fp8.h>
extern "C" __global__ void tile(int M, int N, int K, const __half* A, const __half* B, float* C) {
  const int i = threadIdx.x;
  float wrong = 0;
  for (int byte = i; byte < 256; byte += 32) {
    __nv_fp8_e4m3 a;
    a.__x = byte;
    __nv_fp8_e5m2 b;
    b.__x = byte;
    if (!isnan(float(a)) && __nv_fp8_e4m3(float(a)).__x != byte) wrong += 1;
    if (isfinite(float(b)) && __nv_fp8_e5m2(float(b)).__x != byte) wrong += 1;
  }
  const float values[8] = {17, 19, 1000, -0.0009765625f, 9, 11, -1e9f, 0.0009765625f};
  const float e4m3[8] = {16, 20, 448, -0.0f, 9, 11, -448, 0};
  const float e5m2[8] = {16, 20, 1024, -0.0009765625f, 8, 12, -57344, 0.0009765625f};
  if (i < 8 && (float(__nv_fp8_e4m3(values[i])) != e4m3[i] || float(__nv_fp8_e5m2(values[i])) != e5m2[i])) wrong += 1;
  if (wrong > 0) __trap();
  for (int e = i; e < M * N; e += 32) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += float(A[e / N * K + k]) * float(B[e % N * K + k]);
    C[e] = sum;
  }
}
`;

describe('inline PTX', () => {
  it('is told by its instructions, on the same lines', () => {
    const source = byHand(COPIES).source;
    const text = translateInlinePtx(source);
    assert.equal(asmStatements(text).length, 0);
    assert.equal(text.split('\n').length, source.split('\n').length);
    assert.equal(gpuOnlyPtx(source), undefined);
    assert.match(
      text,
      /copyAsync\(__builtin_LINE\(\), .*\(A \+ lane \* 8\)\), 16, \(16\) - \(16\)\)/,
    );
  });

  it('is none in comments and literals, and stays where no CPU has it', () => {
    const source = [
      '// asm("cp.async.wait_all;");',
      'const char* text = "asm(\\"bar.sync 0;\\")";',
      'asm volatile("cp.async.wait_all;\\n\\t" ::: "memory");',
      'asm("{ .reg .pred p; setp.ne.b32 p, %0, 0; }" :: "r"(1));',
      'asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%0};" : "+f"(d) : "r"(a), "r"(b));',
    ].join('\n');
    const text = translateInlinePtx(source).split('\n');
    assert.deepEqual(text.slice(0, 2), source.split('\n').slice(0, 2));
    assert.match(
      text[2] ?? '',
      /^do \{ on_cpu::wait\(__builtin_LINE\(\), 0\); \} while \(false\);$/,
    );
    assert.deepEqual(text.slice(3), source.split('\n').slice(3));
    assert.equal(gpuOnlyPtx(source)?.line, 4);
  });
});

(hasCxx ? describe : describe.skip)('tensor cores on the CPU (needs g++ or clang++)', function () {
  this.timeout(120_000);

  it('multiply all types, layouts, edges and pipelines, as the text says', async () => {
    const names = Object.keys(SPECS);
    const measurements = await runAll(names.map(name => cudaKernel(SPECS[name] ?? one)));
    assert.deepEqual(
      measurements.map(({ outcome, message = '' }, i) => [names[i], outcome, message]),
      names.map(name => [name, 'correct', '']),
    );
  });

  it('run hand-written kernels of PTX', async () => {
    const measurement = await runOne(byHand(COPIES));
    assert.equal(measurement.outcome, 'correct', measurement.message);
  });

  it('rounds to floats of 8 bits as the CUDA headers do', async () => {
    const measurement = await runOne({ ...byHand(''), source: FLOATS });
    assert.equal(measurement.outcome, 'correct', measurement.message);
  });

  const kernel = () => cudaKernel(of({ m: 96, n: 96, k: 128 }, { swizzle: 'xor', stages: 3 }));
  const mistakes: readonly (readonly [string, () => Runnable, string, (of: Runnable) => RegExp])[] =
    [
      [
        'another instruction than the fragments are for',
        () =>
          edited(kernel(), /m16n8k16\.row\.col\.f32\.f16\.f16/, 'm16n8k16.row.col.f32.bf16.bf16'),
        'incorrect',
        () => /^$/,
      ],
      [
        'a fragment that is not turned over',
        () => edited(kernel(), /m8n8\.x4\.trans/, 'm8n8.x4'),
        'incorrect',
        () => /^$/,
      ],
      [
        'a barrier that is not there',
        () =>
          edited(
            kernel(),
            /__pipeline_wait_prior\(1\);\n( *)__syncthreads\(\);\n *#pragma/,
            '__pipeline_wait_prior(1);\n#pragma',
          ),
        'incorrect',
        of =>
          new RegExp(
            `race: .* 16 bytes of shared memory .* in line ${lineOf(of, 'ldmatrix4(a[0]')}; thread .* in line ${lineOf(of, '__pipeline_memcpy_async(')} without a barrier`,
          ),
      ],
      [
        'a row between two',
        () => edited(kernel(), /\[laneKA \^ swizzleA\]/, '[(laneKA ^ swizzleA) + 2]'),
        'launch-error',
        of =>
          new RegExp(
            `misaligned: .* 16 bytes at an address .* in line ${lineOf(of, '+ 2]')} \\(a row of ldmatrix\\)`,
          ),
      ],
      [
        'a lane of the warp that stays away',
        () => byHand(`${COPIES}\n  if (lane == 7) return;`),
        'launch-error',
        () => /a warp-level instruction is executed without all lanes of the warp/,
      ],
      [
        'rows outside of shared memory',
        () =>
          byHand(
            COPIES.replace(
              '(unsigned)__cvta_generic_to_shared(&As[lane / 2][lane % 2 * 8])',
              '1u << 20',
            ),
          ),
        'launch-error',
        () => /out-of-bounds: .* shared memory at byte 1048576 in line \d+, which is out of bounds/,
      ],
      [
        'a result handed on through shared memory that no __syncwarp guards',
        () =>
          byHand(
            `${COPIES}\n  As[lane / 2][lane % 2] = __half(1.0f);\n  __shfl_sync(0xffffffff, lane, 0);`,
          ),
        'incorrect',
        () => /race: .* reads 16 bytes of shared memory .*; thread .* writes the same/,
      ],
    ];
  for (const [name, make, outcome, message] of mistakes) {
    it(`finds ${name}: ${outcome}`, async () => {
      const wrong = make();
      const measurement = await runOne(wrong);
      assert.equal(measurement.outcome, outcome, measurement.message);
      assert.match(measurement.message ?? '', message(wrong));
    });
  }
});
