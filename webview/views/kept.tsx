/** Views that come and go with the legality of a tile while it is typed. */
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';

export interface KeptProps {
  /** Null where there is nothing to show: what was last shown stays, hidden from everybody. */
  readonly children: VNode | null;
}

/** Taking a column of views out of the page and putting it back costs a frame; hiding it costs nothing. */
export function Kept({ children }: KeptProps): VNode | null {
  const last = useRef(children);
  if (children !== null) last.current = children;
  if (last.current === null) return null;
  return (
    <div class="kept" hidden={children === null}>
      {last.current}
    </div>
  );
}
