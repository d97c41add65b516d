/** A collapsible section; its content is computed only while open. */
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useStaticPage } from '../staticPage';

export interface DisclosureProps {
  readonly summary: string;
  /** True if the content repeats a picture as text. A static page then shows it closed. */
  readonly repeats?: boolean;
  readonly children: () => ComponentChildren;
}

export function Disclosure({ summary, repeats = false, children }: DisclosureProps): VNode {
  const isStatic = useStaticPage();
  const [open, setOpen] = useState(false);
  if (isStatic)
    return (
      <details open={!repeats}>
        <summary>{summary}</summary>
        {children()}
      </details>
    );
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
