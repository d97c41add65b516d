/**
 * Component that keeps hidden content mounted in its last state, so that showing the content does
 * not rebuild it.
 */
import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';

export interface KeepMountedProps {
  readonly shown: boolean;
  readonly children: () => ComponentChildren;
}

export function KeepMounted({ shown, children }: KeepMountedProps): VNode {
  const drawn = useRef<ComponentChildren>(null);
  if (shown) drawn.current = children();
  return (
    <div class="kept" hidden={!shown}>
      {drawn.current}
    </div>
  );
}
