/**
 * Tune* with a GPU that is made up: followed by the page, adopted into the workspace, cancelled,
 * refused.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parseAdopted } from '../../../src/core/defaults/dispatch/rowLines';
import { decodeSpec } from '../../../src/core/spec/decode';
import { transientStore } from '../../../src/core/search/tune/bench';
import { parseSpace } from '../../../src/core/search/tune/spaceFile';
import { tune } from '../../../src/core/search/tune/tune';
import type { Abilities } from '../../../src/extension/abilities';
import type { Measurement } from '../../../src/core/measure/measurement';
import { createJobQueues } from '../../../src/extension/runs/jobQueue';
import { shownOf, type Shown } from '../../../src/extension/documents/shown';
import { Tuner, type TunerParts } from '../../../src/extension/tune/tuner';
import { workspaceFiles } from '../../../src/extension/workspace/workspaceFiles';
import type { ToWebview } from '../../../src/protocol';
import { fakeBench, hashed, type FakeBenchOptions } from '../../core/search/tune/fakeBench';
import { eventually, remove, write } from './files';

type Told = Extract<ToWebview, { type: 'tune' }>['tune'];

const SPEC = '{"problem":{"m":320,"n":320,"k":320},"targets":["cuda"],"device":"h200"}';
/** The default one takes seconds to be looked at. */
const SPACE = JSON.stringify({
  algorithm: ['pipelined'],
  stages: [2, 3],
  'block.k': [8, 16],
  'block.m': [32, 64],
  'block.n': [32, 64],
  minBlocksPerSm: [null, 2],
});
const FOLDER = 'tuned';

/** As the host's, with a bench that compiles and measures nothing. */
const tuneOn =
  (options: FakeBenchOptions): NonNullable<Abilities['tune']> =>
  async ({ spec, backend }, context) => {
    const place = { backend, target: 'cuda', device: spec.device, gpus: ['fake'] } as const;
    const space = parseSpace(SPACE, { problem: spec.problem, schedule: {} });
    assert.ok(space.ok);
    const input = {
      spec,
      place,
      space: space.space,
      seeds: [spec.schedule],
      schedules: 12,
      notes: [],
    };
    const summary = await tune(input, fakeBench(options), transientStore(), {
      ...context,
      now: () => performance.now(),
      pause: () => new Promise(resolve => setImmediate(resolve)),
    });
    return { ok: true, summary };
  };

const device = { name: 'fake', adapter: 'fake', driver: 'fake', where: 'test' };

