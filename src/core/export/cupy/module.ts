/** Text of the Python file of the `cupy` target. */
import { SWIZZLES, type TensorMaps } from '../../kernel/file/tensorMaps';
import { wrapText } from '../../kernel/print/wrapText';
import {
  isLowered,
  launchesOf,
  TENSOR_MAP_ROLES,
  type Kernel,
  type KernelLaunch,
} from '../../kernel/kernel';
import type { ArgumentRole } from '../../kernel/ir/arguments';
import { gridDims } from '../../kernel/file/gridDims';
import { isPersistent } from '../../plan/wgmma/specialization';
import type { WarpGroupPlan } from '../../plan/plan';
import { isInteger } from '../../types/dtype';
import { isHopperOnly } from '../architecture';
import {
  conditionsOf,
  gridExpressions,
  needsText,
  workspaceExpression,
  type Syntax,
} from '../conditions';
import { formulaText, layoutText, provenance } from '../describe';
import { NUMPY_TYPES } from '../dtypes';
import { floatLiteral } from '../numbers';
import { extrasOf, gateOperand, matrixOrder, nameOf } from '../epilogue';
import { extraShape, extraStrides, scalarsOf, tensorsOf, tuple } from '../pytorch/operator';
import { LEADING, memoryOrder, passedValue, STRIDE } from '../roles';
import type { ExportedKernel, ExportSubject, GemmType } from '../subject';
import { tensorMapHelper } from './tensorMap';
import { selfTest } from './selfTest';

const PYTHON: Syntax = {
  of: 'g.',
  equals: '==',
  ceilDivide: (dividend, divisor) => `-(-${dividend} // ${divisor})`,
  wide: factor => factor,
  aligned: (argument, bytes) => `g.${argument}.data.ptr % ${bytes} == 0`,
};

export function moduleText(subject: ExportSubject): string {
  const { name, type, kernels } = subject;
  const operands = tensorsOf(type);
  const scalars = scalarsOf(type);
  const parameters = [
    ...operands,
    ...scalars.map(({ name: scalar, value }) => `${scalar}=${floatLiteral(value)}`),
  ].join(', ');
  const isHopper = kernels.some(({ kernel }) => isHopperOnly(kernel));
  return `${provenance(subject, '#')}
"""${formulaText(type)} as a CuPy function.

${wrapText(`${layoutText(type)} Element types: ${operandTypes(type)}. nvcc compiles the kernels at the first call; the result is cached in ~/.cache/${name}.`, 96).join('\n')}

    result = gemm(${parameters})

Test: python ${name}.py
"""
${isHopper ? 'import ctypes\n' : ''}import hashlib
${kernels.length > 1 ? 'import math\n' : ''}import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import cupy
import numpy

${kernels.map(({ kernel }, index) => `# ${kernel.fileName}, unchanged.\nSOURCE_${index} = r'''${rawText(kernel)}'''`).join('\n\n')}

FLAGS = ["-O3", "-std=c++17"]
${helperText(subject, isHopper)}

class Kernel:
    """A kernel file: supports(g) and workspace_bytes(g) depend on the arguments g of a call."""

    def __init__(self, name, source, size, microseconds, supports, workspace_bytes, launch):
        self.name, self.source, self.size, self.microseconds = name, source, size, microseconds
        self.supports, self.workspace_bytes, self.launch = supports, workspace_bytes, launch
        self.modules = {}

    def function(self, entry, shared_bytes):
        """Returns a kernel of the module of the current device, which is compiled on first use."""
        device = cupy.cuda.Device().id
        if device not in self.modules:
            self.modules[device] = cupy.RawModule(path=str(_cubin(self.source)))
        function = self.modules[device].get_function(entry)
        if shared_bytes > 48 * 1024:
            function.max_dynamic_shared_size_bytes = shared_bytes
        return function


def _cubin(source):
    """Compiles a kernel file for the current device and returns the path of the cubin."""
    flags = [*FLAGS, ${isHopper ? '"-arch=sm_90a"' : 'f"-arch=sm_{cupy.cuda.Device().compute_capability}"'}]
    folder = Path.home() / ".cache" / "${name}"
    cubin = folder / (hashlib.sha256("\\n".join([*flags, source]).encode()).hexdigest() + ".cubin")
    if cubin.exists():
        return cubin
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "bin"))
    if nvcc is None:
        raise RuntimeError("${name}: nvcc was not found. Fix: install the CUDA toolkit, or set CUDA_PATH.")
    folder.mkdir(parents=True, exist_ok=True)
    draft = cubin.with_suffix(f".{os.getpid()}.tmp")
    file = draft.with_suffix(".cu")
    file.write_text(source)
    done = subprocess.run([nvcc, "-cubin", *flags, str(file), "-o", str(draft)], capture_output=True, text=True)
    file.unlink()
    if done.returncode != 0:
        raise RuntimeError(f"${name}: nvcc failed:\\n{done.stderr}")
    draft.replace(cubin)
    return cubin


