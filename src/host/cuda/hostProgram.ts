/** Composes the CUDA program that runs one kernel: constants, the harness, the kernel and its launch. */
import ceilings from '../../../shaders/cuda/ceilings.cuh';
import files from '../../../shaders/cuda/files.cuh';
import harness from '../../../shaders/cuda/harness.cuh';
import libraries from '../../../shaders/cuda/libraries.cuh';
import matrices from '../../../shaders/cuda/matrices.cuh';
import npy from '../../../shaders/cuda/npy.cuh';
import report from '../../../shaders/cuda/report.cuh';
import timing from '../../../shaders/cuda/timing.cuh';
import verify from '../../../shaders/cuda/verify.cuh';
import { launchesOf, type ArgumentRole, type Launch, type Runnable } from '../../core/emit/kernel';
import { hashLine } from '../../core/emit/fileHead';
import { cudaType, HEADERS } from '../../core/emit/cudaTypes';
import { isInteger, type DType } from '../../core/spec/dtype';
import type { Dim3 } from '../../core/plan/plan';
import type { ResolvedProblem } from '../../core/spec/resolved';
import { flushedOf, gammaOf, outputRoundoff, overflowOf } from '../../core/verify/bound';
import { inputBits, INTEGER_POISON } from '../../core/verify/inputs';

const SECTIONS = [report, npy, matrices, files, verify, libraries, timing, ceilings, harness];
const RUNS: readonly DType[] = ['f64', 'f32', 'f16', 'bf16', 's8', 's32'];

/** cublasComputeType_t by the accumulator, for the types that cublasGemmEx takes (cuBLAS library, "cublasGemmEx"). */
function cublasCompute({ a, b, c, accumulator }: ResolvedProblem): number {
  const types = `${a.dtype} ${b.dtype} ${c.dtype} ${accumulator}`;
  const known: Readonly<Record<string, number>> = {
    ...{ 'f64 f64 f64 f64': 70, 'f32 f32 f32 f32': 68, 's8 s8 s32 s32': 72 },
    ...{ 'f16 f16 f16 f16': 64, 'f16 f16 f16 f32': 68, 'f16 f16 f32 f32': 68 },
    ...{ 'bf16 bf16 bf16 f32': 68, 'bf16 bf16 f32 f32': 68 },
  };
  return known[types] ?? 0;
}

/** Why the cuda backend cannot run a kernel, in words; undefined when it can. */
export function unsupported(runnable: Runnable): string | undefined {
  const { a, b, c, accumulator } = runnable.problem;
  const types = [a.dtype, b.dtype, c.dtype, accumulator];
  if (runnable.target !== 'cuda') return 'The cuda backend runs CUDA kernels, and this is WGSL.';
  const foreign = types.find(dtype => !RUNS.includes(dtype));
  if (foreign !== undefined) return `The cuda backend makes no matrices of ${foreign}.`;
  if (isInteger(c.dtype) !== isInteger(accumulator) || c.dtype === 's8') {
    return `The cuda backend verifies no ${c.dtype} of a sum in ${accumulator}.`;
  }
  return undefined;
}

/**
 * The whole program; `kernelFile` is what it includes, beside itself. The kernel comes last, so that
 * whatever it defines cannot change the harness.
 */
