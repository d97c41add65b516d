/** Runs each job in its own process, so that entrants do not share a GPU device. */
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as v from 'valibot';
import type { Measurement } from '../../../src/core/measure/measurement';
import { swiftShaderEnvironment } from '../../../src/host/dawn/swiftShader';
import type { DawnSwitches } from '../../../src/host/dawn/toggles';
import { runProcess } from '../../../src/host/process';
import { answerSchema, type Answer, type Job } from '../../../scripts/besideLibraries/job';

const LIMIT_MS = 300_000;
type Variables = Readonly<Record<string, string>>;

export interface Found {
  readonly device: Measurement['device'];
  readonly variables: Variables;
}

export async function ask(
  job: Job,
  variables: Variables,
  { experimental = false }: Pick<DawnSwitches, 'experimental'> = {},
): Promise<Answer> {
  const script = path.join(import.meta.dirname, 'productsOnDawn.js');
  const runtime = process.env['XDG_RUNTIME_DIR'] === undefined ? { XDG_RUNTIME_DIR: tmpdir() } : {};
  const ended = await runProcess(
    process.execPath,
    [script, ...(experimental ? ['--experimental'] : [])],
    {
      timeoutMs: LIMIT_MS,
      input: JSON.stringify(job),
      env: { ...runtime, ...variables },
    },
  );
  // Graphics drivers may also print lines to standard output.
  const line = ended.stdout.split('\n').findLast(text => text.startsWith('{"type":'));
  if (line !== undefined) return v.parse(answerSchema, JSON.parse(line));
  const how = ended.timedOut
    ? `no response within ${LIMIT_MS / 1000} s`
    : (ended.spawnError ?? ended.signal ?? `exit code ${ended.code ?? 'unknown'}`);
  return { type: 'failed', why: `${how}: ${ended.stderr.trim().slice(-1000)}` };
}

/**
 * Finds the device of the system's graphics driver, or else of a browser's SwiftShader. Throws if
 * neither responds.
 */
export async function findAdapter(
  switches: Pick<DawnSwitches, 'experimental'> = {},
): Promise<Found> {
  const software = swiftShaderEnvironment();
  let why = '';
  for (const variables of [{}, ...(software === undefined ? [] : [software])]) {
    const answer = await ask({ type: 'probe' }, variables, switches);
    if (answer.type === 'adapter') return { device: answer.device, variables };
    why =
      answer.type === 'failed' ? answer.why : 'The process returned a response of the wrong type.';
  }
  throw new Error(why);
}
