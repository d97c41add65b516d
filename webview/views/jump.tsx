/** Links to sections of the page, which also move the keyboard focus. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import { scrollToPart } from '../bringTo';
import { fieldId } from './numberField';

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

export interface SkipLinksProps {
  readonly withForm: boolean;
  /** Path of the first tile field; undefined if the algorithm has none. */
  readonly tilePath: string | undefined;
}

export const SkipLinks = ({ withForm, tilePath }: SkipLinksProps): VNode => (
  <nav class="skip" aria-label={t('Skip to')}>
    {tilePath === undefined ? null : <Jump to={fieldId(tilePath)}>{t('Tile size')}</Jump>}
    {withForm ? <Jump to="configuration">{t('Configuration')}</Jump> : null}
    <Jump to="analysis">{t('Analysis')}</Jump>
    <Jump to="results">{t('Measured')}</Jump>
    <Jump to="code">{t('Kernel')}</Jump>
  </nav>
);
