/**
 * A capsule: one HTML file with a result, which loads nothing and contains no scripts. The CLI and
 * the extension host load this file as `dist/capsule.cjs`.
 */
import { config, t } from '@vscode/l10n';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import {
  CAPSULE_GENERATOR,
  MAX_CAPSULE_BYTES,
  type CapsuleBundle,
  type CapsuleContent,
} from '../../src/core/report/capsule';
import { htmlText } from '../../src/core/charts/htmlPage';
import { pinnedSpec } from '../../src/core/defaults/pinnedSpec';
import { TARGET_NAMES } from '../ability';
import { derive, type Derived } from '../derive';
import { provideParts } from '../parts';
import { factsKey, INITIAL_VIEW, initialState, type State } from '../state';
import { IncorrectResult } from '../views/incorrectResult';
import { MemoryDetails } from '../views/memoryDetails';
import { OccupancyDetails } from '../views/occupancyDetails';
import { PipelineTimeline } from '../views/tensorDetails';
import { WaveDetails } from '../views/waves';
import { DETAILS, omissions, type Detail } from './detail';
import { titleOf } from './head';
import { CapsulePage, kernelsOf } from './page';
import { publicRun } from './privacy';
import { commandOf, plainName } from './reproduce';
import style from '../../media/capsule.css';

/** Nothing is requested: the page has no scripts, and its styles are part of the file. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export const capsuleOf: CapsuleBundle['capsuleOf'] = (content, translations) => {
  config({ contents: translations });
  const { spec, compiled = [], mostBytes = MAX_CAPSULE_BYTES } = content;
  const runs = content.runs.map(run => publicRun(run, content.privacy));
  const view = { ...INITIAL_VIEW, target: content.target ?? null };
  const facts = Object.fromEntries(compiled.map(one => [factsKey(one), one]));
  const state = { ...initialState(view), spec, runs, compiled: facts };
  const derived = derive({ ...state, spec });
  const kernels = kernelsOf(derived);
  if (kernels.length === 0) {
    const [first] = derived.report.violations;
    const reason = first === undefined ? '' : `${first.path}: ${first.message}`;
    return { ok: false, reason: t('The spec is not legal. {0}', reason) };
  }
  const amounts = {
    longestSource: Math.max(...kernels.map(({ source }) => source.length)),
    earlierRuns: derived.earlier.length,
  };
  for (const detail of DETAILS) {
    const omitted = omissions(detail, amounts);
    const html = documentOf(content, { state, derived, detail, omitted });
    const bytes = utf8Length(html);
    if (bytes <= mostBytes)
      return { ok: true, capsule: { html, bytes, contains: contentsOf(derived), omitted } };
  }
  return { ok: false, reason: t('The result does not fit into {0} bytes.', mostBytes) };
};

interface Drawn {
  readonly state: State;
  readonly derived: Derived;
  readonly detail: Detail;
  readonly omitted: readonly string[];
}

function documentOf(content: CapsuleContent, { state, derived, detail, omitted }: Drawn): string {
  const { name, link, version, language } = content;
  const { specKey } = derived.report;
  const file = plainName(name, specKey);
  const newest = derived.newest.findLast(({ stale }) => !stale)?.run;
  const title = titleOf(derived);
  provideParts({
    OccupancyDetails,
    TensorDetails: PipelineTimeline,
    WaveDetails,
    WrongResult: IncorrectResult,
    ...(detail.requests ? { MemoryDetails } : {}),
  });
  const body = renderToString(
    h(CapsulePage, {
      state,
      derived,
      title,
      version,
      detail,
      reproduce: {
        file,
        command: commandOf(file, newest, derived.target),
        repeatsRun: newest !== undefined,
        specJson: `${JSON.stringify(pinnedSpec(content.spec), null, 2)}\n`,
        link,
        omitted,
      },
    }),
  );
  return [
    '<!DOCTYPE html>',
    `<html lang="${htmlText(language)}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="referrer" content="no-referrer">',
    `<meta name="generator" content="${CAPSULE_GENERATOR}">`,
    `<title>${htmlText(title)}</title><style>${style}</style></head>`,
    `<body>${body}</body></html>`,
    '',
  ].join('\n');
}

/** Lists what the file contains, for the question before it is written. */
function contentsOf(derived: Derived): readonly string[] {
  const runs = derived.newest.length + derived.earlier.length;
  const machines = [...derived.newest.map(({ run }) => run), ...derived.earlier].map(
    ({ device }) => device.name,
  );
  const languages = kernelsOf(derived).map(({ target }) => TARGET_NAMES[target]);
  return [
    t('spec and analysis: {0}', titleOf(derived)),
    t('source code: {0}', languages.join(', ')),
    ...(runs === 0
      ? [t('no runs')]
      : [t('runs: {0}, measured on {1}', runs, [...new Set(machines)].join(', '))]),
  ];
}

const utf8Length = (text: string): number => encodeURIComponent(text).replace(/%../g, 'x').length;
