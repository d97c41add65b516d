/** The kernel's arguments on the GPU: matrices from a seed, scalars in uniform blocks, and the result back. */
import {
  launchesOf,
  type Argument,
  type ArgumentRole,
  type Launch as Launched,
  type Runnable,
} from '../core/emit/kernel';
import { isInteger } from '../core/spec/dtype';
import {
  OPERANDS,
  spanElements,
  type OperandName,
  type ResolvedProblem,
} from '../core/spec/resolved';
import { fillMatrix, poisonMatrix, type MatrixData } from '../core/verify/inputs';
import { bytesOf, elementsOf } from '../core/verify/matrixBytes';
import { bufferBytes, wholeVectors } from './limits';
import { record, type Launch } from './pipeline';
import { MAP_READ, USAGE, checked, finished, ownBuffer, release, type Session } from './session';
import { Stop } from './stop';

/** The matrices, and the memory that the launches of a kernel share. */
type Buffers = Readonly<Record<OperandName, GPUBuffer>> & { readonly workspace?: GPUBuffer };

export interface Arguments {
  readonly buffers: Buffers;
  readonly launch: Launch;
}

/** `pipelines`: one a launch of the kernel, in order. */
export async function upload(
  session: Session,
  runnable: Runnable,
  pipelines: readonly GPUComputePipeline[],
  seed: number,
): Promise<Arguments> {
  const { problem, workspaceBytes } = runnable;
  const { storage, copyDestination, copySource } = USAGE;
  const usage = storage | copyDestination | copySource;
  const buffers: Buffers = await checked(session, 'Allocating the matrices', () => ({
    a: ownBuffer(session, bufferBytes(problem, 'a'), usage),
    b: ownBuffer(session, bufferBytes(problem, 'b'), usage),
    c: ownBuffer(session, bufferBytes(problem, 'c'), usage),
    ...(workspaceBytes === undefined
      ? {}
      : { workspace: ownBuffer(session, wholeVectors(workspaceBytes), usage) }),
  }));
  await checked(session, 'Filling the matrices', () => {
    const { queue } = session.device;
    for (const operand of OPERANDS) {
      queue.writeBuffer(buffers[operand], 0, contents(problem, operand, seed));
    }
    // NaN, or an integer far from any sum: what a kernel reads there without having written it.
    if (buffers.workspace !== undefined) {
      const poison = new Uint8Array(buffers.workspace.size).fill(0xff);
      queue.writeBuffer(buffers.workspace, 0, poison);
    }
  });
  const launches = launchesOf<Launched>(runnable);
  const launch = await checked(session, 'Binding the arguments', () =>
    pipelines.map((pipeline, i) => {
      const { grid, arguments: args } = launches[i] ?? runnable;
      const bindGroup = session.device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: args.map((argument, binding) => ({
          binding,
          resource: { buffer: bufferOf(session, argument, problem, buffers) },
        })),
      });
      return { pipeline, bindGroup, grid };
    }),
  );
  return { buffers, launch };
}

/** A matrix as bytes, of which only whole words can be written. */
function contents(
  problem: ResolvedProblem,
  operand: OperandName,
  seed: number,
): Uint8Array<ArrayBuffer> {
  const poisoned = operand === 'c' && problem.beta === 0;
  const data = poisoned ? poisonMatrix(problem) : fillMatrix(problem, operand, seed);
  const bytes = bytesOf(problem[operand].dtype, data);
  if (bytes.length % 4 === 0) return bytes;
  const words = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  words.set(bytes);
  return words;
}

function bufferOf(
  session: Session,
  argument: Argument,
  problem: ResolvedProblem,
  buffers: Buffers,
): GPUBuffer {
  if (argument === 'a' || argument === 'b' || argument === 'c') return buffers[argument];
  if (argument === 'workspace') {
    if (buffers.workspace !== undefined) return buffers.workspace;
    throw new Stop('launch-error', 'A kernel takes a workspace, but its size is not given.');
  }
  const roles: readonly ArgumentRole[] = typeof argument === 'string' ? [argument] : argument;
  const block = uniformBlock(problem, roles);
  const buffer = ownBuffer(session, block.byteLength, USAGE.uniform | USAGE.copyDestination);
  session.device.queue.writeBuffer(buffer, 0, block);
  return buffer;
}

/** Scalars of 4 bytes in the order given: sizes as u32, alpha and beta in the type of the sum. */
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
  switch (role) {
    case 'm':
    case 'n':
    case 'k':
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
      throw new Stop('launch-error', `${role} is memory: it cannot be part of a uniform block.`);
  }
}

/** Launches once and returns C, without the padding of its buffer. */
export async function launchOnce(
  session: Session,
  launch: Launch,
  problem: ResolvedProblem,
  c: GPUBuffer,
): Promise<MatrixData> {
  const { device } = session;
  const bytes = bufferBytes(problem, 'c');
  const staging = await checked(session, 'Launching the kernel', () => {
    const buffer = ownBuffer(session, bytes, USAGE.mapRead | USAGE.copyDestination);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    record(pass, launch, 1);
    pass.end();
    encoder.copyBufferToBuffer(c, 0, buffer, 0, bytes);
    device.queue.submit([encoder.finish()]);
    return buffer;
  });
  await finished(session, staging.mapAsync(MAP_READ), 'The kernel');
  const copy = staging.getMappedRange().slice(0);
  staging.unmap();
  release(session, [staging]);
  const elements = spanElements(problem, 'c');
  return elementsOf(problem.c.dtype, copy, elements);
}
