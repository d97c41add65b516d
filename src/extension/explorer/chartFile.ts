/**
 * Decoder of charts that a page sends for saving. The content is untrusted, so its first bytes are
 * checked.
 */
import type { ChartFormat, ChartName } from '../../protocol';

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const SVG_START = '<svg xmlns="http://www.w3.org/2000/svg" ';
const CSV_START = 'kind,name,intensity,';

/** Returns the bytes to write; undefined if the content does not have the format. */
export function chartBytes(format: ChartFormat, content: string): Uint8Array | undefined {
  if (format === 'png') {
    const bytes = fromBase64(content);
    return PNG_SIGNATURE.every((byte, index) => bytes?.[index] === byte) ? bytes : undefined;
  }
  const start = format === 'svg' ? SVG_START : CSV_START;
  return content.startsWith(start) ? new TextEncoder().encode(content) : undefined;
}

function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  return Uint8Array.from(atob(text), character => character.charCodeAt(0));
}

export const chartFileName = (chart: ChartName, kernel: string, format: ChartFormat): string =>
  `${chart}-${kernel.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 100) || 'kernel'}.${format}`;
