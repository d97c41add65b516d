/**
 * What a kernel of `mma` needs of an adapter beside the feature, on adapters of our own; and its
 * texts, by Dawn's compiler.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { validateWgsl } from '../../src/host/dawn/backend';
import { requirements } from '../../src/webgpu/limits';
import type { MatrixInfo } from '../../src/webgpu/matrixRequirements';
import { MATRIX_SEEDS, specOf as drawnSpec } from '../../scripts/grid/specs';
import { kernelOf as kernelFor } from '../../scripts/grid/properties';
import { kernelOf, specOf } from '../helpers/matrixSpecs';

const FEATURES = [
  'shader-f16',
  'subgroups',
  'chromium-experimental-subgroup-matrix',
] as readonly GPUFeatureName[];
const limits = new Proxy({}, { get: () => 2 ** 31 }) as GPUSupportedLimits;
const config = (componentType: string, resultComponentType: string, size: number) => ({
  componentType,
  resultComponentType,
  M: size,
  N: size,
  K: size,
});
const LIKE_NVIDIA: MatrixInfo = {
  subgroupMinSize: 32,
  subgroupMaxSize: 32,
  subgroupMatrixConfigs: [config('f16', 'f16', 16), config('f16', 'f32', 16)],
};

describe('Requirements of subgroup matrices', () => {
  const asked = (info: MatrixInfo, features: readonly string[] = FEATURES, spec = specOf()) =>
    requirements(kernelOf(spec), { limits, features: new Set(features), info });

  it('are satisfied by an adapter with the shape and subgroups of 32', () => {
    const needs = asked(LIKE_NVIDIA);
    assert.ok(needs.ok, JSON.stringify(needs));
    assert.deepEqual(
      FEATURES.filter(name => [...(needs.descriptor.requiredFeatures ?? [])].includes(name)),
      FEATURES,
    );
    const half = specOf({ accumulator: 'f16' });
    assert.ok(asked(LIKE_NVIDIA, FEATURES, half).ok);
  });

  it('list the supported shapes if the requested one is missing', () => {
    const apple = { ...LIKE_NVIDIA, subgroupMatrixConfigs: [config('f16', 'f16', 8)] };
    const needs = asked(apple);
    assert.ok(!needs.ok);
    assert.equal(
      needs.message,
      'The kernel requires matrices of 16 x 16 x 16 of f16 with f32 accumulation; this adapter supports 8 x 8 x 8 of f16 with f16 accumulation. Fix: set schedule.mma and the element types to a supported combination.',
    );
    const small = specOf({ accumulator: 'f16' }, { mma: { m: 8, n: 8, k: 8 } });
    assert.ok(asked(apple, FEATURES, small).ok);
    const none = asked({ ...LIKE_NVIDIA, subgroupMatrixConfigs: [{ M: 16 }] });
    assert.ok(!none.ok && none.message.includes('supports none'));
  });

  it('include subgroups of exactly 32 invocations', () => {
    const other = asked({ ...LIKE_NVIDIA, subgroupMinSize: 8 });
    assert.ok(!other.ok && /subgroups of 32 .* has 8 to 32\./.test(other.message));
    const unknown = asked({ subgroupMatrixConfigs: [config('f16', 'f32', 16)] });
    assert.ok(!unknown.ok && unknown.message.includes('unknown sizes'));
  });

  it('are not reported if the feature itself is missing', () => {
    const needs = asked({}, ['shader-f16', 'subgroups']);
    assert.ok(!needs.ok);
    assert.equal(needs.message.split('\n').length, 1);
    assert.match(needs.message, /enables chromium-experimental-subgroup-matrix/);
  });
});

describe('Texts of subgroup matrices', () => {
  const worker = path.resolve('dist/dawnWorker.js');

  it("are accepted by Dawn's compiler for random specs", async function () {
    this.timeout(60_000);
    if (!existsSync(worker)) this.skip();
    const kernels = Array.from({ length: 200 }, (_, i) =>
      kernelFor(drawnSpec(MATRIX_SEEDS + i), 'wgsl'),
    ).filter(kernel => kernel !== null);
    const validated = await validateWgsl(
      { worker, where: 'cli' },
      kernels.map(({ source }) => ({ source })),
    );
    assert.ok(validated.ok, JSON.stringify(validated));
    assert.ok(kernels.length > 40, `${kernels.length}`);
    const wrong = validated.messages.flatMap((messages, i) =>
      messages.map(({ line, message }) => `${kernels[i]?.fileName ?? ''}:${line} ${message}`),
    );
    assert.deepEqual(wrong, []);
  });
});
