/** Reasons why the value of a field is not legal, with a button for the nearest legal value. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Violation } from '../../src/core/plan/plan';
import { TARGET_NAMES } from '../ability';
import { valueAt } from '../edit';
import { formatValue } from '../format';
import { Button } from '../kit';
import type { Target } from '../../src/core/spec/schema';
import type { Message, State } from '../state';
import { Section } from './figure';

export interface ReasonsProps {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly state: State;
  readonly violations: readonly Violation[];
  /** True if the violations are errors; false if they explain why a target is omitted. */
  readonly severe: boolean;
  readonly dispatch: (message: Message) => void;
}

/** Merges identical reasons of the CUDA and WGSL targets unless their fixes differ. */
function merged(violations: readonly Violation[]): readonly (Violation & { targets: string })[] {
  const keyOf = ({ message, nearest }: Violation): string => JSON.stringify([message, nearest]);
  return [...new Set(violations.map(keyOf))].flatMap(key => {
    const same = violations.filter(violation => keyOf(violation) === key);
    const [first] = same;
    const targets = same.map(({ target }) => TARGET_NAMES[target]).join(', ');
    return first === undefined ? [] : [{ ...first, targets }];
  });
}

export function Reasons(props: ReasonsProps): VNode | null {
  const { id, name, path, state, violations, severe, dispatch } = props;
  const draft = state.drafts[path];
  const error = draft?.error ?? null;
  if (error === null && violations.length === 0) return null;
  return (
    <ul id={id} class={severe || error !== null ? 'reasons severe' : 'reasons'}>
      {error === null ? null : (
        <li>
          <span>
            <b>{name}</b> {error}
          </span>
          <Button
            onPress={() => {
              dispatch({ type: 'restore', path });
            }}
          >
            {t('Restore')}
          </Button>
        </li>
      )}
      {merged(violations).map(violation => (
        <li key={`${violation.targets} ${violation.message}`}>
          <span>
            <b>{name}</b> <span class="target">{violation.targets}</span> {violation.message}
          </span>
          <Repair violation={violation} state={state} dispatch={dispatch} />
        </li>
      ))}
    </ul>
  );
}

interface RepairProps {
  readonly violation: Violation;
  readonly state: State;
  readonly dispatch: (message: Message) => void;
}

export function Repair({ violation, state, dispatch }: RepairProps): VNode | null {
  const { path, nearest } = violation;
  const given = valueAt(state.spec, path) !== undefined;
  if (nearest === null && !given) return null;
  const value = nearest ?? undefined;
  const text = value === undefined ? t('Remove') : t('Use {0}', formatValue(value));
  return (
    <Button
      onPress={() => {
        dispatch({ type: 'choose', changes: { [path]: value } });
      }}
      label={`${text}: ${path}`}
    >
      {text}
    </Button>
  );
}

export interface NotLegalProps {
  readonly target: Target;
  readonly violations: readonly Violation[];
  readonly state: State;
  readonly dispatch: (message: Message) => void;
}

export const NotLegal = ({ target, violations, state, dispatch }: NotLegalProps): VNode => (
  <Section id="not-legal" title={t('Not legal for {0}', TARGET_NAMES[target])}>
    <ul class="reasons severe">
      {violations.map(violation => (
        <li key={`${violation.rule} ${violation.path}`}>
          <span>
            {violation.message} <code>{violation.path}</code>
          </span>
          <Repair violation={violation} state={state} dispatch={dispatch} />
        </li>
      ))}
    </ul>
  </Section>
);
