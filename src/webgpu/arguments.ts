/**
 * Binds the arguments of a kernel: matrices or sections of them, and uniform blocks with the
 * scalars.
 */
import {
  launchesOf,
  type Argument,
  type Launch as Launched,
  type Runnable,
} from '../core/kernel/kernel';
import type { Dim3 } from '../core/plan/plan';
import { isEpilogueName, type EpilogueName } from '../core/spec/epilogue';
import { isInteger } from '../core/types/dtype';
import type { OperandName, ResolvedProblem } from '../core/spec/resolved';
import type { Part } from './parts';
import type { Launch } from './pipeline';
import { USAGE, checked, ownBuffer, type Session } from './session';
import { Stop } from './stop';
import type { ArgumentRole } from '../core/kernel/ir/arguments';

export type Buffers = Readonly<Record<OperandName, GPUBuffer>> &
  Readonly<Partial<Record<'workspace' | EpilogueName, GPUBuffer>>>;

export interface Bindable {
  readonly runnable: Runnable;
  readonly pipelines: readonly GPUComputePipeline[];
  readonly buffers: Buffers;
}

export function bindWhole(session: Session, bindable: Bindable): Promise<Launch> {
  const { runnable } = bindable;
  const whole = { problem: runnable.problem, offsets: { a: 0, b: 0, c: 0 } };
  const grids = launchesOf<Launched>(runnable).map(({ grid }) => grid);
  return bind(session, bindable, whole, grids);
}

/** Binds the launches of a kernel to a sub-problem. `grids` has one entry per launch. */
export function bind(
  session: Session,
  { runnable, pipelines, buffers }: Bindable,
  part: Part,
  grids: readonly Dim3[],
): Promise<Launch> {
  const launches = launchesOf<Launched>(runnable);
  return checked(session, 'Binding the arguments', () =>
    pipelines.map((pipeline, i) => {
      const { arguments: args } = launches[i] ?? runnable;
      const bindGroup = session.device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: args.map((argument, binding) => ({
          binding,
          resource: bindingOf(session, argument, part, buffers),
        })),
      });
      return { pipeline, bindGroup, grid: grids[i] ?? runnable.grid };
    }),
  );
}

function bindingOf(
  session: Session,
  argument: Argument,
  { problem, offsets }: Part,
  buffers: Buffers,
): GPUBufferBinding {
  if (argument === 'a' || argument === 'b' || argument === 'c') {
    return { buffer: buffers[argument], offset: offsets[argument] };
  }
  if (argument === 'workspace') {
    if (buffers.workspace !== undefined) return { buffer: buffers.workspace };
    throw new Stop(
      'launch-error',
      'The kernel requires a workspace, but its launch has no workspace size.',
    );
  }
  if (typeof argument === 'string' && isEpilogueName(argument)) {
    const buffer = buffers[argument];
    if (buffer !== undefined) return { buffer, offset: offsets[argument] ?? 0 };
    throw new Stop('launch-error', `The problem has no operand ${argument}.`);
  }
  const roles: readonly ArgumentRole[] = typeof argument === 'string' ? [argument] : argument;
  const block = uniformBlock(problem, roles);
  const buffer = ownBuffer(session, block.byteLength, USAGE.uniform | USAGE.copyDestination);
  session.device.queue.writeBuffer(buffer, 0, block);
  return { buffer };
}

/**
 * Packs 4-byte scalars in the given order, and pads the block to a multiple of 16 bytes. Dimensions
 * and strides are u32. Alpha and beta are i32 for integer accumulators, otherwise f32.
 */
export function uniformBlock(
  problem: ResolvedProblem,
  roles: readonly ArgumentRole[],
): ArrayBuffer {
  const block = new ArrayBuffer(Math.ceil(roles.length / 4) * 16);
  const view = new DataView(block);
  for (const [index, role] of roles.entries()) {
    const value = scalar(problem, role);
    const size = role !== 'alpha' && role !== 'beta';
    if (size) view.setUint32(index * 4, value, true);
    else if (isInteger(problem.accumulator)) view.setInt32(index * 4, value, true);
    else view.setFloat32(index * 4, value, true);
  }
  return block;
}

function scalar(problem: ResolvedProblem, role: ArgumentRole): number {
  if (isEpilogueName(role)) throw notScalar(role);
  switch (role) {
    case 'm':
    case 'n':
    case 'k':
    case 'batch':
    case 'alpha':
    case 'beta':
      return problem[role];
    case 'lda':
      return problem.a.ld;
    case 'ldb':
      return problem.b.ld;
    case 'ldc':
      return problem.c.ld;
    case 'strideA':
      return problem.a.batchStride;
    case 'strideB':
      return problem.b.batchStride;
    case 'strideC':
      return problem.c.batchStride;
    case 'a':
    case 'b':
    case 'c':
    case 'workspace':
      throw notScalar(role);
    case 'tensorMapA':
    case 'tensorMapB':
    case 'tensorMapC':
    case 'tensorMapResidual':
    case 'tensorMapB2':
      throw new Stop('launch-error', `${role} is a tensor map, which WebGPU does not support.`);
  }
}

const notScalar = (role: ArgumentRole): Stop =>
  new Stop('launch-error', `${role} is a buffer and cannot be part of a uniform block.`);
