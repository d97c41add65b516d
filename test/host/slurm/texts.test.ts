/** Scripts, options and outputs of Slurm, as text. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { groupOf, largestGroup, modelsOf } from '../../../src/host/slurm/groups';
import { attemptName, attemptOf } from '../../../src/host/slurm/journals';
import {
  sbatchOptions,
  SLURM_RULES,
  slurmProblem,
} from '../../../src/core/search/tune/slurmOptions';
import { countIndices, parseSacct, parseSbatch, parseSqueue } from '../../../src/host/slurm/queue';
import { scriptText, shellQuoted } from '../../../src/host/slurm/script';
import { attemptIn } from '../../../src/host/slurm/task';
import { runs } from '../../helpers/depth';

const program = { node: '/opt/node 22/bin/node', script: "/home/o'brien/dist/slurmTask.cjs" };
const options = { tasks: 8, partition: 'gpu', gres: 'gpu:h100:1', timeLimit: '1:30:00', cpus: '4' };
const id = 'tune-4096x4096x4096-0123abcd';

describe('the script of a Slurm job', () => {
  it('is a readable array job', () => {
    assert.equal(
      scriptText({ kind: 'tune', id, wave: 1, options, program }),
      `#!/bin/bash
# GEMM Explorer, tune-4096x4096x4096-0123abcd: wave 1 of 8 tasks.
# Each task verifies and times its share of the schedules, and appends to its own journal.
# To submit it again: cd to the folder of this file, and run sbatch wave-1.sh.
#SBATCH --job-name=gemm-tune
#SBATCH --array=0-7
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=logs/wave-1-%a.log
#SBATCH --partition=gpu
#SBATCH --gres=gpu:h100:1
#SBATCH --time=1:30:00
#SBATCH --cpus-per-task=4

set -eu
exec '/opt/node 22/bin/node' '/home/o'\\''brien/dist/slurmTask.cjs' --wave 1 --tasks 8
`,
    );
  });

  it('is a single task at the end, and runs Electron as Node', () => {
    assert.equal(
      scriptText({
        kind: 'audit',
        id: 'audit-0123abcd',
        wave: 'final',
        options: { tasks: 2, gres: 'none' },
        program: { ...program, isElectron: true },
      }),
      `#!/bin/bash
# GEMM Explorer, audit-0123abcd: the final task.
# Merges the journals, and measures missing shapes.
# To submit it again: cd to the folder of this file, and run sbatch final.sh.
#SBATCH --job-name=gemm-audit
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=logs/final.log

set -eu
export ELECTRON_RUN_AS_NODE=1
exec '/opt/node 22/bin/node' '/home/o'\\''brien/dist/slurmTask.cjs' --wave final --tasks 2
`,
    );
  });

  it('passes any path to the shell as one word (needs sh)', function () {
    if (process.platform === 'win32') return this.skip();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gemm-quoted-'));
    const text = fc.string({ unit: 'binary' }).filter(one => !/[\0\ud800-\udfff]/.test(one));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), words => {
        const script = `printf '%s\\0' ${words.map(shellQuoted).join(' ')}`;
        const ran = spawnSync('sh', ['-c', script], { cwd: folder });
        assert.equal(ran.stdout.toString(), words.map(word => `${word}\0`).join(''));
      }),
      runs(200, 30),
    );
    rmSync(folder, { recursive: true });
  });
});

describe('options of a Slurm job', () => {
  it('are words that neither sbatch nor a shell splits, whatever a user types', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(SLURM_RULES) as (keyof typeof SLURM_RULES)[])),
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w:,;|&$ '"\n-]{1,12}$/)),
        (name, value) => {
          if (slurmProblem(name, value) !== undefined) {
            assert.throws(() => sbatchOptions({ tasks: 1, [name]: value }));
            return;
          }
          for (const option of sbatchOptions({ tasks: 1, [name]: value })) {
            assert.match(option, /^--[a-z-]+=[\w.@+&|*,[\]():=/-]+$/);
            assert.doesNotMatch(option, /[\s'"\\`$;#]/);
          }
        },
      ),
      runs(5000, 500),
    );
  });

  it('accept the forms of Slurm on both sides of each limit', () => {
    for (const [name, good, bad] of [
      ['timeLimit', ['30', '1:30', '1:30:00', '2-12', '2-12:30:00'], ['', '1h', '1:2:3:4', '-1']],
      ['gres', ['gpu:1', 'gpu:h100:2', 'none', 'gpu:a100_3g.20gb:1'], ['', 'gpu 1', '1gpu']],
      ['memory', ['16G', '4096'], ['16GB', 'x']],
      ['cpus', ['1', '64'], ['0', '01', '1.5']],
      ['partition', ['gpu', 'gpu,short', 'a-b_c.d'], ['-gpu', 'gpu,', 'gpu;id', 'g'.repeat(201)]],
      ['constraint', ['h100', 'a&b|c', '[r1|r2]*2'], ['a b', '&a', 'a$b']],
    ] as const) {
      for (const value of good) assert.equal(slurmProblem(name, value), undefined, value);
      for (const value of bad) assert.notEqual(slurmProblem(name, value), undefined, value);
    }
  });
});

describe('outputs of Slurm', () => {
  it('are read from squeue, also with array lists, unknown states and odd lines', () => {
    const text = [
      '12_0|RUNNING|None',
      '12_[1,3-5%2]|PENDING|Resources',
      '13|PENDING|Dependency',
      '14_2|completed|None\r',
      '15+0|SUSPENDED|None',
      '16_1|NEW_STATE|(a|b)',
      'slurm_load_jobs: warning',
      '',
      '|RUNNING|',
    ].join('\n');
    assert.deepEqual(
      parseSqueue(text).map(({ job, task, count, state, reason }) => [
        job,
        task,
        count,
        state,
        reason,
      ]),
      [
        ['12', 0, 1, 'running', 'None'],
        ['12', null, 4, 'pending', 'Resources'],
        ['13', null, 1, 'pending', 'Dependency'],
        ['14', 2, 1, 'ended', 'None'],
        ['15', null, 1, 'running', 'None'],
        ['16', 1, 1, 'running', '(a|b)'],
      ],
    );
    assert.equal(countIndices('0-7%4'), 8);
  });

  it('are read from sacct and sbatch, also behind a wrapper', () => {
    assert.deepEqual(parseSacct('12_0|CANCELLED by 1000|0:15|node1\n12_1|NODE_FAIL|1:0|\nx'), [
      { id: '12_0', state: 'CANCELLED by 1000', exitCode: '0:15', nodes: 'node1' },
      { id: '12_1', state: 'NODE_FAIL', exitCode: '1:0', nodes: '' },
    ]);
    assert.equal(parseSbatch('12\n'), '12');
    assert.equal(parseSbatch('12;cluster\n'), '12');
    assert.equal(parseSbatch('Your budget is 3 h.\nSubmitted batch job 12\n'), '12');
    assert.equal(parseSbatch('sbatch: error\n'), undefined);
  });

  it('never throw, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        for (const one of parseSqueue(text)) assert.match(one.job, /^\d+$/);
        parseSacct(text);
        parseSbatch(text);
      }),
      runs(1000),
    );
  });
});

describe('files of tasks', () => {
  it('are named by wave, task, job and restart, and nothing else is read', () => {
    const attempt = { wave: 'final', task: 0, job: '12', restart: 3 } as const;
    assert.deepEqual(attemptOf(attemptName(attempt)), attempt);
    assert.deepEqual(attemptOf('2-7-12.0'), { wave: 2, task: 7, job: '12', restart: 0 });
    for (const name of ['', '.1-0-12.0.tmp', '1-0-12', '../1-0-12.0', '1-0-../../x.0'])
      assert.equal(attemptOf(name), undefined);
  });

  it('belong to the attempt that Slurm names', () => {
    const task = { SLURM_JOB_ID: '15', SLURM_ARRAY_JOB_ID: '12', SLURM_ARRAY_TASK_ID: '3' };
    assert.deepEqual(attemptIn(1, { ...task, SLURM_RESTART_COUNT: '2' }), {
      wave: 1,
      task: 3,
      job: '12',
      restart: 2,
    });
    assert.deepEqual(attemptIn('final', { SLURM_JOB_ID: '15' }), {
      wave: 'final',
      task: 0,
      job: '15',
      restart: 0,
    });
    for (const environment of [{}, { ...task, SLURM_ARRAY_TASK_ID: '../1' }, { SLURM_JOB_ID: '1' }])
      assert.equal(typeof attemptIn(1, environment), 'string');
  });
});

describe('GPUs of a Slurm job', () => {
  const record = (id: string, name: string) => ({
    attempt: { wave: 1, task: 0, job: '1', restart: 0 },
    record: { host: 'n', device: { name, id, driver: '1', compiler: 'c' } },
  });
  const models = modelsOf([record('a', 'H100'), record('b', 'H100'), record('c', 'A100')]);
  const line = (gpu: string, driver = '1') => ({ gpu, driver, compiler: 'c' });

  it('are compared only with GPUs of the same model, driver and compiler', () => {
    assert.equal(groupOf(models, line('a')), groupOf(models, line('b')));
    assert.notEqual(groupOf(models, line('a')), groupOf(models, line('c')));
    assert.notEqual(groupOf(models, line('a')), groupOf(models, line('a', '2')));
    assert.notEqual(groupOf(models, line('x')), groupOf(models, line('y')));
  });

  it('have a largest group that does not depend on the order of the lines', () => {
    const lines = [line('a'), line('c'), line('b'), line('c')];
    const group = largestGroup(models, lines);
    assert.equal(largestGroup(models, lines.toReversed()), group);
    assert.equal(largestGroup(models, [...lines, line('a')]), groupOf(models, line('a')));
    assert.equal(largestGroup(models, []), undefined);
  });
});
