/**
 * Component that renders a section at once while the section is in sight, and otherwise when the
 * page is idle. A change therefore appears first where the user looks.
 */
import { Fragment, h, type ComponentChildren, type VNode } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { whenIdle } from '../afterPaint';

export interface InSightProps {
  /** Id of the element of the section. */
  readonly id: string;
  readonly children: () => ComponentChildren;
}

/** Height in pixels of the part of the viewport that a section in sight exceeds at its edge. */
const EDGE_PX = 80;

export function InSight({ id, children }: InSightProps): VNode {
  const drawn = useRef<VNode | null>(null);
  const isDue = useRef(false);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const renderNow = (): void => {
    isDue.current = true;
    renderAgain(undefined);
  };
  const isInSight = useIsInSight(id, renderNow);
  const isLate = drawn.current !== null && !isDue.current && !isInSight.current;
  const vnode = isLate && drawn.current !== null ? drawn.current : h(Fragment, null, children());
  drawn.current = vnode;
  isDue.current = false;
  useEffect(() => (isLate ? whenIdle(renderNow) : undefined));
  return vnode;
}

/** Tracks whether the element is near the viewport. Calls `onEnter` when it comes into sight. */
function useIsInSight(id: string, onEnter: () => void): { readonly current: boolean } {
  const isInSight = useRef(true);
  const enter = useRef(onEnter);
  enter.current = onEnter;
  const observed = useRef<Element | null>(null);
  const observer = useRef<IntersectionObserver | null>(null);
  useEffect(() => {
    const element = document.getElementById(id);
    if (element === observed.current) return;
    observer.current?.disconnect();
    observed.current = element;
    if (element === null) return;
    observer.current = new IntersectionObserver(
      entries => {
        const wasInSight = isInSight.current;
        isInSight.current = entries.at(-1)?.isIntersecting ?? true;
        if (isInSight.current && !wasInSight) enter.current();
      },
      { rootMargin: `-${EDGE_PX}px 0px` },
    );
    observer.current.observe(element);
  });
  useEffect(
    () => () => {
      observer.current?.disconnect();
    },
    [],
  );
  return isInSight;
}
