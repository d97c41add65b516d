/** Runs the main workflow unattended in a real VS Code and writes the results to out/demo. */
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { rateWithInterval } from '../src/core/measure/intervalText';
import { measurementSchema, type Measurement } from '../src/core/measure/measurement';
import {
  explorer,
  exportReport,
  generate,
  openExplorer,
  runInWebview,
  setField,
  shown,
} from './demo/steps';
import { projectRoot } from './install/project';
import { runCommand, screenshot, startHost, waitForActiveEditor, type Host } from './vscodeHost';

const ASKED = {
  sizes: '256 x 256 x 256',
  dtype: 'f32',
  algorithm: 'thread-tile-2d',
  language: 'CUDA and WGSL',
} as const;

interface Demo {
  readonly host: Host;
  readonly workspace: string;
  readonly out: string;
}

export async function runDemo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gemm-demo-'));
  try {
    const workspace = join(folder, 'sample');
    await cp(join(projectRoot(), 'scripts', 'sample'), workspace, { recursive: true });
    const out = join(projectRoot(), 'out', 'demo');
    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    console.log('Starting VS Code...');
    const host = await startHost({ workspace, trust: 'trusted', width: 1600, height: 1000 });
    try {
      await drive({ host, workspace, out });
    } catch (error) {
      await screenshot(host.page, join(out, 'failed.png'));
      throw error;
    } finally {
      await host.close();
    }
    printTable(out);
    console.log(`\nAll results are in ${out}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function drive({ host, workspace, out }: Demo): Promise<void> {
  const { page } = host;
  const picture = (name: string) => screenshot(page, join(out, `${name}.png`));
  console.log('Generate tiled GEMM: palette, sizes, element type, algorithm, language');
  await generate(page, ASKED);
  await picture('1-generated');

  console.log('Open the explorer next to the code');
  await openExplorer(page);
  const frame = await explorer(page);
  await picture('2-explorer');

  console.log('Change the tile: BM 128 -> 64, TM 8 -> 4');
  const before = await shown(frame);
  await setField(frame, 'schedule.block.m', 64);
  await setField(frame, 'schedule.thread.m', 4);
  await frame.getByText('constexpr int BM = 64', { exact: false }).first().waitFor();
  const after = await shown(frame);
  if (after.occupancy === before.occupancy)
    throw new Error('The tile change did not update the occupancy.');
  await picture('3-tile-changed');

  console.log("Run in the webview's WebGPU: verify, then time");
  const result = await runInWebview(frame, 'Benchmark');
  if (!result.includes('Correct')) throw new Error(`The run was not verified:\n${result}`);
  await frame.locator('#roofline').scrollIntoViewIfNeeded();
  await picture('4-measured');

  console.log('Export the report, then generate the files of the changed tile');
  await exportReport(page);
  await frame.getByRole('button', { name: 'Generate files' }).click();
  await waitForActiveEditor(page, /\.cu$/);
  await runCommand(page, 'GEMM: Show roofline');
  await picture('5-roofline');
  await collect(workspace, out);
}

const REPORT_FILES = new Set(['report.html', 'report.json', 'roofline.svg']);

async function collect(workspace: string, out: string): Promise<void> {
  const files = await readdir(workspace, { recursive: true });
  for (const file of files) {
    const name = file.split(/[\\/]/).at(-1) ?? file;
    if (/\.(cu|wgsl)$/.test(name) || REPORT_FILES.has(name)) {
      await copyFile(join(workspace, file), join(out, name));
    }
  }
}

const reportSchema = v.object({
  measurement: measurementSchema,
  analysis: v.looseObject({
    specKey: v.string(),
    occupancy: v.looseObject({ occupancy: v.number(), limiters: v.array(v.string()) }),
  }),
});

function printTable(out: string): void {
  const file = join(out, 'report.json');
  if (!existsSync(file)) throw new Error(`The explorer did not write report.json to ${out}.`);
  const { measurement, analysis } = v.parse(reportSchema, JSON.parse(readFileSync(file, 'utf8')));
  const { occupancy, limiters } = analysis.occupancy;
  const rows = [
    ['kernel', analysis.specKey],
    ['ran on', `${measurement.device.adapter} (${measurement.device.where})`],
    ['result', resultText(measurement)],
    ['rate', rateText(measurement)],
    ['occupancy', `${(occupancy * 100).toFixed(1)} % (${limiters.join(', ')})`],
  ];
  console.log('');
  for (const [name = '', text = ''] of rows) console.log(`${name.padEnd(10)} ${text}`);
}

const resultText = ({ outcome, verification }: Measurement): string =>
  `${outcome}, ${verification.samples} elements, largest error ${verification.maxError?.toExponential(2) ?? 'unknown'}`;

function rateText({ timing, message }: Measurement): string {
  if (timing === undefined)
    throw new Error(`The run has no timing: ${message ?? 'no reason given'}`);
  return `${rateWithInterval(timing)} (${timing.timer})`;
}
