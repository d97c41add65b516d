/** What `tune` refuses before it measures anything, and its help. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { cli, inFolder } from './cli';

const SPEC = JSON.stringify({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });

describe('tune with invalid input', () => {
  it('documents that --json prints several values', async () => {
    const { stdout } = await cli(['tune', '--help'], '');
    assert.match(
      stdout,
      /--json +Print one Measurement per line on standard output, then the summary/,
    );
    assert.ok(!stdout.includes('exactly one'));
  });

  const refuses = async (args: readonly string[], code: number, why: RegExp): Promise<void> => {
    const ran = await cli(['tune', '-', ...args], SPEC);
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stderr, why);
  };

  it('reports the error', async () => {
    await refuses(['--backend', 'cpu'], 2, /cpu backend verifies on the CPU and cannot time/);
    await refuses(
      ['--backend', 'simulate'],
      2,
      /simulate backend verifies on the CPU and cannot time/,
    );
    await refuses(['--backend', 'webgpu'], 2, /runs wgsl, but the spec's targets are/);
    await refuses(
      ['--backend', 'cuda', '--robustness', 'off'],
      2,
      /only applies to the webgpu backend, not cuda/,
    );
    await refuses(
      ['--backend', 'cuda', '--experimental'],
      2,
      /--experimental only applies to the webgpu/,
    );
    await refuses(['--backend', 'cuda', '--budget', '0'], 2, /Expected --budget to be at least 1/);
    await refuses(['--backend', 'cuda', '--space', '/nowhere.json'], 2, /Cannot read/);
    await inFolder(async folder => {
      const file = path.join(folder, 'space.json');
      writeFileSync(file, '{"stages": [2, "three"], "blok": [1]}');
      const ran = await cli(['tune', '-', '--backend', 'cuda', '--space', file, '--json'], SPEC);
      assert.equal(ran.code, 2);
      const { error } = JSON.parse(ran.stdout) as {
        error: { problems: readonly { path: string }[] };
      };
      assert.deepEqual(
        error.problems.map(one => one.path),
        ['stages[1]', 'blok'],
      );
    });
  });
});
