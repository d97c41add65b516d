/**
 * Wrapper of a deferred view: reserves its space while it loads, and shows load errors with a retry
 * button.
 */
import { t } from '@vscode/l10n';
import { h, type ComponentChildren, type FunctionComponent, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../format';
import { Button } from '../kit';
import { loadParts, partsNow, type Parts } from '../parts';

/**
 * Defers a view, as in `const Banks = later(({ Banks }) => Banks, 12)`; `lines` is the reserved
 * height in text lines.
 */
export function later<P extends object>(
  pick: (parts: Partial<Parts>) => FunctionComponent<P> | undefined,
  lines: number,
): FunctionComponent<P> {
  return function Later(props: P): ComponentChildren {
    const [parts, setParts] = useState<Partial<Parts> | null>(partsNow);
    const [failure, setFailure] = useState<string | null>(null);
    useEffect(() => {
      if (parts !== null || failure !== null) return undefined;
      let gone = false;
      loadParts().then(
        all => {
          if (!gone) setParts(all);
        },
        (error: unknown) => {
          if (!gone) setFailure(messageOf(error));
        },
      );
      return () => {
        gone = true;
      };
    }, [parts, failure]);
    if (parts !== null) {
      // A static page provides only the views that it shows.
      const view = pick(parts);
      return view === undefined ? null : h(view, props);
    }
    const again = (): void => {
      setFailure(null);
    };
    return (
      <div class="awaited" style={{ minBlockSize: `${lines}lh` }} aria-busy={failure === null}>
        {failure === null ? (
          <p class="hint">{t('Loading')}</p>
        ) : (
          <Failed failure={failure} again={again} />
        )}
      </div>
    );
  };
}

const Failed = ({ failure, again }: { failure: string; again: () => void }): VNode => (
  <>
    <p role="alert">{failure}</p>
    <Button onPress={again}>{t('Try again')}</Button>
  </>
);
