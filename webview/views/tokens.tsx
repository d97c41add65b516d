/** Tokens of a line of source, in the colors of their kinds. */
import type { VNode } from 'preact';
import type { Token } from '../sourceTokens';

export const Tokens = ({ tokens }: { readonly tokens: readonly Token[] }): VNode => (
  <>
    {tokens.map(({ text, kind }) =>
      kind === null ? text : <span class={`code-${kind}`}>{text}</span>,
    )}
  </>
);
