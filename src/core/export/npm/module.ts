/** index.js and index.d.ts of the `npm` target. */
import { DTYPE_BYTES, isInteger } from '../../types/dtype';
import { formulaText, layoutText, provenance } from '../describe';
import { elementFactors, extrasOf, operandText, matrixOrder, type ExtraOperand } from '../epilogue';
import { LEADING, memoryOrder, STRIDE } from '../roles';
import { floatLiteral } from '../numbers';
import type { ExportSubject, GemmType } from '../subject';

const OPERANDS = ['a', 'b', 'c'] as const;

export function moduleText(subject: ExportSubject): string {
  const { type, name } = subject;
  return `${provenance(subject, '//')}
import { kernels } from './kernels.js';

/** @type {WeakMap<GPUDevice, Promise<Gemm>>} */
const ready = new WeakMap();

const STORAGE = 0x80, UNIFORM = 0x40, COPY_DESTINATION = 0x08; // GPUBufferUsage
const MAX_UNIFORMS = 256;

const hasFeatures = (kernel, { features }) => kernel.features.every(name => features.has(name));
const hasLimits = (kernel, { limits }) =>
  Object.entries(kernel.limits).every(([name, value]) => limits[name] >= value);

/** Returns the features and limits to request, so that a device can run what the adapter can. */
export function deviceDescriptor(adapter) {
  const usable = kernels.filter(kernel => hasFeatures(kernel, adapter) && hasLimits(kernel, adapter));
  const requiredLimits = {};
  for (const { limits } of usable) {
    for (const [name, value] of Object.entries(limits)) {
      requiredLimits[name] = Math.max(requiredLimits[name] ?? 0, value);
    }
  }
  for (const name of ['maxBufferSize', 'maxStorageBufferBindingSize']) {
    requiredLimits[name] = adapter.limits[name];
  }
  return { requiredFeatures: [...new Set(usable.flatMap(({ features }) => features))], requiredLimits };
}

/** Sum of the factors, as logarithms, between two sizes. */
const distance = ([m, n, k], g) =>
  Math.abs(Math.log2(g.m / m)) + Math.abs(Math.log2(g.n / n)) + Math.abs(Math.log2(g.k / k));

export class Gemm {
  #device;
  #kernels;
  #uniforms = new Map();
  #workspace;

  /** Compiles the kernels that the device can run. A device has one object, which is cached. */
  static create(device) {
    let gemm = ready.get(device);
    if (gemm === undefined) {
      gemm = Gemm.#compile(device);
      ready.set(device, gemm);
      gemm.catch(() => ready.delete(device));
    }
    return gemm;
  }

  static async #compile(device) {
    const usable = kernels.filter(kernel => hasFeatures(kernel, device) && hasLimits(kernel, device));
    if (usable.length === 0) {
      const needs = kernels.map(({ features, limits }) => JSON.stringify({ features, limits })).join(' or ');
      throw new Error(\`${name}: the device must have \${needs}. Request it with deviceDescriptor(adapter).\`);
    }
    const compiled = usable.map(async kernel => {
      const response = await fetch(kernel.file);
      if (!response.ok) throw new Error(\`${name}: \${kernel.file}: HTTP status \${response.status}\`);
      const module = device.createShaderModule({ code: await response.text() });
      const pipelines = kernel.launches.map(({ entry }) =>
        device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: entry } }),
      );
      return { ...kernel, pipelines: await Promise.all(pipelines) };
    });
    return new Gemm(device, await Promise.all(compiled));
  }

  /** Use Gemm.create. */
  constructor(device, compiled) {
    this.#device = device;
    this.#kernels = compiled;
  }

  /** Name of the kernel for these sizes; undefined if no kernel supports them. */
  kernelFor(sizes) {
    return this.#choose(complete(sizes))?.name;
  }

  /** Records the product in a command encoder. */
  encode(encoder, product) {
    const g = complete(product);
    const kernel = this.#choose(g);
    if (kernel === undefined) {
      throw new RangeError(\`${name}: no kernel supports \${JSON.stringify(sizesOf(g))} on this device\`);
    }
    checkBuffers(g);
    const pass = encoder.beginComputePass();
    kernel.launches.forEach(({ bindings, grid }, i) => {
      const pipeline = kernel.pipelines[i];
      const [x, y = 1, z = 1] = grid(g);
      const most = this.#device.limits.maxComputeWorkgroupsPerDimension;
      if (Math.max(x, y, z) > most) throw new RangeError(\`${name}: \${[x, y, z].join(' x ')} workgroups exceed \${most} per dimension\`);
      const entries = bindings.map((argument, binding) => ({ binding, resource: this.#bind(argument, g, kernel) }));
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(x, y, z);
    });
    pass.end();
  }

  /** Records and submits the product. */
  run(product) {
    const encoder = this.#device.createCommandEncoder();
    this.encode(encoder, product);
    this.#device.queue.submit([encoder.finish()]);
  }

  // Prefer the closest size, then the smallest measured time, among kernels that support the sizes.
  #choose(g) {
    const rank = kernel => [distance(kernel.size, g), kernel.microseconds ?? Infinity];
    const supporting = this.#kernels.filter(kernel => kernel.supports(g));
    return supporting.reduce((best, kernel) => {
      if (best === undefined) return kernel;
      const [far, time] = rank(kernel), [least, fastest] = rank(best);
      return far < least || (far === least && time < fastest) ? kernel : best;
    }, undefined);
  }

  #bind(argument, g, kernel) {
    if (Array.isArray(argument)) return { buffer: this.#uniform(argument, g) };
    if (argument === 'workspace') return { buffer: this.#workspaceOf(kernel.workspaceBytes(g)) };
    return { buffer: g[argument] };
  }

  /** Uniform buffers never change, so that products that are not yet submitted keep their values. */
  #uniform(roles, g) {
    const key = roles.map(role => \`\${role} \${g[role]}\`).join();
    let buffer = this.#uniforms.get(key);
    if (buffer !== undefined) return buffer;
    const block = new DataView(new ArrayBuffer(Math.ceil(roles.length / 4) * 16));
    roles.forEach((role, i) => {
      if (role === 'alpha' || role === 'beta') block.${isInteger(type.accumulator) ? 'setInt32' : 'setFloat32'}(i * 4, g[role], true);
      else block.setUint32(i * 4, g[role], true);
    });
    buffer = this.#device.createBuffer({ size: block.byteLength, usage: UNIFORM | COPY_DESTINATION });
    this.#device.queue.writeBuffer(buffer, 0, block);
    if (this.#uniforms.size === MAX_UNIFORMS) this.#uniforms.delete(this.#uniforms.keys().next().value);
    this.#uniforms.set(key, buffer);
    return buffer;
  }

  /** The products of a device run in order, so that they can share a workspace. */
  #workspaceOf(bytes) {
    if (this.#workspace === undefined || this.#workspace.size < bytes) {
      this.#workspace = this.#device.createBuffer({ size: Math.ceil(bytes / 16) * 16, usage: STORAGE });
    }
    return this.#workspace;
  }
}

/** Adds the leading dimensions of packed matrices${type.isBatched ? ', their batch strides' : ''} and the factors of the specs. */
function complete(product) {
  const { m, n, k${type.isBatched ? ', batch = 1' : ''} } = product;
  const g = {
${OPERANDS.map(operand => `    ${LEADING[operand]}: ${memoryOrder(type, operand)[1]},`).join('\n')}
    ...product,${type.isBatched ? '\n    batch,' : ''}
  };
${type.isBatched ? OPERANDS.map(operand => `  g.${STRIDE[operand]} ??= g.${memoryOrder(type, operand)[0]} * g.${LEADING[operand]};`).join('\n') + '\n' : ''}  ${type.takesAlpha ? `g.alpha ??= ${floatLiteral(type.alpha)};` : `g.alpha = ${type.alpha};`}
  ${type.takesBeta ? `g.beta ??= ${floatLiteral(type.beta)};` : `g.beta = ${type.beta};`}
  for (const [name, value] of Object.entries(sizesOf(g))) {
    if (!Number.isInteger(value) || value < 1 || value >= 2 ** 31) throw new RangeError(\`${name}: \${name} must be a positive integer, got \${value}\`);
  }
${OPERANDS.map(operand => {
  const along = memoryOrder(type, operand)[1];
  return `  if (g.${LEADING[operand]} < ${along}) throw new RangeError(\`${name}: ${LEADING[operand]} must be at least ${along} = \${${along}}, got \${g.${LEADING[operand]}}\`);`;
}).join('\n')}
  return g;
}

