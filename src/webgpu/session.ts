/**
 * Manages the GPU device of one run. A lost device ends the run, and closing the session frees all
 * resources.
 */
import type { Environment } from './environment';
import type { Guard } from './guard';
import { lostText } from './lostDevices';
import { Stop, clip, wordsOf } from './stop';

/** Time limit of a queue submission in milliseconds, after which the run is interrupted. */
export const SUBMIT_LIMIT_MS = 4000;
const DEVICE_LIMIT_MS = 5000;
/**
 * Time limit for compilation in milliseconds, because software adapters take seconds to compile.
 */
const COMPILE_LIMIT_MS = 30_000;

export interface Session {
  readonly env: Environment;
  readonly guard: Guard;
  readonly device: GPUDevice;
  readonly hasTimestamps: boolean;
  readonly owned: Set<{ destroy(): void }>;
}

export async function openSession(
  env: Environment,
  guard: Guard,
  adapter: GPUAdapter,
  descriptor: GPUDeviceDescriptor,
): Promise<Session> {
  const silent = (): Stop =>
    new Stop(
      'unavailable',
      `This adapter returned no device within ${DEVICE_LIMIT_MS / 1000} s. ${env.advice.restart}`,
    );
  let device: GPUDevice;
  try {
    device = await guard.wait(adapter.requestDevice(descriptor), DEVICE_LIMIT_MS, silent);
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop('unavailable', `The adapter returned no device: ${clip(wordsOf(error))}`);
  }
  void device.lost.then(({ reason, message }) => {
    if (reason === 'destroyed') return;
    const words = message === '' ? 'no reason reported' : clip(message).replace(/\.$/, '');
    guard.interrupt(new Stop('launch-error', lostText(env.losses, words, env.advice.restart)));
  });
  const hasTimestamps = device.features.has('timestamp-query');
  return { env, guard, device, hasTimestamps, owned: new Set() };
}

/**
 * Closes the session. If unfinished work was abandoned, closes it asynchronously, because
 * destroying the device may block until the work ends.
 */
export function closeSession(session: Session): void {
  const close = (): void => {
    for (const resource of session.owned) resource.destroy();
    session.owned.clear();
    session.device.destroy();
  };
  if (session.guard.stopped()?.pending === true) session.env.after(0, close);
  else close();
}

export function waitForGpu<T>({ env, guard }: Session, work: Promise<T>, what: string): Promise<T> {
  const late = (): Stop =>
    new Stop(
      'timeout',
      `${what} did not finish within ${SUBMIT_LIMIT_MS / 1000} s, so the GPU device was closed. The kernel may hang, or this adapter may be too slow for the problem. The run is not retried. If the next run does not get an adapter: ${env.advice.restart}`,
      true,
    );
  return guard.wait(work, SUBMIT_LIMIT_MS, late);
}

export function waitForSetup<T>({ guard }: Session, work: Promise<T>, what: string): Promise<T> {
  const late = (): Stop =>
    new Stop('timeout', `${what} took longer than ${COMPILE_LIMIT_MS / 1000} s.`, true);
  return guard.wait(work, COMPILE_LIMIT_MS, late);
}

/**
 * Returns the result of `work`, and throws if WebGPU reports an error. An out-of-memory error has
 * the outcome `constraint`, and all other errors have the outcome `launch-error`.
 */
export async function checked<T>(session: Session, what: string, work: () => T): Promise<T> {
  const { device } = session;
  session.guard.check();
  const filters = ['internal', 'validation', 'out-of-memory'] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  const result = work();
  // The scopes are popped before the first await, so that the scopes of concurrent calls do not
  // interleave.
  const popped = filters.map(() => device.popErrorScope()).reverse();
  const errors = await waitForGpu(session, Promise.all(popped), what);
  for (const [index, error] of errors.entries()) {
    if (error === null) continue;
    const outOfMemory = filters[index] === 'out-of-memory';
    throw outOfMemory
      ? new Stop('constraint', `${what}: the GPU is out of memory. ${clip(error.message)}`)
      : new Stop('launch-error', `${what}: ${clip(error.message)}`);
  }
  return result;
}

export function ownBuffer(session: Session, size: number, usage: number): GPUBuffer {
  const buffer = session.device.createBuffer({ size, usage });
  session.owned.add(buffer);
  return buffer;
}

export function release(session: Session, resources: readonly { destroy(): void }[]): void {
  for (const resource of resources) {
    resource.destroy();
    session.owned.delete(resource);
  }
}

/** Values of GPUBufferUsage and GPUMapMode, because some hosts do not define these globals. */
export const USAGE = {
  mapRead: 1,
  copySource: 4,
  copyDestination: 8,
  uniform: 64,
  storage: 128,
  queryResolve: 512,
} as const;
export const MAP_READ = 1;
