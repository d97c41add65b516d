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
  readonly onEdit: (text: string, bad: boolean) => void;
  readonly onLeave: () => void;
}

export const fieldId = (path: string): string => `field-${path.replaceAll('.', '-')}`;

export const NumberField = memoByValue(function NumberField(props: NumberFieldProps): VNode {
  const { field, value, given, draft, invalid, reasons, onEdit, onLeave } = props;
  const id = fieldId(field.path);
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
    <div class="field">
      <label for={id}>
        {field.name}
        {given || value === undefined ? null : <span class="origin"> {t('default')}</span>}
      </label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        step="any"
        autocomplete="off"
        title={field.help()}
        placeholder={t('none')}
        value={shown}
        aria-invalid={invalid}
        aria-describedby={[`${id}-help`, ...(reasons === undefined ? [] : [reasons])].join(' ')}
        onInput={event => {
          onEdit(event.currentTarget.value, event.currentTarget.validity.badInput);
        }}
        onBlur={onLeave}
        onKeyDown={onKeyDown}
      />
      <span id={`${id}-help`} class="visually-hidden">
        {field.help()}
      </span>
    </div>
  );
});
