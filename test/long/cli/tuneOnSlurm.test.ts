/** `tune --slurm` with tasks on several GPUs, without a final result, and without `squeue`. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cli } from '../../cli/cli';
import { jobFolder, onFake, outcomeOf, SLURM, SPEC, summaryOf, TUNE } from '../../cli/onSlurm';

describe('tune --slurm on several nodes (needs a C compiler on Linux)', function () {
  this.timeout(240_000);

  it(
    'races the finalists on one GPU if the tasks ran on others',
    onFake(async ({ folder, env }) => {
      const args = [...TUNE, ...SLURM];
      const options = { cwd: folder, env: { ...env, FAKE_UUID: '$task' } };
      const ran = await cli(args, SPEC, options);
      assert.equal(ran.code, 0, ran.stderr);
      const summary = summaryOf(ran);
      const local = summaryOf(
        await cli([...TUNE, '--journal', 'local.jsonl'], SPEC, { cwd: folder, env }),
      );
      assert.equal(summary.winner?.specKey, local.winner?.specKey);
      assert.match(summary.notes.join('\n'), /Quick rounds ran on 4 GPUs that differ by 0 %/);
      const journals = path.join(jobFolder(folder), 'journals');
      const full = readdirSync(journals).flatMap(name =>
        readFileSync(path.join(journals, name), 'utf8')
          .split('\n')
          .filter(line => line.includes('"effort":"full"'))
          .map(line => (JSON.parse(line) as { readonly gpu: string }).gpu),
      );
      assert.deepEqual([...new Set(full)], ['GPU-fake-task-final']);
      const records = path.join(jobFolder(folder), 'tasks');
      const devices = readdirSync(records).map(
        name =>
          (JSON.parse(readFileSync(path.join(records, name), 'utf8')) as { device: { id: string } })
            .device.id,
      );
      assert.equal(new Set(devices).size, 4);
    }),
  );

  it(
    'never compares measurements of another GPU model, and repeats those that it needs',
    onFake(async ({ folder, env }) => {
      const mixed = { ...env, FAKE_UUID: '$task', FAKE_MODEL: 'NVIDIA L40S' };
      const ran = await cli([...TUNE, ...SLURM], SPEC, { cwd: folder, env: mixed });
      assert.equal(ran.code, 0, ran.stderr);
      const summary = summaryOf(ran);
      const local = summaryOf(
        await cli([...TUNE, '--journal', 'l.jsonl'], SPEC, { cwd: folder, env }),
      );
      assert.equal(summary.winner?.specKey, local.winner?.specKey);
      assert.match(summary.notes.join(), /[1-9]\d* measurements of another GPU model/);
      assert.ok([...summary.ties, ...summary.others].every(({ gpu }) => gpu === 'NVIDIA H200'));
    }),
  );

  it(
    'explains a job that ends without a result, and continues it',
    onFake(async ({ folder, slurm, tune, run }) => {
      slurm.order('lost final');
      const ran = await tune(...SLURM);
      assert.equal(ran.code, 3);
      assert.match(ran.stderr, /the final task has no result.*sacct/s);
      assert.match(ran.stderr, /--resume tune-512x512x512-/);
      slurm.order('');
      const id = path.basename(jobFolder(folder));
      const resumed = await run('tune', '--resume', id, '--json');
      assert.equal(resumed.code, 0, resumed.stderr);
      const local = summaryOf(await tune('--journal', 'local.jsonl'));
      assert.deepEqual(outcomeOf(summaryOf(resumed)), outcomeOf(local));
    }),
  );

  it(
    'follows the result although squeue fails',
    onFake(async ({ slurm, tune }) => {
      slurm.order('failing squeue');
      const ran = await tune(...SLURM);
      assert.equal(ran.code, 0, ran.stderr);
      assert.match(ran.stderr, /squeue does not report the tasks: .*Unable to contact/);
    }),
  );
});
