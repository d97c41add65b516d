/**
 * Diagnostics from the WGSL compiler messages of a run, which have the form `LINE:COLUMN WORDS`.
 */
import type { Measurement } from '../../core/measure/measurement';
import type { Diagnostic } from '../../host/diagnostics';

/**
 * Returns the messages with zero-based lines and columns; empty unless the run ended with a compile
 * error.
 */
export function wgslDiagnostics({ outcome, message = '' }: Measurement): readonly Diagnostic[] {
  if (outcome !== 'compile-error') return [];
  return message.split('\n').flatMap((text): Diagnostic[] => {
    const [, line, column, words] = /^(\d{1,9}):(\d{1,9}) (.+)$/.exec(text) ?? [];
    if (line === undefined || column === undefined || words === undefined) return [];
    const place = { line: Math.max(0, Number(line) - 1), column: Math.max(0, Number(column) - 1) };
    return [{ ...place, severity: 'error', message: words, source: 'WGSL' }];
  });
}
