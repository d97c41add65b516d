/** Links that carry a spec: legal links open, and every other link is refused with a reason. */
import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import type { GemmSpec } from '../../../src/core/spec/schema';
import {
  linkTo,
  LINK_PATH,
  MAX_LINK_CHARACTERS,
  MAX_LINKED_BYTES,
  specOfLink,
} from '../../../src/specLink';
import { LADDER } from '../../helpers/ladderSpecs';

const packed = (text: string | Buffer): string =>
  `d=${deflateRawSync(text, { level: 9 }).toString('base64url')}`;
const open = (query: string) => specOfLink(LINK_PATH, query);
const SPEC: GemmSpec = { problem: { m: 64, n: 64, k: 64 } };

describe('a link to a spec', () => {
  it('carries every spec of the ladder', async () => {
    for (const spec of LADDER) {
      const link = (await linkTo(spec)) ?? assert.fail();
      const { protocol, host, pathname, search } = new URL(link);
      assert.deepEqual([protocol, host], ['vscode:', 'gemm-explorer.gemm-explorer']);
      assert.ok(link.length < 1000, `${link.length} characters`);
      assert.deepEqual(await specOfLink(pathname, search.slice(1)), { ok: true, spec });
    }
  });

  it('begins with the scheme of the program that copies it', async () => {
    assert.match((await linkTo(SPEC, 'vscode-insiders')) ?? '', /^vscode-insiders:\/\//);
  });

  it('is not made if it would be longer than the limit', async () => {
    const noise = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 9973).toString(36)).join();
    const long = { ...SPEC, $schema: noise.slice(0, 12_000) };
    assert.equal(await linkTo(long), null);
  });

  it('is accepted up to the limit of its length and refused above it', async () => {
    const query = packed(JSON.stringify(SPEC));
    const padded = (length: number): string =>
      query + `&x=${'x'.repeat(length - query.length - 3)}`;
    assert.equal((await open(padded(MAX_LINK_CHARACTERS))).ok, true);
    const refused = await open(padded(MAX_LINK_CHARACTERS + 1));
    assert.match(refused.ok ? '' : refused.reason, /longer than 4000 characters/);
  });

  for (const [name, query, reason] of [
    ['without data', '', /damaged/],
    ['with other data', 'x=1', /damaged/],
    ['with characters outside of base64url', 'd=%3Cscript%3E', /damaged/],
    ['with base64 of an impossible length', 'd=AAAAA', /damaged/],
    ['that was cut', packed(JSON.stringify(SPEC)).slice(0, -6), /damaged/],
    ['with bytes that are not UTF-8', packed(Buffer.from([0xff, 0xfe, 0x80])), /damaged/],
    ['that expands to 3 MB', packed(' '.repeat(2_900_000)), /expands to more than/],
    ['that expands to one byte too many', packed(' '.repeat(MAX_LINKED_BYTES + 1)), /expands/],
    ['with text that is not JSON', packed('not json'), /spec in the link is not valid/],
    ['with an unknown field', packed('{"problem":{"m":1,"n":1,"k":1},"run":"x"}'), /run: /],
    ['with an illegal value', packed('{"problem":{"m":-1,"n":1,"k":1}}'), /problem\.m: /],
    ['with a field of the prototype', packed('{"__proto__":{"m":1}}'), /not valid/],
  ] as const)
    it(`${name} is refused with a reason`, async () => {
      const refused = await open(query);
      assert.match(refused.ok ? 'accepted' : refused.reason, reason);
    });

  it('with another path is refused', async () => {
    const refused = await specOfLink('/run', packed(JSON.stringify(SPEC)));
    assert.match(refused.ok ? '' : refused.reason, /unknown path/);
  });

  it('of any content is answered without an exception', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.uint8Array().map(b => packed(Buffer.from(b))),
        ),
        async query => {
          const answer = await open(query);
          assert.ok(answer.ok || answer.reason.length > 0);
        },
      ),
    );
  });
});
