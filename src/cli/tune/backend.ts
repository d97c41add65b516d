/** Selects the backend of a tuning run: the requested backend, or the first available backend. */
import { BACKENDS, type BackendId } from '../../core/measure/measurement';
import type { GemmSpec } from '../../core/spec/schema';
import type { Backend } from '../../core/measure/backend';
import { TUNABLE, type TunableBackend } from '../../host/tune/run';
import { backendOf } from '../backends';
import type { Context } from '../command';
import { missingPrerequisite, invalidInput } from '../result';

/**
 * Accepted values of `--backend`. They include backends that cannot be tuned, so that their error
 * message is specific.
 */
export const BACKEND_NAMES = BACKENDS;

const isTunable = (id: BackendId): id is TunableBackend => Object.hasOwn(TUNABLE, id);

export async function backendFor(
  requested: BackendId | undefined,
  { targets }: GemmSpec,
  { note }: Pick<Context, 'note'>,
  backendNamed: (id: TunableBackend) => Backend = backendOf,
): Promise<TunableBackend> {
  if (requested !== undefined) return requireTunable(requested, targets);
  const possible = (['cuda', 'webgpu'] as const).filter(
    id => targets?.includes(TUNABLE[id]) !== false,
  );
  const missing: string[] = [];
  for (const id of possible) {
    const found = await backendNamed(id).probe();
    if (found.available) {
      note(`${id}: ${found.device.name}. Use --backend to choose a different backend.`);
      return id;
    }
    missing.push(`${id}: ${found.why} ${found.next}`);
  }
  throw missingPrerequisite(`No GPU is available for measurements. ${missing.join(' ')}`);
}

/** Returns the requested backend. Throws if it cannot time kernels, or not those of the spec. */
export function requireTunable(requested: BackendId, targets: GemmSpec['targets']): TunableBackend {
  if (!isTunable(requested)) {
    throw invalidInput(
      `The ${requested} backend verifies on the CPU and cannot time kernels. Fix: choose --backend cuda or webgpu.`,
    );
  }
  const target = TUNABLE[requested];
  if (targets?.includes(target) !== false) return requested;
  throw invalidInput(
    `The ${requested} backend runs ${target}, but the spec's targets are ${targets.join(', ')}. Fix: choose a different backend.`,
  );
}
