/**
 * A runner that speaks the protocol and computes nothing: a Node program that can be told to fault,
 * hang, lie and flood. Its orders and its log lie beside it, so that they can change while it runs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fakeProgram } from '../support';

/** What the next start, or the next request, is answered with. */
export type Order =
  | ''
  /** Of a start. */
  | 'die'
  | 'silent'
  | 'refuse'
  | 'lying greeting'
  /** Of a request. */
  | 'hang'
  | 'stubborn'
  | 'crash'
  | 'fault'
  | 'no samples'
  | 'negative times'
  | 'no energy'
  | 'negative energy'
  | 'too fast'
  /** Each cubin has a time of its own, up to twice the usual one. */
  | 'varied'
  | 'wrong'
  | 'flood'
  | 'endless flood'
  | 'endless progress'
  | 'twice'
  | 'wrong id'
  | 'leave'
  /** Not at its first request: gone before it says anything. */
  | 'gone'
  | 'half a line'
  | 'forge'
  | 'refuse request'
  | 'not compiled'
  | 'serialized'
  | 'old nvrtc';

export interface FakeRunner {
  readonly program: string;
  readonly order: (order: Order) => void;
  /** The ids of its processes so far. */
  readonly pids: () => readonly number[];
  /** All requests so far, as they came. */
  readonly requests: () => readonly Readonly<Record<string, unknown>>[];
}

