/** Explanations of the glossary terms of a section, shown on demand. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { termValueOf, type KernelFigures } from '../../src/core/report/termValues';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import {
  inKernelText,
  namesElsewhere,
  termById,
  termOfPath,
  type Term,
} from '../../src/core/text/glossary';
import { useStaticPage } from '../staticPage';
import { Disclosure } from './disclosure';

export interface TermsProps {
  /** Prefix that makes the id of the list unique. */
  readonly of: string;
  readonly ids?: readonly string[];
  /** Spec paths whose glossary terms are listed after those of `ids`. */
  readonly paths?: readonly string[];
  readonly spec: ResolvedSpec;
  readonly figures?: KernelFigures;
}

export function Terms({ of, ids = [], paths = [], spec, figures = {} }: TermsProps): VNode | null {
  const isStatic = useStaticPage();
  const found = [...ids.map(termById), ...paths.map(termOfPath)];
  const terms = [...new Set(found)].filter(term => term !== undefined);
  if (isStatic) return null;
  return (
    <div class="terms">
      <Disclosure summary={t('Terms')}>
        {() => (
          <dl id={`${of}-terms`}>
            {terms.map(term => (
              <Explanation key={term.id} term={term} spec={spec} figures={figures} />
            ))}
          </dl>
        )}
      </Disclosure>
    </div>
  );
}

interface ExplanationProps {
  readonly term: Term;
  readonly spec: ResolvedSpec;
  readonly figures: KernelFigures;
}

function Explanation({ term, spec, figures }: ExplanationProps): VNode {
  const inKernel = inKernelText(term, termValueOf(spec, figures));
  const names = namesElsewhere(term).map(([library, name]) => `${library}: ${withoutMarkup(name)}`);
  return (
    <div class="explanation">
      <dt>{term.name}</dt>
      <dd>
        <p>{withoutMarkup(term.definition)}</p>
        {inKernel === null ? null : <p>{t('In this kernel: {0}.', inKernel)}</p>}
        {names.length === 0 ? null : <p>{names.join('; ')}</p>}
        <p class="hint">{t('Source: {0}', withoutMarkup(term.source))}</p>
      </dd>
    </div>
  );
}

const withoutMarkup = (text: string): string => text.replaceAll('`', '');
