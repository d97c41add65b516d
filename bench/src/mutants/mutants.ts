/**
 * Fifty kernels with one mutation each. A mutation changes the source or the launch of a correct
 * kernel; the kind of the mutation determines the expected outcome.
 */
import type { Runnable } from '../../../src/core/kernel/kernel';
import type { Base, Kind } from '../../../scripts/mutants/judge';

export interface Mutation {
  readonly kind: Kind;
  readonly name: string;
  readonly base: Base;
  /** Text replacements, applied to every occurrence. */
  readonly edits?: readonly (readonly [from: string, to: string])[];
  readonly launch?: Partial<Pick<Runnable, 'block' | 'dynamicSharedBytes'>>;
}

const LOAD_A = 'A[row * lda + k0 + threadCol]';
const STORE = 'C[row * ldc + col] = alpha * acc + beta * C[row * ldc + col];';
const POSITION = 'const int col = blockCol + threadCol;';
const FIRST = 'blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0';
const FAR = '(size_t(1) << 40)';

/** Inserts statements that every thread of the shared-tile kernel executes before its FMAs. */
const before = (statement: string): Mutation['edits'] => [
  [POSITION, `${POSITION}\n  ${statement}`],
];
const instead = (to: string): Mutation['edits'] => [[STORE, to]];
const also = (statement: string): Mutation['edits'] => [[STORE, `${STORE}\n    ${statement}`]];

const shared = (kind: Kind, name: string, edits: Mutation['edits'] = []): Mutation => ({
  kind,
  name,
  base: 'shared',
  edits,
});
const vectorized = (kind: Kind, name: string, ...edit: readonly [string, string]): Mutation => ({
  kind,
  name,
  base: 'vectorized',
  edits: [edit],
});
const pipelined = (kind: Kind, name: string, ...edit: readonly [string, string]): Mutation => ({
  kind,
  name,
  base: 'pipelined',
  edits: [edit],
});

const FAULTING: readonly Mutation[] = [
  shared('faulting', 'load from address 64', [
    [LOAD_A, 'reinterpret_cast<const float*>(size_t(64))[threadCol]'],
  ]),
  shared('faulting', 'load far out of range', [[LOAD_A, `A[row * lda + k0 + threadCol + ${FAR}]`]]),
  shared(
    'faulting',
    'store far out of range',
    instead(`C[row * ldc + col + ${FAR}] = alpha * acc;`),
  ),
  shared(
    'faulting',
    'store through a null pointer',
    instead('*reinterpret_cast<volatile float*>(size_t(M - 1000)) = acc;'),
  ),
  shared('faulting', 'trap', before('asm volatile("trap;");')),
  shared(
    'faulting',
    'trap in one thread of one block',
    before(
      'if (blockIdx.x == 5 && blockIdx.y == 7 && threadIdx.x == 3 && threadIdx.y == 2) asm volatile("trap;");',
    ),
  ),
  shared(
    'faulting',
    'misaligned atomic addition',
    also('atomicAdd(reinterpret_cast<int*>(reinterpret_cast<char*>(C) + 1), 1);'),
  ),
  shared('faulting', 'store beyond shared memory', [
    [
      'As[threadRow][threadCol] = row < M ?',
      '(&As[0][0])[threadRow * 1000000 + threadCol] = row < M ?',
    ],
  ]),
  vectorized(
    'faulting',
    'misaligned vector load from B',
    'ldb + blockCol + c]',
    'ldb + blockCol + c + 1]',
  ),
  vectorized(
    'faulting',
    'misaligned vector load from shared memory',
    '&As[k][threadRow + m * LANES_M]',
    '&As[k][threadRow + m * LANES_M + 1]',
  ),
  {
    kind: 'faulting',
    name: 'more shared memory than available',
    base: 'pipelined',
    launch: { dynamicSharedBytes: 2 ** 20 },
  },
  {
    kind: 'faulting',
    name: 'more threads than a block may have',
    base: 'shared',
    launch: { block: { x: 64, y: 64, z: 1 } },
  },
];

const HANGING: readonly Mutation[] = [
  shared(
    'hanging',
    'every thread spins on memory that is never written',
    before('while (*const_cast<volatile float*>(C) < 1e30f) {}'),
  ),
  shared(
    'hanging',
    'one thread spins on memory that is never written',
    before(`if (${FIRST}) while (*const_cast<volatile float*>(C) < 1e30f) {}`),
  ),
  shared(
    'hanging',
    'sleeps forever',
    before('while (*const_cast<volatile float*>(C) < 1e30f) __nanosleep(1000);'),
  ),
  shared(
    'hanging',
    'barrier for more threads than in the block',
    before('asm volatile("bar.sync 1, 512;" ::: "memory");'),
  ),
  shared('hanging', 'lock that is never released', [
    [
      POSITION,
      `${POSITION}\n  __shared__ int lock;\n  if (threadRow == 0 && threadCol == 0) lock = 0;\n  __syncthreads();\n  while (atomicExch(&lock, 1) != 0) {}`,
    ],
  ]),
  shared(
    'hanging',
    'computes for minutes',
    before('for (const long long begin = clock64(); clock64() - begin < 1000000000000LL;) {}'),
  ),
];

const RACING: readonly Mutation[] = [
  shared('racing', 'no barrier before reading', [
    ['__syncthreads();\n    for (int k', 'for (int k'],
  ]),
  shared('racing', 'no barrier before the next tile', [
    [
      '    }\n    // Wait until all threads have read the tiles; the next iteration overwrites them.\n    __syncthreads();\n  }',
      '    }\n  }',
    ],
  ]),
  vectorized('racing', 'no barrier before reading', '__syncthreads();\n    // Per k', '// Per k'),
  vectorized('racing', 'no barrier at all', '__syncthreads();', ''),
  pipelined(
    'racing',
    'copies into the stage being read',
    'const int into = next % STAGES;',
    'const int into = stage;',
  ),
  pipelined(
    'racing',
    'reads the stage being filled',
    'const int stage = t % STAGES;',
    'const int stage = (t + STAGES - 1) % STAGES;',
  ),
  pipelined('racing', 'no barrier after the wait', '__syncthreads();', ''),
];

