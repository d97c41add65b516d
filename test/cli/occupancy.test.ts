/** `occupancy`: one case and many. */
import assert from 'node:assert/strict';
import { cli, jsonOf } from './cli';

describe('occupancy', () => {
  it('computes one case', async () => {
    const args = ['--device', 'h200', '--threads', '256', '--registers', '64'];
    const ran = await cli(['occupancy', ...args, '--shared-bytes', '4096', '--json']);
    assert.equal(ran.code, 0);
    const { limits, ...answer } = jsonOf(ran) as Record<string, unknown>;
    assert.deepEqual(answer, {
      blocksPerSm: 4,
      activeWarps: 32,
      maxWarps: 64,
      occupancy: 0.5,
      limiters: ['registers'],
      sharedBytesAllocated: 5120,
      sharedBytesReserved: 1024,
    });
    assert.ok(limits);
    assert.match((await cli(['occupancy', ...args])).stdout, /50 % \(registers\)/);
  });

  it('prints the 1 KiB per block reserved by the driver from compute capability 8.0', async () => {
    const reservedOn = async (device: string, bytes: string): Promise<readonly string[]> => {
      const args = ['--threads', '1024', '--registers', '27', '--shared-bytes', bytes];
      const ran = await cli(['occupancy', '--device', device, ...args]);
      assert.equal(ran.code, 0, ran.stderr);
      return ran.stdout.split('\n').filter(line => line.includes('shared'));
    };
    const [alone, perBlock] = await reservedOn('rtx-3070-laptop', '8192');
    assert.match(alone ?? '', /shared-memory alone +11$/, 'and not 12');
    assert.match(
      perBlock ?? '',
      /per block +9216 B allocated, including 1 KiB reserved by the driver/,
    );
    const none = await reservedOn('t4', '8192');
    assert.match(none.join('\n'), /per block +8192 B allocated, none reserved by the driver/);
  });

  it('processes a batch line by line', async () => {
    const line = (threadsPerBlock: number): string =>
      JSON.stringify({
        computeCapability: '9.0',
        threadsPerBlock,
        registersPerThread: 32,
        sharedBytesPerBlock: 300_000,
      });
    const lines = Array.from({ length: 2500 }, (_, i) => line(1 + (i % 1024))).join('\n');
    const { code, stdout } = await cli(['occupancy', '--batch', '-', '--json'], lines);
    assert.equal(code, 0);
    const answers = stdout.trimEnd().split('\n');
    assert.equal(answers.length, 2500);
    for (const text of answers) {
      assert.equal((JSON.parse(text) as { blocksPerSm: number }).blocksPerSm, 0);
    }
  });

  it('reports an invalid line, continues, and exits with 2', async () => {
    const good =
      '{"computeCapability":"8.6","threadsPerBlock":1024,"registersPerThread":27,"sharedBytesPerBlock":8192}';
    const bad = ['{', '[]', good.replace('8.6', '3.5'), good.replace('27', '-1'), '{"x":1}'];
    const input = [...bad, good].join('\r\n');
    const { code, stdout, stderr } = await cli(['occupancy', '--batch', '-'], input);
    assert.equal(code, 2);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map(text => JSON.parse(text) as { error?: unknown; occupancy?: number });
    assert.deepEqual(
      answers.map(({ error }) => error !== undefined),
      [true, true, true, true, true, false],
    );
    assert.equal(answers.at(-1)?.occupancy, 32 / 48);
    assert.match(stderr, /line 1: Expected JSON/);
  });

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /--device and --threads/],
    [['--device', 'h2oo', '--threads', '1'], /Unknown device "h2oo"/],
    [['--device', 'apple-m4', '--threads', '1'], /requires an NVIDIA GPU/],
    [['--device', 'h200', '--threads', '0'], /integer >= 1/],
    [['--device', 'h200', '--threads', '-5'], /integer/],
    [['--device', 'h200', '--threads', '1.5'], /integer/],
    [['--device', 'h200', '--batch', '-'], /put all values into the input lines/],
    [['--batch', 'no such file'], /Cannot read/],
  ];
  for (const [args, message] of refused) {
    it(`rejects ${args.join(' ') || 'no options'}`, async () => {
      const { code, stderr } = await cli(['occupancy', ...args]);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }
});
