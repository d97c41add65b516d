/**
 * What nvcc says of a kernel: messages on their line in Problems, and registers in the CodeLens.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { findNvcc } from '../../../src/host/toolchain';
import { eventually, remove, write } from './files';

function source(): string {
  const planned = plan(
    resolve({ problem: { m: 64, n: 64, k: 64 }, schedule: { algorithm: 'naive' } }),
    'cuda',
  );
  assert.ok(planned.ok);
  return emit(planned.plan).source;
}

/** Its lanes walk rows (test/fixtures/handWritten/gemmNaive.cu). */
const NAIVE = `// @gemm {"problem":{"m":64,"n":64,"k":32},"grid":[2,2],"block":[32,32],"args":["m","n","k","a","b","c"]}
__global__ void naive(int M, int N, int K, const float *A, const float *B, float *C) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float sum = 0.0f;
    for (int i = 0; i < K; ++i) {
      sum += A[x * K + i] * B[i * N + y];
    }
    C[x * N + y] = sum;
  }
}
`;

async function saved(name: string, text: string): Promise<vscode.Uri> {
  const uri = await write(name, '');
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(await document.save());
  return uri;
}

describe('nvcc in VS Code (needs nvcc)', function () {
  this.timeout(60_000);
  before(async function () {
    if (!(await findNvcc()).ok) this.skip();
  });

  it('puts its errors on their line when a kernel is saved, and takes them back', async () => {
    const broken = source().replace('float acc = 0.0f;', 'float acc = 0.0f + nothing;');
    const uri = await saved('broken.cu', broken);
    const diagnostics = () => vscode.languages.getDiagnostics(uri);
    const [problem] = await eventually(
      diagnostics,
      found => found.length > 0,
      'no message of nvcc',
    );
    const line = broken.split('\n').findIndex(text => text.includes('nothing'));
    assert.equal(problem?.range.start.line, line);
    assert.match(problem.message, /nothing.*undefined/);
    assert.equal(problem.severity, vscode.DiagnosticSeverity.Error);

    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, document.lineAt(line).range, '  float acc = 0.0f;');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await document.save());
    await eventually(diagnostics, found => found.length === 0, 'the message stays');
    await remove(uri);
  });

  it('reads the memory access of a hand-written kernel from PTX: Problems on its lines, and a count in the CodeLens', async () => {
    const uri = await saved('naive.cu', NAIVE);
    const found = await eventually(
      () => vscode.languages.getDiagnostics(uri).filter(({ source: by }) => by === 'PTX'),
      all => all.length > 0,
      'nothing is said of its accesses',
    );
    assert.deepEqual(
      found.map(({ range, severity }) => [range.start.line, severity]),
      [
        [7, vscode.DiagnosticSeverity.Information],
        [9, vscode.DiagnosticSeverity.Information],
      ],
    );
    assert.match(
      found[0]?.message ?? '',
      /^A\[x \* K \+ i\], line 8: uncoalesced load, 32 sectors/,
    );
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
      10,
    );
    const titles = lenses.map(({ command }) => command?.title ?? '');
    assert.ok(
      titles.some(title => /^occupancy 100 % .*, 2 uncoalesced$/.test(title)),
      titles.join(' | '),
    );
    await remove(uri);
  });

  it('tells the occupancy of a kernel without a comment, and which template is never instantiated', async () => {
    const text =
      '__global__ void __launch_bounds__(256) own(float *c) { c[0] = 1; }\ntemplate <int BM>\n__global__ void tiled(float *c) { c[0] = BM; }\n';
    const uri = await saved('bare.cu', text);
    const titles = await eventually(
      async () => {
        const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          'vscode.executeCodeLensProvider',
          uri,
          10,
        );
        return lenses.map(({ command }) => command?.title ?? '');
      },
      all => all.some(title => title.includes('registers')),
      'no registers in the CodeLens',
    );
    assert.match(
      titles[1] ?? '',
      /^\d+ registers, occupancy 100 % \(.+\) at 256 threads per block$/,
    );
    assert.equal(titles[3], 'occupancy unknown');
    const [left] = vscode.languages.getDiagnostics(uri);
    assert.equal(left?.range.start.line, 2);
    assert.match(left.message, /^Template tiled<int BM> is never instantiated/);
    await remove(uri);
  });

  it('replaces the estimate of registers in the CodeLens', async () => {
    const uri = await saved('compiled.cu', source());
    const tooltip = async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri,
        10,
      );
      return lenses.find(({ command }) => command?.title.startsWith('occupancy'))?.command?.tooltip;
    };
    const compiled = (text: string | undefined) => /^nvcc \d+\.\d+/.test(text ?? '');
    assert.ok(compiled(await eventually(tooltip, compiled, 'the estimate stays')));
    await remove(uri);
  });
});
