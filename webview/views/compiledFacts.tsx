/**
 * Compiler output of the kernel: registers, spills, instructions by class, and the main loop
 * compared with the loop IR.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { InstructionClass } from '../../src/core/profile/listing/instruction';
import { archOf } from '../../src/core/hardware/computeCapability';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { sourceHashOf } from '../../src/core/text/hash';
import type { FromWebview } from '../../src/protocol';
import { formatBytes, formatNumber, formatPercent } from '../format';
import { Button } from '../kit';
import { factsKey, type Compiled, type InspectedKernel, type State } from '../state';
import { OriginTag, Section, Table } from './figure';

export interface CompiledFactsProps {
  readonly kernel: Kernel;
  readonly device: Device;
  readonly inspected: State['inspected'];
  readonly compiled: State['compiled'];
  readonly trusted: boolean;
  readonly of: string | undefined;
  readonly post: (message: FromWebview) => void;
}

export function CompiledFacts(props: CompiledFactsProps): VNode | null {
  const { kernel, device, inspected, compiled, trusted, of, post } = props;
  const { computeCapability } = device;
  if (kernel.target !== 'cuda' || computeCapability === undefined) return null;
  const key = factsKey({
    sourceHash: sourceHashOf(kernel),
    entry: kernel.entry,
    arch: archOf(computeCapability),
  });
  const own = inspected.filter(listing => factsKey(listing) === key);
  const shown = own.length > 0 ? own : inspected.slice(-1);
  const stale = own.length === 0;
  return (
    <Section id="compiled" title={t('Compiled')} of={of}>
      {shown.length === 0 ? (
        <p>{t('Not compiled yet: register counts are estimated.')}</p>
      ) : stale ? (
        <p class="hint">
          {t(
            'These figures belong to an earlier configuration; the current configuration is not compiled yet.',
          )}
        </p>
      ) : null}
      <div class="compile-tools" role="group" aria-label={t('Compile')}>
        {(['ptx', 'sass'] as const).map(language => (
          <Button
            key={language}
            disabled={!trusted}
            describedBy="compile-why"
            onPress={() => {
              post({ type: 'inspect', language });
            }}
          >
            {language === 'ptx' ? t('Compile to PTX') : t('Disassemble to SASS')}
          </Button>
        ))}
      </div>
      <p id="compile-why" class="hint">
        {trusted
          ? t('PTX requires nvcc; SASS also nvdisasm or cuobjdump.')
          : t('Compiling requires a trusted workspace: Restricted Mode does not start processes.')}
      </p>
      {shown.map(listing => (
        <Listing
          key={listing.language}
          listing={listing}
          resources={compiled[factsKey(listing)]}
          stale={stale}
        />
      ))}
    </Section>
  );
}

const className = (kind: InstructionClass): string =>
  ({
    fma: t('FMA'),
    mma: t('MMA (tensor cores)'),
    arithmetic: t('other arithmetic'),
    integer: t('integer and move'),
    conversion: t('conversion'),
    'shared-load': t('shared-memory loads'),
    'shared-store': t('shared-memory stores'),
    'global-load': t('global-memory loads'),
    'global-store': t('global-memory stores'),
    local: t('local memory (spills)'),
    'async-copy': t('asynchronous copies'),
    barrier: t('barriers'),
    branch: t('branches'),
    other: t('other'),
  })[kind];

interface ListingProps {
  readonly listing: InspectedKernel;
  readonly resources: Compiled | undefined;
  readonly stale: boolean;
}

function Listing({ listing, resources, stale }: ListingProps): VNode {
  const { language, compiler, arch, counts, loop, limits } = listing;
  const title = `${language.toUpperCase()}, ${compiler}, ${arch}`;
  const rowOf = (kind: InstructionClass) => loop?.rows.find(row => row.kind === kind);
  return (
    <div class={stale ? 'later stale' : 'later'}>
      <h3>
        {title} <OriginTag from="compiler" />
      </h3>
      <dl class="facts">
        {factsOf(listing, resources).map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <span class="number">{value}</span> <OriginTag from="compiler" />
            </dd>
          </>
        ))}
      </dl>
      <Table
        caption={t('Instructions of {0}', title)}
        columns={[
          t('instructions'),
          t('total'),
          t('main loop'),
          t('loop IR'),
          t('reason for difference'),
        ]}
        numeric={[1, 2, 3]}
        rows={counts.map(({ kind, whole, loop: inLoop }) => {
          const row = rowOf(kind);
          return [
            className(kind),
            formatNumber(whole),
            loop === null ? '' : formatNumber(inLoop),
            row === undefined || row.model === null ? '' : formatNumber(row.model),
            row?.why ?? '',
          ];
        })}
      />
      {limits.map(limit => (
        <p key={limit} class="hint">
          {limit}
        </p>
      ))}
    </div>
  );
}

function factsOf(
  { loop, counts }: InspectedKernel,
  resources: Compiled | undefined,
): readonly (readonly [name: string, value: string])[] {
  const whole = counts.reduce((sum, count) => sum + count.whole, 0);
  const fma = counts.find(({ kind }) => kind === 'fma')?.loop ?? 0;
  const spilled = (resources?.spillStores ?? 0) + (resources?.spillLoads ?? 0);
  return [
    ...(resources === undefined
      ? []
      : ([
          [t('registers per thread'), formatNumber(resources.registers)],
          [t('spilled'), spilled === 0 ? t('none') : formatBytes(spilled)],
        ] as const)),
    ...(loop === null
      ? []
      : ([
          [
            t('main loop'),
            t(
              '{0} of {1} instructions, {2} of them predicated',
              formatNumber(loop.total),
              formatNumber(whole),
              formatNumber(loop.conditional),
            ),
          ],
          [t('FMA share'), formatPercent(Number((fma / loop.total).toPrecision(3)))],
          ...(loop.unrolled === null
            ? []
            : [[t('unroll factor'), formatNumber(loop.unrolled)] as const]),
          ...ratio(t('FMAs per shared load'), loop.fmaPerSharedLoad, ''),
          ...ratio(t('shared bytes per FMA'), loop.sharedBytesPerFma, ' B'),
          ...ratio(t('global bytes per FMA'), loop.globalBytesPerFma, ' B'),
        ] as const)),
  ];
}

const ratio = (
  name: string,
  value: number | undefined,
  unit: string,
): readonly (readonly [string, string])[] =>
  value === undefined ? [] : [[name, `${formatNumber(value)}${unit}`]];
