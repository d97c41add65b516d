/** Distinct display names of runs: the schedule, and further facts where schedules are equal. */
import { machineOf } from '../../core/roofline/roofline';
import { backendName } from '../../core/measure/backendName';
import type { Measurement } from '../../core/measure/measurement';
import { kernelName, problemText, whenText } from './runText';

const FACTS: readonly ((run: Measurement) => string)[] = [
  problemText,
  ({ backend }) => backendName(backend),
  run => machineOf(run),
  run => whenText(run) ?? '',
];

/** Returns one name per run. Runs without any difference are numbered. */
export function runNames(runs: readonly Measurement[]): readonly string[] {
  const differing = FACTS.filter(fact => new Set(runs.map(fact)).size > 1);
  let names = runs.map(kernelName);
  for (const fact of differing) {
    if (new Set(names).size === names.length) break;
    const before = names;
    const isShared = (name: string): boolean => before.filter(each => each === name).length > 1;
    names = before.map((name, index) => {
      const run = runs[index];
      const more = run === undefined ? '' : fact(run);
      return isShared(name) && more !== '' ? `${name}, ${more}` : name;
    });
  }
  const complete = names;
  return complete.map((name, index) => {
    const isShared = complete.filter(each => each === name).length > 1;
    const number = complete.slice(0, index + 1).filter(each => each === name).length;
    return isShared ? `${name} #${number}` : name;
  });
}
