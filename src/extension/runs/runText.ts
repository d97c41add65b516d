/** Texts for a stored run: tree row, tooltip and table row. */
import { t } from '@vscode/l10n';
import { codeBlock, codicon, joined, markup, table, type Markdown } from '../../core/text/markdown';
import { speedUp } from '../../core/measure/intervals';
import {
  rateIntervalText,
  ratioText,
  rateWithInterval,
  timeIntervalText,
  uncertainText,
} from '../../core/measure/intervalText';
import { energyOrReason } from '../../core/measure/energyText';
import { backendName } from '../../core/measure/backendName';
import { conditionsText } from '../../core/measure/conditionsText';
import type { Baseline, Measurement, Outcome, Timing } from '../../core/measure/measurement';
import { problemName } from '../../core/spec/problemName';
import { passedChecks } from '../../core/simulate/passedChecks';
import { largestErrorText } from '../../core/verify/largestErrorText';
import { bitPicture, patternLines, wrongSummary } from '../../core/verify/wrongText';
import { doubtText } from './resultText';
import { kernelOfRun, rooflineFraction } from './runFacts';

/** Codicons with distinct shapes, because color alone must not convey the outcome. */
export const OUTCOME_ICONS: Readonly<Record<Outcome, string>> = {
  correct: 'pass',
  incorrect: 'error',
  'compile-error': 'bracket-error',
  'launch-error': 'warning',
  constraint: 'info',
  timeout: 'watch',
  cancelled: 'circle-slash',
  unavailable: 'debug-disconnect',
};

export function outcomeText(outcome: Outcome): string {
  switch (outcome) {
    case 'correct':
      return t('correct');
    case 'incorrect':
      return t('wrong result');
    case 'compile-error':
      return t('did not compile');
    case 'launch-error':
      return t('failed to run');
    case 'constraint':
      return t('exceeds a backend limit');
    case 'timeout':
      return t('timed out');
    case 'cancelled':
      return t('cancelled');
    case 'unavailable':
      return t('backend unavailable');
  }
}

export const digits = (value: number): string => String(Number(value.toPrecision(3)));
export const percentText = (fraction: number): string => `${digits(100 * fraction)} %`;

/** Returns the rate, such as `1.23 TFLOP/s`; undefined for a run that was not timed. */
export function rateText({ timing }: Measurement): string | undefined {
  if (timing === undefined) return undefined;
  const { gflops } = timing;
  return gflops >= 1000 ? `${digits(gflops / 1000)} TFLOP/s` : `${digits(gflops)} GFLOP/s`;
}

/**
 * Returns the rate relative to the baseline library, or else to the roofline of the machine.
 * Returns undefined if the run has no baseline and no roofline.
 */
export function shareText(run: Measurement): string | undefined {
  const { baseline } = run;
  if (baseline !== undefined) return t('{0} of {1}', percentText(baseline.ratio), baseline.name);
  const fraction = rooflineFraction(run);
  return fraction === undefined ? undefined : t('{0} of roofline', percentText(fraction));
}

/** Returns the location of the device. A remote window and its page are on different machines. */
export function whereText({ device: { where }, backend }: Measurement): string {
  const remote = /^extension host, (.+)$/.exec(where)?.[1];
  if (backend === 'simulate') return t('interpreted, no GPU');
  if (backend === 'cpu' && remote !== undefined) return t('CPU of remote machine {0}', remote);
  if (backend === 'cpu') return t('CPU of the computer that runs VS Code');
  if (remote !== undefined) return t('GPU of remote machine {0}', remote);
  if (where === 'webview') return t('GPU of the computer that shows the window');
  if (where === 'extension host') return t('GPU of the computer that runs VS Code');
  return where;
}

