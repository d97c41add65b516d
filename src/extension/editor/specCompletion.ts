/** Legal values of a tile parameter at a position in a spec, with the resulting plan. */
import { t } from '@vscode/l10n';
import { occupancy } from '../../core/occupancy/occupancy';
import { findDevice } from '../../core/hardware/devices';
import type { Plan } from '../../core/plan/plan';
import { plan } from '../../core/plan/planner';
import { decodeSpec } from '../../core/spec/decode';
import { locationAt, type JsonLocation } from '../../core/spec/jsonText';
import { resolve } from '../../core/defaults/resolve';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { TARGETS, type Target } from '../../core/spec/schema';

export interface LegalValue {
  readonly value: number;
  readonly targets: readonly Target[];
  /** Resulting plan, such as `occupancy 50 % (registers), 256 threads, 8,192 B shared`. */
  readonly detail: string;
}

export interface Completion {
  readonly place: JsonLocation;
  /** Legal values among a fixed list of candidates, smallest first; may be empty. */
  readonly values: readonly LegalValue[];
}

const TILES = /^schedule\.(?:block\.[mnk]|thread\.[mn]|padding\.[ab]|minBlocksPerSm)$/;
const POWERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const SIZES = [...POWERS, 24, 48, 96, 192].sort((left, right) => left - right);
const PADDINGS = [0, 1, 2, 4, 8];
const BLOCKS = [1, 2, 3, 4, 6, 8];

/**
 * Returns the legal values at an offset; undefined if the offset is not in the value of a tile
 * parameter.
 */
export function completionAt(text: string, offset: number): Completion | undefined {
  const place = locationAt(text, offset);
  const path = place?.path.join('.') ?? '';
  if (place?.kind !== 'value' || !TILES.test(path)) return undefined;
  const candidates = path.includes('padding')
    ? PADDINGS
    : path.endsWith('minBlocksPerSm')
      ? BLOCKS
      : SIZES;
  return { place, values: candidates.flatMap(value => legal(text, place, value)) };
}

function legal(text: string, { start, end }: JsonLocation, value: number): readonly LegalValue[] {
  // The comma after an unfinished value may be missing.
  const json =
    parse(text.slice(0, start) + String(value) + text.slice(end)) ??
    parse(`${text.slice(0, start)}${value},${text.slice(end)}`);
  const decoded = decodeSpec(json);
  if (!decoded.ok) return [];
  const resolved = resolve(decoded.spec);
  const listed = decoded.spec.targets ?? TARGETS;
  const plans = listed.flatMap(target => {
    const planned = plan(resolved, target);
    return planned.ok ? [planned.plan] : [];
  });
  const [first] = plans;
  if (first === undefined) return [];
  const targets = plans.map(({ target }) => target);
  return [{ value, targets, detail: detailOf(first, resolved, targets) }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function detailOf(
  { threads, sharedBytes, registersEstimate }: Plan,
  { device }: ResolvedSpec,
  targets: readonly Target[],
): string {
  const computeCapability = findDevice(device)?.computeCapability;
  const found =
    computeCapability === undefined
      ? undefined
      : occupancy({
          computeCapability,
          threadsPerBlock: threads,
          registersPerThread: registersEstimate,
          sharedBytesPerBlock: sharedBytes,
        });
  const parts = [
    ...(found?.ok === true
      ? [
          t(
            'occupancy {0} % ({1})',
            Math.round(100 * found.occupancy.occupancy),
            found.occupancy.limiters.join(', '),
          ),
        ]
      : []),
    t('{0} threads', threads),
    ...(sharedBytes === 0 ? [] : [t('{0} B shared', sharedBytes.toLocaleString('en-US'))]),
    ...(targets.length === TARGETS.length ? [] : [t('{0} only', targets.join())]),
  ];
  return parts.join(', ');
}
