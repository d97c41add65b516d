/** Asks for an adapter, and runs nothing. */
import type { Availability } from '../core/measure/backend';
import { openAdapter } from './adapter';
import type { Environment } from './environment';
import { createGuard } from './guard';

/** Whether there is an adapter, and which. */
export async function probeWebgpu(env: Environment): Promise<Availability> {
  const guard = createGuard(
    { ...env, visible: () => true, onHidden: () => () => undefined },
    NEVER,
  );
  const opened = await openAdapter(env, guard, 'first');
  guard.close();
  return opened.available ? { available: true, device: opened.device } : opened;
}

const NEVER = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};
