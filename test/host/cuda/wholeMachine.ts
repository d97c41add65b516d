/**
 * A machine whose nvcc is g++ and whose GPU and driver are a shim: the whole way of a run, on the
 * CPU.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { forShim, precompiledHeaders, SHIM, SHIM_FLAGS } from '../shimCompiler';
import { fakeProgram, onceInHostileFolder, present } from '../support';

interface WholeMachine {
  readonly nvcc: string;
  readonly libraries: string;
}

/**
 * Call it in a describe: its tests run on such a machine, whose driver is found before any real
 * one.
 */
export function onWholeMachine(take: (folder: string, nvcc: string) => void): void {
  const outside = process.env['LD_LIBRARY_PATH'];
  onceInHostileFolder(wholeMachine, (folder, { nvcc, libraries }) => {
    process.env['LD_LIBRARY_PATH'] = libraries;
    take(folder, nvcc);
  });
  after(() => {
    if (outside === undefined) delete process.env['LD_LIBRARY_PATH'];
    else process.env['LD_LIBRARY_PATH'] = outside;
  });
}

/** Undefined where there is no g++ on Linux. `libraries` is where the driver's shim lies. */
function wholeMachine(folder: string): WholeMachine | undefined {
  const compiler = process.platform === 'linux' ? present('g++') : undefined;
  if (compiler === undefined) return undefined;
  // The loader takes ; and : between folders.
  const libraries = path.dirname(folder);
  const shared = ['-std=c++17', '-O1', '-shared', '-fPIC', '-I', SHIM];
  const driver = path.join(libraries, 'libcuda.so.1');
  execFileSync(compiler, [...shared, path.join(SHIM, 'driver.cpp'), '-o', driver]);
  const nvcc = fakeProgram(
    folder,
    'nvcc',
    String.raw`if (args[0] === '--version') { console.log('Cuda compilation tools, release 13.0, V13.0.88'); process.exit(0); }
const out = args[args.indexOf('-o') + 1];
const cubin = out.endsWith('.cubin');
const input = cubin ? 'kernel.cu' : 'main.cu';
const text = fs.readFileSync(input, 'utf8');
const kernels = cubin ? [...text.matchAll(/__global__ void(?:\s+__launch_bounds__\([^)]*\))?\s+(\w+)\(/g)].map(match => match[1]) : [];
const forShim = ${String(forShim)};
fs.writeFileSync(input, '#include "cuda_runtime.h"\n' + forShim(text) + kernels.map(name => '\nSHIM_KERNEL_OF_A_CUBIN(' + name + ')').join(''));
const flags = cubin ? ${JSON.stringify(shared)} : ${JSON.stringify([...SHIM_FLAGS, ...precompiledHeaders(compiler)])};
const done = require('node:child_process').spawnSync(${JSON.stringify(compiler)}, [...flags, '-x', 'c++', input, '-o', out, '-ldl', '-lpthread'], { stdio: 'inherit' });
for (const name of kernels) console.error("ptxas info    : Compiling entry function '" + name + "' for 'sm_90'\nptxas info    : Used 40 registers, 2048 bytes smem");
process.exit(done.status ?? 1);`,
  );
  fakeProgram(folder, 'nvidia-smi', `console.log('CPU shim, 1.2.3, 9.0, 256');`);
  return { nvcc, libraries };
}
