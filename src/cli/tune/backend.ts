/** Which backend measures a tune: the one that is asked for, or the first that is here, and that is said. */
import { BACKENDS, type BackendId } from '../../core/measure/measurement';
import type { GemmSpec } from '../../core/spec/schema';
import { TUNABLE, type TunableBackend } from '../../host/tune/run';
import { backendOf } from '../backends';
import type { Context } from '../command';
import { lacking, unusable } from '../result';

/** All are taken, so that those that cannot be tuned say why. */
export const BACKEND_NAMES = BACKENDS;

const isTunable = (id: BackendId): id is TunableBackend => Object.hasOwn(TUNABLE, id);

export async function backendFor(
  asked: BackendId | undefined,
  { targets }: GemmSpec,
  { note }: Context,
): Promise<TunableBackend> {
  if (asked !== undefined) {
    if (!isTunable(asked)) {
      throw unusable(
        `${asked} has no time to tune by: it checks kernels on the processor. Choose --backend cuda or webgpu.`,
      );
    }
    const target = TUNABLE[asked];
    if (targets?.includes(target) !== false) return asked;
    throw unusable(
      `The ${asked} backend runs ${target}, which is none of the spec's targets (${targets.join(', ')}).`,
    );
  }
  const possible = (['cuda', 'webgpu'] as const).filter(
    id => targets?.includes(TUNABLE[id]) !== false,
  );
  const missing: string[] = [];
  for (const id of possible) {
    const found = await backendOf(id).probe();
    if (found.available) {
      note(`${id}: ${found.device.name}. --backend chooses another.`);
      return id;
    }
    missing.push(`${id}: ${found.why} ${found.next}`);
  }
  throw lacking(`There is nothing to measure on. ${missing.join(' ')}`);
}
