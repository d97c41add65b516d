/** Writes a gate's report as JUnit XML for CI: one test case per kernel. */
import type { Gated, GateReport } from './gate';

/** Characters that XML 1.0 forbids, such as most control characters and unpaired surrogates. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '\u{fffd}').replace(/[&<>"'\n\r\t]/g, found => NAMED[found] ?? '');

export function junit({ results }: GateReport): string {
  const count = (...verdicts: readonly Gated['verdict'][]): number =>
    results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const counts = `tests="${results.length}" failures="${count('slower', 'failed')}" errors="${count('not-measured')}" skipped="${count('not-compared')}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="gemm-explorer bench" ${counts}>
${results.map(testCase).join('\n')}
  </testsuite>
</testsuites>
`;
}

function testCase({ specKey, verdict, message, measurement }: Gated): string {
  const { backend, device, timing } = measurement;
  const place = `${backend} on ${device.name}`;
  const seconds = ((timing?.medianMs ?? 0) / 1000).toFixed(9);
  const head = `    <testcase classname="${escapeXml(place)}" name="${escapeXml(specKey)}" time="${seconds}">`;
  const told = `message="${escapeXml(message)}"`;
  const body = {
    passed: `      <system-out>${escapeXml(message)}</system-out>`,
    slower: `      <failure type="slower" ${told}/>`,
    failed: `      <failure type="${escapeXml(measurement.outcome)}" ${told}/>`,
    'not-compared': `      <skipped ${told}/>`,
    'not-measured': `      <error type="${escapeXml(measurement.outcome)}" ${told}/>`,
  }[verdict];
  return `${head}\n${body}\n    </testcase>`;
}
