/** Nsight Compute run on a kernel: fakes that refuse, hang, flood, lie and write half a report. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { emit } from '../../src/core/kernel/emit';
import type { Kernel } from '../../src/core/kernel/kernel';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import { readNcu } from '../../src/core/profile/ncu/report';
import { profile, type ProfileOptions } from '../../src/host/ncu';
import { page } from '../core/profile/ncu/page';
import { fakeProgram, hostileFolder, STUBBORN, survivors } from './support';

const NVCC = `if (args.includes('--version')) console.log('Cuda compilation tools, release 13.0, V13.0.88');
else { const out = args[args.indexOf('-o') + 1]; fs.writeFileSync(out, '\\x7fELF program'); fs.chmodSync(out, 0o755); }`;
const SMI = `console.log('NVIDIA H200, 575.57.08, 9.0, 143771');`;
/** `source`: what it says of the report that it kept. */
const WRITES = (text: string, source = ''): string =>
  `if (args[0] === '--import') { fs.readFileSync(args[1]); process.stdout.write(${JSON.stringify(source)}); process.exit(${source === '' ? 1 : 0}); }
fs.writeFileSync(args[args.indexOf('--log-file') + 1], ${JSON.stringify(text)});
fs.writeFileSync(args[args.indexOf('--export') + 1] + '.ncu-rep', 'NVR');`;
const SOURCE =
  '"Kernel Name","gemm_naive",\n"Address","Source","Instructions Executed"\n"0x10","EXIT","16"\n';

function kernel(): Kernel {
  const problem = { m: 64, n: 64, k: 64 };
  const planned = plan(resolve({ version: 1, problem, schedule: { algorithm: 'naive' } }), 'cuda');
  assert.ok(planned.ok);
  return emit(planned.plan);
}

describe('Profiling with Nsight Compute', () => {
  let folder: string;
  let remove: () => void;
  beforeEach(function () {
    if (process.platform === 'win32') this.skip();
    ({ path: folder, remove } = hostileFolder());
    fakeProgram(folder, 'nvcc', NVCC);
    fakeProgram(folder, 'nvidia-smi', SMI);
  });
  afterEach(() => {
    remove();
  });
  const profiled = (body: string | undefined, more: Partial<ProfileOptions> = {}) => {
    if (body !== undefined) fakeProgram(folder, 'ncu', body);
    const search = { environment: { ...process.env, PATH: folder, CUDA_PATH: '', CUDA_HOME: '' } };
    const cacheFolder = path.join(folder, 'cache');
    return profile(kernel(), { search, cacheFolder, timeoutMs: 20_000, ...more });
  };
  const whyNot = async (body: string | undefined, more: Partial<ProfileOptions> = {}) => {
    const made = await profiled(body, more);
    assert.ok(!made.ok, JSON.stringify(made));
    return made;
  };

  it('asks for one launch of the kernel and reads the report', async () => {
    const notes =
      `if (args[0] !== '--import') fs.writeFileSync(${JSON.stringify('ARGS')}, JSON.stringify(args));`.replace(
        '"ARGS"',
        `__dirname + '/args'`,
      );
    const stages: string[] = [];
    const made = await profiled(`${notes}\n${WRITES(page({ a__x: ['', '1'] }), SOURCE)}`, {
      onProgress: stage => stages.push(stage),
    });
    assert.ok(made.ok, JSON.stringify(made));
    assert.equal(made.report.kernels[0]?.metrics.get('a__x')?.value, 1);
    assert.equal(made.report.sources[0]?.instructions[0]?.executed, 16);
    assert.deepEqual(
      [made.report.limits, readNcu(made.csv)],
      [[], { ok: true, report: made.report }],
    );
    assert.deepEqual(stages, ['compile', 'profile', 'source']);
    const args = JSON.parse(readFileSync(path.join(folder, 'args'), 'utf8')) as string[];
    for (const wanted of [
      '--csv',
      'raw',
      'base',
      '--launch-count',
      '--clock-control',
      'gemm_naive',
      'SourceCounters',
    ]) {
      assert.ok(args.includes(wanted), wanted);
    }
    const file = args[args.indexOf('--log-file') + 1] ?? '';
    assert.ok(path.isAbsolute(file) && !existsSync(path.dirname(file)), 'nothing is left behind');
  });

  it('keeps the sums where the page of the source cannot be had, and says why', async () => {
    const made = await profiled(WRITES(page({ a__x: ['', '1'] })));
    assert.ok(made.ok, JSON.stringify(made));
    assert.deepEqual(made.report.sources, []);
    assert.match(made.report.limits.join(), /The source page could not be created: ncu /);
  });

  it('explains a refusal of the driver, and says what to do', async () => {
    const refuses = `console.log('==PROF== Connected');\n${WRITES('==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.')}\nprocess.exit(1);`;
    const { outcome, why, next } = await whyNot(refuses);
    assert.equal(outcome, 'refused');
    assert.match(why, /ERR_NVGPUCTRPERM/);
    assert.match(
      next,
      /NVreg_RestrictProfilingToAdminUsers=0.*--cap-add=SYS_ADMIN.*https:\/\/developer\.nvidia\.com/,
    );
  });

  it('says what is missing where there is no ncu, no GPU or no nvcc', async () => {
    const none = await whyNot(undefined);
    assert.equal(none.outcome, 'unavailable');
    assert.match(`${none.why} ${none.next}`, /ncu was not found.*import a CSV file/);
    fakeProgram(folder, 'nvidia-smi', 'process.exit(9);');
    assert.match((await whyNot('')).why, /nvidia-smi/);
    const search = { environment: { PATH: '/nowhere' } };
    assert.match((await whyNot('', { search })).next, /CUDA toolkit/);
  });

  it('says what ncu said where it failed, and takes nothing for a report that is none', async () => {
    const error = await whyNot(
      `${WRITES('==ERROR== Failed to find metric l1tex__x.sum')} process.exit(1);`,
    );
    assert.match(error.why, /Failed to find metric/);
    const nothing = await whyNot(`console.log('hello'); process.exit(0);`);
    assert.match(nothing.why, /ended unexpectedly with: hello/);
    const empty = await whyNot(WRITES('==WARNING== No kernels were profiled.'));
    assert.match(empty.why, /Not an Nsight Compute report/);
    const header = page({ a__x: ['', '1'] })
      .split('\n')
      .slice(0, 3)
      .join('\n');
    assert.match((await whyNot(WRITES(header))).why, /contains no kernel/);
    const flood = await whyNot(
      `fs.writeFileSync(args[args.indexOf('--log-file') + 1], '"ID","Kernel Name"\\n'.repeat(400_000));`,
    );
    assert.equal(flood.outcome, 'failed');
  });

  it('ends with its time and when it is cancelled, with everything that it started', async () => {
    const late = await whyNot(STUBBORN, { timeoutMs: 1000 });
    assert.match(late.why, /exceeded its time limit/);
    assert.deepEqual(await survivors(folder), []);
    const controller = new AbortController();
    setTimeout(() => {
      controller.abort();
    }, 1500);
    const cancelled = await whyNot(STUBBORN, { signal: controller.signal });
    assert.equal(cancelled.outcome, 'cancelled');
    assert.deepEqual(await survivors(folder), []);
  }).timeout(60_000);
});
