/** Capsules of the built bundle. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Capsule, CapsuleBundle, CapsuleContent } from '../../src/core/report/capsule';

const BUNDLE = path.resolve('dist', 'capsule.cjs');

export const content = (over: Partial<CapsuleContent>): CapsuleContent => ({
  spec: { problem: { m: 256, n: 256, k: 256 } },
  name: 'first.gemm.json',
  runs: [],
  link: null,
  privacy: { roots: [], secrets: [] },
  version: '0.1.0',
  language: 'en',
  ...over,
});

export function bundledCapsule(over: Partial<CapsuleContent>): Capsule {
  const { capsuleOf } = createRequire(import.meta.url)(BUNDLE) as CapsuleBundle;
  const result = capsuleOf(content(over), {});
  assert.ok(result.ok, result.ok ? '' : result.reason);
  return result.capsule;
}
