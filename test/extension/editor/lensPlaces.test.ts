/** Which CodeLens a file gets, and both sides of their limit. */
import assert from 'node:assert/strict';
import { parseKernelText } from '../../../src/core/source/kernelFile';
import { lensPlaces, MAX_KERNELS } from '../../../src/extension/editor/lensPlaces';

const COMMENT = '// @gemm {"problem":{"m":8,"n":8,"k":8},"grid":[1],"block":[64],"args":["c"]}\n';
const kernels = (count: number, comment = ''): string =>
  Array.from({ length: count }, (_, i) => `${comment}__global__ void k${i}(float* c) {}\n`).join(
    '',
  );
const places = (text: string) => lensPlaces(parseKernelText(text, 'x.cu'));

describe('places of CodeLens', () => {
  it('are four above a kernel that is described, one above another', () => {
    assert.deepEqual(
      places(`${COMMENT}${kernels(1)}__global__ void other() {}\n`).map(({ kind, line }) => [
        kind,
        line,
      ]),
      [
        ['benchmark', 1],
        ['verify', 1],
        ['occupancy', 1],
        ['roof', 1],
        ['describe', 2],
        ['bare', 2],
      ],
    );
    assert.equal(places(kernels(1000, COMMENT)).length, 4000);
  });

  it('end where the file has too many, and say so there', () => {
    assert.equal(places(kernels(MAX_KERNELS)).length, 2 * MAX_KERNELS);
    assert.ok(places(kernels(MAX_KERNELS)).every(({ kind }) => /^(describe|bare)$/.test(kind)));
    const more = places(kernels(MAX_KERNELS + 2));
    assert.equal(more.length, 2 * MAX_KERNELS + 1);
    assert.deepEqual(more.at(-1), { kind: 'limit', entry: `k${MAX_KERNELS}`, line: MAX_KERNELS });
  });
});
