/** The kernel's arguments on the GPU: matrices from a seed, scalars in uniform blocks, and the result back. */
import type { Argument, ArgumentRole, Runnable } from '../core/emit/kernel';
import { isInteger } from '../core/spec/dtype';
import {
  OPERANDS,
  spanElements,
  type OperandName,
  type ResolvedProblem,
} from '../core/spec/resolved';
import { fillMatrix, poisonMatrix, type MatrixData } from '../core/verify/inputs';
import { bytesOf, elementsOf } from '../core/verify/matrixBytes';
import { bufferBytes } from './limits';
import { record, type Launch } from './pipeline';
import { MAP_READ, USAGE, checked, finished, ownBuffer, release, type Session } from './session';
import { Stop } from './stop';

export interface Arguments {
  readonly matrices: Readonly<Record<OperandName, GPUBuffer>>;
  readonly bindGroup: GPUBindGroup;
}

export async function upload(
  session: Session,
  runnable: Runnable,
  pipeline: GPUComputePipeline,
  seed: number,
): Promise<Arguments> {
  const { problem } = runnable;
  const { storage, copyDestination, copySource } = USAGE;
  const usage = storage | copyDestination | copySource;
  const matrices = await checked(session, 'Allocating the matrices', () => ({
    a: ownBuffer(session, bufferBytes(problem, 'a'), usage),
    b: ownBuffer(session, bufferBytes(problem, 'b'), usage),
    c: ownBuffer(session, bufferBytes(problem, 'c'), usage),
  }));
  await checked(session, 'Filling the matrices', () => {
    for (const operand of OPERANDS) {
      session.device.queue.writeBuffer(matrices[operand], 0, contents(problem, operand, seed));
    }
  });
  const bindGroup = await checked(session, 'Binding the arguments', () =>
    session.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: runnable.arguments.map((argument, binding) => ({
        binding,
        resource: { buffer: bufferOf(session, argument, problem, matrices) },
      })),
    }),
  );
  return { matrices, bindGroup };
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
  matrices: Arguments['matrices'],
): GPUBuffer {
  if (argument === 'a' || argument === 'b' || argument === 'c') return matrices[argument];
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
      throw new Stop('launch-error', `Matrix ${role} cannot be part of a uniform block.`);
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
