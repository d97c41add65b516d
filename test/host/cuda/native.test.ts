/**
 * The runner's own program: what it answers to good, wrong and hostile kernels and to broken
 * requests.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fakeProgram, hostileFolder, isRunning } from '../support';
import {
  buildNativeRunner,
  runRequest,
  startNative,
  type Line,
  type NativeRunner,
} from './nativeRunner';

const KERNELS = `#include "cuda_runtime.h"
#include <cstdio>
#define KERNEL(name) extern "C" __global__ void name(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc)
#define ROW_AND_COLUMN const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y; if (i >= m || j >= n) return
#define DOT float sum = 0; for (int l = 0; l < k; ++l) sum += a[i * lda + l] * b[l * ldb + j]
KERNEL(gemm) { ROW_AND_COLUMN; DOT; c[i * ldc + j] = sum; }
KERNEL(one_wrong) { ROW_AND_COLUMN; DOT; c[i * ldc + j] = i == 33 && j == 9 ? -sum : sum; }
KERNEL(half_written) { ROW_AND_COLUMN; DOT; if (i < 32) c[i * ldc + j] = sum; }
KERNEL(overwrites) { ROW_AND_COLUMN; DOT; c[i * ldc + j] = sum; if (i == 0 && j == 0) { c[-1] = 0; const_cast<float*>(a)[5] = 2; } }
KERNEL(prints) { ROW_AND_COLUMN; DOT; c[i * ldc + j] = sum; if (i + j == 0) std::printf("{\\"schema\\":2,\\"id\\":7,\\"type\\":\\"progress\\"}\\nnoise"); }
KERNEL(never) { for (volatile int i = m + n + k + lda + ldb + ldc; i > 0 || a == b;) c[0] = 0; }
SHIM_KERNEL_OF_A_CUBIN(gemm)
SHIM_KERNEL_OF_A_CUBIN(one_wrong)
SHIM_KERNEL_OF_A_CUBIN(half_written)
SHIM_KERNEL_OF_A_CUBIN(overwrites)
SHIM_KERNEL_OF_A_CUBIN(prints)
SHIM_KERNEL_OF_A_CUBIN(never)
`;

interface Verified {
  readonly mismatches: number;
  readonly samples: number;
  readonly first?: { readonly row: number; readonly column: number };
  readonly wrong?: {
    readonly tiles: { readonly rows: number; readonly columns: number; readonly bits: string };
    readonly within: { readonly rows: number; readonly columns: number; readonly bits: string };
    readonly kinds: Readonly<Record<string, number>>;
    readonly examples: readonly { readonly row: number; readonly column: number }[];
  };
}

/** Which bits of a map are set. */
const bitsOf = (text: string): readonly number[] =>
  [...Buffer.from(text, 'base64')].flatMap((byte, at) =>
    [...Array(8).keys()].filter(bit => (byte >> bit) & 1).map(bit => at * 8 + bit),
  );