const OVERWRITING: readonly Mutation[] = [
  shared(
    'overwriting',
    'one element past the end of C',
    also('if (row == M - 1 && col == N - 1) C[row * ldc + col + 1] = 7.0f;'),
  ),
  shared('overwriting', 'one element before C', also('if (row == 0 && col == 0) C[-1] = 7.0f;')),
  shared(
    'overwriting',
    'store between the rows of C',
    also('if (col == N - 1) C[row * ldc + N] = 7.0f;'),
  ),
  shared('overwriting', 'columns past the last column of C', [
    ['if (row < M && col < N) {', 'if (row < M && col < N + 8) {'],
  ]),
  shared(
    'overwriting',
    'zeros stored to A',
    before(
      'if (row < M && threadCol < 16) for (int k = threadCol; k < K; k += 16) const_cast<float*>(A)[row * lda + k] = 0.0f;',
    ),
  ),
  shared(
    'overwriting',
    'zeros stored to B',
    before(
      'if (col < N) for (int k = threadRow; k < K; k += 16) const_cast<float*>(B)[k * ldb + col] = 0.0f;',
    ),
  ),
  vectorized(
    'overwriting',
    'one row past the end of C',
    'copy4(&C[r * ldc + c], &acc[m][n]);',
    'copy4(&C[r * ldc + c], &acc[m][n]);\n      if (r == M - 1) copy4(&C[M * ldc + c], &acc[m][n]);',
  ),
];

const SLOW: readonly Mutation[] = [
  vectorized(
    'slow',
    'sleeps in every k-iteration',
    'for (int k0 = 0; k0 < K; k0 += BK) {',
    'for (int k0 = 0; k0 < K; k0 += BK) {\n    __nanosleep(500);',
  ),
  vectorized(
    'slow',
    'barrier in every k-step',
    'for (int k = 0; k < BK; ++k) {',
    'for (int k = 0; k < BK; ++k) {\n      __syncthreads();',
  ),
  vectorized(
    'slow',
    'rereads A in every k-step',
    'for (int k = 0; k < BK; ++k) {',
    'for (int k = 0; k < BK; ++k) {\n      (void)*const_cast<const volatile float*>(&A[(blockRow + threadIdx.x % BM) * lda + k0 + k]);',
  ),
  vectorized(
    'slow',
    'k-steps not unrolled',
    '#pragma unroll\n    for (int k = 0; k < BK; ++k)',
    '#pragma unroll 1\n    for (int k = 0; k < BK; ++k)',
  ),
  {
    kind: 'slow',
    name: 'one block per SM',
    base: 'pipelined',
    launch: { dynamicSharedBytes: 200_000 },
  },
];

const WRONG: readonly Mutation[] = [
  shared('wrong', 'one element', also('if (row == 500 && col == 501) C[row * ldc + col] += 1.0f;')),
  shared(
    'wrong',
    'one element NaN',
    also('if (row == 999 && col == 999) C[row * ldc + col] = __int_as_float(0x7fffffff);'),
  ),
  shared(
    'wrong',
    'one element infinite',
    also('if (row == 0 && col == 999) C[row * ldc + col] = __int_as_float(0x7f800000);'),
  ),
  shared('wrong', 'K remainder skipped', [['if (kTail < K) {', 'if (kTail > K) {']]),
  shared('wrong', 'beta ignored', instead('C[row * ldc + col] = alpha * acc;')),
  shared(
    'wrong',
    'alpha dropped',
    instead('C[row * ldc + col] = acc + beta * C[row * ldc + col];'),
  ),
  shared('wrong', 'boundary tile not written', [
    ['if (row < M && col < N) {', 'if (row < M && col < N / BN * BN) {'],
  ]),
  shared('wrong', 'transposed fragment', [['As[threadRow][k] *', 'As[k][threadRow] *']]),
  pipelined(
    'wrong',
    'stale buffer',
    'const int stage = t % STAGES;',
    'const int stage = (t + 2) % STAGES;',
  ),
  vectorized(
    'wrong',
    'one tile not written',
    '// Epilogue: write this',
    'if (blockIdx.x == 3 && blockIdx.y == 4) return;\n  // Epilogue: write this',
  ),
  vectorized('wrong', 'adjacent vectors swapped', '&C[r * ldc + c]', '&C[r * ldc + (c ^ 4)]'),
  vectorized('wrong', 'first K tile skipped', 'int k0 = 0; k0 < K', 'int k0 = BK; k0 < K'),
  vectorized(
    'wrong',
    'adjacent rows of A swapped',
    '(blockRow + r) * lda',
    '(blockRow + (r ^ 1)) * lda',
  ),
];

export const MUTATIONS: readonly Mutation[] = [
  ...FAULTING,
  ...HANGING,
  ...RACING,
  ...OVERWRITING,
  ...SLOW,
  ...WRONG,
];

/** Throws if the text to replace is missing. */
export function mutantOf(sound: Runnable, { name, edits = [], launch = {} }: Mutation): Runnable {
  const source = edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${name}: "${from}" is not in ${sound.specKey}`);
    return text.replaceAll(from, to);
  }, sound.source);
  const slug = name.replace(/[^A-Za-z0-9]+/g, '-');
  return { ...sound, ...launch, source, specKey: `${sound.specKey}-mutant-${slug}` };
}
