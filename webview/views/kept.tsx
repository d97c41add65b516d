/** What is out of sight while it does not hold stays built, as it was: to come back it need not be made anew. */
import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';

export interface KeptProps {
  readonly shown: boolean;
  /** Called while it is shown only. */
  readonly children: () => ComponentChildren;
}

export function Kept({ shown, children }: KeptProps): VNode {
  const drawn = useRef<ComponentChildren>(null);
  if (shown) drawn.current = children();
  return (
    <div class="kept" hidden={!shown}>
      {drawn.current}
    </div>
  );
}
