/**
 * Component that keeps content mounted in its last state while there is no current state, so that
 * showing it again does not rebuild it. Meanwhile it is dimmed with a caption, or hidden.
 */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { whenIdle } from '../afterPaint';

export interface KeepMountedProps {
  readonly shown: boolean;
  /** Identifies the subject, such as the document. The last state of another subject is hidden. */
  readonly of?: string | null;
  /** Appearance of the last state. Default: dimmed. */
  readonly last?: 'dimmed' | 'hidden';
  readonly children: () => ComponentChildren;
}

export function KeepMounted(props: KeepMountedProps): VNode {
  const { shown, of = null, last = 'dimmed', children } = props;
  const drawn = useRef<ComponentChildren>(null);
  const drawnOf = useRef(of);
  if (shown) {
    drawn.current = children();
    drawnOf.current = of;
  }
  const isDimmed = !shown && last === 'dimmed' && drawn.current !== null && drawnOf.current === of;
  // `inert` changes the style of every descendant, so it follows after the frame that dims them.
  const [isInert, setInert] = useState(false);
  useEffect(
    () =>
      isInert === isDimmed
        ? undefined
        : whenIdle(() => {
            setInert(isDimmed);
          }),
    [isDimmed, isInert],
  );
  return (
    <>
      {isDimmed ? <p class="hint last-legal">{t('Last legal configuration:')}</p> : null}
      <div class={isDimmed ? 'kept dimmed' : 'kept'} hidden={!shown && !isDimmed} inert={isInert}>
        {drawn.current}
      </div>
    </>
  );
}
