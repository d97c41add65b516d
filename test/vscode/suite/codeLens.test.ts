/** CodeLens as VS Code gets them from the extension. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/emit/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/spec/resolve';
import { remove, write } from './files';

const resolved = resolve({
  problem: { m: 64, n: 64, k: 64 },
  schedule: { algorithm: 'naive' },
  device: 'h200',
});

function sourceOf(target: 'cuda' | 'wgsl'): string {
  const planned = plan(resolved, target);
  assert.ok(planned.ok);
  return emit(planned.plan).source;
}

async function lenses(name: string, text: string): Promise<readonly vscode.CodeLens[]> {
  const uri = await write(name, text);
  await vscode.workspace.openTextDocument(uri);
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    uri,
  );
  await remove(uri);
  return found.filter(({ command }) => command?.command.startsWith('gemm.'));
}

const titles = (found: readonly vscode.CodeLens[]): readonly string[] =>
  found.map(({ command }) => command?.title ?? '');

describe('CodeLens in VS Code', () => {
  for (const [ending, target, mark] of [
    ['cu', 'cuda', '__global__'],
    ['cuh', 'cuda', '__global__'],
    ['wgsl', 'wgsl', '@compute'],
  ] as const) {
    it(`stand above the kernel of a .${ending} file`, async () => {
      const source = sourceOf(target);
      const found = await lenses(`kernel.${ending}`, source);
      const [first, second, third, fourth, ...rest] = titles(found);
      assert.deepEqual([first, second, fourth], ['Benchmark', 'Verify', 'not measured']);
      assert.match(third ?? '', /^occupancy 100 % \(.+\)$/);
      assert.deepEqual(rest, []);
      const line = source.split('\n').findIndex(text => text.includes(mark));
      for (const { range } of found) assert.equal(range.start.line, line);
    });
  }

  it('say that a kernel was edited', async () => {
    const source = sourceOf('wgsl').replace('@compute', '// mine\n@compute');
    assert.equal(titles(await lenses('edited.wgsl', source)).at(-1), 'edited');
  });

  it('say what a hand-written kernel lacks', async () => {
    const found = await lenses('own.cu', '__global__ void own(float* c) {}\n');
    assert.equal(found.length, 1);
    assert.match(found[0]?.command?.title ?? '', /not runnable/);
    assert.match(found[0]?.command?.tooltip ?? '', /add a comment \/\/ @gemm/);
  });

  it('are absent where there is no kernel, and where a setting turns them off', async () => {
    assert.deepEqual(await lenses('host.cu', 'int main() { return 0; }\n'), []);
    const settings = vscode.workspace.getConfiguration('gemm');
    await settings.update('codeLens.enabled', false);
    try {
      assert.deepEqual(await lenses('off.wgsl', sourceOf('wgsl')), []);
    } finally {
      await settings.update('codeLens.enabled', undefined);
    }
  });
});
