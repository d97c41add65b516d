/** The emitted text, one tab a language; an illegal configuration shows why it has none. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { TARGETS, type Target } from '../../src/core/spec/schema';
import { TARGET_NAMES } from '../ability';
import { isKernel, type Derived, type Emitted } from '../derive';
import { Button } from '../kit';
import type { Message } from '../state';
import { Section } from './figure';

export interface CodeProps {
  readonly derived: Derived;
  readonly dispatch: (message: Message) => void;
}

export function Code({ derived, dispatch }: CodeProps): VNode {
  const { target, kernels } = derived;
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
    <Section id="code" title="Kernel">
      <div class="tabs" role="tablist" aria-label="Language" onKeyDown={onKeyDown}>
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
      <div id="code-panel" role="tabpanel" aria-labelledby={`tab-${target}`}>
        <Panel target={target} kernel={kernels[target]} dispatch={dispatch} />
      </div>
    </Section>
  );
}

interface PanelProps {
  readonly target: Target;
  readonly kernel: Emitted;
  readonly dispatch: (message: Message) => void;
}

function Panel({ target, kernel, dispatch }: PanelProps): VNode {
  if (!isKernel(kernel)) {
    return (
      <p class="hint">No {TARGET_NAMES[target]} text: the configuration is not legal for it.</p>
    );
  }
  return (
    <>
      <div class="file-head">
        <code>{kernel.fileName}</code>
        <CopyButton text={kernel.source} dispatch={dispatch} />
      </div>
      <pre class="source" tabIndex={0} aria-label={`${TARGET_NAMES[target]} source`} role="region">
        <Source text={kernel.source} />
      </pre>
    </>
  );
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
          text: 'The clipboard is not available here. Select the text and copy it by keyboard.',
        });
      },
    );
  };
  return <Button onPress={copy}>{copied === text ? 'Copied' : 'Copy'}</Button>;
}

/** Comments step back, so that the code stands out; nothing else is coloured. */
function Source({ text }: { readonly text: string }): VNode {
  const parts = useMemo(() => text.split(/(\/\/.*$|\/\*[\s\S]*?\*\/)/gm), [text]);
  return (
    <code>
      {parts.map((part, index) => (index % 2 === 1 ? <span class="comment">{part}</span> : part))}
    </code>
  );
}
