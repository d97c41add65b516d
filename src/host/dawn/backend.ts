/**
 * Implements the webgpu backend outside a browser, which runs each job on Dawn in a child process.
 */
import { sourceHashOf } from '../../core/text/hash';
import type {
  Abort,
  Availability,
  Backend,
  RunContext,
  RunRequest,
} from '../../core/measure/backend';
import type { MeasuredCeilings, Measurement, Outcome } from '../../core/measure/measurement';
import { initialFindings, toMeasurement } from '../../webgpu/findings';
import { lostText } from '../../webgpu/lostDevices';
import { requestWorker, type Answer, type DawnOptions } from './client';
import { packRunnable, RESTART, type WgslMessage, type WgslText } from './job';
import { swiftShaderEnvironment } from './swiftShader';

type Variables = Readonly<Record<string, string>>;

interface Found {
  readonly availability: Availability;
  /** Environment variables that the worker requires to find this adapter. */
  readonly variables: Variables;
}

export function dawnBackend(options: DawnOptions): Backend {
  let known: Found | undefined;
  let ceilings: [string, MeasuredCeilings][] = [];
  const losses = { count: 0 };

  const find = async (): Promise<Found> => {
    // A found adapter is cached. If no adapter was found, the search is repeated, because a driver
    // may have been installed.
    if (known?.availability.available !== true) known = await findAdapter(options);
    return known;
  };

  const { robustness, experimental } = options;

  const run = async (request: RunRequest, context: RunContext): Promise<Measurement> => {
    const { runnable, mode, seed, effort = 'full' } = request;
    const found = initialFindings(options.where);
    const fail = (outcome: Outcome, message: string): Measurement =>
      toMeasurement(runnable, outcome, { ...found, message });
    if (context.abort.aborted) return fail('cancelled', 'Cancelled.');
    const { availability, variables } = await find();
    if (!availability.available) {
      return fail('unavailable', `${availability.why} ${availability.next}`);
    }
    found.device = availability.device;
    const job = {
      type: 'run',
      where: options.where,
      runnable: packRunnable(runnable),
      losses: losses.count,
      mode,
      seed,
      effort,
      ceilings,
      submitMs: options.submitMs,
      robustness,
      experimental,
    } as const;
    const answer = await requestWorker(options, job, variables, context.abort, context.progress);
    if (answer.type === 'ended' && answer.why === 'crashed') {
      const words = answer.message.replace(/\.$/, '');
      return fail('launch-error', lostText(losses, words, RESTART));
    }
    if (answer.type !== 'measured') return fail(...failure(answer));
    ceilings = answer.ceilings;
    losses.count = answer.losses;
    const { specKey } = runnable;
    const own = { specKey, sourceHash: sourceHashOf(runnable), resolved: runnable.spec ?? null };
    return { ...answer.measurement, ...own };
  };
  return { id: 'webgpu', probe: async () => (await find()).availability, run };
}

/**
 * Probes the machine's Vulkan driver. If it has no adapter, probes the SwiftShader driver of a
 * browser. Returns the failure of the first probe if neither has an adapter.
 */
async function findAdapter(options: DawnOptions): Promise<Found> {
  const own = { variables: {}, availability: await probe(options, {}) };
  if (own.availability.available) return own;
  const variables = swiftShaderEnvironment();
  if (variables === undefined) return own;
  const availability = await probe(options, variables);
  return availability.available ? { variables, availability } : own;
}

async function probe(options: DawnOptions, variables: Variables): Promise<Availability> {
  const { where, robustness, experimental } = options;
  const job = { type: 'probe', where, robustness, experimental } as const;
  const answer = await requestWorker(options, job, variables);
  if (answer.type === 'availability') return answer.answer;
  if (answer.type === 'failed') return { available: false, why: answer.why, next: answer.next };
  const [, why] = failure(answer);
  return { available: false, why, next: 'Check the Vulkan driver, for example with vulkaninfo.' };
}

function failure(answer: Answer): [Outcome, string] {
  if (answer.type === 'failed') return ['unavailable', `${answer.why} ${answer.next}`];
  if (answer.type !== 'ended')
    return ['launch-error', 'The Dawn worker returned a response of an unexpected type.'];
  const outcomes = { cancelled: 'cancelled', silent: 'timeout', crashed: 'launch-error' } as const;
  return [outcomes[answer.why], answer.message];
}

export type Validated =
  | { readonly ok: true; readonly messages: readonly (readonly WgslMessage[])[] }
  | { readonly ok: false; readonly why: string; readonly next: string };

/**
 * Compiles WGSL sources with Dawn and returns the errors of each source, or the reason why Dawn
 * could not compile. Requires the Dawn package but no driver.
 */
export async function validateWgsl(
  options: DawnOptions,
  texts: readonly WgslText[],
  abort?: Abort,
): Promise<Validated> {
  const answer = await requestWorker(options, { type: 'validate', texts: [...texts] }, {}, abort);
  if (answer.type === 'validated') return { ok: true, messages: answer.messages };
  if (answer.type === 'failed') return { ok: false, why: answer.why, next: answer.next };
  return {
    ok: false,
    why: failure(answer)[1],
    next: 'Try again. If the failure recurs, report it.',
  };
}

export type LocatedDawn =
  | {
      readonly found: true;
      readonly path: string;
      readonly version: string;
      /** Whether the package is in the folder `DawnOptions.installed`. */
      readonly installed: boolean;
    }
  | {
      readonly found: false;
      readonly why: string;
      readonly next: string;
      /**
       * Whether installing Dawn in the folder `DawnOptions.installed` would resolve the failure.
       */
      readonly installable: boolean;
    };

export async function locateDawn(options: DawnOptions): Promise<LocatedDawn> {
  const answer = await requestWorker(options, { type: 'locate' }, {});
  if (answer.type === 'located') {
    const { path, version, installed } = answer;
    return { found: true, path, version, installed };
  }
  if (answer.type === 'failed') {
    const { why, next, installable = false } = answer;
    return { found: false, why, next, installable };
  }
  const next = 'Try again. If the failure recurs, report it.';
  return { found: false, why: failure(answer)[1], next, installable: false };
}
