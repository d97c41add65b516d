/**
 * Tensor maps in the comment of a kernel: what a launch is given, and which of them no device could
 * take.
 */
import assert from 'node:assert/strict';
import { readKernelFile } from '../../../src/core/source/kernelFile';

const body =
  '__global__ void copyA(int *A) {}\n__global__ void gemm(CUtensorMap mapA, CUtensorMap mapB, float *C, int m, int n, int k) {}\n';

const tensorMaps = {
  a: { box: [64, 128], swizzleBytes: 128 },
  b: { box: [64, 64], swizzleBytes: 128 },
} as const;
const described = {
  problem: { m: 256, n: 192, k: 100, a: { dtype: 'bf16' }, b: { dtype: 'bf16', layout: 'col' } },
  grid: [132],
  block: [384],
  entry: 'gemm',
  args: ['tensorMapA', 'tensorMapB', 'c', 'm', 'n', 'k', 'batch'],
  tensorMaps,
};
const read = (annotation: object, name = 'x.cu') =>
  readKernelFile(`// @gemm ${JSON.stringify(annotation)}\n${body}`, name);

const pathOf = (annotation: object, name?: string): string => {
  const file = read(annotation, name);
  return file.ok ? 'ok' : file.path;
};

describe('tensor maps of a launch', () => {
  it('are read with their launch', () => {
    const file = read(described);
    assert.ok(file.ok, JSON.stringify(file));
    assert.deepEqual(file.runnable.tensorMaps, tensorMaps);
    assert.deepEqual(file.runnable.arguments.slice(0, 2), ['tensorMapA', 'tensorMapB']);
  });

  it('may describe a copy that a pre-pass launch writes to the workspace', () => {
    const before = [{ entry: 'copyA', grid: [1], block: [32], args: ['a', 'workspace'] }];
    const a = { ...tensorMaps.a, workspaceOffset: 0, ld: 104 };
    // 255 rows of 104 elements and one of 100, of 2 bytes each.
    const workspaceBytes = (255 * 104 + 100) * 2;
    const moved = { ...described, before, workspaceBytes, tensorMaps: { ...tensorMaps, a } };
    const file = read(moved);
    assert.ok(file.ok, JSON.stringify(file));
    assert.deepEqual(file.runnable.tensorMaps?.a, a);
    assert.equal(file.runnable.before?.[0]?.tensorMaps, undefined);
    assert.equal(
      pathOf({ ...moved, workspaceBytes: workspaceBytes - 1 }),
      '@gemm.tensorMaps.a.workspaceOffset',
    );
  });

  it('may describe a transposed copy', () => {
    const transposed = { ...tensorMaps.a, workspaceOffset: 0, ld: 256, transposed: true };
    // 99 rows of 256 elements and one more: K rows of M.
    const workspaceBytes = 100 * 256 * 2;
    const moved = { ...described, workspaceBytes, tensorMaps: { ...tensorMaps, a: transposed } };
    assert.equal(pathOf(moved), 'ok');
    assert.equal(
      pathOf({ ...moved, workspaceBytes: workspaceBytes - 1 }),
      '@gemm.tensorMaps.a.workspaceOffset',
    );
    const narrow = { ...tensorMaps, a: { ...transposed, ld: 248 } };
    assert.equal(pathOf({ ...moved, tensorMaps: narrow }), '@gemm.tensorMaps.a.ld');
  });

  const withA = (a: object) => ({ ...described, tensorMaps: { ...tensorMaps, a } });
  const box = (inner: number, swizzleBytes: number) => withA({ box: [inner, 128], swizzleBytes });
  const laid = (more: object) => withA({ ...tensorMaps.a, workspaceOffset: 0, ld: 104, ...more });
  const room = { workspaceBytes: 1e6 };
  for (const [what, annotation, path] of [
    ['an argument without its map', { ...described, tensorMaps: { a: tensorMaps.a } }, 'args.1'],
    ['a map that no argument is', { ...described, args: ['tensorMapA', 'b', 'c'] }, 'tensorMaps.b'],
    ['a box wider than its swizzle', box(64, 64), 'tensorMaps.a.box.0'],
    ['rows of no multiple of 16 bytes', box(12, 0), 'tensorMaps.a.box.0'],
    ['a box of more than 256', withA({ box: [64, 257], swizzleBytes: 128 }), 'tensorMaps.a.box.1'],
    ['a box of one side', withA({ box: [64], swizzleBytes: 128 }), 'tensorMaps.a.box.1'],
    ['a swizzle that TMA lacks', box(16, 48), 'tensorMaps.a.swizzleBytes'],
    [
      'a workspace without a leading dimension',
      withA({ ...tensorMaps.a, workspaceOffset: 0 }),
      'tensorMaps.a.workspaceOffset',
    ],
    [
      'a leading dimension without a workspace',
      withA({ ...tensorMaps.a, ld: 8 }),
      'tensorMaps.a.ld',
    ],
    [
      'a transposed matrix without a workspace',
      withA({ ...tensorMaps.a, transposed: true }),
      'tensorMaps.a.transposed',
    ],
    [
      'a place of no multiple of 16',
      { ...laid({ workspaceOffset: 8 }), ...room },
      'tensorMaps.a.workspaceOffset',
    ],
    ['a stride of no multiple of 16 bytes', { ...laid({ ld: 100 }), ...room }, 'tensorMaps.a.ld'],
    ['rows that do not fit', { ...laid({ ld: 96 }), ...room }, 'tensorMaps.a.ld'],
    [
      'a batch without a stride',
      { ...laid({}), ...room, problem: { ...described.problem, batch: 2 } },
      'tensorMaps.a.workspaceOffset',
    ],
    ['an unknown word', withA({ ...tensorMaps.a, interleave: 32 }), 'tensorMaps.a.interleave'],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.equal(pathOf(annotation), `@gemm.${path}`);
    });
  }

  it('says where, also of a launch around', () => {
    const after = [{ entry: 'copyA', grid: [1], block: [32], args: ['tensorMapC'] }];
    assert.equal(pathOf({ ...described, after }), '@gemm.after.0.args.0');
  });
});
