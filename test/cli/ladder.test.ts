/** `ladder`: every rung through a backend, one JSON value a line. */
import assert from 'node:assert/strict';
import { ladderOf } from '../../src/core/search/ladder/rungs';
import { cli, WITHOUT_TOOLS } from './cli';

const problem = { m: 64, n: 48, k: 20 };
const lines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>);

describe('ladder', () => {
  it('runs every rung on simulate, and explains each', async function () {
    this.timeout(60_000);
    const spec = JSON.stringify({ problem });
    const ran = await cli(['ladder', '-', '--backend', 'simulate', '--json'], spec);
    assert.equal(ran.code, 0, ran.stderr);
    const found = lines(ran.stdout);
    const rungs = ladderOf('cuda');
    assert.equal(found.length, rungs.length + 1);
    for (const [index, { algorithm, change }] of rungs.entries()) {
      const line = found[index] as { measurement?: { outcome?: string }; why?: string };
      assert.deepEqual(
        [found[index]?.['rung'], found[index]?.['algorithm'], found[index]?.['change']],
        [index + 1, algorithm, change],
      );
      assert.equal(line.measurement?.outcome, 'correct');
      assert.ok(line.why);
    }
    assert.deepEqual(found.at(-1), {
      summary: {
        rungs: rungs.length,
        legal: rungs.length,
        correct: rungs.length,
        fastest: null,
        gflops: null,
        overSlowest: null,
      },
    });
  });

  it('goes on over rungs that are not legal', async function () {
    this.timeout(60_000);
    const spec = JSON.stringify({
      problem,
      webgpuLimits: { invocations: 128, workgroupStorageBytes: 32_768 },
    });
    const args = ['ladder', '-', '--backend', 'simulate', '--target', 'wgsl'];
    const ran = await cli(args, spec);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^1 +naive +not legal/m);
    assert.match(ran.stdout, /^ 1 {2}16 x 16 = 256 threads per block > 128/m);
    assert.match(ran.stdout, /^17 +pipelined +correct/m);
  });

  it('says what it lacks or cannot use', async () => {
    const spec = JSON.stringify({ problem });
    const none = await cli(['ladder', '-'], spec);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /--backend with one of simulate, cpu, webgpu, cuda/);
    const target = ['ladder', '-', '--backend', 'cuda', '--target', 'wgsl'];
    assert.equal((await cli(target, spec)).code, 2);
    const cuda = await cli(['ladder', '-', '--backend', 'cuda'], spec, { env: WITHOUT_TOOLS });
    assert.equal(cuda.code, 3);
  });
});
