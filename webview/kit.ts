/** Typed components for the elements of the UI toolkit, which registerKit.ts defines. */
import { h, type ComponentChildren, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useStaticPage } from './staticPage';

export interface ButtonProps {
  readonly id?: string;
  readonly onPress: () => void;
  readonly kind?: 'primary' | 'secondary';
  readonly disabled?: boolean;
  /** Id of the element that describes the effect, or the reason why the button is disabled. */
  readonly describedBy?: string;
  readonly label?: string;
  /** Tooltip. */
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function Button(props: ButtonProps): JSX.Element | null {
  const { onPress, kind = 'secondary', disabled = false, describedBy, children } = props;
  if (useStaticPage()) return null;
  return h(
    'vscode-button',
    {
      id: props.id,
      appearance: kind,
      disabled,
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

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface SelectProps {
  readonly id: string;
  /**
   * Accessible name, because a <label> cannot refer to the drop-down of the toolkit.
   */
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChoose: (value: string) => void;
  readonly invalid?: boolean;
  readonly describedBy?: string | undefined;
}

interface SelectElement extends HTMLElement {
  value: string;
}

export function Select(props: SelectProps): JSX.Element | null {
  const isStatic = useStaticPage();
  const { id, label, value, choices, onChoose, invalid = false, describedBy } = props;
  const element = useRef<SelectElement>(null);
  const labels = choices.map(choice => choice.label).join('\n');
  // The element reads its options in a later slotchange event and then selects an option, so set
  // the value again.
  useLayoutEffect(() => {
    const apply = () => {
      if (element.current !== null && element.current.value !== value)
        element.current.value = value;
    };
    apply();
    const frame = requestAnimationFrame(apply);
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [value, labels]);
  if (isStatic) return null;
  return h(
    'vscode-dropdown',
    {
      id,
      ref: element,
      class: 'select',
      'aria-label': label,
      'aria-invalid': invalid ? 'true' : undefined,
      'aria-describedby': describedBy,
      onChange: (event: Event) => {
        const chosen = (event.currentTarget as SelectElement).value;
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
