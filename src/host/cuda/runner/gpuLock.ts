/** One measurement at a time on a GPU, whoever makes it. */
import { takeLock, type LockOptions, type NamedLock } from '../../namedLock';

/** The lock of the GPU with this UUID; undefined when cancelled meanwhile. `note`: why nothing was locked. */
export async function lockGpu(uuid: string, options: LockOptions): Promise<NamedLock | undefined> {
  const lock = await takeLock(uuid, options);
  if (lock?.note === undefined) return lock;
  const note = `The GPU could not be reserved, so another program may have used it meanwhile: ${lock.note}.`;
  return { ...lock, note };
}
