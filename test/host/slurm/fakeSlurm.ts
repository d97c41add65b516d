/**
 * A Slurm without daemons: its sbatch starts the tasks of a script as processes of this machine,
 * one job after the other. Orders change what its programs answer.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fakeProgram } from '../support';

export type SlurmOrder =
  | ''
  | 'refuse account'
  | 'refuse partition'
  | 'refuse second'
  | 'refuse limit'
  | 'silent squeue'
  | 'failing squeue'
  | 'hold'
  | 'lost final';

export interface FakeSlurm {
  readonly order: (order: SlurmOrder) => void;
  /** Arguments of each call, as `sbatch --parsable wave-1.sh`. */
  readonly calls: () => readonly string[];
  /** Ids of jobs that scancel cancelled. */
  readonly cancelled: () => readonly string[];
}

const COMMON = String.raw`
const path = require('node:path');
const here = (...names) => path.join(__dirname, 'slurm-state', ...names);
fs.mkdirSync(here('jobs'), { recursive: true });
const order = () => { try { return fs.readFileSync(here('order'), 'utf8'); } catch { return ''; } };
fs.appendFileSync(here('calls'), JSON.stringify([path.basename(process.argv[1]), ...args].join(' ')) + '\n');
const read = id => JSON.parse(fs.readFileSync(here('jobs', id), 'utf8'));
const fail = text => { console.error(text); process.exit(1); };
`;

const SBATCH = String.raw`${COMMON}
const what = order();
const ids = fs.readdirSync(here('jobs')).filter(name => /^\d+$/.test(name));
if (what === 'refuse account') fail('sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified');
if (what === 'refuse partition') fail('sbatch: error: invalid partition specified: nowhere\nsbatch: error: Batch job submission failed: Invalid partition name specified');
if (what === 'refuse limit' || (what === 'refuse second' && ids.length > 0)) fail('sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user\'s size and/or time limits)');
const script = fs.readFileSync(args.at(-1), 'utf8');
const id = String(1000 + ids.length);
const after = args.map(one => /^--dependency=afterany:(\d+)$/.exec(one)?.[1]).find(Boolean) ?? null;
const [, last] = /^#SBATCH --array=0-(\d+)$/m.exec(script) ?? [];
fs.writeFileSync(here('jobs', id), JSON.stringify({ id, after, tasks: last === undefined ? null : Number(last) + 1, script: path.resolve(args.at(-1)), cwd: process.cwd() }));
require('node:child_process').spawn(process.execPath, [path.join(__dirname, 'slurm-job'), id], { detached: true, stdio: 'ignore' }).unref();
console.log(id);`;

const JOB = String.raw`${COMMON}
const [id] = args;
const { after, tasks, script, cwd } = read(id);
const { spawn } = require('node:child_process');
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
const is = name => fs.existsSync(here('jobs', name));
async function main() {
  fs.writeFileSync(here('jobs', id + '.pid'), String(process.pid));
  while ((after !== null && !is(after + '.done')) || order() === 'hold') { if (is(id + '.cancelled') || !is(id)) return; await sleep(20); }
  const final = tasks === null;
  if (final && order() === 'lost final') return;
  fs.writeFileSync(here('jobs', id + '.running'), '');
  const waiting = final ? [null] : Array.from({ length: tasks }, (_, task) => task);
  const work = async () => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const env = { ...process.env, SLURM_JOB_ID: id, ...(task === null ? {} : { SLURM_ARRAY_JOB_ID: id, SLURM_ARRAY_TASK_ID: String(task) }) };
      const out = fs.openSync(path.join(cwd, 'logs', id + '-' + task + '.log'), 'a');
      await new Promise(resolve => spawn('bash', [script], { cwd, env, stdio: ['ignore', out, out] }).on('close', resolve));
    }
  };
  await Promise.all([work(), work()]);
}
// A test may have removed the folder.
main().finally(() => { if (is(id)) fs.writeFileSync(here('jobs', id + '.done'), ''); });`;

const SQUEUE = String.raw`${COMMON}
if (order() === 'silent squeue') { setInterval(() => {}, 1000); return; }
if (order() === 'failing squeue') fail('slurm_load_jobs error: Unable to contact slurm controller (connect failure)');
const jobs = args.find(one => one.startsWith('--jobs=')).slice(7).split(',');
const is = name => fs.existsSync(here('jobs', name));
for (const id of jobs) {
  if (!is(id) || is(id + '.done') || is(id + '.cancelled')) continue;
  const { tasks } = read(id);
  const state = is(id + '.running') ? 'RUNNING|None' : read(id).after === null ? 'PENDING|Resources' : 'PENDING|Dependency';
  for (let task = 0; task < (tasks ?? 1); task++) console.log(id + (tasks === null ? '' : '_' + task) + '|' + state);
}`;

const SCANCEL = String.raw`${COMMON}
for (const id of args) {
  fs.writeFileSync(here('jobs', id + '.cancelled'), '');
  try { process.kill(-Number(fs.readFileSync(here('jobs', id + '.pid'), 'utf8')), 'SIGTERM'); } catch {}
}`;

export function fakeSlurm(folder: string): FakeSlurm {
  for (const [name, body] of [
    ['sbatch', SBATCH],
    ['squeue', `(() => {${SQUEUE}})();`],
    ['scancel', SCANCEL],
    ['slurm-job', JOB],
  ] as const)
    fakeProgram(folder, name, body);
  const state = (...names: string[]): string => path.join(folder, 'slurm-state', ...names);
  mkdirSync(state('jobs'), { recursive: true });
  return {
    order: order => {
      writeFileSync(state('order'), order);
    },
    calls: () =>
      existsSync(state('calls'))
        ? readFileSync(state('calls'), 'utf8')
            .split('\n')
            .filter(Boolean)
            .map(line => JSON.parse(line) as string)
        : [],
    cancelled: () =>
      readdirSync(state('jobs')).flatMap(name =>
        name.endsWith('.cancelled') ? [name.slice(0, -'.cancelled'.length)] : [],
      ),
  };
}
