/** Component that keeps its content as it was last drawn while a newer result is computed. */
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';

export interface HeldProps {
  /** True while the result belongs to an earlier input. */
  readonly stale: boolean;
  readonly children: () => VNode;
}

export function Held({ stale, children }: HeldProps): VNode {
  const drawn = useRef<VNode | null>(null);
  const vnode = stale && drawn.current !== null ? drawn.current : children();
  drawn.current = vnode;
  return vnode;
}