describe('tune in the editor', () => {
  const log = vscode.window.createOutputChannel('tune test', { log: true });
  const said: string[] = [];
  const failed = (error: unknown): void => {
    said.push(String(error));
  };
  /** Buttons that are pressed when they are offered. */
  let presses: string[] = [];
  const { showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
  let shown: Shown;

  before(async () => {
    const answer = (message: string, ...items: unknown[]): Promise<unknown> => {
      said.push(message);
      const picked = items.find(item => presses.includes(titleOf(item)));
      presses = presses.filter(press => picked === undefined || press !== titleOf(picked));
      return Promise.resolve(picked);
    };
    Object.assign(vscode.window, {
      showInformationMessage: answer,
      showWarningMessage: answer,
      showErrorMessage: answer,
    });
    const uri = await write(`${FOLDER}/problem.gemm.json`, SPEC);
    const read = shownOf(await vscode.workspace.openTextDocument(uri));
    assert.ok(read.ok);
    ({ shown } = read);
  });
  beforeEach(() => {
    said.length = 0;
    presses = [];
  });
  after(async () => {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage, showErrorMessage });
    log.dispose();
    await vscode.workspace.fs.delete(folderUri(), { recursive: true });
    await Promise.resolve(remove(rowsUri())).catch(() => undefined);
  });

  const root = (): vscode.Uri => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    return folder.uri;
  };
  const folderUri = (): vscode.Uri => vscode.Uri.joinPath(root(), FOLDER);
  const rowsUri = (): vscode.Uri => vscode.Uri.joinPath(root(), '.gemm', 'dispatch.jsonl');
  const textOf = async (uri: vscode.Uri): Promise<string> =>
    new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));

  const tunerOn = (tuneAbility: Abilities['tune']) => {
    const told: Told[] = [];
    const opened: Shown[] = [];
    const kept: Measurement[] = [];
    const parts: TunerParts = {
      abilities: {
        files: workspaceFiles,
        ...(tuneAbility === undefined ? {} : { tune: tuneAbility }),
      },
      toolChain: { probeCuda: () => Promise.resolve({ available: true, device }) },
      dawn: { offer: () => Promise.reject(new Error('Dawn is not needed here')) },
      queueOf: createJobQueues(),
      shown: () => shown,
      log,
      failed,
      open: found => {
        opened.push(found);
      },
      post: message => {
        if (message.type === 'tune') told.push(message.tune);
      },
      keep: runs => {
        kept.push(...runs);
        return Promise.resolve();
      },
    };
    return { tuner: new Tuner(parts), told, opened, kept };
  };
  const timeOf: FakeBenchOptions['timeOf'] = ({ specKey }) => 1 + hashed(specKey);

  it('tells the page, and adopts the winner as files beside the spec and as the default', async () => {
    const { tuner, told, opened, kept } = tunerOn(tuneOn({ timeOf }));
    presses = ['Adopt', 'Open in explorer'];
    await tuner.start(shown.specFile);
    assert.equal(told[0]?.stage, 'starting');
    assert.equal(opened[0]?.document?.toString(), shown.document?.toString(), 'it is followed');
    const end = await eventually(
      () => told.at(-1),
      last => last?.adopted === true,
      'the winner adopted',
    ).catch((error: unknown) => {
      throw new Error(said.join('\n'), { cause: error });
    });
    assert.equal(end?.stage, 'ended');
    assert.equal(end.measured, 12);
    const { winner } = end;
    assert.ok(winner !== null);
    assert.ok(
      kept.some(run => run.specKey === winner),
      'the winner is a run',
    );
    const [series] = kept.map(run => run.series);
    assert.equal(series?.kind, 'tune');
    assert.ok(kept.every(run => run.series?.id === series.id));
    const spec = vscode.Uri.joinPath(folderUri(), 'pipelined-320.gemm.json');
    const kernel = vscode.Uri.joinPath(folderUri(), 'pipelined-320.cu');
    assert.match(await textOf(spec), /"schedule"/);
    assert.ok((await textOf(kernel)).includes(`Spec key: ${winner}`));
    const rows = parseAdopted({ lines: await textOf(rowsUri()), old: undefined });
    assert.deepEqual(rows.problems, []);
    const own = rows.rows.filter(({ shape }) => shape.m === 320);
    assert.equal(own.length, 1);
    const adopted = decodeSpec(JSON.parse(await textOf(spec)));
    assert.ok(adopted.ok);
    assert.equal(own[0]?.schedule.algorithm, adopted.spec.schedule?.algorithm);
    await eventually(
      () => opened,
      found => found.length === 2,
      'the explorer with the winner',
    );
    assert.equal(opened[1]?.specFile?.toString(), spec.toString());
    assert.ok(
      said.some(text => /^Best .* [GT]FLOP\/s ± .* of .* legal schedules/.test(text)),
      said.join(),
    );
    // A page that comes up later is told the same.
    tuner.tell();
    assert.deepEqual(told.at(-1), end);
  });

  it('asks before it replaces a kernel that was edited', async () => {
    const { tuner, told } = tunerOn(tuneOn({ timeOf }));
    await tuner.startShown();
    assert.ok(told.at(-1)?.winner);
    const kernel = vscode.Uri.joinPath(folderUri(), 'pipelined-320.cu');
    const mine = `${await textOf(kernel)}// mine\n`;
    await vscode.workspace.fs.writeFile(kernel, new TextEncoder().encode(mine));
    await tuner.adopt();
    assert.equal(await textOf(kernel), mine);
    assert.ok(said.some(text => text.startsWith('Edited after it was generated')));
  });

  it('adopts nothing while the explorer shows another problem', async () => {
    const { tuner, told } = tunerOn(tuneOn({ timeOf }));
    await tuner.startShown();
    const before = told.length;
    const own = shown;
    shown = { ...own, spec: { ...own.spec, problem: { m: 64, n: 64, k: 64 } } };
    try {
      await tuner.adopt();
      assert.equal(told.length, before, 'nothing is adopted');
    } finally {
      shown = own;
    }
  });

  it('is cancelled at any time, and another one waits for nobody', async () => {
    const { tuner, told } = tunerOn(
      tuneOn({
        timeOf: (kernel, ...rest) => {
          tuner.cancel();
          return timeOf(kernel, ...rest);
        },
      }),
    );
    await tuner.startShown();
    assert.equal(told.at(-1)?.ended, 'cancelled');
    const again = tuner.startShown();
    const busy = tuner.startShown();
    await Promise.all([again, busy]);
    assert.ok(said.some(text => text.startsWith('Tuning is already running')));
  });

  it('ends where the search itself breaks, and another one begins', async () => {
    const { tuner, told } = tunerOn(() => Promise.reject(new Error('a defect.')));
    await tuner.start(shown.specFile);
    assert.equal(told.at(-1)?.stage, 'refused');
    assert.match(told.at(-1)?.words ?? '', /Tuning stopped: a defect\. Measurements are saved/);
    await tuner.start(shown.specFile);
    assert.equal(told.filter(({ stage }) => stage === 'refused').length, 2);
  });

  it('says why it cannot, where no program can be started and where no GPU answers', async () => {
    const none = tunerOn(undefined);
    await none.tuner.startShown();
    assert.equal(none.told.at(-1)?.stage, 'refused');
    assert.match(said[0] ?? '', /^Tuning is not available here\./);
    const message = 'Another tune writes the file.';
    const busy = tunerOn(() => Promise.resolve({ ok: false, outcome: 'unavailable', message }));
    await busy.tuner.startShown();
    assert.equal(busy.told.at(-1)?.words, message);
    assert.ok(said.includes(message));
  });
});

const titleOf = (item: unknown): string =>
  typeof item === 'string'
    ? item
    : typeof item === 'object' && item !== null && 'title' in item
      ? String(item.title)
      : '';
