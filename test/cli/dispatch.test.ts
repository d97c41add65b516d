/** `dispatch`, and what a workspace's own rows change for every command that reads a spec. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rowsText } from '../../src/core/defaults/dispatch/row';
import { rowLine } from '../../src/core/defaults/dispatch/rowLines';
import { row, SMALL } from '../core/defaults/dispatch/tables';
import { cli, inFolder, jsonOf } from './cli';

interface From {
  readonly from: string;
  readonly text: string;
  readonly dispatch?: { readonly how: string; readonly origin: string };
}

const bare = (over: object = {}): string =>
  JSON.stringify({ problem: { m: 4096, n: 4096, k: 4096 }, targets: ['cuda'], ...over });

const write = (folder: string, text: string): string => {
  mkdirSync(path.join(folder, '.gemm'), { recursive: true });
  const file = path.join(folder, '.gemm', 'dispatch.json');
  writeFileSync(file, text);
  return file;
};

describe('dispatch', () => {
  it('prints the schedule, other measured ones, and their origins', async () => {
    const ran = await cli(['dispatch', '-', '--json'], bare());
    assert.equal(ran.code, 0, ran.stderr);
    const { scheduleFrom, candidates, rows } = jsonOf(ran) as {
      readonly scheduleFrom: From;
      readonly rows: string | null;
      readonly candidates: readonly {
        readonly how: string;
        readonly legal: boolean;
        readonly gflops: { readonly value: number; readonly from: string };
        readonly specKey: string;
      }[];
    };
    assert.equal(scheduleFrom.dispatch?.how, 'measured');
    assert.equal(rows, null);
    const [first] = candidates;
    assert.ok(first?.legal === true && first.gflops.value > 10_000);
    assert.ok(
      candidates.every(({ how, gflops }) => (how === 'model') === (gflops.from === 'derived')),
    );
    const said = await cli(['dispatch', '-'], bare());
    assert.match(said.stdout, /^Measured on NVIDIA H200 at 4096x4096x4096 rrr: /);
    assert.ok(said.stdout.includes(first.specKey));
  });

  it('reports an explicit schedule, and the default without measurements', async () => {
    const own = await cli(['dispatch', '-'], bare({ schedule: { algorithm: 'naive' } }));
    assert.match(own.stdout, /The spec has a schedule, which is used instead\./);
    const other = await cli(['dispatch', '-', '--device', 'rtx-4090', '--json'], bare());
    const { scheduleFrom, candidates } = jsonOf(other) as {
      readonly scheduleFrom: From;
      readonly candidates: readonly unknown[];
    };
    assert.deepEqual([scheduleFrom.from, candidates], ['default', []]);
  });
});

describe('--adapter', () => {
  const open = JSON.stringify({ problem: { m: 1024, n: 1024, k: 1024 } });

  it('applies the default of an adapter family in check, dispatch, analyze and generate, for WGSL only', () =>
    inFolder(async folder => {
      const file = path.join(folder, 'a.gemm.json');
      writeFileSync(file, open);
      const json = async (...args: string[]) =>
        jsonOf(await cli([...args, '--adapter', 'apple', '--json'])) as {
          readonly scheduleFrom: From;
          readonly specKey: string;
          readonly kernels: readonly { readonly target: string; readonly specKey: string }[];
        };
      const checked = await json('check', file);
      assert.equal(checked.scheduleFrom.from, 'published');
      assert.match(checked.specKey, /32x64x16-4x8/);
      for (const command of ['dispatch', 'analyze']) {
        const said = await json(command, file);
        assert.deepEqual(
          [said.scheduleFrom, said.specKey],
          [checked.scheduleFrom, checked.specKey],
        );
      }
      const { kernels } = await json('generate', file, '--out', path.join(folder, 'out'));
      assert.deepEqual(
        kernels.map(({ target, specKey }) => [target, specKey]),
        [['wgsl', checked.specKey]],
      );
    }));

  it('is rejected if there is no schedule to select', async () => {
    const refused = async (text: string, ...args: string[]): Promise<string> => {
      const ran = await cli(['check', '-', '--adapter', 'amd', ...args], text);
      assert.equal(ran.code, 2);
      return ran.stderr;
    };
    assert.match(
      await refused(open, '--target', 'cuda'),
      /selects a WGSL schedule, but the targets/,
    );
    const scheduled = JSON.stringify({ ...(JSON.parse(open) as object), schedule: {} });
    assert.match(await refused(scheduled), /has a schedule\. Fix: omit --adapter/);
  });
});

describe("a workspace's own rows", () => {
  const adopted = row(4096, 60_000, { schedule: SMALL });

  it('provide the schedules of specs below their folder in every command', () =>
    inFolder(async folder => {
      write(folder, rowsText([adopted]));
      const below = path.join(folder, 'specs');
      mkdirSync(below);
      const file = path.join(below, 'a.gemm.json');
      writeFileSync(file, bare());
      const checked = jsonOf(await cli(['check', file, '--json'])) as {
        readonly scheduleFrom: From;
        readonly specKey: string;
      };
      assert.equal(checked.scheduleFrom.dispatch?.origin, 'adopted');
      assert.match(checked.specKey, /64x64x8-4x4/);
      const analysed = jsonOf(await cli(['analyze', file, '--estimate', '--json'])) as {
        readonly scheduleFrom: From;
        readonly specKey: string;
      };
      assert.deepEqual(analysed.scheduleFrom, checked.scheduleFrom);
      assert.equal(analysed.specKey, checked.specKey);
      const out = path.join(folder, 'out');
      const { kernels } = jsonOf(await cli(['generate', file, '--out', out, '--json'])) as {
        readonly kernels: readonly { readonly specKey: string }[];
      };
      assert.deepEqual(
        kernels.map(({ specKey }) => specKey),
        [checked.specKey],
      );
      const said = await cli(['dispatch', file]);
      assert.match(said.stdout, /Adopted in this workspace\.\nDispatch rows of this workspace: /);
      // A spec elsewhere, and one with a schedule, know nothing of them.
      const elsewhere = jsonOf(await cli(['check', '-', '--json'], bare())) as { specKey: string };
      assert.notEqual(elsewhere.specKey, checked.specKey);
    }));

  it('are reported with their path if invalid, only for specs that need them', () =>
    inFolder(async folder => {
      write(folder, rowsText([adopted, { ...adopted, gflops: -1 }]));
      const file = path.join(folder, 'a.gemm.json');
      writeFileSync(file, bare());
      const ran = await cli(['check', file]);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /dispatch rows in .*dispatch\.json are invalid:/);
      assert.match(ran.stderr, /rows\.1\.gflops/);
      writeFileSync(file, bare({ schedule: { algorithm: 'naive' } }));
      assert.equal((await cli(['check', file])).code, 0);
    }));

  it('in lines are used around damaged lines, which are named', () =>
    inFolder(async folder => {
      write(folder, rowsText([]));
      const lines = path.join(folder, '.gemm', 'dispatch.jsonl');
      const text = ['<<<<<<< HEAD', rowLine({ revision: 1, row: adopted }), '=======', ''];
      writeFileSync(lines, text.join('\n'));
      const file = path.join(folder, 'a.gemm.json');
      writeFileSync(file, bare());
      const ran = await cli(['check', file, '--json']);
      assert.equal(ran.code, 0, ran.stderr);
      assert.equal(
        (jsonOf(ran) as { scheduleFrom: From }).scheduleFrom.dispatch?.origin,
        'adopted',
      );
      assert.match(ran.stderr, /dispatch\.jsonl:1 is not used: Git conflict marker\./);
      assert.match(ran.stderr, /dispatch\.jsonl:3 is not used/);
    }));
});
