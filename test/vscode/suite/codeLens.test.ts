/** CodeLens as VS Code gets them from the extension. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
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

/** Lenses that are asked what they say. */
const RESOLVED = 50;

async function lenses(name: string, text: string): Promise<readonly vscode.CodeLens[]> {
  const uri = await write(name, text);
  await vscode.workspace.openTextDocument(uri);
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    uri,
    RESOLVED,
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

  it('stand at the annotation of a PTX and of a Python file', async () => {
    const json = '{"problem":{"m":8,"n":8,"k":8},"grid":[1],"block":[64],"args":["a","b","c"]}';
    const ptx = `.version 9.0\n// @gemm ${json}\n.visible .entry gemm()\n{ ret; }\n`;
    const python = '# @gemm {"problem":{"m":8,"n":8,"k":8}}\ndef gemm(a, b):\n    return a @ b\n';
    for (const [name, text, line] of [
      ['kernel.ptx', ptx, 1],
      ['kernel.py', python, 0],
    ] as const) {
      const found = await lenses(name, text);
      assert.deepEqual(titles(found), ['Benchmark', 'Verify'], name);
      assert.ok(
        found.every(({ range }) => range.start.line === line),
        name,
      );
    }
    assert.deepEqual(titles(await lenses('plain.py', 'print("@gemm")\n')), []);
  });

  it('say that a kernel was edited', async () => {
    const source = sourceOf('wgsl').replace('@compute', '// mine\n@compute');
    assert.match(titles(await lenses('edited.wgsl', source))[2] ?? '', /^edited, occupancy/);
  });

  it('offer to describe a hand-written kernel, and say what is wrong with its comment', async () => {
    const own = '__global__ void own(float* c) {}\n';
    const [offer, ...others] = await lenses('own.cu', own);
    assert.deepEqual(titles(others), ['occupancy unknown']);
    assert.equal(offer?.command?.title, 'Analyze this kernel');
    assert.equal(offer.command.command, 'gemm.describeKernel');
    const wrong = await lenses('wrong.cu', `// @gemm {"problem": 1}\n${own}`);
    assert.match(titles(wrong)[2] ?? '', /not runnable: invalid/);
    assert.match(wrong[2]?.command?.tooltip ?? '', /wrong\.cu:1: the @gemm comment/);
  });

  it('stand above each of 1,000 kernels of a file, and are analysed only where they are shown', async () => {
    const text = Array.from({ length: 1000 }, (_, i) => `__global__ void k${i}() {}\n`).join('');
    const found = await lenses('many.cu', text);
    assert.equal(found.length, RESOLVED);
    // Two a kernel.
    assert.equal(found[40]?.range.start.line, 20);
  });

  it('say where they end: at 2,000,000 characters', async () => {
    const [only, ...others] = await lenses('long.cu', `${' '.repeat(2e6)}\n${sourceOf('cuda')}`);
    assert.equal(others.length, 0);
    assert.match(
      only?.command?.title ?? '',
      /up to 2,000,000 characters are searched.*; this file has 2,00\d,\d{3}/,
    );
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
