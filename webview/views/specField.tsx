/** Form fields bound to a path of the spec, with their violations. */
import type { VNode } from 'preact';
import type { Derived } from '../derive';
import { valueAt } from '../edit';
import type { NumberFieldSpec } from '../fields';
import { Select, type Choice } from '../kit';
import type { Message, State } from '../state';
import { describedBy, fieldId, FieldHelp, NumberField } from './numberField';
import { Reasons } from './reasons';
import { memoByValue } from './memoByValue';

const SteadySelect = memoByValue(Select);

export interface FormProps {
  readonly state: State;
  readonly derived: Derived;
  readonly dispatch: (message: Message) => void;
}

const violationsAt = (derived: Derived, paths: readonly string[]) =>
  derived.report.violations.filter(({ path }) => paths.includes(path));

/**
 * Returns whether a violation of the field is an error: the configuration is not legal, or the
 * violation applies to the shown target.
 */
const isError = (derived: Derived, path: string): boolean =>
  violationsAt(derived, [path]).some(
    ({ target }) => !derived.report.ok || target === derived.target,
  );

/** Tests whether the fields are in the form: the head has fields only while the form is hidden. */
const isInForm = ({ view }: State): boolean => view.form === 'shown';

interface FieldsProps extends FormProps {
  readonly fields: readonly NumberFieldSpec[];
}

export function Fields({ fields, ...props }: FieldsProps): VNode {
  return (
    <>
      <div class="fields">
        {fields.map(field => (
          <SpecNumber key={field.path} field={field} {...props} />
        ))}
      </div>
      {fields.map(field => (
        <Why key={field.path} name={field.name} path={field.path} {...props} />
      ))}
    </>
  );
}

export function SpecNumber({
  field,
  state,
  derived,
  dispatch,
}: FormProps & { field: NumberFieldSpec }): VNode {
  const { path } = field;
  const value = valueAt(derived.report.resolved, path) ?? field.absent;
  const draft = state.drafts[path];
  const wrong = (draft?.error ?? null) !== null;
  return (
    <NumberField
      field={field}
      value={typeof value === 'number' ? value : undefined}
      given={valueAt(state.spec, path) !== undefined}
      draft={draft}
      invalid={wrong || isError(derived, path)}
      reasons={wrong || violationsAt(derived, [path]).length > 0 ? whyId(path) : undefined}
      helpShown={isInForm(state)}
      onEdit={(text, bad) => {
        dispatch({ type: 'edit', path, text, bad });
      }}
      onLeave={() => {
        dispatch({ type: 'leave', path });
      }}
    />
  );
}

const whyId = (path: string): string => `${fieldId(path)}-why`;

export const Why = ({
  name,
  path,
  state,
  derived,
  dispatch,
}: FormProps & { name: string; path: string }) => (
  <Reasons
    id={whyId(path)}
    name={name}
    path={path}
    state={state}
    violations={violationsAt(derived, [path])}
    severe={isError(derived, path)}
    dispatch={dispatch}
  />
);

/** Returns the choices with these values, and with the current value if it is not among them. */
export const withCurrent = (values: readonly string[], current: string): readonly Choice[] =>
  (values.includes(current) ? values : [...values, current]).map(value => ({
    value,
    label: value,
  }));

interface SpecSelectProps extends FormProps {
  /** Default: the id of the field at `path`. */
  readonly id?: string;
  readonly path: string;
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly change: (value: string) => Readonly<Record<string, unknown>>;
}

export function SpecSelect(props: SpecSelectProps): VNode {
  const { path, label, help, value, choices, change, state, derived, dispatch } = props;
  const id = props.id ?? fieldId(path);
  const isDefault = valueAt(state.spec, path) === undefined;
  const isViolated = violationsAt(derived, [path]).length > 0;
  return (
    <div class={isDefault ? 'field wide unset' : 'field wide'}>
      <span class="label" aria-hidden="true">
        {label}
      </span>
      <SteadySelect
        id={id}
        label={label}
        value={value}
        choices={choices}
        invalid={isError(derived, path)}
        describedBy={describedBy(id, isViolated ? whyId(path) : undefined)}
        onChoose={chosen => {
          dispatch({ type: 'choose', changes: change(chosen) });
        }}
      />
      <FieldHelp id={id} text={help} shown={isInForm(state)} />
    </div>
  );
}
