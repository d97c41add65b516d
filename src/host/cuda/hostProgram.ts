/**
 * Composes the CUDA source of the executable that runs one kernel: the harness, constants, the
 * kernel and its launch.
 */
import {
  launchesOf,
  MAPPED_OPERANDS,
  TENSOR_MAP_ROLES,
  type Launch,
  type Runnable,
  type TensorMapName,
} from '../../core/kernel/kernel';
import { matrixOf, type TensorMaps } from '../../core/kernel/file/tensorMaps';
import { hashLine } from '../../core/kernel/file/fileHead';
import { cudaType } from '../../core/kernel/print/cudaTypes';
import {
  EPILOGUE_OPERANDS,
  isEpilogueName,
  epilogueOperands,
  isActivation,
  namedOps,
} from '../../core/spec/epilogue';
import { isInteger, UNIT_ROUNDOFF, type DType } from '../../core/types/dtype';
import type { Dim3 } from '../../core/plan/plan';
import type { OperandName, ResolvedProblem } from '../../core/spec/resolved';
import { checkedOf, flushedOf, gammaOf, outputRoundoff, overflowOf } from '../../core/verify/bound';
import { activationError } from '../../core/verify/epilogue';
import { inputBits } from '../../core/verify/inputs';
import { HOPPER_FLAG, usesHopperInstructions } from '../hopper';
import { STANDALONE_SECTIONS } from './sources';
import type { ArgumentRole } from '../../core/kernel/ir/arguments';

/** Returns why the cuda backend cannot run a kernel, or undefined if it can. */
export function unsupported(runnable: Runnable): string | undefined {
  const { c, accumulator } = runnable.problem;
  if (runnable.target !== 'cuda')
    return 'The cuda backend runs CUDA kernels, but this kernel is WGSL. Fix: use simulate or webgpu.';
  if (isInteger(c.dtype) !== isInteger(accumulator) || c.dtype === 's8') {
    return `The cuda backend cannot verify ${c.dtype} results of ${accumulator} accumulation. Fix: change the type of C or of the accumulator.`;
  }
  return undefined;
}

/**
 * Returns the source of the executable, which includes `kernelFile`. The kernel is included after
 * the harness, so that its macros cannot change the harness.
 */
export function hostProgram(runnable: Runnable, kernelFile = `${runnable.specKey}.cu`): string {
  const name = kernelFile.replace(/\.cu$/, '');
  const sections = STANDALONE_SECTIONS.map(text => text.trim());
  const top = head(name, usesHopperInstructions(runnable.source) ? HOPPER_FLAG : '-arch=native');
  const rest = `\n${[...sections, constants(runnable), launch(runnable, kernelFile)].join('\n\n')}\n`;
  // The hash marks the file as generated, so that a later run may replace it unless it was edited.
  return `${top}${hashLine(`${top}${rest}`)}${rest}`;
}

function head(name: string, architecture: string): string {
  return `// Runs, verifies and times the kernel in ${name}.cu. Build and run:
//   nvcc -O3 -std=c++17 ${architecture} ${name}.main.cu -o gemm && ./gemm
// The program prints JSON lines; the last line is the result. ./gemm --help lists the options.
// To use your own matrices, pass NumPy files: ./gemm --a A.npy --b B.npy --out C.npy
`;
}

