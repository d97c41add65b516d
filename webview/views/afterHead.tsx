/**
 * Component of the page below the head. After an edit the first frame shows the head with the new
 * prediction; the form and the visible sections follow in the next frame.
 */
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '../state';
import { useDeferredContent } from './deferredContent';

export interface AfterHeadProps {
  readonly state: State;
  /** Called after the content was rendered. */
  readonly onDrawn: () => void;
  readonly children: () => ComponentChildren;
}

export function AfterHead({ state, onDrawn, children }: AfterHeadProps): VNode {
  const last = useRef(state);
  const { vnode } = useDeferredContent(isEdit(last.current, state), children);
  last.current = state;
  useLayoutEffect(onDrawn, [vnode]);
  return vnode;
}

/** Other changes, such as a result or showing the form, do not wait. */
const isEdit = (before: State, after: State): boolean =>
  before.view === after.view && (before.spec !== after.spec || before.drafts !== after.drafts);