export function hostProgram(runnable: Runnable, kernelFile = `${runnable.specKey}.cu`): string {
  const name = kernelFile.replace(/\.cu$/, '');
  const sections = SECTIONS.map(text => text.trim().replace(/\n*#include "[^\n]*\n/g, '\n'));
  const top = head(name);
  const rest = `\n${[constants(runnable), ...sections, launch(runnable, kernelFile)].join('\n\n')}\n`;
  // Generated like the kernel: it may be written anew as long as nobody has edited it.
  return `${top}${hashLine(`${top}${rest}`)}${rest}`;
}

function head(name: string): string {
  return `// Runs, verifies and times the kernel in ${name}.cu:
//   nvcc -O3 -std=c++17 -arch=native ${name}.main.cu -o gemm && ./gemm
// It prints JSON lines; the last one is the result. Options are listed by ./gemm --help.
// With matrices of your own, NumPy's files: ./gemm --a A.npy --b B.npy --out C.npy
`;
}

function constants({ problem, entry, workspaceBytes = 0 }: Runnable): string {
  const { m, n, k, batch, a, b, c, accumulator, alpha, beta } = problem;
  const types = [a.dtype, b.dtype, c.dtype, accumulator];
  const headers = new Set(types.flatMap(dtype => HEADERS[dtype] ?? []));
  const smallest = flushedOf(problem);
  const overflow = overflowOf(problem);
  return `${[...headers].map(header => `#include <${header}>\n`).join('')}${headers.size > 0 ? '\n' : ''}namespace harness {

// ${entry}: C = alpha * A * B + beta * C, A is M x K, B is K x N, C is M x N.
using ElementA = ${cudaType(a.dtype)};
using ElementB = ${cudaType(b.dtype)};
using ElementC = ${cudaType(c.dtype)};
using Accumulator = ${cudaType(accumulator)};
// What the arithmetic ceiling is measured with.
using Chain = ${accumulator === 'f16' ? '__half2' : cudaType(accumulator)};
constexpr int kInputBitsA = ${inputBits(a.dtype)}, kInputBitsB = ${inputBits(b.dtype)}, kInputBitsC = ${inputBits(c.dtype)};
constexpr bool kInteger = ${isInteger(c.dtype)}, kBfloat16 = ${types.includes('bf16')};
constexpr int kCublasCompute = ${cublasCompute(problem)};
constexpr int kIntegerPoison = ${INTEGER_POISON};
constexpr long long kM = ${m}, kN = ${n}, kK = ${k};
constexpr long long kBatch = ${batch};
constexpr long long kBatchStrideA = ${a.batchStride}, kBatchStrideB = ${b.batchStride}, kBatchStrideC = ${c.batchStride};
constexpr long long kLda = ${a.ld}, kLdb = ${b.ld}, kLdc = ${c.ld};
constexpr bool kRowMajorA = ${a.layout === 'row'}, kRowMajorB = ${b.layout === 'row'}, kRowMajorC = ${c.layout === 'row'};
constexpr double kAlpha = ${double(alpha)}, kBeta = ${double(beta)};
constexpr long long kWorkspaceBytes = ${workspaceBytes};
constexpr double kFlops = 2.0 * kBatch * kM * kN * kK;
// Relative bound of the rounding errors of K products, against sum |a||b|: the smaller of Higham's gamma and the
// probabilistic one of Higham and Mary (SIAM J. Sci. Comput. 41(5), 2019).
constexpr double kGamma = ${double(gammaOf(problem))};
// Of storing a sum as an element of C, and of flushing subnormals of both types.
constexpr double kOutputRoundoff = ${double(outputRoundoff(problem))};
constexpr double kSmallestSum = ${double(smallest.sum)}, kSmallestStored = ${double(smallest.stored)};
// From here on a sum, and what is stored of it, is infinite.
constexpr double kOverflowSum = ${double(overflow.sum)}, kOverflowStored = ${double(overflow.stored)};
// Inputs are below 1.
constexpr bool kMayOverflow = ${!isInteger(c.dtype) && Math.abs(alpha) * k + Math.abs(beta) >= overflow.stored};

}  // namespace harness`;
}

function launch(runnable: Runnable, kernelFile: string): string {
  const { source, problem } = runnable;
  const launches = launchesOf<Launch>(runnable);
  const dim = ({ x, y, z }: Dim3): string => `dim3(${x}, ${y}, ${z})`;
  const raised = launches.filter(({ dynamicSharedBytes }) => dynamicSharedBytes > 48 * 1024);
  const ownMain = /\bmain\s*\(/.test(source);
  return [
    ...(ownMain ? ['// The file has a main of its own.', '#define main mainOfTheKernelFile'] : []),
    `#include "${kernelFile.replace(/["\\\n]/g, '_')}"`,
    ...(ownMain ? ['#undef main'] : []),
    '',
    'cudaError_t harness::prepareKernel() {',
    ...raised.flatMap(({ entry, dynamicSharedBytes: shared }) => [
      `  if (const cudaError_t error = cudaFuncSetAttribute(${entry}, cudaFuncAttributeMaxDynamicSharedMemorySize, ${shared})) return error;`,
    ]),
    '  return cudaSuccess;',
    '}',
    '',
    'void harness::launchKernel(const Operands& set, cudaStream_t stream) {',
    ...launches.map(({ entry, grid, block, dynamicSharedBytes: shared, arguments: args }) => {
      const passed = args.flat().map(role => argument(role, problem));
      return `  ${entry}<<<${dim(grid)}, ${dim(block)}, ${shared}, stream>>>(${passed.join(', ')});`;
    }),
    '}',
    '',
    'int main(int count, char** values) { return harness::run(count, values); }',
  ].join('\n');
}

/** Values, not names: a macro of the kernel file may be called M. */
function argument(role: ArgumentRole, problem: ResolvedProblem): string {
  switch (role) {
    case 'a':
    case 'b':
    case 'c':
    case 'workspace':
      return `set.${role}`;
    case 'm':
    case 'n':
    case 'k':
      return String(problem[role]);
    case 'lda':
      return String(problem.a.ld);
    case 'ldb':
      return String(problem.b.ld);
    case 'ldc':
      return String(problem.c.ld);
    case 'strideA':
      return String(problem.a.batchStride);
    case 'strideB':
      return String(problem.b.batchStride);
    case 'strideC':
      return String(problem.c.batchStride);
    case 'alpha':
    case 'beta':
      return scalar(problem[role], problem.accumulator);
  }
}

/** alpha or beta as the kernel takes it, in the type of the sum. */
function scalar(value: number, accumulator: DType): string {
  if (isInteger(accumulator)) return String(value);
  if (accumulator === 'f64') return double(value);
  return accumulator === 'f32'
    ? `${double(value)}f`
    : `${cudaType(accumulator)}(${double(value)}f)`;
}

/** A C++ floating-point literal of exactly this value: with a point or an exponent. */
function double(value: number): string {
  if (!Number.isInteger(value)) return String(value);
  return Math.abs(value) < 1e15 ? value.toFixed(1) : value.toExponential();
}
