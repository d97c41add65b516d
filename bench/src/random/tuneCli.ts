/** Tunes a spec with the CLI in a separate process. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import type { GemmSpec } from '../../../src/core/spec/schema';

const summarySchema = v.object({
  type: v.literal('summary'),
  ended: v.string(),
  winner: v.nullable(v.object({ specKey: v.string(), schedule: v.looseObject({}) })),
  ties: v.array(v.object({ specKey: v.string() })),
  space: v.object({ legal: v.number() }),
  measuredCount: v.number(),
  elapsedMs: v.number(),
  notes: v.array(v.string()),
});
export type Tuned = v.InferOutput<typeof summarySchema>;

export interface TuneRequest {
  readonly cli: string;
  /** Existing folder for the spec, the journal and the output. */
  readonly folder: string;
  readonly gpu: number;
  readonly isExhaustive: boolean;
  /** Time limit in seconds; if undefined, the search has no time limit. */
  readonly seconds: number | undefined;
  readonly signal: AbortSignal;
}

/** Returns the summary of the search, or an error message. */
export async function tuneByCli(spec: GemmSpec, request: TuneRequest): Promise<Tuned | string> {
  const { cli, folder, gpu, isExhaustive, seconds, signal } = request;
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('tuned.gemm.json'), JSON.stringify(spec));
  const args = [
    'tune',
    at('tuned.gemm.json'),
    '--backend',
    'cuda',
    '--gpus',
    String(gpu),
    '--fresh',
    '--journal',
    at('journal.jsonl'),
    '--json',
    ...(isExhaustive ? ['--exhaustive'] : []),
    ...(seconds === undefined ? [] : ['--time', String(seconds)]),
  ];
  const files = [openSync(at('stdout'), 'w'), openSync(at('stderr'), 'w')] as const;
  const code = await new Promise<string>(ended => {
    const child = spawn(process.execPath, [cli, ...args], {
      stdio: ['ignore', ...files],
      signal,
      killSignal: 'SIGTERM',
    });
    child.once('error', ({ message }) => {
      ended(message);
    });
    child.once('close', (exit, killed) => {
      ended(`exit code ${exit ?? killed ?? 'unknown'}`);
    });
  });
  for (const file of files) closeSync(file);
  const last = readFileSync(at('stdout'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
  if (last.startsWith('{"type":"summary"')) return v.parse(summarySchema, JSON.parse(last));
  return `tune: ${code}: ${readFileSync(at('stderr'), 'utf8').trim().slice(-1000)}`;
}
