/**
 * Component that renders a visible section immediately, and a section outside of the viewport when
 * the page is idle. The first frame after a change therefore shows the visible sections.
 */
import { Fragment, h, type ComponentChildren, type VNode } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { whenIdle } from '../afterPaint';

export interface InViewportProps {
  /** Id of the element of the section. */
  readonly id: string;
  readonly children: () => ComponentChildren;
}

/** Height in pixels at the top and the bottom that counts as outside of the viewport. */
const EDGE_PX = 80;

export function InViewport({ id, children }: InViewportProps): VNode {
  const drawn = useRef<VNode | null>(null);
  const isDue = useRef(false);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const renderNow = (): void => {
    isDue.current = true;
    renderAgain(undefined);
  };
  const isInViewport = useIsInViewport(id, renderNow);
  const isLate = drawn.current !== null && !isDue.current && !isInViewport.current;
  const vnode = isLate && drawn.current !== null ? drawn.current : h(Fragment, null, children());
  drawn.current = vnode;
  isDue.current = false;
  useEffect(() => (isLate ? whenIdle(renderNow) : undefined));
  return vnode;
}

/** Tracks whether the element is in the viewport. Calls `onEnter` when it enters the viewport. */
function useIsInViewport(id: string, onEnter: () => void): { readonly current: boolean } {
  const isInViewport = useRef(true);
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
        const wasInViewport = isInViewport.current;
        isInViewport.current = entries.at(-1)?.isIntersecting ?? true;
        if (isInViewport.current && !wasInViewport) enter.current();
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
  return isInViewport;
}
