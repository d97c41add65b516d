/** Parses the printed numbers of Nsight Compute tables into metrics in base units. */
import { t } from '@vscode/l10n';
import { isAmbiguous, markOf, readNumber, type DecimalMark } from './numbers';
import { baseUnit } from './units';

export interface PrintedMetric {
  readonly name: string;
  readonly unit: string;
  readonly text: string;
}

export interface NcuMetric {
  readonly value: number;
  /** Base unit `byte`, `ns` or `hz`, or a counter unit such as `sector`; see `baseUnit`. */
  readonly unit: string;
  /** Half the value of the last printed digit; 0 for an integer in its base unit. */
  readonly halfStep: number;
}

type Metrics = ReadonlyMap<string, NcuMetric>;

const MAX_NAMES = 4;

/**
 * Reads the metrics of each launch. Unavailable or ambiguous numbers are omitted and reported in
 * `limits`.
 */
export function readMetrics(
  launches: readonly (readonly PrintedMetric[])[],
  limits: string[],
): readonly Metrics[] {
  const numbers = launches.flatMap(metrics => metrics.map(({ text }) => numberIn(text)));
  const mark = markOf(numbers);
  const unavailable = new Set<string>();
  const uncertain = new Set<string>();
  const read = launches.map(metrics => {
    const found = new Map<string, NcuMetric>();
    for (const { name, unit, text } of metrics) {
      const number = numberIn(text);
      if (/^\(?!?\)?\s*(n\/a|nan|-?inf)$/i.test(number)) unavailable.add(name);
      else if ((mark === 'unknown' || mark === 'both') && isAmbiguous(number)) uncertain.add(name);
      else {
        const metric = metricOf(number, unit, mark === ',' ? [',', '.'] : ['.', ',']);
        if (metric !== undefined) found.set(name, metric);
      }
    }
    return found;
  });
  if (unavailable.size > 0) {
    limits.push(t('Nsight Compute reported no number for {0}.', namesOf(unavailable)));
  }
  if (uncertain.size > 0) {
    limits.push(
      t(
        'Numbers such as 1,234 are ambiguous in this report. Metrics not used: {0}. Fix: export the report with LC_ALL=C.',
        namesOf(uncertain),
      ),
    );
  }
  return read;
}

/** Removes metric instances, which `--print-metric-instances` appends in parentheses. */
const numberIn = (text: string): string => text.replace(/\s+\([^)]*\)?$/, '').trim();

function metricOf(
  text: string,
  printedUnit: string,
  marks: readonly [DecimalMark, DecimalMark],
): NcuMetric | undefined {
  const number = readNumber(text, marks[0]) ?? readNumber(text, marks[1]);
  if (number === undefined) return undefined;
  const { unit, factor } = baseUnit(printedUnit);
  const precision = number.halfStep === 0 && factor > 1 ? 0.5 : number.halfStep;
  return { value: number.value * factor, unit, halfStep: precision * factor };
}

function namesOf(names: ReadonlySet<string>): string {
  const listed = [...names].slice(0, MAX_NAMES).join(', ');
  return names.size > MAX_NAMES ? `${listed} … (${names.size.toLocaleString()})` : listed;
}
