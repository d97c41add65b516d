/**
 * Tasks as VS Code runs them: their exit code is true to the outcome, and what they started ends
 * with them.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { findNvcc } from '../../../src/host/toolchain';
import { eventually, remove, write } from './files';

const spec = {
  version: 1,
  problem: { m: 32, n: 32, k: 32 },
  schedule: { algorithm: 'naive' },
} as const;

function sourceOf(): string {
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok);
  return emit(planned.plan).source;
}

/** What a tasks.json names beside what is offered. */
const CONFIGURED = [
  { label: 'by simulate', action: 'verify', file: 'task.gemm.json', backend: 'simulate' },
  { label: 'by cpu', action: 'verify', file: 'task.cu', backend: 'cpu' },
  { label: 'elsewhere', action: 'verify', file: '../task.cu' },
  { label: 'of nothing', action: 'compile', file: 'gone.cu' },
];

const taskNamed = async (name: string): Promise<vscode.Task> => {
  const named = ({ name: found }: vscode.Task): boolean => found === name;
  const tasks = await eventually(
    async () => await vscode.tasks.fetchTasks(),
    found => found.some(named),
    `a task ${name}`,
  );
  const task = tasks.find(named);
  assert.ok(task);
  return task;
};

async function started(name: string): Promise<{
  readonly execution: vscode.TaskExecution;
  readonly ended: Promise<number | undefined>;
}> {
  const task = await taskNamed(name);
  const ended = new Promise<number | undefined>(done => {
    const subscription = vscode.tasks.onDidEndTaskProcess(event => {
      if (event.execution.task.name !== name) return;
      subscription.dispose();
      done(event.exitCode);
    });
  });
  return { execution: await vscode.tasks.executeTask(task), ended };
}

const exitCode = async (name: string): Promise<number | undefined> =>
  await (
    await started(name)
  ).ended;

const useNvcc = (path: string | undefined): Thenable<void> =>
  vscode.workspace
    .getConfiguration('gemm')
    .update('nvcc.path', path, vscode.ConfigurationTarget.Global);

describe('tasks in VS Code', function () {
  this.timeout(120_000);
  const written: vscode.Uri[] = [];
  before(async () => {
    const tasks = CONFIGURED.map(task => ({ type: 'gemm', ...task }));
    written.push(
      await write('task.gemm.json', JSON.stringify(spec)),
      await write('task.cu', sourceOf().replace('acc +=', 'acc -=')),
      await write('right.cu', sourceOf()),
      await write('.vscode/tasks.json', JSON.stringify({ version: '2.0.0', tasks })),
    );
  });
  after(async () => {
    for (const uri of written) await remove(uri);
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

  it('verify and benchmark a spec on the GPU of the page, and verify it with simulate', async () => {
    assert.equal(await exitCode('by simulate'), 0);
    assert.equal(await exitCode('verify task.gemm.json'), 0);
    assert.equal(await exitCode('benchmark task.gemm.json'), 0);
  });

  it('end with 1 where a kernel is wrong, with 2 where the file is none', async () => {
    assert.equal(await exitCode('by cpu'), 1);
    assert.equal(await exitCode('elsewhere'), 2);
    assert.equal(await exitCode('of nothing'), 2);
  });

  it('ends with 3 where nothing can time a CUDA kernel, or with what the GPU says', async () => {
    const code = await exitCode('benchmark task.cu');
    assert.ok(code === 3 || code === 1, `${code}`);
  });

  it('compiles, and puts what nvcc says in Problems (needs nvcc)', async function () {
    if (!(await findNvcc()).ok) this.skip();
    assert.equal(await exitCode('compile right.cu'), 0);
    const broken = sourceOf().replace('float acc = 0.0f;', 'float acc = 0.0f + nothing;');
    const uri = await write('broken task.cu', broken);
    assert.equal(await exitCode('compile broken task.cu'), 1);
    const problems = await eventually(
      () => vscode.languages.getDiagnostics(uri),
      found => found.length > 0,
      'no problem of the task',
    );
    const line = broken.split('\n').findIndex(text => text.includes('nothing'));
    assert.deepEqual(
      problems.map(({ range }) => range.start.line),
      [line],
    );
    await remove(uri);
  });

  it('takes a hostile nvcc and its child with it when it is cancelled', async () => {
    const folder = mkdtempSync(join(tmpdir(), "it's a fake nvcc "));
    const pids = join(folder, 'pids');
    const nvcc = join(folder, 'nvcc');
    // Neither it nor its child ends when it is asked to.
    const script = `#!/bin/bash
if [ "$1" = --version ]; then echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit 0; fi
trap '' TERM INT HUP
bash -c 'trap "" TERM INT HUP; echo $$ >"$0.new"; echo $PPID >>"$0.new"; mv "$0.new" "$0"; while :; do sleep 1; done' "\${0%/*}/pids" &
while :; do wait; done
`;
    writeFileSync(nvcc, script);
    chmodSync(nvcc, 0o755);
    try {
      await useNvcc(nvcc);
      const { execution, ended } = await started('compile right.cu');
      await eventually(
        () => existsSync(pids),
        there => there,
        'the compiler runs',
      );
      const running = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
      assert.equal(running.length, 2);
      assert.deepEqual(running.map(isAlive), [true, true]);
      execution.terminate();
      await ended;
      await eventually(
        () => running.filter(isAlive),
        alive => alive.length === 0,
        'processes stay',
      );
    } finally {
      await useNvcc(undefined);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie that nobody has waited for runs no more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
