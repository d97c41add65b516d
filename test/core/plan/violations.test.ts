/** What a violation says where several rules, or a device, have a word about one field. */
import assert from 'node:assert/strict';
import { violation, violations } from '../../helpers/violations';

describe('violations', () => {
  const bf16 = [
    'problem={"m":4096,"n":4096,"k":4096}',
    'problem.a={"dtype":"bf16"}',
    'problem.b={"dtype":"bf16","layout":"col"}',
    'targets=["cuda"]',
  ];
  const hopper = [...bf16, 'schedule.algorithm=wgmma'];

  it('a field that says off is without use where the algorithm does it all the same', () => {
    assert.deepEqual(violations(hopper), []);
    for (const swizzle of ['none', 'xor']) {
      const { rule, path } = violation([...hopper, `schedule.swizzle=${swizzle}`]);
      assert.deepEqual([rule, path], ['unused-field', 'schedule.swizzle'], swizzle);
    }
  });

  it('a nearest value heals all that its field breaks', () => {
    const wide = violations([...hopper, 'schedule.block={"m":128,"n":512,"k":64}']);
    assert.deepEqual(
      wide.map(({ rule, path, nearest }) => [rule, path, nearest]),
      ['wgmma-tile', 'accumulators', 'tma-box'].map(rule => [rule, 'schedule.block.n', 256]),
    );
  });

  it('a device without the instruction: what nobody wrote is not at fault, and what is stands first', () => {
    const lacks = (device: string, dtype: string): readonly string[] => [
      ...bf16,
      `problem.a.dtype=${dtype}`,
      `problem.b.dtype=${dtype}`,
      `device=${device}`,
      'schedule.algorithm=mma',
    ];
    for (const [device, dtype] of [
      ['a100-sxm-80gb', 'e4m3'] as const,
      ['a100-sxm-80gb', 'e5m2'] as const,
      ['t4', 'bf16'] as const,
      ['t4', 's8'] as const,
      ['v100-sxm2-16gb', 'f16'] as const,
    ]) {
      const { rule, message } = violation(lacks(device, dtype));
      assert.equal(rule, 'matrix-type', `${device} ${dtype}`);
      assert.match(message, /requires compute capability/);
    }
    const [cause, padding] = violations([
      ...lacks('a100-sxm-80gb', 'e4m3'),
      'schedule.padding.a=3',
    ]);
    assert.deepEqual([cause?.rule, padding?.path], ['matrix-type', 'schedule.padding.a']);
  });
});
