/**
 * Component that renders a visible section immediately, and a section outside of the viewport when
 * the page is idle.
 */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useDeferredContent } from './deferredContent';

export interface InViewportProps {
  /** Id of the element of the section. */
  readonly id: string;
  readonly children: () => ComponentChildren;
}

/** Height in pixels at the top and the bottom that counts as outside of the viewport. */
const EDGE_PX = 80;

export function InViewport({ id, children }: InViewportProps): VNode {
  const isInViewport = useRef(true);
  const { vnode, renderNow } = useDeferredContent(!isInViewport.current, children);
  useViewport(id, isInViewport, renderNow);
  return vnode;
}

/** Tracks whether the element is in the viewport. Calls `onEnter` when it enters the viewport. */
function useViewport(id: string, isInViewport: { current: boolean }, onEnter: () => void): void {
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
}