const sizesOf = ({ ${sizeRoles(type).join(', ')} }) => ({ ${sizeRoles(type).join(', ')} });

function checkBuffers(g) {
  const needed = {
${OPERANDS.map(operand => `    ${operand}: ${bytesText(type, operand)},`)
  .concat(extrasOf(type).map(operand => `    ${operand.name}: ${extraBytesText(type, operand)},`))
  .join('\n')}
  };
  for (const [name, bytes] of Object.entries(needed)) {
    if (!(g[name]?.size >= bytes)) throw new RangeError(\`${name}: buffer \${name} must have at least \${bytes} bytes, got \${g[name]?.size}\`);
  }
}
`;
}

const sizeRoles = ({ isBatched }: GemmType): readonly string[] => [
  'm',
  'n',
  'k',
  'lda',
  'ldb',
  'ldc',
  ...(isBatched ? ['batch', 'strideA', 'strideB', 'strideC'] : []),
];

/** Returns the bytes from the first to the last element, as an expression. */
function bytesText(type: GemmType, operand: 'a' | 'b' | 'c'): string {
  const [across, along] = memoryOrder(type, operand);
  const batch = type.isBatched ? `(g.batch - 1) * g.${STRIDE[operand]} + ` : '';
  const bytes = DTYPE_BYTES[type[operand].dtype];
  const elements = `${batch}(g.${across} - 1) * g.${LEADING[operand]} + g.${along}`;
  return bytes === 1 ? elements : `(${elements}) * ${bytes}`;
}

/** Returns the bytes from the first to the last element of an epilogue operand. */
function extraBytesText(type: GemmType, operand: ExtraOperand): string {
  const bytes = DTYPE_BYTES[operand.dtype];
  const factors = elementFactors(operand, type).map(factor =>
    typeof factor === 'number' ? String(factor) : `g.${factor}`,
  );
  if (operand.ld === undefined) return [...factors, bytes].join(' * ');
  const lines = factors.slice(0, -1).join(' * ');
  return `((${lines} - 1) * ${operand.ld} + g.${matrixOrder(operand)[1]}) * ${bytes}`;
}

export function typesText(subject: ExportSubject): string {
  const { type } = subject;
  return `${provenance(subject, '//')}
/// <reference types="@webgpu/types" />

/** Extents in elements. Leading dimensions${type.isBatched ? ' and batch strides' : ''} default to those of packed matrices. */
export interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
${OPERANDS.map(operand => `  readonly ${LEADING[operand]}?: number;`).join('\n')}
${type.isBatched ? `  /** Number of products; default: 1. */\n  readonly batch?: number;\n${OPERANDS.map(operand => `  readonly ${STRIDE[operand]}?: number;`).join('\n')}\n` : ''}}

/**
 * ${formulaText(type)}
 *
 * ${layoutText(type)}
 * Buffers need the usage STORAGE.
 */
export interface Product extends Sizes {
${OPERANDS.map(
  operand => `  /** ${type[operand].dtype} elements. */\n  readonly ${operand}: GPUBuffer;`,
)
  .concat(
    extrasOf(type).map(
      operand => `  /** ${operandText(operand)}. */\n  readonly ${operand.name}: GPUBuffer;`,
    ),
  )
  .join('\n')}
${type.takesAlpha ? `  /** Default: ${type.alpha}. */\n  readonly alpha?: number;\n` : ''}${type.takesBeta ? `  /** Default: ${type.beta}. */\n  readonly beta?: number;\n` : ''}}

/** Returns the features and limits to request, so that a device can run what the adapter can. */
export function deviceDescriptor(adapter: GPUAdapter): GPUDeviceDescriptor;

export class Gemm {
  private constructor();
  /**
   * Compiles the kernels that the device can run. A device has one object, which is cached. Rejects
   * if the device has too few features or limits for every kernel.
   */
  static create(device: GPUDevice): Promise<Gemm>;
  /** Returns the name of the kernel for these sizes; undefined if no kernel supports them. */
  kernelFor(sizes: Sizes): string | undefined;
  /** Records the product in a command encoder. Throws RangeError for unsupported sizes and buffers. */
  encode(encoder: GPUCommandEncoder, product: Product): void;
  /** Records and submits the product. */
  run(product: Product): void;
}
`;
}
