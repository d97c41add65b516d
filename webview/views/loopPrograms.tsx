/** The programs of a loop nest, with the lines that the selected loop became. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Lines } from '../../src/core/kernel/print/statementLines';
import { nestKernel } from '../../src/core/nests/kernel';
import { variablesOf, type LoopNest, type LoopProblem } from '../../src/core/nests/nest';
import { pythonProgram } from '../../src/core/nests/python';
import type { NestReport } from '../../src/core/nests/report';
import { TARGETS, type Target } from '../../src/core/spec/schema';
import { TARGET_NAMES } from '../ability';
import { Listing } from './listing';

export interface LoopProgramsProps {
  readonly nest: LoopNest;
  readonly problem: LoopProblem;
  readonly report: NestReport;
  readonly selected: number;
}

type Language = 'python' | Target;
const LANGUAGES: readonly Language[] = ['python', ...TARGETS];
const nameOf = (language: Language): string =>
  language === 'python' ? 'Python' : TARGET_NAMES[language];

interface Program {
  readonly source: string;
  readonly lines: readonly (readonly number[])[];
}

export function LoopPrograms({ nest, problem, report, selected }: LoopProgramsProps): VNode {
  const [language, setLanguage] = useState<Language>('python');
  const { sequential, ...parallel } = report.violations;
  const reasons = [...sequential, ...(language === 'python' ? [] : parallel[language])];
  const isLegal = reasons.length === 0;
  const program = useMemo(
    () => (isLegal ? programOf(nest, problem, language) : null),
    [nest, problem, language, isLegal],
  );
  const lines = program?.lines[selected] ?? [];
  const name = variablesOf(nest)[selected] ?? '';
  return (
    <div class="loop-programs">
      <div
        class="tabs"
        role="tablist"
        aria-label={t('Language of the loops')}
        onKeyDown={onKeyDown}
      >
        {LANGUAGES.map(one => (
          <button
            key={one}
            id={`loops-tab-${one}`}
            type="button"
            role="tab"
            aria-selected={one === language}
            aria-controls="loops-panel"
            tabIndex={one === language ? 0 : -1}
            onClick={() => {
              setLanguage(one);
            }}
          >
            {nameOf(one)}
          </button>
        ))}
      </div>
      <div id="loops-panel" role="tabpanel" aria-labelledby={`loops-tab-${language}`}>
        {program === null ? (
          <div class="hint">
            <p>{t('The nest has no {0} program:', nameOf(language))}</p>
            {reasons.map(({ message }) => (
              <p key={message}>{message}</p>
            ))}
          </div>
        ) : (
          <>
            <p class="hint" role="status">
              {lines.length === 0
                ? t('Loop {0} has no line of its own in {1}.', name, nameOf(language))
                : t('Loop {0}: {1}', name, lines.map(line => t('line {0}', line)).join(', '))}
            </p>
            <Listing
              label={t('{0} program of the loops', nameOf(language))}
              text={program.source}
              before={null}
              linked={lines.map((line): Lines => ({ first: line, last: line }))}
            />
          </>
        )}
      </div>
    </div>
  );

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = (LANGUAGES.indexOf(language) + step + LANGUAGES.length) % LANGUAGES.length;
    const next = LANGUAGES[at] ?? 'python';
    setLanguage(next);
    document.getElementById(`loops-tab-${next}`)?.focus();
  }
}

function programOf(nest: LoopNest, problem: LoopProblem, language: Language): Program {
  if (language !== 'python') return nestKernel(nest, problem, language);
  const { source, lines } = pythonProgram(nest, problem);
  return { source, lines: lines.map(line => [line]) };
}
