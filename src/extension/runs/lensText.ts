/** CodeLens texts of a kernel. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../core/report/analysis';
import type { Roofline } from '../../core/roofline/contract';
import type { BareOccupancy } from '../../core/occupancy/bareOccupancy';
import { doubtfulCeiling } from '../../core/roofline/doubtfulCeiling';
import { machineOf } from '../../core/roofline/roofline';
import { hashText } from '../../core/text/hash';
import { hasConflicts } from '../../core/report/notes/notes';
import { isUncoalesced } from '../../core/profile/ptx/notes';
import { rateWithInterval } from '../../core/measure/intervalText';
import { backendName } from '../../core/measure/backendName';
import type { Measurement } from '../../core/measure/measurement';
import type { NewestRun } from '../../core/measure/newestRuns';
import { rateText } from './runText';

const percent = (fraction: number): string => {
  const value = fraction * 100;
  return `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)} %`;
};

/**
 * Formats counts such as `3 uncoalesced, 2 with bank conflicts` for accesses read from PTX. Returns
 * undefined if all counts are 0.
 */
export function accessText({ globalMemory, sharedMemory }: Analysis): string | undefined {
  const read = <S extends { readonly source?: unknown }>(sites: readonly S[]): readonly S[] =>
    sites.filter(({ source }) => source !== undefined);
  const uncoalesced = read(globalMemory).filter(isUncoalesced).length;
  const conflicting = read(sharedMemory).filter(hasConflicts).length;
  if (uncoalesced > 0 && conflicting > 0)
    return t('{0} uncoalesced, {1} with bank conflicts', uncoalesced, conflicting);
  if (uncoalesced > 0) return t('{0} uncoalesced', uncoalesced);
  return conflicting > 0 ? t('{0} with bank conflicts', conflicting) : undefined;
}

/**
 * Formats the register count and the occupancy of a kernel without an annotation, at the block size
 * in its source. Without a block size, the occupancy is the maximum over common block sizes.
 */
export function bareText({ registers, block, best, sizes }: BareOccupancy): string {
  if (block !== null) {
    return t(
      '{0} registers, occupancy {1} ({2}) at {3} threads per block',
      registers.value,
      percent(block.occupancy),
      block.limiters.join(', '),
      block.threads,
    );
  }
  const share = Math.max(0, ...sizes.map(({ occupancy }) => occupancy));
  return t(
    '{0} registers, occupancy at most {1}, at {2} threads per block',
    registers.value,
    percent(share),
    best.join(', '),
  );
}

/**
 * Formats occupancy as `occupancy 50 % (registers)`; returns null if the device limits are unknown.
 */
export function occupancyText({ occupancy }: Analysis): string | null {
  if (occupancy === null) return null;
  return t('occupancy {0} ({1})', percent(occupancy.occupancy), occupancy.limiters.join(', '));
}

/**
 * Returns the roofline of the machine of a run; undefined if the analysis contains no timed run on
 * that machine.
 */
export function rooflineOfRun(
  { roofline, machineRooflines }: Analysis,
  run: Measurement,
): Roofline | undefined {
  const machine = machineOf(run);
  return [roofline, ...machineRooflines].find(({ points }) =>
    points.some(point => point.kind === 'measured' && point.machine === machine),
  );
}

/**
 * Returns the newest timed run of the spec, which may be in the other language or of an older
 * source.
 */
const timedOfSpec = (ofSpec: readonly NewestRun[]): NewestRun | undefined =>
  ofSpec.findLast(({ run }) => run.timing !== undefined);

function rateOfSpec(ofSpec: readonly NewestRun[]): string {
  const { run, stale = false } = timedOfSpec(ofSpec) ?? {};
  const rate = run === undefined ? undefined : rateText(run);
  if (run === undefined || rate === undefined) return t('not measured');
  const text = `${backendName(run.backend)} ${rate}`;
  return stale ? t('{0} (stale)', text) : text;
}

/**
 * Formats the roofline fraction of the newest run on its machine, with the ratio to a library if
 * measured. If the roofline is unknown, formats the rate instead. If the newest run is not timed,
 * formats the rate of the newest timed run of the spec.
 */
export function rooflineShareText(
  analysis: Analysis,
  newest: Measurement | undefined,
  ofSpec: readonly NewestRun[] = [],
): string {
  if (newest?.timing === undefined) return rateOfSpec(ofSpec);
  const tflops = newest.timing.gflops / 1000;
  const roofline = rooflineOfRun(analysis, newest);
  const attainable = roofline?.attainable.value ?? NaN;
  const isDoubtful = roofline !== undefined && doubtfulCeiling(roofline) !== undefined;
  const text = Number.isFinite(attainable)
    ? isDoubtful
      ? t('{0} of roofline (uncertain ceiling)', percent(tflops / attainable))
      : t('{0} of roofline', percent(tflops / attainable))
    : t('{0} GFLOP/s', newest.timing.gflops.toPrecision(3));
  const { baseline } = newest;
  return baseline === undefined
    ? text
    : t('{0}, {1}x {2}', text, baseline.ratio.toPrecision(2), baseline.name);
}

/**
 * Formats the rate of the newest run with its 95 % interval and the device. If that run is not
 * timed, formats the newest timed run of the spec.
 */
export function runText(
  newest: Measurement | undefined,
  ofSpec: readonly NewestRun[] = [],
): string {
  if (newest?.timing === undefined) {
    const other = timedOfSpec(ofSpec);
    if (other === undefined) return t('No timed run of this kernel source yet');
    const text = runText(other.run);
    return other.stale ? t('{0}; kernel source changed since', text) : text;
  }
  return t('{0} on {1}', rateWithInterval(newest.timing), newest.device.name);
}

/**
 * Returns a predicate for runs of exactly this source and kernel, because an edited kernel must not
 * show results of the original. Omit `specKey` if the source contains one kernel.
 */
export function isRunOf(source: string, specKey?: string): (run: Measurement) => boolean {
  const hash = hashText(source);
  return run => run.sourceHash === hash && (specKey === undefined || run.specKey === specKey);
}
