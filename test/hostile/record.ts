/** What a session on the corpus counted, as it is kept under bench/. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Live } from './drive/screen';
import type { Trust } from './session';

export interface Counted {
  readonly files: number;
  readonly opened: number;
  /** Files whose commands were run. */
  readonly acted: number;
  readonly hovers: number;
  readonly commands: number;
  readonly runs: number;
  readonly notifications: number;
  readonly clicks: number;
  readonly processesBeforeAnAction: number;
  readonly processes: number;
  readonly workers: number;
  readonly programs: readonly string[];
  readonly foreignPrograms: readonly string[];
  readonly writes: readonly string[];
  readonly foreignWrites: readonly string[];
  readonly commandsFromText: readonly string[];
  readonly requests: readonly string[];
  readonly live: readonly Live[];
  readonly traced: boolean;
  readonly seconds: number;
}

/** Adds a mode to the file that GEMM_RECORD names; without it nothing is kept. */
export function keep(trust: Trust, counted: Counted): void {
  const file = process.env['GEMM_RECORD'];
  if (file === undefined) return;
  let before: object = {};
  try {
    before = JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    // There is no record yet.
  }
  writeFileSync(file, `${JSON.stringify({ ...before, [trust]: counted }, undefined, 2)}\n`);
}
