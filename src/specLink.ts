/**
 * Link that carries a spec: `vscode://gemm-explorer.gemm-explorer/spec?d=DATA`. DATA is the spec as
 * JSON, compressed with deflate, in base64url. This module uses only web standards, which Node and
 * browsers have.
 */
import { t } from '@vscode/l10n';
import { parseSpec } from './core/spec/decode';
import type { GemmSpec } from './core/spec/schema';

/** Identifier of the extension, which VS Code forwards the link to. */
export const LINK_AUTHORITY = 'gemm-explorer.gemm-explorer';
export const LINK_PATH = '/spec';
/** Maximum length of a link; longer links are cut by some mail programs and chats. */
export const MAX_LINK_CHARACTERS = 4000;
/** Maximum size of the JSON in a link, in bytes. */
export const MAX_LINKED_BYTES = 64_000;

/**
 * Returns the link to the spec; null if it would be too long.
 *
 * @param scheme URI scheme of the program that opens it, such as `vscode-insiders`
 */
export async function linkTo(spec: GemmSpec, scheme = 'vscode'): Promise<string | null> {
  const bytes = new TextEncoder().encode(JSON.stringify(spec));
  if (bytes.length > MAX_LINKED_BYTES) return null;
  const data = base64url(await piped(bytes, new CompressionStream('deflate-raw'), Infinity));
  const link = `${scheme}://${LINK_AUTHORITY}${LINK_PATH}?d=${data}`;
  return link.length > MAX_LINK_CHARACTERS ? null : link;
}

export type Linked =
  | { readonly ok: true; readonly spec: GemmSpec }
  /** `reason` is a sentence for the reader. */
  | { readonly ok: false; readonly reason: string };

const rejected = (reason: string): Linked => ({ ok: false, reason });

/** Reads the spec of a link from the path and the query of its URI. Never throws. */
export async function specOfLink(path: string, query: string): Promise<Linked> {
  if (path !== LINK_PATH)
    return rejected(t('The link has an unknown path. Fix: copy the link again.'));
  if (query.length > MAX_LINK_CHARACTERS)
    return rejected(
      t('The link is longer than {0} characters. Fix: send the spec file.', MAX_LINK_CHARACTERS),
    );
  const data = new URLSearchParams(query).get('d') ?? '';
  const bytes = bytesOf(data);
  if (bytes === null) return rejected(damaged());
  const text = await inflated(bytes);
  if (text === 'damaged') return rejected(damaged());
  if (text === 'too large')
    return rejected(
      t('The link expands to more than {0} bytes. Fix: send the spec file.', MAX_LINKED_BYTES),
    );
  const decoded = parseSpec(text.json);
  if (decoded.ok) return { ok: true, spec: decoded.spec };
  const [first] = decoded.errors;
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  return rejected(t('The spec in the link is not valid. {0}', `${where}${first?.message ?? ''}`));
}

const damaged = (): string =>
  t('The link is damaged: its data cannot be read. Fix: copy the whole link again.');

async function inflated(
  bytes: Uint8Array,
): Promise<{ readonly json: string } | 'damaged' | 'too large'> {
  try {
    const stream = new DecompressionStream('deflate-raw');
    const json = await piped(bytes, stream, MAX_LINKED_BYTES);
    return { json: new TextDecoder('utf-8', { fatal: true }).decode(json) };
  } catch (error) {
    return error instanceof TooLarge ? 'too large' : 'damaged';
  }
}

class TooLarge extends Error {}

interface Transform {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<BufferSource>;
}

/** Pipes the bytes through a transform. Stops and throws if the output exceeds `mostBytes`. */
async function piped(
  bytes: Uint8Array,
  { readable, writable }: Transform,
  mostBytes: number,
): Promise<Uint8Array> {
  const writer = writable.getWriter();
  // Errors of the writer also reject the reader below.
  const written = writer.write(bytes as Uint8Array<ArrayBuffer>).then(() => writer.close());
  written.catch(() => undefined);
  const reader = readable.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > mostBytes) {
      reader.cancel().catch(() => undefined);
      throw new TooLarge();
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

const base64url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Returns null unless the text is base64url without padding. */
function bytesOf(text: string): Uint8Array | null {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, character => character.charCodeAt(0));
}
