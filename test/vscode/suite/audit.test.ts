/** *Audit shapes* with a GPU that is made up: its files, a second run, predictions, bad lists. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isPlanned, planShape } from '../../../src/core/audit/planned';
import { resultOf } from '../../../src/core/audit/result';
import type { Abilities } from '../../../src/extension/abilities';
import { auditShapes } from '../../../src/extension/audit/audit';
import type { AuditParts } from '../../../src/extension/audit/register';
import { createJobQueues } from '../../../src/extension/runs/jobQueue';
import { workspaceFiles } from '../../../src/extension/workspace/workspaceFiles';
import { timed } from '../../helpers/measurements';
import { write } from './files';

const LIST =
  'm,n,k,dtype,layoutB,count\n256,256,256,bf16,col,3\n320,320,320,f32,row,1\n1,x,1,f32,row,1\n';
const AUDIT = 'gemm-audit';

/** As the host's, with a library that takes twice the time of each kernel. */
const auditOf: NonNullable<Abilities['audit']> = ({ shapes }, { onResult }) => {
  const results = shapes.map((shape, i) => {
    const planned = planShape(shape, { device: 'h200' });
    assert.ok(isPlanned(planned));
    const run = timed({ gflops: 1000 });
    const medianMs = 2 * (run.timing?.medianMs ?? NaN);
    const baselines = [{ name: 'cuBLAS', medianMs, gflops: 500, ratio: 2 }];
    const result = resultOf(planned, { ...run, baselines });
    onResult({ result, measurement: null, done: i + 1, total: shapes.length, isKept: false });
    return result;
  });
  const place = { gpus: ['fake'], driver: '1', compiler: 'nvcc', journal: 'none' };
  return Promise.resolve({ ok: true, results, ended: 'done', place, notes: [], seconds: 1 });
};

describe('audit in the editor', () => {
  const log = vscode.window.createOutputChannel('audit test', { log: true });
  const said: string[] = [];
  /** Buttons that are pressed when they are offered. */
  let presses: string[] = [];
  const { showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
  let list: vscode.Uri;

  before(async () => {
    const answer = (message: string, ...items: unknown[]): Promise<unknown> => {
      said.push(message);
      return Promise.resolve(items.find(item => presses.includes(String(item))));
    };
    Object.assign(vscode.window, {
      showInformationMessage: answer,
      showWarningMessage: answer,
      showErrorMessage: answer,
    });
    list = await write('shapes.csv', LIST);
  });
  beforeEach(() => {
    said.length = 0;
    presses = [];
  });
  after(async () => {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage, showErrorMessage });
    log.dispose();
    await vscode.workspace.fs.delete(list);
    await vscode.workspace.fs.delete(at(AUDIT), { recursive: true });
  });

  const at = (...names: string[]): vscode.Uri => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    return vscode.Uri.joinPath(folder.uri, ...names);
  };
  const textOf = async (...names: string[]): Promise<string> =>
    new TextDecoder().decode(await vscode.workspace.fs.readFile(at(...names)));

  const partsWith = (audit: Abilities['audit']): AuditParts => {
    const probe =
      audit === undefined
        ? { available: false, why: 'There is no GPU.', next: 'Insert one.' }
        : { available: true, device: { name: 'fake' } };
    return {
      log,
      abilities: { files: workspaceFiles, ...(audit === undefined ? {} : { audit }) },
      runs: { queueOf: createJobQueues() },
      toolchain: { toolChain: { probeCuda: () => Promise.resolve(probe) } },
    } as unknown as AuditParts;
  };

  it('writes page, results and specs, and replaces them at the next audit', async () => {
    for (let turn = 0; turn < 2; turn++) {
      await auditShapes(list, partsWith(auditOf));
      assert.match(said.at(-1) ?? '', /Replacing 2 shapes saves .* Lines without a shape: 1\./);
    }
    assert.match(await textOf(AUDIT, 'audit.html'), /<h1>GEMM shapes of shapes\.csv<\/h1>/);
    const lines = (await textOf(AUDIT, 'audit.jsonl')).trimEnd().split('\n');
    assert.equal(lines.length, 3);
    const specs = await vscode.workspace.fs.readDirectory(at(AUDIT, 'specs'));
    assert.equal(specs.length, 2);
  });

  it('asks before it replaces another file of this name', async () => {
    await write(`${AUDIT}/audit.html`, '<p>mine</p>');
    await auditShapes(list, partsWith(auditOf));
    assert.match(said.at(-1) ?? '', /audit\.html already exists and is not from an audit/);
    assert.equal(await textOf(AUDIT, 'audit.html'), '<p>mine</p>');
    presses = ['Replace'];
    await auditShapes(list, partsWith(auditOf));
    assert.match(await textOf(AUDIT, 'audit.html'), /<h1>/);
  });

  it('predicts without a GPU only if the user chooses it', async () => {
    await auditShapes(list, partsWith(undefined));
    assert.deepEqual(said.length, 1);
    assert.match(said[0] ?? '', /cannot be measured here\. There is no GPU\. Insert one\./);
    presses = ['Predict without measuring'];
    await auditShapes(list, partsWith(undefined));
    assert.match(said.at(-1) ?? '', /The times are predicted\. Nothing was measured\./);
    assert.match(await textOf(AUDIT, 'audit.html'), /Predicted \(ms\)/);
  });

  it('names the line of a list without a shape', async () => {
    const bad = await write('bad.csv', 'm,n,k\n1,x,1\n');
    await auditShapes(bad, partsWith(auditOf));
    assert.match(said.join(), /bad\.csv has no shape that can be measured\. line 2: /);
    await vscode.workspace.fs.delete(bad);
  });
});
