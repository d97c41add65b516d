/**
 * The same components on vscode-elements, the toolkit's living successor: what leaving the archived one takes.
 * Built into out/elements instead of kit.ts and passes the same page tests; not shipped.
 */
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-progress-ring/index.js';
import type { VscodeSingleSelect } from '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import { h, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ButtonProps, SelectProps } from './kit';

/** These elements define themselves when they are imported. */
export const registerKit = (): void => undefined;

export function Button(props: ButtonProps): JSX.Element {
  const { onPress, kind = 'secondary', disabled = false, describedBy, children } = props;
  return h(
    'vscode-button',
    {
      secondary: kind === 'secondary',
      disabled,
      'aria-disabled': disabled ? 'true' : undefined,
      'aria-describedby': describedBy,
      'aria-label': props.label,
      title: props.title,
      onClick: () => {
        if (!disabled) onPress();
      },
    },
    children,
  );
}

export function Select(props: SelectProps): JSX.Element {
  const { id, label, value, choices, onChoose, invalid = false, describedBy } = props;
  const element = useRef<VscodeSingleSelect>(null);
  const labels = choices.map(choice => choice.label).join('\n');
  // The element learns of its options from a slotchange event, after this render, and then picks one itself.
  useLayoutEffect(() => {
    const select = element.current;
    if (select === null) return;
    const apply = () => {
      if (select.value !== value) select.value = value;
      const face = select.shadowRoot?.querySelector('[role=combobox]');
      // No id reaches into the element's shadow, so its reason goes there as text.
      const reason = document.getElementById(describedBy ?? '')?.textContent;
      if (reason === undefined) face?.removeAttribute('aria-description');
      else face?.setAttribute('aria-description', reason);
      face?.setAttribute('aria-invalid', String(invalid));
    };
    const frame = requestAnimationFrame(apply);
    void select.updateComplete.then(apply);
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [value, labels, invalid, describedBy]);
  return h(
    'vscode-single-select',
    {
      id,
      ref: element,
      class: 'select',
      label,
      invalid,
      onChange: (event: Event) => {
        const chosen = (event.currentTarget as VscodeSingleSelect).value;
        if (chosen !== value && choices.some(choice => choice.value === chosen)) onChoose(chosen);
      },
    },
    choices.map(choice =>
      h(
        'vscode-option',
        { key: choice.value, value: choice.value, selected: choice.value === value },
        choice.label,
      ),
    ),
  );
}

export function Spinner(): JSX.Element {
  return h('vscode-progress-ring', { class: 'spinner', 'aria-hidden': 'true' });
}
