/** Glossary terms of a section: one button per term, which toggles its explanation. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { termValueOf, type KernelFigures } from '../../src/core/report/termValues';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import {
  inKernelText,
  namesElsewhere,
  termById,
  termOfPath,
  type Term,
} from '../../src/core/text/glossary';

export interface TermsProps {
  /** Id of the section, used as a prefix that makes element ids unique. */
  readonly of: string;
  readonly ids?: readonly string[];
  /** Spec paths whose glossary terms are listed after those of `ids`. */
  readonly paths?: readonly string[];
  readonly spec: ResolvedSpec;
  readonly figures?: KernelFigures;
}

export function Terms({ of, ids = [], paths = [], spec, figures = {} }: TermsProps): VNode {
  const [openId, setOpenId] = useState<string | null>(null);
  const found = [...ids.map(termById), ...paths.map(termOfPath)];
  const terms = [...new Set(found)].filter(term => term !== undefined);
  const open = terms.find(({ id }) => id === openId);
  const panelId = `${of}-term`;
  return (
    <div class="terms" role="group" aria-label={t('Terms')}>
      <span class="hint" aria-hidden="true">
        {t('Terms:')}
      </span>
      {terms.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          class="term"
          aria-expanded={id === openId}
          aria-controls={id === openId ? panelId : undefined}
          onClick={() => {
            setOpenId(id === openId ? null : id);
          }}
        >
          {name}
        </button>
      ))}
      {open === undefined ? null : (
        <Explanation id={panelId} term={open} spec={spec} figures={figures} />
      )}
    </div>
  );
}

interface ExplanationProps {
  readonly id: string;
  readonly term: Term;
  readonly spec: ResolvedSpec;
  readonly figures: KernelFigures;
}

function Explanation({ id, term, spec, figures }: ExplanationProps): VNode {
  const inKernel = inKernelText(term, termValueOf(spec, figures));
  const names = namesElsewhere(term);
  return (
    <div id={id} class="explanation">
      <p>
        <b>{term.name}</b>: {withoutMarkup(term.definition)}
      </p>
      {inKernel === null ? null : <p>{t('In this kernel: {0}.', inKernel)}</p>}
      {names.length === 0 ? null : (
        <dl class="facts">
          {names.map(([library, name]) => [
            <dt key={library}>{library}</dt>,
            <dd key={`${library} name`}>{withoutMarkup(name)}</dd>,
          ])}
        </dl>
      )}
      <p class="hint">{t('Source: {0}', withoutMarkup(term.source))}</p>
    </div>
  );
}

const withoutMarkup = (text: string): string => text.replaceAll('`', '');
