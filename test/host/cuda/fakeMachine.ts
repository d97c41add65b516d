/**
 * A machine whose nvcc compiles nothing and whose GPU's runner is a fake: what a run needs, without
 * a GPU.
 */
import path from 'node:path';
import { fakeProgram, present } from '../support';
import { driven, fakeRunner, type FakeRunner } from './fakeRunner';

export interface FakeMachine extends FakeRunner {
  /** Where nvcc and nvidia-smi are. */
  readonly environment: NodeJS.ProcessEnv;
  readonly nvcc: string;
}

/**
 * nvcc says of every `__global__ void NAME` in a kernel what ptxas would; what it makes of a
 * program starts the fake runner. It notes what it is called for in `calls`.
 */
const nvccBody = (compiler: string, runner: string): string => String.raw`
if (args[0] === '--version') { console.log('Cuda compilation tools, release 13.0, V13.0.88'); process.exit(0); }
const out = args[args.indexOf('-o') + 1];
fs.appendFileSync(__dirname + '/calls', out + '\n');
let told = ''; try { told = fs.readFileSync(__dirname + '/order-nvcc', 'utf8'); } catch {}
if (told === out) { fs.writeFileSync(out, '\x7fEL'); process.kill(process.pid, 'SIGKILL'); }
const read = name => { try { return fs.readFileSync(name, 'utf8'); } catch { return ''; } };
const [kernel, main] = [read('kernel.cu'), read('main.cu')];
if (out.endsWith('.cubin')) {
  if (kernel.includes('omega')) { console.error('kernel.cu(3): error: identifier "omega" is undefined'); process.exit(1); }
  const plain = [...kernel.replace(/^template .*$/gm, '').matchAll(/__global__ void(?:\s+__\w+__\([^)]*\))*\s+(\w+)\(/g)].map(([, name]) => '_Z' + name.length + name + 'v');
  const instances = [...main.matchAll(/&(\w+)<(\d+), ?(\d+)>/g)].map(([, name, a, b]) => '_Z' + name.length + name + 'ILi' + a + 'ELi' + b + 'EEvv');
  fs.writeFileSync(out, '\x7fELF');
  for (const symbol of [...plain, ...instances])
    console.error("ptxas info    : Compiling entry function '" + symbol + "' for 'sm_90'\nptxas info    : Used 40 registers, 2048 bytes smem");
  process.exit(0);
}
const runner = ${JSON.stringify(JSON.stringify(runner))};
fs.writeFileSync('start.c', '#include <unistd.h>\nint main(int n, char** values) { (void)n; return execv(' + runner + ', values); }');
const done = require('node:child_process').spawnSync(${JSON.stringify(compiler)}, ['-x', 'c', 'start.c', '-o', out], { stdio: 'inherit' });
process.exit(done.status ?? 1);`;

/** Undefined where there is no C compiler to make an executable with. */
export function fakeMachine(folder: string): FakeMachine | undefined {
  const compiler = process.platform === 'linux' ? present('gcc', 'cc', 'clang') : undefined;
  if (compiler === undefined) return undefined;
  const { program } = fakeRunner(folder);
  const nvcc = fakeProgram(folder, 'nvcc', nvccBody(compiler, program));
  fakeProgram(
    folder,
    'nvidia-smi',
    // FAKE_MODEL is the model of the GPU of task 0 of a Slurm array.
    `const model = process.env.SLURM_ARRAY_TASK_ID === '0' && process.env.FAKE_MODEL || 'NVIDIA H200';
console.log([0, 1].map(() => model + ', 580.1, 9.0, 143771').join('\\n'));`,
  );
  return { program, nvcc, environment: { PATH: path.dirname(nvcc) }, ...driven(folder) };
}