${kernels.map((each, index) => launchFunction(each.kernel, index, type)).join('\n\n\n')}


KERNELS = [
${kernels.map((each, index) => kernelEntry(each, index, type)).join('\n')}
]


${chooseText(subject)}


def _matrix(array, dtype, is_row_major, name):
    """Checks an array and returns its leading dimension in elements."""
    if array.dtype != dtype or array.ndim != ${type.isBatched ? 3 : 2}:
        raise ValueError(f"${name}: expected {name} to be a ${type.isBatched ? 3 : 2}-dimensional array of {dtype}, got {array.ndim} dimensions of {array.dtype}")
    inner, outer = (-1, -2) if is_row_major else (-2, -1)
    itemsize = array.dtype.itemsize
    if array.shape[inner] > 1 and array.strides[inner] != itemsize:
        raise ValueError(f"${name}: expected {name} to be {'row' if is_row_major else 'column'}-major, got strides {array.strides}")
    return array.shape[inner] if array.shape[outer] <= 1 else array.strides[outer] // itemsize


${extrasOf(type).length === 0 ? '' : CHECK_OPERAND.replaceAll('NAME', name)}def gemm(${parameters}):
    """Returns ${formulaText(type).slice(4)} on the current stream. Raises ValueError for unsupported arguments."""
    g = types.SimpleNamespace(${[...operands.filter(each => each !== 'c'), ...scalars.map(each => each.name)].map(each => `${each}=${each}`).join(', ')})
    g.lda = _matrix(a, numpy.${NUMPY_TYPES[type.a.dtype] ?? ''}, ${python(type.a.layout === 'row')}, "a")
    g.ldb = _matrix(b, numpy.${NUMPY_TYPES[type.b.dtype] ?? ''}, ${python(type.b.layout === 'row')}, "b")
    g.m, g.k, g.n = a.shape[-2], a.shape[-1], b.shape[-1]
${type.isBatched ? '    g.batch = a.shape[0]\n' : ''}    if b.shape[-2] != g.k${type.isBatched ? ' or b.shape[0] != g.batch' : ''}:
        raise ValueError(f"${name}: a and b have the shapes {a.shape} and {b.shape}, which do not match")
${extrasOf(type)
  .map(
    operand =>
      `    _check_operand(${operand.name}, numpy.${NUMPY_TYPES[operand.dtype] ?? ''}, ${tuple(extraShape(operand, type).map(side => `g.${side}`))}, ${tuple(extraStrides(operand, { ...type, of: 'g.' }))}, "${operand.name}")\n`,
  )
  .join('')}    ${resultText(type)}
${type.readsC ? '    g.c[...] = c\n' : ''}    g.ldc = g.${memoryOrder(type, 'c')[1]}
${
  type.isBatched
    ? `    g.strideA, g.strideB, g.strideC = (array.strides[0] // array.dtype.itemsize for array in (a, b, g.c))\n`
    : ''
}    if g.c.size == 0:
        return g.c
    kernel = choose(g)
    if kernel is None:
        raise ValueError(f"${name}: no kernel supports {g.m} x {g.n} x {g.k}. Requirements: ${kernels.map(({ kernel }) => needsText(kernel) || 'any size').join(' or ')}")
    kernel.launch(kernel, g, cupy.empty(kernel.workspace_bytes(g), numpy.uint8))
    return g.c


${selfTest(subject)}
`;
}

const CHECK_OPERAND = `def _check_operand(array, dtype, shape, strides, name):
    """Checks an operand of the epilogue; without a shape, it must have one element."""
    if array.dtype != dtype:
        raise ValueError(f"NAME: expected {name} of {numpy.dtype(dtype)}, got {array.dtype}")
    if array.shape != shape and (shape != () or array.size != 1):
        raise ValueError(f"NAME: expected {name} of the shape {shape}, got {array.shape}")
    # The stride of an extent of 1 is arbitrary.
    wanted = tuple(stride * array.dtype.itemsize for stride in strides)
    if any(extent > 1 and one != other for extent, one, other in zip(shape, array.strides, wanted)):
        raise ValueError(f"NAME: expected {name} with strides of {wanted} bytes, got {array.strides}")


