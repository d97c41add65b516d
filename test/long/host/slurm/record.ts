/** Raw records of the tests on a real Slurm, in bench/. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = process.env['GEMM_SLURM_RECORD'];

/** Adds a result to the record, if the variable GEMM_SLURM_RECORD names its file. */
export function record(name: string, result: object): void {
  if (FILE === undefined) return;
  const before = existsSync(FILE)
    ? (JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, unknown>>)
    : {};
  const command =
    'GEMM_SLURM_RECORD=bench/slurm.json node node_modules/mocha/bin/mocha.js --require out/test/setup.js "out/test/long/host/slurm/*.test.js"';
  writeFileSync(FILE, `${JSON.stringify({ ...before, command, [name]: result }, null, 2)}\n`);
}
