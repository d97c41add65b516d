/** Creates the matrices on the GPU from a seed, and reads back the result. */
import type { Runnable } from '../core/kernel/kernel';
import { epilogueOperands } from '../core/spec/epilogue';
import {
  buffersOf,
  operandOf,
  spanElements,
  type BufferName,
  type ResolvedProblem,
} from '../core/spec/resolved';
import { fillMatrix, poisonMatrix, type MatrixData } from '../core/verify/inputs';
import { bytesOf, elementsOf } from '../core/verify/matrixBytes';
import type { Buffers } from './arguments';
import { bufferBytes, wholeVectors } from './limits';
import { record, runWork, type Work } from './pipeline';
import { MAP_READ, USAGE, checked, waitForGpu, ownBuffer, release, type Session } from './session';

export async function upload(
  session: Session,
  { problem, workspaceBytes }: Runnable,
  seed: number,
): Promise<Buffers> {
  const { storage, copyDestination, copySource } = USAGE;
  const usage = storage | copyDestination | copySource;
  const buffers: Buffers = await checked(session, 'Allocating the matrices', () => ({
    a: ownBuffer(session, bufferBytes(problem, 'a'), usage),
    b: ownBuffer(session, bufferBytes(problem, 'b'), usage),
    c: ownBuffer(session, bufferBytes(problem, 'c'), usage),
    ...Object.fromEntries(
      epilogueOperands(problem).map(({ name }) => [
        name,
        ownBuffer(session, bufferBytes(problem, name), usage),
      ]),
    ),
    ...(workspaceBytes === undefined
      ? {}
      : { workspace: ownBuffer(session, wholeVectors(workspaceBytes), usage) }),
  }));
  await fill(session, problem, buffers, seed);
  return buffers;
}

export const fill = (
  session: Session,
  problem: ResolvedProblem,
  buffers: Buffers,
  seed: number,
  operands: readonly BufferName[] = buffersOf(problem),
  keepsWorkspace = false,
): Promise<void> =>
  checked(session, 'Filling the matrices', () => {
    const { queue } = session.device;
    for (const operand of operands) {
      const buffer = buffers[operand];
      if (buffer !== undefined) queue.writeBuffer(buffer, 0, contents(problem, operand, seed));
    }
    // All bits of the workspace are set, so a floating-point element that is read before it is
    // written is NaN.
    if (buffers.workspace !== undefined && !keepsWorkspace) {
      const poison = new Uint8Array(buffers.workspace.size).fill(0xff);
      queue.writeBuffer(buffers.workspace, 0, poison);
    }
  });

/** Returns the contents of a matrix, padded to a multiple of 4 bytes. */
export function contents(
  problem: ResolvedProblem,
  operand: BufferName,
  seed: number,
): Uint8Array<ArrayBuffer> {
  const poisoned = operand === 'c' && problem.beta === 0;
  const data = poisoned ? poisonMatrix(problem) : fillMatrix(problem, operand, seed);
  const bytes = bytesOf(operandOf(problem, operand).dtype, data);
  if (bytes.length % 4 === 0) return bytes;
  const words = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  words.set(bytes);
  return words;
}

/** Returns the first bytes of a buffer. */
export async function readBuffer(
  session: Session,
  source: GPUBuffer,
  bytes: number,
): Promise<Uint8Array> {
  const { device } = session;
  const staging = await checked(session, 'Reading a matrix', () => {
    const buffer = ownBuffer(session, bytes, USAGE.mapRead | USAGE.copyDestination);
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(source, 0, buffer, 0, bytes);
    device.queue.submit([encoder.finish()]);
    return buffer;
  });
  await waitForGpu(session, staging.mapAsync(MAP_READ), 'The copy');
  const copy = new Uint8Array(staging.getMappedRange().slice(0));
  staging.unmap();
  release(session, [staging]);
  return copy;
}

export async function readResult(
  session: Session,
  work: Work,
  problem: ResolvedProblem,
  c: GPUBuffer,
  onPart: (fraction: number) => void = () => undefined,
): Promise<MatrixData> {
  const { device } = session;
  const bytes = bufferBytes(problem, 'c');
  for (const [index, launch] of work.slice(0, -1).entries()) {
    onPart(index / work.length);
    await runWork(session, [launch]);
  }
  const staging = await checked(session, 'Launching the kernel', () => {
    const buffer = ownBuffer(session, bytes, USAGE.mapRead | USAGE.copyDestination);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    record(pass, work.at(-1) ?? [], 1);
    pass.end();
    encoder.copyBufferToBuffer(c, 0, buffer, 0, bytes);
    device.queue.submit([encoder.finish()]);
    return buffer;
  });
  await waitForGpu(session, staging.mapAsync(MAP_READ), 'The kernel');
  const copy = staging.getMappedRange().slice(0);
  staging.unmap();
  release(session, [staging]);
  const elements = spanElements(problem, 'c');
  return elementsOf(problem.c.dtype, copy, elements);
}
