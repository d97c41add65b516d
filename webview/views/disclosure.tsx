/** A collapsible section; its content is computed only while open. */
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';

export interface DisclosureProps {
  readonly summary: string;
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
