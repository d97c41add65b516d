/** Screen-reader live region that announces legality and the newest result once edits pause. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TARGET_NAMES } from '../ability';
import type { Derived } from '../derive';
import { outcomeText } from './results';

/** Milliseconds without edits before an announcement. */
const REST_MS = 700;

export function announcementOf({ shown, target, newest }: Derived): string {
  const name = TARGET_NAMES[target];
  if (!shown.ok) return t('Not legal for {0}: {1}', name, shown.violations[0]?.message ?? '');
  const latest = newest.at(-1)?.run;
  const legal = t('Legal for {0}.', name);
  return latest === undefined
    ? legal
    : `${legal} ${t('Newest result: {0}.', outcomeText(latest.outcome))}`;
}

export function Announcement({ derived }: { readonly derived: Derived }): VNode {
  const text = announcementOf(derived);
  const [announced, announce] = useState('');
  useEffect(() => {
    const timer = setTimeout(announce, REST_MS, text);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return (
    <p id="spoken" role="status" class="visually-hidden">
      {announced}
    </p>
  );
}
