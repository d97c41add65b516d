/**
 * The emitted kernel source: one tab per language, or all languages side by side on a wide page.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Violation } from '../../src/core/plan/plan';
import { TARGETS, type GemmSpec, type Target } from '../../src/core/spec/schema';
import type { FromWebview } from '../../src/protocol';
import { TARGET_NAMES } from '../ability';
import { emittedOf, isKernel, type Derived } from '../derive';
import { Button } from '../kit';
import type { Message } from '../state';
import { Section } from './figure';
import { KeepMounted } from './keepMounted';
import { Listing } from './listing';

export interface CodeProps {
  readonly kernels: Derived['kernels'];
  readonly target: Target;
  readonly before: GemmSpec | null;
  readonly trusted: boolean;
  /** True if the languages are shown side by side; null if the page is too narrow. */
  readonly both: boolean | null;
  readonly dispatch: (message: Message) => void;
  readonly post: (message: FromWebview) => void;
}

export function Code(props: CodeProps): VNode {
  const { target, both, dispatch } = props;
  return (
    <Section id="code" title={t('Kernel')}>
      <div class="code-head">
        {both === true ? null : <Tabs target={target} dispatch={dispatch} />}
        {both === null ? null : (
          <Button
            onPress={() => {
              dispatch({ type: 'view', view: { code: both ? 'one' : 'both' } });
            }}
          >
            {both ? t('One language') : t('Side by side')}
          </Button>
        )}
        <WriteButtons {...props} />
      </div>
      {both === true ? (
        <div class="languages">
          {TARGETS.map(name => (
            <div key={name} class="language">
              <h3>{TARGET_NAMES[name]}</h3>
              <Panel {...props} target={name} />
            </div>
          ))}
        </div>
      ) : (
        <div id="code-panel" class="language" role="tabpanel" aria-labelledby={`tab-${target}`}>
          <Panel {...props} />
        </div>
      )}
    </Section>
  );
}

function WriteButtons({ kernels, trusted, post }: CodeProps): VNode {
  const disabled = !trusted || !Object.values(kernels).some(isKernel);
  return (
    <div class="write" role="group" aria-label={t('Write')}>
      <Button
        disabled={disabled}
        describedBy="ability"
        onPress={() => {
          post({ type: 'generate' });
        }}
      >
        {t('Generate files')}
      </Button>
      <Button
        disabled={disabled}
        describedBy="ability"
        onPress={() => {
          post({ type: 'exportReport' });
        }}
      >
        {t('Export report')}
      </Button>
      <Button
        disabled={disabled}
        describedBy="ability"
        title={t('Writes one HTML file with the spec, kernels, analysis and runs')}
        onPress={() => {
          post({ type: 'shareResult' });
        }}
      >
        {t('Share result')}
      </Button>
    </div>
  );
}

function Tabs({ target, dispatch }: Pick<CodeProps, 'target' | 'dispatch'>): VNode {
  const choose = (chosen: Target) => {
    dispatch({ type: 'view', view: { target: chosen } });
    document.getElementById(`tab-${chosen}`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = TARGETS[(TARGETS.indexOf(target) + step + TARGETS.length) % TARGETS.length];
    if (next !== undefined) choose(next);
  };
  return (
    <div class="tabs" role="tablist" aria-label={t('Language')} onKeyDown={onKeyDown}>
      {TARGETS.map(name => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === target}
          aria-controls="code-panel"
          tabIndex={name === target ? 0 : -1}
          onClick={() => {
            choose(name);
          }}
        >
          {TARGET_NAMES[name]}
        </button>
      ))}
    </div>
  );
}

function Panel({ target, kernels, before, trusted, dispatch, post }: CodeProps): VNode {
  const kernel = kernels[target];
  const old = useMemo(() => textBefore(before, target), [before, target]);
  return (
    <>
      {isKernel(kernel) ? null : <NoText name={TARGET_NAMES[target]} why={kernel} />}
      <KeepMounted shown={isKernel(kernel)} last="hidden">
        {() =>
          isKernel(kernel) ? <Text {...{ target, kernel, old, trusted, dispatch, post }} /> : null
        }
      </KeepMounted>
    </>
  );
}

const NoText = ({ name, why }: { name: string; why: readonly Violation[] }): VNode => (
  <div class="hint">
    <p>{t('No {0} kernel: the configuration is not legal for this target.', name)}</p>
    {why.map(({ rule, path, message }) => (
      <p key={`${rule} ${path}`}>{message}</p>
    ))}
  </div>
);

interface TextProps extends Pick<CodeProps, 'target' | 'trusted' | 'dispatch' | 'post'> {
  readonly kernel: Kernel;
  /** Source code before the last change; null if there is none. */
  readonly old: string | null;
}

function Text({ target, kernel, old, trusted, dispatch, post }: TextProps): VNode {
  return (
    <>
      <div class="file-head">
        <code>{kernel.fileName}</code>
        <span class="file-actions">
          {target === 'cuda' ? (
            <Button
              disabled={!trusted}
              title={
                trusted
                  ? t('Compiles with nvcc and opens the PTX in a second editor')
                  : t('Compiling requires a trusted workspace')
              }
              onPress={() => {
                post({ type: 'showPtx' });
              }}
            >
              PTX
            </Button>
          ) : null}
          <CopyButton text={kernel.source} dispatch={dispatch} />
        </span>
      </div>
      <Listing label={t('{0} source', TARGET_NAMES[target])} text={kernel.source} before={old} />
    </>
  );
}

function textBefore(before: GemmSpec | null, target: Target): string | null {
  if (before === null) return null;
  const old = emittedOf(before).kernels[target];
  return isKernel(old) ? old.source : null;
}

function CopyButton({ text, dispatch }: { text: string; dispatch: CodeProps['dispatch'] }): VNode {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(text);
      },
      () => {
        dispatch({
          type: 'notice',
          text: t(
            'The clipboard is not available. Fix: select the source code and copy it with the keyboard.',
          ),
        });
      },
    );
  };
  return <Button onPress={copy}>{copied === text ? t('Copied') : t('Copy')}</Button>;
}
