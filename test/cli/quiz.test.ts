/** `quiz`: questions without answers by default, with keys and derivations on request. */
import assert from 'node:assert/strict';
import { cli } from './cli';

const SPEC = JSON.stringify({
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
  targets: ['cuda'],
});

interface Told {
  readonly device: string;
  readonly questions: readonly {
    readonly id: string;
    readonly topic: string;
    readonly options: readonly { readonly text: string; readonly mistake?: string | null }[];
    readonly key?: number;
    readonly derivation?: readonly string[];
  }[];
}

describe('quiz', () => {
  it('prints questions without their answers', async () => {
    const { stdout, code } = await cli(['quiz', '-', '--json'], SPEC);
    const told = JSON.parse(stdout) as Told;
    assert.equal(code, 0);
    assert.equal(told.device, 'h200');
    assert.ok(told.questions.some(({ id }) => id === 'requests/sectors/A load load'));
    for (const { options, key, derivation } of told.questions) {
      assert.deepEqual([key, derivation], [undefined, undefined]);
      assert.ok(options.every(option => !('mistake' in option)));
    }
    const text = await cli(['quiz', '-', '--topic', 'tiles'], SPEC);
    assert.match(text.stdout, /Which thread of block \(0, 0\) accumulates C\(9, 3\)\?/);
    assert.doesNotMatch(text.stdout, /answer|threadIdx/);
  });

  it('adds keys, mistakes and derivations with --answers', async () => {
    const { stdout } = await cli(['quiz', '-', '--topic', 'requests', '--answers', '--json'], SPEC);
    const { questions } = JSON.parse(stdout) as Told;
    assert.ok(questions.length > 0 && questions.every(({ topic }) => topic === 'requests'));
    const load = questions.find(({ id }) => id === 'requests/sectors/A load load');
    assert.equal(load?.options[load.key ?? -1]?.text, '32');
    assert.ok((load.derivation ?? []).length > 0);
    const text = await cli(['quiz', '-', '--topic', 'tiles', '--answers'], SPEC);
    assert.match(text.stdout, /answer: [a-d]\) thread 105\n/);
    assert.match(text.stdout, /thread 3 x 32 \+ 9 = 105\./);
  });

  it('uses the device of the option, and states that there are no questions', async () => {
    const { stdout } = await cli(['quiz', '-', '--device', 't4', '--json'], SPEC);
    assert.equal((JSON.parse(stdout) as Told).device, 't4');
    const none = await cli(['quiz', '-', '--topic', 'shared'], SPEC);
    assert.deepEqual(
      [none.code, none.stdout.trim()],
      [0, 'There are no questions about this kernel.'],
    );
  });

  it('refuses kernel files, unknown devices and unknown topics', async () => {
    for (const [args, message] of [
      [['quiz', 'kernel.cu'], /is a kernel file\. Fix: pass the \*\.gemm\.json file/],
      [['quiz', '-', '--device', 'abacus'], /abacus/],
      [['quiz', '-', '--topic', 'weather'], /Expected one of: tiles, requests/],
    ] as const) {
      const { code, stderr } = await cli([...args], SPEC);
      assert.equal(code, 2);
      assert.match(stderr, message);
    }
  });
});
