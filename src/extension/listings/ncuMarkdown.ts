/** Markdown table of measured Nsight Compute counters next to the counts of the analysis. */
import { t } from '@vscode/l10n';
import { joined, markup, table, type Markdown } from '../../core/text/markdown';
import type { NcuRow } from '../../core/profile/ncu/compare';
import { isEqual, type Compared, type SiteRow } from '../../core/profile/ncu/compareSites';
import type { NcuInspection } from '../../core/profile/ncu/inspect';
import type { NcuKernel } from '../../core/profile/ncu/report';

type Found = Extract<NcuInspection, { readonly ok: true }>;

export function ncuMarkdown(
  name: string,
  { kernel, others, rows, sites, limits }: Found,
): Markdown {
  return joined(
    [
      markup`# ${t('{0} and Nsight Compute', name)}`,
      '',
      ...(kernel === null ? [] : totalsText(kernel, others, rows)),
      ...(sites.length === 0 ? [] : sitesText(sites)),
      ...limits.map(limit => markup`- ${limit}`),
      '',
    ],
    '\n',
  );
}

type Lines = readonly (Markdown | string)[];

function totalsText(kernel: NcuKernel, others: number, rows: readonly NcuRow[]): Lines {
  const launch = t('Launch {0} of {1}', kernel.id, kernel.entry);
  const where = [kernel.device, kernel.computeCapability && `sm ${kernel.computeCapability}`];
  return [
    [launch, ...where.filter(text => text !== undefined)].join(', '),
    ...(others > 0 ? ['', t('Last of {0} matching launches in the report.', others + 1)] : []),
    '',
    table(
      ['', t('model'), 'Nsight Compute', t('difference'), ''],
      rows.map(({ why, ...of }) => [
        of.name,
        shown(of.ours),
        shown(of.counted),
        difference(of),
        why,
      ]),
      [1, 2, 3],
    ),
    '',
  ];
}

/**
 * Returns the section on memory accesses. A table row contains one access site, or all sites that
 * line information cannot distinguish. Equal counts are printed once.
 */
function sitesText(sites: readonly SiteRow[]): Lines {
  const count = (value: number): string => value.toLocaleString('en');
  const pair = (compared: Compared): Markdown =>
    isEqual(compared)
      ? markup`${count(compared.counted)} =`
      : markup`**${compared.ours === null ? '–' : count(compared.ours)} / ${count(compared.counted)}**`;
  const unit = { shared: t('wavefronts'), global: t('sectors') };
  const access = {
    shared: { load: t('shared load'), store: t('shared store') },
    global: { load: t('global load'), store: t('global store') },
  };
  return [
    markup`## ${t('Access sites')}`,
    '',
    t('"=" marks equal counts; otherwise the format is model / measured.'),
    '',
    table(
      [t('site'), t('access'), t('requests'), t('wavefronts or sectors'), ''],
      sites.map(({ sites: names, space, op, requests, cost, why }) => [
        names.join(', ') || '–',
        access[space][op],
        pair(requests),
        markup`${pair(cost)} ${unit[space]}`,
        why,
      ]),
      [2, 3],
    ),
    '',
  ];
}

const shown = (figure: NcuRow['ours']): string =>
  figure === null
    ? '–'
    : `${Number(figure.value.toPrecision(6)).toLocaleString('en')} ${figure.unit}`;

function difference({
  verdict,
  differencePercent,
}: Pick<NcuRow, 'verdict' | 'differencePercent'>): string {
  if (verdict === 'equal') return t('equal');
  if (verdict === 'not compared' || differencePercent === null) return '–';
  return `${differencePercent > 0 ? '+' : ''}${differencePercent.toFixed(1)} %`;
}
