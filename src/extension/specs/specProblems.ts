/** Problems in a spec file, with their positions and fixes. */
import { t } from '@vscode/l10n';
import { check } from '../../core/defaults/check';
import type { Violation } from '../../core/plan/plan';
import { parseSpec, type SpecError } from '../../core/spec/decode';
import { duplicateKeys } from '../../core/spec/duplicateKeys';
import {
  fieldEdits,
  locate,
  syntaxErrorAt,
  type Replacement,
  type TextSpan,
} from '../../core/spec/jsonText';
import type { Target } from '../../core/spec/schema';

export interface SpecProblem extends TextSpan {
  readonly message: string;
  readonly severity: 'error' | 'information';
  readonly fix?: SpecFix;
  /** Path of the spec field; absent if the file is not a valid spec. */
  readonly field?: string;
}

export interface SpecFix {
  readonly title: string;
  /** Short label of the fix, for a notification button. */
  readonly button: string;
  readonly edits: readonly Replacement[];
}

export const MAX_PROBLEMS = 100;

/**
 * Rules that the JSON Schema does not check. VS Code reports violations of all other rules if it
 * validates the file.
 */
const NOT_IN_SCHEMA: readonly string[] = ['finite', 'size', 'object', 'device'];

/** @param schemaSpeaks true if VS Code validates the syntax and the schema of the file */
export function specProblems(
  text: string,
  { schemaSpeaks }: { readonly schemaSpeaks: boolean },
): readonly SpecProblem[] {
  const decoded = parseSpec(text);
  if (!decoded.ok) {
    const ours = decoded.errors.filter(
      ({ rule = '' }) => !schemaSpeaks || NOT_IN_SCHEMA.includes(rule),
    );
    return ours.slice(0, MAX_PROBLEMS).map(error => decodingProblem(text, error));
  }
  const { spec, standIn } = decoded;
  const { ok, violations } = check(spec);
  // Violations are errors only if the spec is illegal for every target.
  const severity = ok ? 'information' : 'error';
  const found = byCause(violations)
    .slice(0, MAX_PROBLEMS)
    .map(({ targets, rule, path, message, nearest }): SpecProblem => {
      const hint =
        nearest === null ? '' : ` ${t('Nearest legal value: {0}.', JSON.stringify(nearest))}`;
      const fix =
        nearest !== null
          ? setFieldFix(text, path, nearest)
          : rule === 'unused-field'
            ? removeFieldFix(text, path)
            : undefined;
      return {
        ...at(text, path, `${targets.join(', ')}: ${message}${hint}`),
        severity,
        field: path,
        ...(fix === undefined ? {} : { fix }),
      };
    });
  if (standIn === undefined) return found;
  const fix = setFieldFix(text, 'device', spec.device);
  return [
    { ...at(text, 'device', standIn), severity: 'information', field: 'device', fix },
    ...found,
  ];
}

type Cause = Omit<Violation, 'target'> & { readonly targets: readonly Target[] };

/** Merges violations that differ only in their target. */
function byCause(violations: readonly Violation[]): readonly Cause[] {
  const causes = new Map<string, Cause>();
  for (const violation of violations) {
    const { target, rule, path, message, nearest } = violation;
    const key = JSON.stringify([rule, path, message, nearest]);
    const targets = [...(causes.get(key)?.targets ?? []), target];
    causes.set(key, { rule, path, message, nearest, targets });
  }
  return [...causes.values()];
}

function decodingProblem(text: string, { path, message, rule }: SpecError): SpecProblem {
  if (rule === 'syntax') {
    const last = Math.max(0, text.trimEnd().length - 1);
    const start = Math.min(syntaxErrorAt(text) ?? 0, last);
    return { start, end: start + 1, message, severity: 'error' };
  }
  const isDuplicate =
    rule === 'duplicate-key' ? duplicateKeys(text).find(key => key.path === path) : undefined;
  return isDuplicate === undefined
    ? { ...at(text, path, message), severity: 'error' }
    : { start: isDuplicate.start, end: isDuplicate.end, message, severity: 'error' };
}

function at(text: string, path: string, message: string): TextSpan & { readonly message: string } {
  const span = locate(text, path);
  const found = path === '' || span.start < span.end;
  return { ...span, message: found ? message : `${path}: ${message}` };
}

/** Returns a fix that sets the value of a field and keeps the formatting of the other fields. */
export function setFieldFix(text: string, path: string, value: unknown): SpecFix {
  const title = t('Change {0} to {1}', path, JSON.stringify(value));
  return { title, button: buttonOf(path, value), edits: fieldEdits(text, path, value) };
}

function removeFieldFix(text: string, path: string): SpecFix | undefined {
  const edits = fieldEdits(text, path, undefined);
  const title = t('Remove {0}', path);
  return edits.length === 0 ? undefined : { title, button: title, edits };
}

function buttonOf(path: string, value: unknown): string {
  if (isRecord(value) && 'block' in value) return t('Use nearest tiles');
  const name = isRecord(value) ? value['algorithm'] : value;
  if (typeof name === 'string') return t('Use {0}', name);
  const field = path.split('.').slice(-2).join('.');
  return t('Set {0} to {1}', field, JSON.stringify(value));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
