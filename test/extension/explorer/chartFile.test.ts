/** What a page says is a chart is looked at before it is written. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chartBytes, chartFileName } from '../../../src/extension/explorer/chartFile';
import { CHART_FORMATS, decodeFromWebview, MAX_CHART_CHARACTERS } from '../../../src/protocol';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>\n';
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2]).toString('base64');
const csv = 'kind,name,intensity,intensity unit\r\n';

describe('chart files', () => {
  it('are the bytes of their format, and nothing else', () => {
    assert.equal(Buffer.from(chartBytes('svg', svg) ?? []).toString(), svg);
    assert.equal(chartBytes('png', png)?.length, 10);
    assert.equal(Buffer.from(chartBytes('csv', csv) ?? []).toString(), csv);
    for (const content of ['', '<script>', 'AAAA', '!!!', '=cmd()', '../../x']) {
      for (const format of CHART_FORMATS) {
        assert.equal(chartBytes(format, content), undefined, `${format} ${content}`);
      }
    }
    assert.equal(chartBytes('png', svg), undefined);
    assert.equal(chartBytes('svg', png), undefined);
  });

  it('never fail over what the content is', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CHART_FORMATS),
        fc.string({ unit: 'binary' }),
        (format, text) => {
          const bytes = chartBytes(format, text);
          assert.ok(bytes === undefined || bytes.length > 0);
        },
      ),
    );
  });

  it('have a name that leads nowhere else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), kernel => {
        assert.match(
          chartFileName('roofline', kernel, 'svg'),
          /^roofline-[A-Za-z0-9_-]{1,100}\.svg$/,
        );
      }),
    );
    assert.equal(
      chartFileName('size-sweep', 'first.gemm.json', 'png'),
      'size-sweep-first-gemm-json.png',
    );
  });

  it('come in a message of bounded size, without a place', () => {
    const message = (over: object) =>
      decodeFromWebview({
        type: 'exportChart',
        name: 'roofline',
        format: 'svg',
        content: svg,
        ...over,
      });
    assert.ok(message({}).ok);
    assert.ok(message({ content: 'x'.repeat(MAX_CHART_CHARACTERS) }).ok);
    assert.ok(!message({ content: 'x'.repeat(MAX_CHART_CHARACTERS + 1) }).ok);
    assert.ok(!message({ format: 'exe' }).ok);
    assert.ok(!message({ name: '../x' }).ok);
    const decoded = message({ path: '/etc/passwd' });
    assert.ok(decoded.ok && !('path' in decoded.message));
  });
});
