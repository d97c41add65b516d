/** Checks a spec task: unchanged fields, legality, simulation of the kernel, and goals. */
import { checkAndPlan, planSpec } from '../defaults/check';
import { emit } from '../kernel/emit';
import { simulateBackend } from '../simulate/backend';
import { parseSpec } from '../spec/decode';
import { sameJson } from '../spec/sameJson';
import type { GemmSpec } from '../spec/schema';
import { goalsOutcome } from './goals';
import { lineAt, outcome, type TaskCheck } from './outcome';
import { specFacts } from './specFacts';
import { filledTemplate } from './template';
import { HOLE, type SpecTask } from './task';

const SEED = 27;
const QUOTED = `"${HOLE}"`;

export const specFile = ({ template }: SpecTask): string =>
  `${JSON.stringify(template, null, 2)}\n`;

/** Returns the file of a task with answers, which are JSON values. */
export const filledSpec = (task: SpecTask, answers: readonly string[]): string =>
  filledTemplate(specFile(task), QUOTED, answers);

export async function checkSpec(task: SpecTask, text: string): Promise<TaskCheck> {
  const hole = text.indexOf(QUOTED);
  if (hole !== -1)
    return outcome('failed', `A hole is still empty. Replace ${QUOTED} with a value.`, {
      line: lineAt(text, hole),
    });
  const value = parsedJson(text);
  const changed = value === undefined ? undefined : changedPath(task.template, value.json, '');
  if (changed !== undefined)
    return outcome('failed', `The field ${changed} was changed. Change only the holes.`);
  const decoded = parseSpec(text);
  if (!decoded.ok)
    return outcome('failed', decoded.errors.map(({ path, message }) => at(path, message))[0] ?? '');
  const { spec } = decoded;
  const { report } = checkAndPlan(spec);
  const [violation, ...others] = report.violations;
  if (violation !== undefined)
    return outcome(
      'failed',
      `The spec is not legal: ${at(violation.path, violation.message)}${violation.nearest === null ? '' : ` Nearest legal value: ${JSON.stringify(violation.nearest)}.`}`,
      { detail: others.map(({ path, message }) => at(path, message)) },
    );
  const wrong = await simulated(spec, task);
  return wrong === undefined
    ? goalsOutcome(task.goals(specFacts(spec)), `The kernel ${report.specKey} is correct.`)
    : outcome('failed', wrong);
}

const at = (path: string, message: string): string =>
  path === '' ? message : `${path}: ${message}`;

function parsedJson(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text.replace(/^\uFEFF/, '')) as unknown };
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the JSON path of the first difference outside of the holes. */
function changedPath(template: unknown, given: unknown, path: string): string | undefined {
  if (template === HOLE) return undefined;
  if (!isRecord(template) || !isRecord(given))
    return sameJson(template, given) ? undefined : path || '(the whole file)';
  for (const key of new Set([...Object.keys(template), ...Object.keys(given)])) {
    const below = path === '' ? key : `${path}.${key}`;
    if (!Object.hasOwn(template, key) || !Object.hasOwn(given, key)) return below;
    const found = changedPath(template[key], given[key], below);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Simulates the kernel; returns the reason if it is incorrect. */
async function simulated(spec: GemmSpec, { simulateAt }: SpecTask): Promise<string | undefined> {
  const smaller = { ...spec, problem: { ...spec.problem, ...simulateAt } };
  const planned = planSpec(smaller, 'cuda');
  // A small shape can violate rules that do not apply to the shape of the spec.
  if (!planned.ok) return undefined;
  const request = { runnable: emit(planned.plan), mode: 'verify', seed: SEED } as const;
  const abort = {
    aborted: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  const measured = await simulateBackend.run(request, { abort, progress: () => undefined });
  // A constraint is a limit of the simulator, not an error of the spec.
  return measured.outcome === 'incorrect'
    ? `The kernel is incorrect: ${measured.message ?? ''}`
    : undefined;
}