/** Returns the time in the user's time zone; undefined for records of older versions. */
export function whenText({ at }: Measurement): string | undefined {
  if (at === undefined) return undefined;
  const style = { dateStyle: 'medium', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat(undefined, style).format(new Date(at));
}

/** Returns the problem as `1024 x 512 x 64 f32`, followed by non-default settings. */
export const problemText = ({ resolved }: Measurement): string =>
  resolved === null
    ? t('Hand-written kernels (problem not recorded)')
    : problemName(resolved.problem);

/**
 * Returns the schedule part of the spec key, such as `thread-tile-2d 128x128x8-8x8`. Returns the
 * complete key of a hand-written kernel.
 */
export function kernelName(run: Measurement): string {
  const match = /^gemm-[a-z0-9]+-(.+?)-\d+x\d+x\d+-[rc]{3}(?:-(.+))?$/.exec(run.specKey);
  if (match === null || run.resolved === null) return run.specKey;
  const [, algorithm = '', tiles] = match;
  return tiles === undefined ? algorithm : `${algorithm} ${tiles}`;
}

/**
 * Returns the label of a run with its rate first, such as `1.22 GFLOP/s  register-tile`. A run
 * without a rate starts with its outcome.
 */
export const runLabel = (run: Measurement): string =>
  `${rateText(run) ?? outcomeText(run.outcome)}  ${nameAndTiles(run)[0]}`;

/** Splits the kernel name into the algorithm and its tiles. A hand-written kernel has no tiles. */
function nameAndTiles(run: Measurement): readonly [name: string, tiles: string | undefined] {
  const name = kernelName(run);
  const space = run.resolved === null ? -1 : name.indexOf(' ');
  return space < 0 ? [name, undefined] : [name.slice(0, space), name.slice(space + 1)];
}

/** Returns the recorded host name or identifier of the machine; undefined if there is none. */
export const hostOf = ({ origin }: Measurement): string | undefined => origin?.machine;

/** @param withHost whether to add the machine, because several machines have this device */
export function machineText(run: Measurement, withHost = false): string {
  const { name } = run.device;
  return withHost ? `${name} · ${hostOf(run) ?? t('machine not recorded')}` : name;
}

/** Returns the short commit of a run; undefined if none was recorded. */
export function commitText({ origin }: Measurement): string | undefined {
  if (origin?.commit === undefined) return undefined;
  const short = origin.commit.slice(0, 10);
  return origin.dirty === true ? t('{0} with changes', short) : short;
}

/**
 * Returns whether the source of the run differs from the kernel that its spec generates now: the
 * source was edited, or the generator has changed.
 */
export const isEdited = (run: Measurement): boolean =>
  run.resolved !== null && run.sourceHash !== undefined && kernelOfRun(run) === null;

/** Returns the text behind the label of a run, most important first. */
export function descriptionOf(run: Measurement, withProblem: boolean): string {
  const { timing } = run;
  const parts = [
    ...(timing?.intervalMs === undefined ? [] : [rateIntervalText(timing), uncertainText(timing)]),
    nameAndTiles(run)[1],
    shareText(run),
    backendName(run.backend),
    withProblem ? problemText(run) : machineText(run),
    ...(isEdited(run) ? [t('edited source')] : []),
    whenText(run),
  ];
  return parts.filter(part => part !== undefined).join(' · ');
}

export function tooltipOf(run: Measurement, files: readonly string[]): Markdown {
  const { message } = run;
  const icon = codicon(OUTCOME_ICONS[run.outcome]);
  return joined(
    [
      markup`${icon} **${run.specKey}**: ${outcomeText(run.outcome)}`,
      ...(message === undefined ? [] : ['', message]),
      ...wrongMarkdown(run),
      '',
      table(['', ''], factsOf(run, files)),
    ],
    '\n',
  );
}

function wrongMarkdown(run: Measurement): readonly (Markdown | string)[] {
  const { wrong } = run.verification;
  if (wrong === undefined) return [];
  return [
    '',
    wrongSummary(wrong),
    '',
    ...patternLines(run).map(line => markup`- ${line}`),
    '',
    codeBlock(bitPicture(wrong.tiles).lines.join('\n')),
  ];
}

/** Formats the median time per launch with its interval, interquartile range and timer error. */
export const timeText = (timing: Timing): string =>
  `${digits(timing.medianMs)} ms (${timeIntervalText(timing)}, ${doubtText(timing)})`;

export function baselineText({ timing }: Measurement, library: Baseline): string {
  const ratio = timing === undefined ? { value: library.ratio } : speedUp(timing, library);
  return `${library.name}: ${rateWithInterval(library)}, ${ratioText(ratio)}`;
}

type Fact = readonly [name: string, value: string];

export function factsOf(run: Measurement, files: readonly string[]): readonly Fact[] {
  const { timing, verification, baseline, resources, ceilings, device, sourceHash } = run;
  const { reference, samples, maxError, mismatches } = verification;
  const fact = (name: string, value: string | undefined): readonly Fact[] =>
    value === undefined || value === '' ? [] : [[name, value]];
  const rooflineShare = rooflineFraction(run);
  return [
    ...fact(t('problem'), problemText(run)),
    ...(timing === undefined
      ? []
      : [
          ...fact(t('rate'), rateWithInterval(timing)),
          ...fact(t('warning'), uncertainText(timing)),
          ...fact(t('time'), timeText(timing)),
          ...fact(
            t('timer'),
            t(
              '{0}, resolution {1} ns, samples: {2}, launches per sample: {3}, {4} cache',
              timing.timer,
              digits(timing.quantumNs),
              timing.samples,
              timing.batch ?? 1,
              timing.cache,
            ),
          ),
        ]),
    ...fact(
      t('share of roofline'),
      rooflineShare === undefined ? undefined : percentText(rooflineShare),
    ),
    ...fact(t('GPU state'), conditionsText(timing)),
    ...fact(t('energy'), energyOrReason(run)),
    ...(run.baselines ?? (baseline === undefined ? [] : [baseline])).flatMap(library =>
      fact(t('library'), baselineText(run, library)),
    ),
    ...fact(
      t('verified'),
      t('{0}; {1} elements, {2} outside the error bound', reference, samples, mismatches),
    ),
    ...fact(
      t('largest error'),
      maxError === null
        ? undefined
        : largestErrorText(verification, value => value.toExponential(1)),
    ),
    ...fact(t('accesses'), passedChecks(run)),
    ...fact(
      t('registers, spills (compiler)'),
      resources && `${resources.registers}, ${resources.spillStores + resources.spillLoads} B`,
    ),
    ...fact(t('ceilings measured'), ceilings?.how),
    ...fact(t('backend'), backendName(run.backend)),
    ...fact(t('machine'), [device.name, device.adapter, device.driver].filter(Boolean).join(', ')),
    ...fact(t('measured on'), [whereText(run), hostOf(run)].filter(Boolean).join(', ')),
    ...fact(t('author'), run.origin?.author),
    ...fact(t('commit'), commitText(run)),
    ...fact(t('when'), whenText(run)),
    ...fact(t('source (SHA-256)'), sourceHash?.slice(0, 16)),
    ...fact(t('stored in'), files.join(', ')),
  ];
}
