/** Memory section: traffic of the whole problem, and the cost per request of each access. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Analysis } from '../../src/core/report/analysis';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { formatNumber } from '../format';
import type { Message } from '../state';
import { Disclosure } from './disclosure';
import { FigureText, OriginTag, Section, Table, type Origin } from './figure';
import { later } from './later';
import type { WaveDetailsProps } from './waves';
import type { Figure } from '../../src/core/text/figure';
import type { Note } from '../../src/core/text/note';

const MemoryDetails = later(parts => parts.MemoryDetails, 4);
const WaveDetails = later(parts => parts.WaveDetails, 36);
const LayoutDetails = later(parts => parts.LayoutDetails, 10);
const TensorDetails = later(parts => parts.TensorDetails, 4);

export interface MemoryProps {
  readonly kernel: Kernel;
  readonly device: Device;
  readonly analysis: Analysis;
  readonly of: string | undefined;
  readonly dispatch: (message: Message) => void;
}

export function Memory({ of, ...shown }: MemoryProps): VNode {
  const { analysis } = shown;
  const { globalMemory, sharedMemory, traffic } = analysis;
  return (
    <Section id="memory" title={t('Memory access')} of={of}>
      <dl class="facts">
        <Fact name={t('DRAM, compulsory')} figure={traffic.dram} />
        <Fact name={t('L2, tile loads')} figure={traffic.l2} />
        <Fact name={t('shared memory')} figure={traffic.shared} />
      </dl>
      <AccessTables
        from="derived"
        global={globalMemory.map(row => ({
          ...row,
          cost: row.sectorsPerRequest,
          ideal: row.idealSectors,
        }))}
        shared={sharedMemory.map(row => ({
          ...row,
          cost: row.wavefrontsPerRequest,
          ideal: row.idealWavefronts,
        }))}
      />
      <MemoryDetails {...shown} />
    </Section>
  );
}

const Fact = ({ name, figure }: { readonly name: string; readonly figure: Figure }): VNode => (
  <>
    <dt>{name}</dt>
    <dd>
      <FigureText figure={figure} />
    </dd>
  </>
);

export interface AccessRow {
  readonly site: string;
  readonly widthBytes: number;
  readonly cost: number;
  readonly ideal: number;
}

export interface AccessTablesProps {
  readonly from: Origin;
  readonly global: readonly AccessRow[];
  readonly shared: readonly AccessRow[];
}

export const AccessTables = ({ from, global, shared }: AccessTablesProps): VNode => (
  <>
    <Accesses
      from={from}
      caption={t('Global memory: 32-byte sectors per request')}
      unit={t('sectors')}
      rows={global}
    />
    <Accesses
      from={from}
      caption={t('Shared memory: wavefronts per request')}
      unit={t('wavefronts')}
      rows={shared}
    />
  </>
);

/** Removes repeated rows, such as the same fragment load in the prologue and in the main loop. */
const distinct = (rows: readonly AccessRow[]): readonly AccessRow[] =>
  rows.filter(
    (row, i) =>
      i ===
      rows.findIndex(
        ({ site, widthBytes, cost, ideal }) =>
          site === row.site &&
          widthBytes === row.widthBytes &&
          cost === row.cost &&
          ideal === row.ideal,
      ),
  );

function Accesses(props: {
  readonly from: Origin;
  readonly caption: string;
  readonly unit: string;
  readonly rows: readonly AccessRow[];
}): VNode | null {
  const { from, caption, unit, rows } = props;
  if (rows.length === 0) return null;
  return (
    <>
      <h3>
        {caption} <OriginTag from={from} />
      </h3>
      <Table
        caption={caption}
        columns={[t('access'), t('width'), unit, t('ideal'), t('cost')]}
        numeric={[1, 2, 3, 4]}
        rows={distinct(rows).map(({ site, widthBytes, cost, ideal }) => [
          site,
          `${widthBytes} B`,
          formatNumber(cost),
          formatNumber(ideal),
          <Cost ratio={cost / ideal} />,
        ])}
      />
    </>
  );
}

/** Marks a cost above the ideal with a sign, because weight alone is easily overlooked. */
const Cost = ({ ratio }: { readonly ratio: number }): VNode => {
  const text = `${formatNumber(ratio)}x`;
  return ratio > 1 ? (
    <span class="costly" title={t('above ideal')}>
      <span role="img" aria-label={t('above ideal')}>
        !
      </span>{' '}
      {text}
    </span>
  ) : (
    <>{text}</>
  );
};

export interface TensorCoresProps {
  readonly kernel: Kernel;
  readonly device: Device;
  readonly analysis: Analysis;
  readonly of: string | undefined;
}

export const TensorCores = ({ of, ...shown }: TensorCoresProps): VNode | null => {
  const { family } = shown.kernel.plan;
  return family !== 'wgmma' && family !== 'mma' ? null : (
    <Section id="tensor" title={t('Tensor cores')} of={of}>
      <TensorDetails {...shown} />
    </Section>
  );
};

export interface LayoutsProps {
  readonly kernel: Kernel;
  readonly of: string | undefined;
}

export const Layouts = ({ kernel, of }: LayoutsProps): VNode => (
  <Section id="layouts" title={t('Layouts')} of={of}>
    <LayoutDetails kernel={kernel} />
  </Section>
);

export interface WavesProps extends WaveDetailsProps {
  readonly of: string | undefined;
}

export const Waves = ({ of, ...shown }: WavesProps): VNode | null =>
  shown.analysis.waves === null ? null : (
    <Section id="waves" title={t('Waves')} of={of}>
      <WaveDetails {...shown} />
    </Section>
  );

const levelName = (level: Note['level']): string =>
  ({ info: t('Note'), advice: t('Advice'), warning: t('Warning') })[level];

/** Advice and warnings first; facts that other sections also show are collapsed. */
export function Notes({ notes }: { readonly notes: readonly Note[] }): VNode | null {
  const urgent = notes.filter(({ level }) => level !== 'info');
  const others = notes.filter(({ level }) => level === 'info');
  if (notes.length === 0) return null;
  return (
    <Section id="notes" title={t('Notes')}>
      <NoteList notes={urgent} />
      {others.length === 0 ? null : (
        <Disclosure summary={t('More notes: {0}', others.length)}>
          {() => <NoteList notes={others} />}
        </Disclosure>
      )}
      <p class="hint">{t('Figures without a label are derived from the kernel.')}</p>
    </Section>
  );
}

/** Shows the first sentence of a note; the explanation that follows it is collapsed. */
function NoteText({ level, text }: Note): VNode {
  const [, finding = text, explanation = ''] = /^(.+?\.) (?=[A-Z])(.+)$/s.exec(text) ?? [];
  return explanation === '' ? (
    <p>
      <b>{levelName(level)}</b> {text}
    </p>
  ) : (
    <details>
      <summary>
        <b>{levelName(level)}</b> {finding}
      </summary>
      <p>{explanation}</p>
    </details>
  );
}

const NoteList = ({ notes }: { readonly notes: readonly Note[] }): VNode | null =>
  notes.length === 0 ? null : (
    <ul class="notes">
      {notes.map(({ level, text }) => (
        <li key={text} class={level}>
          <NoteText level={level} text={text} />
        </li>
      ))}
    </ul>
  );