`;

const python = (value: boolean): string => (value ? 'True' : 'False');

const operandTypes = (type: GemmType): string =>
  (['a', 'b', 'c'] as const)
    .map(each => `${each.toUpperCase()} ${NUMPY_TYPES[type[each].dtype] ?? ''}`)
    .join(', ');

/** Returns the source of a kernel. Throws if a raw string of Python cannot contain it. */
function rawText({ source, specKey }: Kernel): string {
  if (source.includes("'''") || source.endsWith('\\'))
    throw new Error(`${specKey} cannot be a raw string`);
  return source;
}

function helperText(subject: ExportSubject, usesMaps: boolean): string {
  const conditions = subject.kernels.flatMap(({ kernel }) =>
    conditionsOf(kernel, subject.type, PYTHON),
  );
  const has = (name: string): boolean => conditions.some(text => text.startsWith(`${name}(`));
  return [
    ...(has('fits')
      ? [
          '\n\ndef fits(elements):\n    """The kernels have 32-bit element offsets."""\n    return elements < 2**31\n',
        ]
      : []),
    ...(has('fillsSlices')
      ? [
          `\n\ndef fillsSlices(k, depth, slices):
    """Split-K: slices have the same number of k-iterations, except the last; none may be empty."""
    iterations = -(-k // depth)
    return -(-iterations // -(-iterations // slices)) == slices
`,
        ]
      : []),
    ...(usesMaps ? [`\n\n${tensorMapHelper(subject.name)}`] : []),
  ].join('');
}

function launchFunction(kernel: Kernel, index: number, type: GemmType): string {
  const lines = isLowered(kernel)
    ? launchesOf<KernelLaunch>(kernel).map(launch => {
        const grid = gridExpressions(gridDims(kernel.plan, launch), PYTHON);
        const { block, dynamicSharedBytes: shared } = launch;
        const values = launch.arguments.flat().map(role => valueText(role, kernel, type));
        return `    kernel.function("${launch.entry}", ${shared})((${grid.join(', ')},), (${[block.x, block.y].join(', ')}), (${values.join(', ')},), shared_mem=${shared})`;
      })
    : warpGroupLaunch(kernel, type);
  return `def _launch_${index}(kernel, g, workspace):\n${lines.join('\n')}`;
}

function warpGroupLaunch(kernel: Kernel, type: GemmType): readonly string[] {
  const { plan, entry, tensorMaps = {}, dynamicSharedBytes: shared } = kernel;
  if (plan.family !== 'wgmma') throw new Error(`${kernel.specKey} is not a wgmma kernel`);
  const maps = (['a', 'b', 'c'] as const).flatMap(operand => {
    const map = tensorMaps[operand];
    if (map === undefined) return [];
    const [across, along] = memoryOrder(type, operand);
    const batch = type.isBatched ? `g.batch, g.${STRIDE[operand]}` : 'None, None';
    return [
      `    ${TENSOR_MAP_ROLES[operand]} = tensor_map(g.${operand}, "${type[operand].dtype}", g.${along}, g.${across}, g.${LEADING[operand]}, ${batch}, (${map.box.join(', ')}), ${SWIZZLES.indexOf(map.swizzleBytes)})`,
    ];
  });
  const gate = gateOperand(type);
  const gateMap = tensorMaps.gate;
  if (gate !== undefined && gateMap !== undefined) {
    const [across, along] = matrixOrder(gate);
    const ld = gate.ld ?? `g.${along}`;
    const batch = type.isBatched ? `g.batch, g.${across} * ${ld}` : 'None, None';
    maps.push(
      `    ${TENSOR_MAP_ROLES.gate} = tensor_map(g.${gate.name}, "${gate.dtype}", g.${along}, g.${across}, ${ld}, ${batch}, (${gateMap.box.join(', ')}), ${SWIZZLES.indexOf(gateMap.swizzleBytes)})`,
    );
  }
  const values = kernel.arguments.flat().map(role => valueText(role, kernel, type));
  return [
    ...maps,
    ...residualMap(tensorMaps, type),
    ...gridLines(plan, type),
    `    kernel.function("${entry}", ${shared})((blocks,), (${plan.threads},), (${values.join(', ')},), shared_mem=${shared})`,
  ];
}

/** Tensor map of a residual that TMA loads. */
function residualMap({ residual }: TensorMaps, type: GemmType): readonly string[] {
  const extra = extrasOf(type).find(({ role }) => role === residual?.operand);
  if (residual === undefined || extra === undefined) return [];
  const [across, along] = matrixOrder(extra);
  const ld = extra.ld ?? `g.${along}`;
  const batch = type.isBatched ? `g.batch, g.${across} * ${ld}` : 'None, None';
  return [
    `    ${TENSOR_MAP_ROLES.residual} = tensor_map(g.${extra.name}, "${extra.dtype}", g.${along}, g.${across}, ${ld}, ${batch}, (${residual.box.join(', ')}), ${SWIZZLES.indexOf(residual.swizzleBytes)})`,
  ];
}

/** Blocks of the grid: one per tile, or for a persistent kernel as many as there are SMs. */
function gridLines(plan: WarpGroupPlan, type: GemmType): readonly string[] {
  const { cluster, splitK } = plan.wgmma;
  const blocks = cluster.m * cluster.n * splitK;
  const tiles = (side: 'm' | 'n'): string => {
    const extent = plan.tile[side] * cluster[side];
    return `-(-g.${side} // ${extent})`;
  };
  const clusters = `${tiles('m')} * ${tiles('n')}${type.isBatched ? ' * g.batch' : ''}`;
  if (splitK > 1 || !isPersistent(plan.wgmma))
    return [`    blocks = ${clusters}${blocks === 1 ? '' : ` * ${blocks}`}`];
  return [
    '    sms = cupy.cuda.Device().attributes["MultiProcessorCount"]',
    `    blocks = min(${clusters}, sms // ${blocks})${blocks === 1 ? '' : ` * ${blocks}`}`,
  ];
}

function valueText(role: ArgumentRole, kernel: Kernel, type: GemmType): string {
  if (role.startsWith('tensorMap')) return role;
  const value = passedValue(role, type);
  if (value.from === 'workspace') return 'workspace';
  const scalar = isInteger(type.accumulator)
    ? 'int32'
    : (NUMPY_TYPES[type.accumulator] ?? 'float32');
  if (value.from === 'number')
    return `numpy.${isInteger(value.dtype) ? 'int32' : scalar}(${value.value})`;
  switch (value.role) {
    case 'a':
    case 'b':
    case 'c':
      return `g.${value.role}`;
    case 'alpha':
    case 'beta':
      return `numpy.${scalar}(g.${value.role})`;
    case 'strideA':
    case 'strideB':
    case 'strideC':
      return `numpy.${kernel.plan.family === 'wgmma' ? 'int64' : 'int32'}(g.${value.role})`;
    default: {
      const name = nameOf(type, value.role);
      return name === value.role ? `numpy.int32(g.${name})` : `g.${name}`;
    }
  }
}

function kernelEntry({ kernel, measured }: ExportedKernel, index: number, type: GemmType): string {
  const { m, n, k } = kernel.problem;
  const conditions = conditionsOf(kernel, type, PYTHON);
  return `    Kernel(
        "${kernel.specKey}",
        SOURCE_${index},
        size=(${[m, n, k].join(', ')}),
        microseconds=${measured === undefined ? 'None' : measured.microseconds},
        supports=lambda g: ${conditions.length === 0 ? 'True' : conditions.join(' and ')},
        workspace_bytes=lambda g: ${workspaceExpression(kernel, PYTHON) ?? '0'},
        launch=_launch_${index},
    ),`;
}

function chooseText({ kernels }: ExportSubject): string {
  if (kernels.length === 1)
    return `def choose(g):
    """Returns the kernel if it supports the arguments, else None."""
    return KERNELS[0] if KERNELS[0].supports(g) else None`;
  return `def choose(g):
    """Returns the supporting kernel of the closest size, then of the smallest time; None if there is none."""

    def rank(kernel):
        distance = sum(abs(math.log2(wanted / size)) for wanted, size in zip((g.m, g.n, g.k), kernel.size))
        return distance, math.inf if kernel.microseconds is None else kernel.microseconds

    return min((kernel for kernel in KERNELS if kernel.supports(g)), key=rank, default=None)`;
}

function resultText(type: GemmType): string {
  const shape = `(${type.isBatched ? 'g.batch, ' : ''}g.m, g.n)`;
  const dtype = `numpy.${NUMPY_TYPES[type.c.dtype] ?? ''}`;
  if (type.c.layout === 'row') return `g.c = cupy.empty(${shape}, ${dtype})`;
  const turned = `(${type.isBatched ? 'g.batch, ' : ''}g.n, g.m)`;
  return `g.c = cupy.empty(${turned}, ${dtype}).swapaxes(-1, -2)`;
}
