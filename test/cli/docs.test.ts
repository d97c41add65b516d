/** The worked examples of docs/analysis.md are what the CLI prints. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cli, spec } from './cli';

const text = readFileSync('docs/analysis.md', 'utf8');

/** Code blocks of a section that end in no command, by line. */
function blocksOf(title: string): readonly (readonly string[])[] {
  const section = text.split(/^## /m).find(part => part.startsWith(`${title}\n`));
  assert.ok(section !== undefined, title);
  return [...section.matchAll(/^```\n(.*?)^```$/gms)].map(([, block = '']) =>
    block
      .split('\n')
      .map(line => line.trimEnd())
      .filter(line => line !== '' && line !== '...' && !line.startsWith('$')),
  );
}

async function printed(
  schedule: Readonly<Record<string, unknown>>,
  size: number,
  more: readonly string[],
) {
  const problem = JSON.stringify({ m: size, n: size, k: size });
  const args = ['analyze', '-', '--set', `problem=${problem}`, '--estimate', ...more];
  const ran = await cli(args, spec(schedule));
  assert.equal(ran.code, 0, ran.stderr);
  return new Set(ran.stdout.split('\n').map(line => line.trimEnd()));
}

describe('examples of docs/analysis.md', () => {
  it('of a kernel that is worked out are printed by analyze --pictures', async () => {
    const warped = { block: { m: 128, n: 128, k: 16 }, warp: { m: 32, n: 64 } };
    const schedule = { algorithm: 'warp-tile', ...warped, thread: { m: 8, n: 8 }, vector: 4 };
    const lines = await printed(schedule, 1024, ['--pictures']);
    const naive = { algorithm: 'naive', block: { m: 32, n: 32 } };
    const plain = await printed(naive, 1024, ['--pictures']);
    const blocks = blocksOf('A kernel, worked out');
    assert.equal(blocks.length, 5);
    for (const line of blocks.flat()) {
      assert.ok(lines.has(line) || plain.has(line), `not printed: ${line}`);
    }
    const [, advice = ''] = /^> (advice: .*)$/m.exec(text) ?? [];
    assert.ok(plain.has(advice), advice);
  }).timeout(60_000);

  it('of a sweep are printed by analyze --sweep', async () => {
    const schedule = { algorithm: 'pipelined', minBlocksPerSm: 2 };
    const lines = await printed(schedule, 4096, ['--sweep', 'm']);
    const [block = []] = blocksOf('Waves');
    assert.ok(block.length > 5);
    for (const line of block) assert.ok(lines.has(line), `not printed: ${line}`);
  }).timeout(60_000);
});
