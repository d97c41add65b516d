/** *Tune on a cluster* with a made-up cluster: its prompts, settings, result and cancellation. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { transientStore } from '../../../src/core/search/tune/bench';
import { parseSpace } from '../../../src/core/search/tune/spaceFile';
import { tune } from '../../../src/core/search/tune/tune';
import { resolve } from '../../../src/core/defaults/resolve';
import type { Measurement } from '../../../src/core/measure/measurement';
import type { Abilities, WantedClusterTune } from '../../../src/extension/abilities';
import { createJobQueues } from '../../../src/extension/runs/jobQueue';
import { tuneOnCluster } from '../../../src/extension/tune/cluster';
import { Tuner } from '../../../src/extension/tune/tuner';
import { workspaceFiles } from '../../../src/extension/workspace/workspaceFiles';
import { fakeBench, hashed } from '../../core/search/tune/fakeBench';
import { write } from './files';

const SPEC = '{"problem":{"m":320,"n":320,"k":320},"targets":["cuda"],"device":"h200"}';
const SPACE = '{"algorithm":["pipelined"],"stages":[2,3],"block.m":[32,64],"block.n":[32,64]}';
const FOLDER = 'clustered';
const PROGRESS = { id: 'tune-320x320x320-0123abcd', measurements: 3, pending: 1, running: 2 };

type Start = NonNullable<Abilities['tuneOnCluster']>;

async function summaryOf({ spec }: WantedClusterTune) {
  const resolved = { ...resolve({ ...spec, targets: ['cuda'] }), targets: ['cuda' as const] };
  const space = parseSpace(SPACE, { problem: resolved.problem, schedule: {} });
  assert.ok(space.ok);
  const place = { backend: 'cuda', target: 'cuda', device: 'h200', gpus: ['fake'] } as const;
  const measurements: Measurement[] = [];
  const summary = await tune(
    { spec: resolved, place, space: space.space, seeds: [], schedules: 6, notes: [] },
    fakeBench({ timeOf: ({ specKey }) => 1 + hashed(specKey) }),
    transientStore(),
    {
      abort: new AbortController().signal,
      say: () => undefined,
      onMeasurement: one => measurements.push(one),
      now: () => performance.now(),
      pause: () => new Promise(done => setImmediate(done)),
    },
  );
  return { summary, measurements };
}

describe('tune on a cluster in the editor', () => {
  const log = vscode.window.createOutputChannel('cluster test', { log: true });
  const { showInformationMessage, showWarningMessage, showErrorMessage, showInputBox } =
    vscode.window;
  const configuration = () => vscode.workspace.getConfiguration('gemm.slurm');
  const said: string[] = [];
  let answers: (string | undefined)[] = [];
  let presses: string[] = [];
  let validations: (string | undefined)[] = [];
  let uri: vscode.Uri;

  before(async () => {
    const answer = (message: string, ...items: unknown[]): Promise<unknown> => {
      said.push(message);
      const press = presses.find(one => items.includes(one));
      presses = presses.filter(one => one !== press);
      return Promise.resolve(press);
    };
    Object.assign(vscode.window, {
      showInformationMessage: answer,
      showWarningMessage: answer,
      showErrorMessage: answer,
      showInputBox: (options: vscode.InputBoxOptions) => {
        const text = answers.length === 0 ? options.value : answers.shift();
        const problem = text === undefined ? null : options.validateInput?.(text);
        validations.push(typeof problem === 'string' ? problem : undefined);
        return Promise.resolve(text);
      },
    });
    uri = await write(`${FOLDER}/problem.gemm.json`, SPEC);
  });
  beforeEach(() => {
    said.length = 0;
    [answers, presses, validations] = [[], [], []];
  });
  after(async () => {
    const original = { showInformationMessage, showWarningMessage, showErrorMessage, showInputBox };
    Object.assign(vscode.window, original);
    for (const name of ['tasks', 'partition', 'account', 'timeLimit', 'gres'])
      await configuration().update(name, undefined, vscode.ConfigurationTarget.Global);
    log.dispose();
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(uri, '..'), { recursive: true });
  });

  const tunerWith = () => {
    const kept: Measurement[] = [];
    const stages: string[] = [];
    const tuner = new Tuner({
      abilities: { files: workspaceFiles },
      toolChain: { probeCuda: () => Promise.reject(new Error('this machine is not probed')) },
      dawn: { offer: () => Promise.reject(new Error('Dawn is not needed here')) },
      queueOf: createJobQueues(),
      shown: () => undefined,
      log,
      failed: error => said.push(String(error)),
      open: () => undefined,
      post: message => {
        if (message.type === 'tune') stages.push(message.tune.stage);
      },
      keep: runs => {
        kept.push(...runs);
        return Promise.resolve();
      },
    });
    return { tuner, kept, stages };
  };

  it('submits with the given options, remembers them, and shows the winner', async () => {
    const wanted: WantedClusterTune[] = [];
    const start: Start = async (one, { progress }) => {
      wanted.push(one);
      progress({ ...PROGRESS, reason: 'Resources' });
      return { ok: true, ...(await summaryOf(one)) };
    };
    const { tuner, kept, stages } = tunerWith();
    answers = ['4', 'gpu', '', '30', 'gpu:h200:1'];
    await tuneOnCluster(uri, tuner, { start, version: '1' });
    const options = { tasks: 4, partition: 'gpu', timeLimit: '30', gres: 'gpu:h200:1' };
    assert.deepEqual(wanted[0]?.options, options);
    assert.deepEqual(stages, ['ended']);
    assert.ok(kept.length > 0 && kept.every(({ series }) => series?.kind === 'tune'));
    assert.match(said.join('\n'), /^Best /m);
    assert.equal(configuration().get('partition'), 'gpu');
    await tuneOnCluster(uri, tuner, { start, version: '1' });
    assert.deepEqual(wanted[1]?.options, options);
  });

  it('refuses values that would reach a script, and submits nothing without an answer', async () => {
    const start: Start = () => Promise.reject(new Error('nothing is submitted'));
    const { tuner } = tunerWith();
    for (const given of [['0'], ['8', 'gpu; id'], ['8', '', '$(id)'], ['8', '', '', 'soon']]) {
      validations = [];
      answers = [...given, undefined];
      await tuneOnCluster(uri, tuner, { start, version: '1' });
      assert.match(validations[given.length - 1] ?? '', /^Expected /);
    }
  });

  it('leaves the job on the cluster when its progress is cancelled, or cancels it', async () => {
    let cancelled = 0;
    const start: Start = (_, { progress }) => {
      progress({ ...PROGRESS, reason: '' });
      const cancel = (): Promise<undefined> => {
        cancelled++;
        return Promise.resolve(undefined);
      };
      return Promise.resolve({ ok: false, detached: true, cancel });
    };
    const { tuner } = tunerWith();
    await tuneOnCluster(uri, tuner, { start, version: '1' });
    assert.match(said.join('\n'), /tune-320x320x320-0123abcd continues on the cluster/);
    assert.equal(cancelled, 0);
    presses = ['Cancel job'];
    await tuneOnCluster(uri, tuner, { start, version: '1' });
    assert.equal(cancelled, 1);
    assert.match(said.join('\n'), /was cancelled/);
  });

  it("shows Slurm's message if the job is refused", async () => {
    const message = 'Slurm refused the job: Invalid partition. Fix: pass --partition.';
    const start: Start = () => Promise.resolve({ ok: false, detached: false, message });
    await tuneOnCluster(uri, tunerWith().tuner, { start, version: '1' });
    assert.deepEqual(said, [message]);
  });
});
