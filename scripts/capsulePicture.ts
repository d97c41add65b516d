/**
 * Writes docs/images/capsule.png: the beginning of a capsule with a recorded run of an H200.
 *
 * node out/scripts/capsulePicture.js [FILE]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { measurementSchema, type Measurement } from '../src/core/measure/measurement';
import { launch } from './page/explorerPage';

const RECORDS = path.join('bench', 'h200-course.jsonl');
const KEY = 'gemm-f16-mma-4096x4096x4096-rrr-128x128x32-w64x64-v8-s3-xor-e01099f2';
const SIZE = { width: 900, height: 900 };

const picture = path.resolve(process.argv[2] ?? path.join('docs', 'images', 'capsule.png'));
const cli = path.resolve('dist', 'cli.js');
const folder = mkdtempSync(path.join(tmpdir(), 'gemm-capsule-'));
const run = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [cli, ...args], { cwd: folder, encoding: 'utf8' });
const browser = await launch();
try {
  const measured = recorded();
  writeFileSync(path.join(folder, 'f16.gemm.json'), JSON.stringify(measured.resolved));
  writeFileSync(path.join(folder, 'runs.jsonl'), JSON.stringify(measured));
  run('share', 'f16.gemm.json', '--runs', 'runs.jsonl', '--estimate', '-o', 'f16.html');
  const file = path.join(folder, 'f16.html');
  if (readFileSync(file, 'utf8').includes('class="stale-run"'))
    throw new Error(`The kernel of ${KEY} has changed since it was recorded.`);
  const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light', offline: true });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  await page.screenshot({ path: picture });
  console.log(picture);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the recorded run of `KEY`. */
function recorded(): Measurement {
  for (const line of readFileSync(RECORDS, 'utf8').trim().split('\n')) {
    const run = v.safeParse(measurementSchema, JSON.parse(line));
    if (run.success && run.output.specKey === KEY) return run.output;
  }
  throw new Error(`${RECORDS} has no run of ${KEY}.`);
}
