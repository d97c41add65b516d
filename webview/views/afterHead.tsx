/**
 * Component of the page below the head. After an edit the first frame shows the head with the new
 * prediction; the form and the visible sections follow in the next frame.
 */
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '../state';
import { useDeferredContent } from './deferredContent';

export interface AfterHeadProps {
  /** The content does not wait after a change of the view, such as showing the form. */
  readonly view: State['view'];
  /** Called after the content was rendered. */
  readonly onDrawn: () => void;
  readonly children: () => ComponentChildren;
}

export function AfterHead({ view, onDrawn, children }: AfterHeadProps): VNode {
  const last = useRef(view);
  const { vnode } = useDeferredContent(view === last.current, children);
  last.current = view;
  useLayoutEffect(onDrawn, [vnode]);
  return vnode;
}
