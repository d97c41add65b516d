/** Content that may be rendered after the frame of a change; until then its last state stays. */
import { Fragment, h, type ComponentChildren, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { whenIdle } from '../afterPaint';

export interface DeferredContent {
  readonly vnode: VNode;
  /** Renders the current content immediately. */
  readonly renderNow: () => void;
}

/**
 * Renders the content immediately unless `mayWait`. Content that waits is rendered once the page
 * has painted the change and is idle. Further changes do not postpone it.
 */
export function useDeferredContent(
  mayWait: boolean,
  children: () => ComponentChildren,
): DeferredContent {
  const drawn = useRef<VNode | null>(null);
  const isDue = useRef(false);
  const cancel = useRef<(() => void) | null>(null);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const renderNow = (): void => {
    isDue.current = true;
    renderAgain(undefined);
  };
  const isLate = drawn.current !== null && mayWait && !isDue.current;
  const vnode = isLate && drawn.current !== null ? drawn.current : h(Fragment, null, children());
  drawn.current = vnode;
  isDue.current = false;
  useLayoutEffect(() => {
    if (!isLate) {
      cancel.current?.();
      cancel.current = null;
      return;
    }
    cancel.current ??= whenIdle(() => {
      cancel.current = null;
      renderNow();
    });
  });
  useEffect(() => () => cancel.current?.(), []);
  return { vnode, renderNow };
}