function constants(runnable: Runnable): string {
  const { problem, entry, workspaceBytes = 0 } = runnable;
  const { m, n, k, batch, accumulator, alpha, beta } = problem;
  const smallest = flushedOf(problem);
  const overflow = overflowOf(problem);
  // The absolute values of floating-point inputs are at most 1.
  const mayOverflow =
    !isInteger(problem.c.dtype) && Math.abs(alpha) * k + Math.abs(beta) >= overflow.stored;
  const matrix = (name: OperandName): string => {
    const { dtype, layout, ld, batchStride } = problem[name];
    return `operand(Type::${dtype}, /*rowMajor*/ ${layout === 'row'}, /*ld*/ ${ld}, /*batchStride*/ ${batchStride}, /*inputBits*/ ${inputBits(dtype)})`;
  };
  return `namespace harness {

// ${entry}: C = alpha * A * B + beta * C, A is M x K, B is K x N, C is M x N.
const Problem kProblem = [] {
  Problem problem = problemOf(/*m*/ ${m}, /*n*/ ${n}, /*k*/ ${k}, /*batch*/ ${batch},
                              ${matrix('a')},
                              ${matrix('b')},
                              ${matrix('c')});
  problem.accumulator = Type::${accumulator};
  problem.alpha = ${double(alpha)};
  problem.beta = ${double(beta)};
  problem.bound.gamma = ${double(gammaOf(checkedOf(runnable)))};
  problem.bound.outputRoundoff = ${double(outputRoundoff(problem))};
  problem.bound.smallestSum = ${double(smallest.sum)};
  problem.bound.smallestStored = ${double(smallest.stored)};
  problem.bound.overflowSum = ${double(overflow.sum)};
  problem.bound.overflowStored = ${double(overflow.stored)};
  problem.bound.mayOverflow = ${mayOverflow};
  problem.workspaceBytes = ${workspaceBytes};${epilogueLines(problem)}
  return problem;
}();

}  // namespace harness`;
}

/** Emits the statements that add the operations of the epilogue; empty if there are none. */
function epilogueLines(problem: ResolvedProblem): string {
  if (problem.epilogue === undefined) return '';
  const operands = epilogueOperands(problem);
  const steps = namedOps(problem.epilogue).map(({ op, operand: name }) => {
    const kind = kindOf(op.op);
    const operand = operands.find(each => each.name === name);
    if (operand === undefined) {
      const error = isActivation(op) ? activationError(op.op, problem) : 0;
      return `addActivation(problem.epilogue, ${kind}, ${double(error)});`;
    }
    const { dtype, layout, ld, batchStride, rows, columns } = operand;
    const matrix = `operand(Type::${dtype}, /*rowMajor*/ ${layout === 'row'}, ${ld}, ${batchStride}, ${inputBits(dtype)})`;
    const call =
      op.op === 'gate'
        ? `addGate(problem.epilogue, ${kindOf(op.act)}, ${double(activationError(op.act, problem))}`
        : `addOperand(problem.epilogue, ${kind}`;
    return `${call}, ${matrix}, /*rows*/ ${rows}, /*columns*/ ${columns}, ${problem.batch});`;
  });
  const unit = `problem.epilogue.unit = ${double(UNIT_ROUNDOFF[problem.accumulator])};`;
  return [unit, ...steps].map(line => `\n  ${line}`).join('');
}

const kindOf = (op: string): string => `EpilogueOp::${op === 'gelu-tanh' ? 'geluTanh' : op}`;

