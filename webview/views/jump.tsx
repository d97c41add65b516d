/** Links to sections of the page, which also move the keyboard focus. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import { scrollToPart } from '../bringTo';

export interface JumpProps {
  readonly to: string;
  readonly children: ComponentChildren;
}

export const Jump = ({ to, children }: JumpProps): VNode => (
  <a
    href={`#${to}`}
    onClick={event => {
      const part = document.getElementById(to);
      if (part === null) return;
      event.preventDefault();
      scrollToPart(to);
      part.focus({ preventScroll: true });
    }}
  >
    {children}
  </a>
);

export const SkipLinks = ({ withForm }: { readonly withForm: boolean }): VNode => (
  <nav class="skip" aria-label={t('Skip to')}>
    {withForm ? <Jump to="configuration">{t('Configuration')}</Jump> : null}
    <Jump to="analysis">{t('Analysis')}</Jump>
    <Jump to="results">{t('Measured')}</Jump>
    <Jump to="code">{t('Kernel')}</Jump>
  </nav>
);
