/** What is shown when asked for: a closed one costs a change nothing. */
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';

export interface DisclosureProps {
  readonly summary: string;
  /** Called once it is open. */
  readonly children: () => ComponentChildren;
}

export function Disclosure({ summary, children }: DisclosureProps): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details
      onToggle={event => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{summary}</summary>
      {open ? children() : null}
    </details>
  );
}