function launch(runnable: Runnable, kernelFile: string): string {
  const { source, problem } = runnable;
  const launches = launchesOf<Launch>(runnable);
  const dim = ({ x, y, z }: Dim3): string => `dim3(${x}, ${y}, ${z})`;
  const raised = launches.filter(({ dynamicSharedBytes }) => dynamicSharedBytes > 48 * 1024);
  const ownMain = /\bmain\s*\(/.test(source);
  return [
    ...(ownMain
      ? ['// The kernel file defines its own main function.', '#define main mainOfTheKernelFile']
      : []),
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
    ...launches.flatMap((each, i) => tensorMapLines(each, { problem, launch: i })),
    ...launches.map((each, i) => {
      const { entry, grid, block, dynamicSharedBytes: shared } = each;
      const passed = each.arguments.flat().map(role => argument(role, problem, { each, i }));
      return `  ${entry}<<<${dim(grid)}, ${dim(block)}, ${shared}, stream>>>(${passed.join(', ')});`;
    }),
    '}',
    '',
    'int main(int count, char** values) { return harness::run(count, values); }',
  ].join('\n');
}

/** Index of the residual among the operands of the epilogue. */
const residualIndex = ({ residual }: TensorMaps = {}): number =>
  residual === undefined ? -1 : EPILOGUE_OPERANDS.indexOf(residual.operand);

const upper = (name: TensorMapName): string =>
  name === 'residual' ? 'the residual' : name.toUpperCase();

const mapName = (role: ArgumentRole, launch: number): string => `${role}${launch}`;

function tensorMapLines(
  { entry, tensorMaps = {} }: Launch,
  { problem, launch }: { readonly problem: ResolvedProblem; readonly launch: number },
): readonly string[] {
  const mapLine = (name: TensorMapName, matrix: string, shape: string): string =>
    `  static TensorMap ${mapName(TENSOR_MAP_ROLES[name], launch)}("${upper(name)} of ${entry}", ${matrix}, ${shape});`;
  const { residual } = tensorMaps;
  const operands = MAPPED_OPERANDS.flatMap(name => {
    const map = tensorMaps[name];
    const operand = matrixOf(problem, name);
    if (map === undefined || operand === undefined) return [];
    const { box, swizzleBytes, workspaceOffset = -1, ld, batchStride = 0 } = map;
    const { dtype = operand.dtype, terms = 1, transposed = false } = map;
    const copy = `{Type::${dtype}, /*terms*/ ${terms}, /*transposed*/ ${transposed}}`;
    const source = name === 'gate' ? 'kProblem.epilogue.gate()' : `kProblem.${name}`;
    const matrix =
      ld === undefined ? source : `repackedCopy(${source}, ${ld}, ${batchStride}, ${copy})`;
    const shape = `{${box.join(', ')}, /*swizzleBytes*/ ${swizzleBytes}, /*workspaceOffset*/ ${workspaceOffset}}`;
    return [mapLine(name, matrix, shape)];
  });
  return [
    ...operands,
    ...(residual === undefined
      ? []
      : [
          mapLine(
            'residual',
            `kProblem.epilogue.matrices[${residualIndex(tensorMaps)}]`,
            `{${residual.box.join(', ')}, /*swizzleBytes*/ ${residual.swizzleBytes}, /*workspaceOffset*/ -1}`,
          ),
        ]),
  ];
}

/**
 * Emits the C++ expression of a kernel argument. Dimensions are emitted as numbers, because the
 * kernel file may define a macro such as M.
 */
function argument(
  role: ArgumentRole,
  problem: ResolvedProblem,
  { each: { tensorMaps }, i: launch }: { readonly each: Launch; readonly i: number },
): string {
  if (isEpilogueName(role)) {
    return `AnyPointer{set.epilogue[${EPILOGUE_OPERANDS.indexOf(role)}]}`;
  }
  switch (role) {
    case 'a':
    case 'b':
    case 'c':
      return `static_cast<${cudaType(problem[role].dtype)}*>(set.${role})`;
    case 'workspace':
      return 'AnyPointer{set.workspace}';
    case 'm':
    case 'n':
    case 'k':
    case 'batch':
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
    case 'tensorMapA':
      return `${mapName(role, launch)}.at(set.a, set.workspace)`;
    case 'tensorMapB':
      return `${mapName(role, launch)}.at(set.b, set.workspace)`;
    case 'tensorMapC':
      return `${mapName(role, launch)}.at(set.c, set.workspace)`;
    case 'tensorMapResidual':
      return `${mapName(role, launch)}.at(set.epilogue[${residualIndex(tensorMaps)}], set.workspace)`;
    case 'tensorMapB2':
      return `${mapName(role, launch)}.at(set.epilogue[0], set.workspace)`;
  }
}

function scalar(value: number, accumulator: DType): string {
  if (isInteger(accumulator)) return String(value);
  if (accumulator === 'f64') return double(value);
  return accumulator === 'f32'
    ? `${double(value)}f`
    : `${cudaType(accumulator)}(${double(value)}f)`;
}

/** Formats a value as a C++ floating-point literal that parses to exactly this value. */
function double(value: number): string {
  if (!Number.isInteger(value)) return String(value);
  return Math.abs(value) < 1e15 ? value.toFixed(1) : value.toExponential();
}
