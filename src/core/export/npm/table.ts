/** kernels.js of the `npm` target: what the module needs to know about each WGSL kernel. */
import { gridDims } from '../../kernel/file/gridDims';
import { workspaceParts } from '../../kernel/file/sizeNeeds';
import {
  isLowered,
  launchesOf,
  type Kernel,
  type KernelLaunch,
  type Launch,
} from '../../kernel/kernel';
import { DEFAULT_WEBGPU_LIMITS } from '../../plan/limits';
import { wgslFeatures } from '../../source/wgslFeatures';
import { conditionsOf, gridExpressions, workspaceExpression, type Syntax } from '../conditions';
import { provenance } from '../describe';
import { nameOf } from '../epilogue';
import { numberText } from '../numbers';
import type { ExportedKernel, ExportSubject, GemmType } from '../subject';

const JS: Syntax = {
  of: 'g.',
  equals: '===',
  ceilDivide: (dividend, divisor) => `Math.ceil(${dividend} / ${divisor})`,
  wide: factor => factor,
};

/** Returns the limits above the WebGPU defaults that a kernel requires. */
export function limitsOf(kernel: Kernel): Readonly<Record<string, number>> {
  const { invocations, workgroupStorageBytes } = kernel.spec.webgpuLimits ?? DEFAULT_WEBGPU_LIMITS;
  const threads = Math.max(...launchesOf<Launch>(kernel).map(({ block }) => block.x * block.y));
  const isWide = threads > DEFAULT_WEBGPU_LIMITS.invocations;
  return {
    ...(isWide
      ? {
          maxComputeInvocationsPerWorkgroup: invocations,
          maxComputeWorkgroupSizeX: invocations,
          maxComputeWorkgroupSizeY: invocations,
        }
      : {}),
    ...(kernel.sharedBytes > DEFAULT_WEBGPU_LIMITS.workgroupStorageBytes
      ? { maxComputeWorkgroupStorageSize: workgroupStorageBytes }
      : {}),
  };
}

export function tableText(subject: ExportSubject): string {
  const { kernels, type } = subject;
  const texts = kernels.map(each => entryText(each, type));
  const body = texts.join('\n');
  return `${provenance(subject, '//')}

${
  body.includes('fits(')
    ? '// The kernels have 32-bit element offsets.\nconst fits = elements => elements < 2 ** 31;\n\n'
    : ''
}${
    body.includes('fillsSlices(')
      ? `// Split-K: each slice has the same number of k-iterations, except the last; none may be empty.
const fillsSlices = (k, depth, slices) => {
  const iterations = Math.ceil(k / depth);
  return Math.ceil(iterations / Math.ceil(iterations / slices)) === slices;
};

`
      : ''
  }export const kernels = [
${body}
];
`;
}

function entryText({ kernel, measured }: ExportedKernel, type: GemmType): string {
  if (!isLowered(kernel)) throw new Error(`${kernel.specKey} is not a WGSL kernel`);
  const { m, n, k } = kernel.problem;
  const conditions = conditionsOf(kernel, type, JS);
  const bytes = workspaceExpression(kernel, JS);
  const bound = (argument: (typeof kernel.arguments)[number]) =>
    typeof argument === 'string' ? nameOf(type, argument) : argument;
  const launches = launchesOf<KernelLaunch>(kernel).map(launch => {
    const grid = gridExpressions(gridDims(kernel.plan, launch), JS).join(', ');
    return `      { entry: '${launch.entry}', bindings: ${literal(launch.arguments.map(bound))}, grid: g => [${grid}] },`;
  });
  return `  {
    name: '${kernel.specKey}',
    file: new URL('./kernels/${kernel.fileName}', import.meta.url),
    size: [${[m, n, k].join(', ')}],
    microseconds: ${measured === undefined ? 'null' : numberText(measured.microseconds)},
    features: ${literal(wgslFeatures(kernel.source))},
    limits: ${literal(limitsOf(kernel))},
    supports: ${conditions.length === 0 ? '() => true' : `g => ${conditions.join(' && ')}`},
    workspaceBytes: ${bytes === undefined || workspaceParts(kernel).length === 0 ? '() => 0' : `g => ${bytes}`},
    launches: [
${launches.join('\n')}
    ],
  },`;
}

/** Formats a value of strings, numbers and lists as JavaScript. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, each]) => `${key}: ${literal(each)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return String(value);
}
