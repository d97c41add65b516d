/** Number field of the spec: a native input with custom arrow-key increments. */
import { t } from '@vscode/l10n';
import type { TargetedKeyboardEvent, VNode } from 'preact';
import { stepped, type NumberFieldSpec } from '../fields';
import type { Draft } from '../state';
import { memoByValue } from './memoByValue';

export interface NumberFieldProps {
  readonly field: NumberFieldSpec;
  readonly value: number | undefined;
  /** True if the spec sets the value; false if it is a default. */
  readonly given: boolean;
  readonly draft: Draft | undefined;
  readonly invalid: boolean;
  readonly reasons: string | undefined;
  readonly helpShown: boolean;
  readonly onEdit: (text: string, bad: boolean) => void;
  readonly onLeave: () => void;
}

export const fieldId = (path: string): string => `field-${path.replaceAll('.', '-')}`;

/** Returns the ids of the line of help of a field and of the reasons why its value is not legal. */
export const describedBy = (id: string, reasons: string | undefined): string =>
  [`${id}-help`, ...(reasons === undefined ? [] : [reasons])].join(' ');

export interface FieldHelpProps {
  readonly id: string;
  readonly text: string;
  /** True in the form; in the head, only screen readers expose the text. */
  readonly shown: boolean;
}

/** The line of help of a field. */
export const FieldHelp = ({ id, text, shown }: FieldHelpProps): VNode => (
  <span id={`${id}-help`} class={shown ? 'help' : 'visually-hidden'}>
    {text}
  </span>
);

export const NumberField = memoByValue(function NumberField(props: NumberFieldProps): VNode {
  const { field, value, given, draft, invalid, reasons, helpShown, onEdit, onLeave } = props;
  const id = fieldId(field.path);
  const isDefault = !given && value !== undefined;
  const shown = draft?.text ?? (value === undefined ? '' : String(value));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    const next = value === undefined ? null : stepped(value, event.key === 'ArrowUp', field.step);
    if (next === null) return;
    event.preventDefault();
    // Set the text first: changing a focused input after other DOM changes would force a layout.
    event.currentTarget.value = String(next);
    onEdit(event.currentTarget.value, false);
  };
  return (
    <div class={isDefault ? 'field unset' : 'field'}>
      <label for={id}>
        {field.name}
        {isDefault ? <span class="visually-hidden"> {t('default')}</span> : null}
      </label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        step="any"
        autocomplete="off"
        title={helpShown ? undefined : field.help()}
        placeholder={t('none')}
        value={shown}
        aria-invalid={invalid}
        aria-describedby={describedBy(id, reasons)}
        onInput={event => {
          onEdit(event.currentTarget.value, event.currentTarget.validity.badInput);
        }}
        onBlur={onLeave}
        onKeyDown={onKeyDown}
      />
      <FieldHelp id={id} text={field.help()} shown={helpShown} />
    </div>
  );
});