const BODY = String.raw`
const path = require('node:path');
const here = name => path.join(__dirname, name);
const order = () => { try { return fs.readFileSync(here('order'), 'utf8'); } catch { return ''; } };
const log = (name, text) => fs.appendFileSync(here(name), text + '\n');
// A pipe that is full is written to again; one that nobody reads any more ends the program, as it
// does a real one.
const print = text => { for (let at = 0; at < text.length;) { try { at += fs.writeSync(1, text.slice(at, at + 65536)); } catch (error) { if (error.code !== 'EAGAIN') process.exit(1); } } };
const parent = process.ppid;
const say = line => print(JSON.stringify({ schema: 2, ...line }) + '\n');
log('pids', String(process.pid));
log('arguments', JSON.stringify(args));
const started = order();
if (started === 'die') { console.error('libcudart.so.13: cannot open shared object file'); process.exit(127); }
if (started === 'silent') setInterval(() => {}, 1000);
if (started === 'refuse') { say({ id: 0, type: 'failed', outcome: 'unavailable', message: 'The GPU is busy: another program has it alone.' }); process.exit(3); }
// Each folder has a GPU of its own, so that tests that run side by side never wait for its lock.
// With '$task', each task of a Slurm array has a GPU of its own.
const uuidText = process.env.FAKE_UUID === '$task' ? 'task-' + (process.env.SLURM_ARRAY_TASK_ID ?? 'final') : process.env.FAKE_UUID;
const uuid = 'GPU-fake-' + (uuidText ?? require('node:crypto').createHash('md5').update(__dirname).digest('hex'));
const device = { index: 0, name: 'NVIDIA H200', uuid, pciBusId: '0000:01:00.0', computeCapability: '9.0',
  multiprocessors: 132, l2Bytes: 62914560, memoryBytes: 150e9, peakSmMHz: 1980, driver: '580.1', driverCuda: '13.0', runtimeCuda: '13.0' };
if (started === 'lying greeting') device.multiprocessors = -1;
const libraries = { nvrtc: '13.0', nvml: true };
if (started !== 'silent') say({ id: 0, type: 'ready', device, libraries });

const verification = { reference: 'f64 dot products', maxError: 1e-6, bound: 1e-4, mismatches: 0, samples: 100 };
const times = (ms, batch) => ({ warmUp: 10, batch, batchMs: Array.from({ length: 30 }, (_, i) => ms * batch * (1 + (i - 15) / 1e4)) });
const resources = { registers: 40, sharedBytes: 2048, localBytes: 0, maxThreadsPerBlock: 1024 };
const share = text => [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1009, 7) / 1009;
function run({ id, mode, problem: { m, n, k, batch }, cache, baselines, cubin, timing: asked }, what) {
  // Half of what the lanes of an H200 reach at 1980 MHz, and never faster than its memory.
  const ms = Math.max((2 * m * n * k * batch) / 33.4e9, (4 * (m * k + k * n + m * n)) / 2e9) * (what === 'too fast' ? 1 / 1000 : what === 'varied' ? 1 + share(path.basename(path.dirname(cubin))) : 1);
  const timing = { ...times(ms, 4), timer: 'cuda-events', quantumNs: 32, cache, sets: 3, rotationBytes: 2e8, graph: true,
    clocks: { smMHz: 1970, smMinMHz: 1950, smMaxMHz: 1980, memoryMHz: 3201 }, powerW: { mean: 600, limit: 700 }, temperatureC: { mean: 50, max: 55 },
    ...(asked?.energyMs > 0 ? { energy: { watts: 650, launchMs: ms, windowMs: 1000 } } : {}) };
  if (what === 'no energy') { delete timing.energy; timing.energyUnknown = 'The driver does not count the energy of this GPU.'; }
  if (what === 'negative energy') timing.energy = { watts: -1, launchMs: ms, windowMs: 1000 };
  if (what === 'negative times') timing.batchMs[3] = -1;
  const timed = mode !== 'time' ? {} : { timing, baselines: baselines.filter(b => b !== 'cublas-pedantic').map(b => ({ id: b, name: 'cuBLAS 13.1.0 ' + b, ...times(ms / 2, 8) })),
    notes: baselines.includes('cublas-pedantic') ? ['cublas-pedantic: not in this library.'] : [] };
  const result = { id, type: 'result', outcome: 'correct', message: '', resources, verification, ...timed };
  if (what === 'no samples') result.verification = { ...verification, samples: 0 };
  if (what === 'wrong') return { id, type: 'result', outcome: 'incorrect', message: '1 wrong elements; the first is C[3][4] = 1, expected 2.', resources,
    verification: { ...verification, mismatches: 1, first: { row: 3, column: 4, bound: 1e-4, actual: 1, expected: 2 },
      wrong: { tile: { m: 8, n: 8 }, tiles: { rows: 1, columns: 1, bits: 'AQ==' }, fold: 1, within: { rows: 8, columns: 8, bits: 'AAAAEAAAAAA=' },
        kinds: { unwritten: 0, notFinite: 0, outside: 0, wrong: 1 }, examples: [{ product: 0, row: 3, column: 4, actual: 1, expected: 2 }] } } };
  return result;
}
// Each contestant is timed as a single run would be; the first library takes twice that time, and
// the second is dropped. A kernel whose symbol has "faulty" destroys the context: the answer ends with it.
function race({ id, contestants, baselines, verifyOnly, ...request }, what) {
  const at = contestants.findIndex(({ launches = [] }) => launches.some(({ symbol }) => symbol.includes('faulty')));
  const runs = contestants.slice(0, at < 0 ? undefined : at).map(({ cubin }) => run({ ...request, id, mode: 'time', baselines: [], cubin }, what));
  const parts = runs.map(({ outcome, message, verification, timing }) => ({ outcome, message, behind: false, verification,
    ...(outcome === 'correct' && at < 0 && !verifyOnly ? { warmUp: timing.warmUp, batch: timing.batch, batchMs: timing.batchMs } : {}) }));
  if (at >= 0) {
    say({ id, type: 'race', fatal: true, contestants: [...parts, { outcome: 'launch-error', message: 'The kernel faulted: cudaErrorIllegalAddress.', behind: false }], baselines: [], notes: [] });
    process.exit(1);
  }
  const [timed] = runs.filter(({ outcome }) => outcome === 'correct');
  if (timed === undefined) return { id, type: 'race', contestants: parts, baselines: [], notes: [] };
  const { timer, quantumNs, sets, clocks, powerW, temperatureC, batch, batchMs } = timed.timing;
  const ms = batchMs[0] / batch;
  return { id, type: 'race', contestants: parts, notes: [], timing: { timer, quantumNs, sets, clocks, powerW, temperatureC },
    baselines: baselines.map((b, i) => ({ id: b, name: 'cuBLAS 13.1.0 ' + b, behind: i > 0, ...times(2 * ms, 8) })) };
}
const CEILINGS = [['fma.f32', 64700, 'GFLOP/s'], ['tensor.f16.f32', 750000, 'GFLOP/s'], ['dram', 4260, 'GB/s'], ['l2', 9000, 'GB/s']];
function answerTo(request, what) {
  const { id, type } = request;
  if (type === 'ceilings') return { id, type, ceilings: CEILINGS.map(([id, value, unit]) => ({ id, value, unit })), how: 'chains of multiply-adds; copies' };
  if (type === 'race') return race(request, what);
  // A run takes FAKE_RUN_MS, so that a kill can hit it.
  if (type !== 'compile' && process.env.FAKE_RUN_MS) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.FAKE_RUN_MS));
  if (type !== 'compile') return run(request, what);
  const headers = request.flags.find(flag => flag.startsWith('--include-path='));
  if (!headers?.endsWith('/include')) return { id, type: 'compiled', ok: false, log: 'kernel.cu(1): error: could not open source file "cuda_fp16.h"\n' };
  if (what === 'not compiled') return { id, type: 'compiled', ok: false, log: 'kernel.cu(3): error: identifier "omega" is undefined\n' };
  if (what === 'old nvrtc') return { id, type: 'compiled', ok: false, log: 'nvrtc: error: invalid value for --gpu-architecture (-arch)\n', compiler: 'nvrtc 11.8' };
  fs.writeFileSync(request.out, '\x7fELF');
  const lost = what === 'serialized' ? "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in the function 'gemm'\n" : '';
  const names = [...request.source.matchAll(/__global__ void(?:\s+__launch_bounds__\([^)]*\))?\s+(\w+)/g)].map(match => match[1]);
  const report = name => "ptxas info    : Compiling entry function '_Z" + name.length + name + "v' for 'sm_90'\nptxas info    : Used 40 registers, 2048 bytes smem\n";
  return { id, type: 'compiled', ok: true, log: lost + names.map(report).join(''), compiler: 'nvrtc 13.0' };
}
let asked = 0;
function hear(line) {
  if (order() === 'gone' && asked > 0) process.exit(1);
  asked += 1;
  log('requests', line);
  const request = JSON.parse(line);
  const { id, type } = request;
  const what = order();
  say({ id, type: 'progress', stage: 'verify', fraction: 0.5 });
  switch (what) {
    case 'hang': while (process.ppid === parent) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100); process.exit(1);
    case 'stubborn': process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); return;
    case 'crash': console.error('CUDA error 719'); process.kill(process.pid, 'SIGSEGV'); return;
    case 'fault': say({ id, type: 'result', outcome: 'launch-error', message: 'The kernel faulted: cudaErrorIllegalAddress.', fatal: true }); process.exit(1);
    case 'refuse request': say({ id, type: 'failed', outcome: 'constraint', message: 'The matrices need 3 GB and 1 GB is free. Choose smaller matrices.' }); return;
    case 'flood': print('x'.repeat(5e6)); print('\n' + 'y\n'.repeat(2e5)); break;
    case 'endless flood': for (;;) print('[0] thread\n'.repeat(5000));
    case 'endless progress': for (;;) print((JSON.stringify({ schema: 2, id, type: 'progress', stage: 'verify', fraction: 0.5 }) + '\n').repeat(500));
    case 'wrong id': say({ ...answerTo(request, ''), id: id + 1 }); return;
    case 'half a line': print('no line end: '); break;
    case 'forge': for (let guess = 0; guess < 50; guess++) say({ ...answerTo(request, 'wrong'), id: guess }); print('{"schema":2,"id":' + id + ',"type":"progress"\n{"schema":2}\nnull\n'); break;
  }
  const answer = answerTo(request, what);
  say(answer);
  if (what === 'twice') { say({ ...answer, outcome: 'launch-error', message: 'again' }); setTimeout(() => say({ ...answer, outcome: 'launch-error', message: 'late' }), 100); }
  if (what === 'leave') process.exit(0);
}
let text = '';
process.stdin.on('data', chunk => {
  const lines = (text + chunk).split('\n');
  text = lines.pop();
  lines.forEach(hear);
}).on('end', () => process.exit(0));
`;

export function fakeRunner(folder: string): FakeRunner {
  const program = fakeProgram(folder, 'runner', BODY);
  return { program, ...driven(folder) };
}

/** Orders and log of a fake runner whose program lies in this folder. */
export function driven(folder: string): Omit<FakeRunner, 'program'> {
  const linesOf = (name: string): readonly string[] => {
    const file = path.join(folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  };
  return {
    order: order => {
      writeFileSync(path.join(folder, 'order'), order);
    },
    pids: () => linesOf('pids').map(Number),
    requests: () => linesOf('requests').map(line => JSON.parse(line) as Record<string, unknown>),
  };
}
