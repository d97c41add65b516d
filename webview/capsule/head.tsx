/** Head of a capsule: what it shows, how to repeat it, and the spec as text and as a file. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { epilogueNames } from '../../src/core/spec/epilogue';
import { TARGET_NAMES } from '../ability';
import type { Derived } from '../derive';
import { formatNumber } from '../format';
import { Section } from '../views/figure';
import { Summary } from '../views/summary';
import { zoneText } from './zone';

/** Problem and schedule in one line, also the title of the page. */
export function titleOf({ report: { resolved } }: Derived): string {
  const { problem, schedule } = resolved;
  const sizes = [problem.m, problem.n, problem.k].map(formatNumber).join(' x ');
  const operations = epilogueNames(problem.epilogue).map(name => ` + ${name}`);
  return `GEMM ${sizes} ${problem.a.dtype}${operations.join('')}, ${schedule.algorithm}`;
}

export interface HeadProps {
  readonly derived: Derived;
  readonly title: string;
  readonly version: string;
}

export function Head({ derived, title, version }: HeadProps): VNode {
  const newest = derived.newest.at(-1)?.run;
  return (
    <header class="capsule-head">
      <h1>{title}</h1>
      <p class="of">{t('{0} on {1}', TARGET_NAMES[derived.target], derived.device.name)}</p>
      <Summary derived={derived} />
      <p class="hint">
        {t('Written by GEMM Explorer {0}. This file loads nothing.', version)}{' '}
        {newest?.at === undefined
          ? ''
          : t('Times are in {0}.', zoneText(new Date(newest.at).getTimezoneOffset()))}
      </p>
    </header>
  );
}

export interface ReproduceProps {
  /** Name of the spec file in the command. */
  readonly file: string;
  readonly command: string;
  /** True if the command repeats a run. */
  readonly repeatsRun: boolean;
  readonly specJson: string;
  readonly link: string | null;
  readonly omitted: readonly string[];
}

export const Reproduce = (props: ReproduceProps): VNode => {
  const { file, command, repeatsRun, specJson, link, omitted } = props;
  const data = `data:application/json;base64,${base64(specJson)}`;
  return (
    <Section id="reproduce" title={t('Reproduce')}>
      <p>
        {repeatsRun
          ? t('Save the spec as {0}. This command repeats the newest run:', file)
          : t('Save the spec as {0}. This command repeats the analysis:', file)}
      </p>
      <pre class="command" tabIndex={0} role="region" aria-label={t('Command')}>
        <code>{command}</code>
      </pre>
      <p class="links">
        <a href={data} download={file}>
          {t('Download {0}', file)}
        </a>
        {link === null ? null : <a href={link}>{t('Open the spec in VS Code')}</a>}
      </p>
      <details>
        <summary>{t('Spec as JSON')}</summary>
        <pre class="command" tabIndex={0} role="region" aria-label={t('Spec as JSON')}>
          <code>{specJson}</code>
        </pre>
      </details>
      {omitted.length === 0 ? null : (
        <>
          <h3>{t('Left out')}</h3>
          <ul>
            {omitted.map(text => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
};

/** Encodes UTF-8. A spec has only ASCII keys, but strings of any characters. */
const base64 = (text: string): string =>
  btoa(
    encodeURIComponent(text).replace(/%([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    ),
  );
