/** Tasks as VS Code runs them: their exit code is true to the outcome. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/emit/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/spec/resolve';
import { eventually, remove, write } from './files';

const spec = {
  version: 1,
  problem: { m: 32, n: 32, k: 32 },
  schedule: { algorithm: 'naive' },
} as const;

async function exitCode(definition: object): Promise<number | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  const task = new vscode.Task({ type: 'gemm', ...definition }, folder, 'a task', 'gemm');
  // As VS Code does with a task of tasks.json: the provider fills in how it is run.
  const offered = await vscode.tasks.fetchTasks({ type: 'gemm' });
  const same = offered.find(
    ({ definition: found }) => JSON.stringify(found) === JSON.stringify(task.definition),
  );
  assert.ok(same, `${JSON.stringify(task.definition)} is not offered`);
  let code: number | undefined;
  const ended = new Promise<void>(done => {
    const subscription = vscode.tasks.onDidEndTaskProcess(event => {
      if (event.execution.task.name !== same.name) return;
      code = event.exitCode;
      subscription.dispose();
      done();
    });
  });
  await vscode.tasks.executeTask(same);
  await ended;
  return code;
}

describe('tasks in VS Code', () => {
  let uri: vscode.Uri;
  let kernel: vscode.Uri;
  before(async () => {
    uri = await write('task.gemm.json', JSON.stringify(spec));
    const planned = plan(resolve(spec), 'cuda');
    assert.ok(planned.ok);
    kernel = await write('task.cu', emit(planned.plan).source.replace('acc +=', 'acc -='));
  });
  after(async () => {
    await remove(uri);
    await remove(kernel);
  });

  it('are offered for every kernel and spec, with what is to be done', async () => {
    const offered = await eventually(
      async () => await vscode.tasks.fetchTasks({ type: 'gemm' }),
      tasks => tasks.some(({ name }) => name.includes('task.cu')),
      'the kernel has tasks',
    );
    const names = offered.map(({ name }) => name).filter(name => name.includes('task.'));
    assert.deepEqual(names.sort(), [
      'benchmark task.cu',
      'benchmark task.gemm.json',
      'compile task.cu',
      'verify task.cu',
      'verify task.gemm.json',
    ]);
    const compile = offered.find(({ name }) => name === 'compile task.cu');
    assert.deepEqual(compile?.problemMatchers, ['$gemm-nvcc']);
    assert.equal(compile.group, vscode.TaskGroup.Build);
  });

  it('ends with 3 where an edited CUDA kernel has nothing to run it, or with what nvcc and the GPU say', async () => {
    const code = await exitCode({ action: 'verify', file: 'task.cu' });
    assert.ok(code === 3 || code === 1, `${code}`);
  });
});