describe('the native runner on the CPU shim (needs g++ on Linux)', function () {
  this.timeout(60_000);
  let remove: () => void;
  let folder: string;
  let native: NativeRunner;
  before(async function () {
    ({ path: folder, remove } = hostileFolder());
    const built = await buildNativeRunner(folder, KERNELS);
    if (built === undefined) return this.skip();
    native = built;
  });
  after(() => {
    remove();
  });

  const withRunner = async (
    body: (runner: ReturnType<typeof startNative>) => Promise<void>,
    more: NodeJS.ProcessEnv = {},
  ): Promise<void> => {
    const runner = startNative(native, more);
    try {
      assert.equal((await runner.next())['type'], 'ready');
      await body(runner);
    } finally {
      runner.child.kill('SIGKILL');
    }
  };
  const verified = (line: Line): Verified => line['verification'] as Verified;

  it('says what it runs on, and answers one request after the other', async () => {
    const runner = startNative(native);
    const ready = await runner.next();
    assert.deepEqual([ready['type'], ready['schema'], ready['id']], ['ready', 2, 0]);
    for (const id of [1, 2]) {
      const answer = await runner.ask(runRequest(native.cubin, 'gemm', { id }));
      assert.deepEqual([answer['id'], answer['outcome'], answer['message']], [id, 'correct', '']);
      assert.deepEqual([verified(answer).mismatches, verified(answer).samples], [0, 45 * 37]);
    }
    runner.child.stdin.end();
    assert.equal(await runner.ended, 0);
  });

  it('maps where C is wrong: the tile, the place within it, and the elements', () =>
    withRunner(async ({ ask }) => {
      const answer = await ask(runRequest(native.cubin, 'one_wrong'));
      assert.equal(answer['outcome'], 'incorrect');
      const { first, wrong, mismatches } = verified(answer);
      assert.deepEqual([mismatches, first?.row, first?.column], [1, 33, 9]);
      // Tiles of 16 x 8: row 2 of 3, column 1 of 5; within it row 1, column 1.
      assert.deepEqual([wrong?.tiles.rows, wrong?.tiles.columns], [3, 5]);
      assert.deepEqual(bitsOf(wrong?.tiles.bits ?? ''), [2 * 5 + 1]);
      assert.deepEqual(bitsOf(wrong?.within.bits ?? ''), [1 * 8 + 1]);
      assert.deepEqual(
        wrong?.examples.map(({ row, column }) => [row, column]),
        [[33, 9]],
      );
    }));

  it('races kernels: each is verified once, only right ones are timed, one that cannot be loaded is said', () =>
    withRunner(async ({ ask }) => {
      const { launches, tile, ...common } = runRequest(native.cubin, 'gemm', { type: 'race' }) as {
        readonly launches: readonly object[];
        readonly tile: object;
      };
      const contestants = ['gemm', 'one_wrong', 'absent', 'gemm'].map(symbol => ({
        cubin: native.cubin,
        tile,
        launches: launches.map(one => ({ ...one, symbol })),
      }));
      const timing = { warmUpMs: 0.1, settleMs: 1, batchMs: 0.1, budgetMs: 5, samples: 3 };
      const answer = await ask({ ...common, contestants, timing, baselines: ['cublas'] });
      assert.equal(answer['type'], 'race');
      const found = answer['contestants'] as readonly {
        readonly outcome: string;
        readonly batchMs?: readonly number[];
      }[];
      assert.deepEqual(
        found.map(({ outcome, batchMs }) => [outcome, batchMs?.length]),
        [
          ['correct', 3],
          ['incorrect', undefined],
          ['launch-error', undefined],
          ['correct', 3],
        ],
      );
      assert.deepEqual([answer['baselines'], answer['fatal']], [[], undefined]);
      assert.match(String((answer['notes'] as readonly string[])[0]), /^cublas: /);
      // The next request finds the runner as it was.
      assert.equal((await ask(runRequest(native.cubin, 'gemm')))['outcome'], 'correct');
    }));

  it('tells unwritten elements from wrong ones, and sees writes that miss C', () =>
    withRunner(async ({ ask }) => {
      const half = verified(await ask(runRequest(native.cubin, 'half_written'))).wrong;
      assert.deepEqual([half?.kinds['unwritten'], half?.kinds['wrong']], [13 * 37, 0]);
      assert.deepEqual(bitsOf(half?.tiles.bits ?? ''), [10, 11, 12, 13, 14]);
      const over = await ask(runRequest(native.cubin, 'overwrites'));
      const kinds = verified(over).wrong?.kinds;
      assert.deepEqual([kinds?.['outside'], kinds?.['inputs']], [1, 1]);
      // Whatever one kernel broke, the next one finds whole.
      assert.equal((await ask(runRequest(native.cubin, 'gemm')))['outcome'], 'correct');
    }));

  it('times only what is right, and says which baselines it lacks', () =>
    withRunner(async ({ ask }) => {
      const timing = { warmUpMs: 5, batchMs: 1, budgetMs: 40, samples: 5 };
      const more = { mode: 'time', timing, baselines: ['cublas', 'cublaslt-best', 'mkl'] };
      const answer = await ask(runRequest(native.cubin, 'gemm', more));
      assert.equal(answer['outcome'], 'correct');
      const { batchMs, medianMs, sets } = answer['timing'] as {
        readonly batchMs: readonly number[];
        readonly medianMs: number;
        readonly sets: number;
      };
      assert.ok(batchMs.length >= 3 && batchMs.every(ms => ms > 0) && medianMs > 0 && sets >= 2);
      assert.deepEqual(answer['baselines'], []);
      const notes = answer['notes'] as readonly string[];
      assert.match(
        notes.join('\n'),
        /^cublas: .*not found.*\ncublaslt-best: .*\nmkl: This baseline does not support/,
      );
      const wrong = await ask(runRequest(native.cubin, 'one_wrong', more));
      assert.deepEqual([wrong['outcome'], wrong['timing']], ['incorrect', undefined]);
    }));

  it('refuses what it cannot read or launch, and goes on', () =>
    withRunner(async ({ ask }) => {
      const launches = (more: object) => ({
        launches: [
          {
            symbol: 'gemm',
            grid: [2, 37, 1],
            block: [32, 1, 1],
            dynamicSharedBytes: 0,
            arguments: ['m', 'n', 'k', 'a', 'lda', 'b', 'ldb', 'c', 'ldc'],
            ...more,
          },
        ],
      });
      const swapped = ['a', 'n', 'k', 'm', 'lda', 'b', 'ldb', 'c', 'ldc'];
      for (const [request, said] of [
        ['no json', /not valid JSON at character 1/],
        ['{"id":1,"type":"run"', /not valid JSON at character/],
        [{ id: 1, type: 'nothing' }, /Unknown request type 'nothing'/],
        [{ id: 1, type: 'run' }, /no field 'problem'/],
        [{ id: 1, type: 'compile' }, /NVRTC was not found/],
        [runRequest('/nowhere.cubin', 'gemm'), /'\/nowhere.cubin' cannot be read/],
        [runRequest(native.cubin, 'absent'), /Finding absent: CUDA_ERROR_NOT_FOUND/],
        [runRequest(native.cubin, 'gemm', launches({ arguments: ['m'] })), /more parameters than/],
        [
          runRequest(native.cubin, 'gemm', launches({ arguments: swapped })),
          /expected a, a pointer/,
        ],
        [runRequest(native.cubin, 'gemm', launches({ block: [2000, 1, 1] })), /INVALID_VALUE/],
        [runRequest(native.cubin, 'gemm', { tile: 5 }), /no field 'm'/],
      ] as const) {
        assert.match(String((await ask(request))['message']), said);
      }
      assert.equal((await ask(runRequest(native.cubin, 'gemm')))['outcome'], 'correct');
    }));

  it('is not misled by what a kernel prints', () =>
    withRunner(async ({ ask }) => {
      assert.equal((await ask(runRequest(native.cubin, 'prints')))['outcome'], 'correct');
    }));

  it('says when a kernel has taken the GPU’s context with it, and ends', () =>
    withRunner(
      async ({ ask, ended }) => {
        const answer = await ask(runRequest(native.cubin, 'gemm'));
        assert.deepEqual([answer['outcome'], answer['fatal']], ['launch-error', true]);
        assert.match(String(answer['message']), /The kernel faulted: cudaErrorIllegalAddress/);
        assert.equal(await ended, 1);
      },
      { SHIM_FAULT: '1' },
    ));

  it('says that the matrices do not fit', () =>
    withRunner(
      async ({ ask }) => {
        const answer = await ask(runRequest(native.cubin, 'gemm'));
        assert.equal(answer['outcome'], 'constraint');
        assert.match(String(answer['message']), /Fix: choose smaller matrices/);
      },
      { SHIM_FREE_BYTES: '1000' },
    ));

  it('ends when the process that started it is gone, in the middle of a kernel', async () => {
    const parent = fakeProgram(
      folder,
      'parent',
      `const { spawn } = require('node:child_process');
      const child = spawn(args[0], ['--watch-parent'], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.write(args[1] + '\\n'); console.log(child.pid); setTimeout(() => process.exit(0), 300);`,
    );
    const request = JSON.stringify(runRequest(native.cubin, 'never'));
    const { stdout } = await promisify(execFile)(parent, [native.program, request], {
      env: native.environment,
    });
    await wait(500);
    assert.ok(!isRunning(Number(stdout)));
  });
});
