/** SASS through NVIDIA's disassemblers: fakes that lie, hang, flood and know fewer flags. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { findDisassembler, sassOf } from '../../src/host/sass';
import { asNvcc, eachInHostileFolder, fakeProgram } from './support';

const NVCC = `const out = args[args.indexOf('-o') + 1]; fs.writeFileSync(out, '\\x7fELF cubin');`;
const LISTING = `.text.gemm:\\n\\t//## File "/tmp/x/kernel.cu", line 3\\n        /*0000*/                   FFMA R0, R1, R2, R0 ;\\n        /*0010*/                   EXIT ;\\n`;
const LISTS = `process.stdout.write('${LISTING}');`;

describe('SASS of a kernel file', () => {
  let folder: string;
  eachInHostileFolder(path => {
    folder = path;
  });
  const options = () => ({
    nvcc: asNvcc(fakeProgram(folder, 'nvcc', NVCC)),
    arch: 'sm_90',
    cacheFolder: path.join(folder, 'cache'),
    timeoutMs: 5000,
  });
  const sass = async (body: string, id: 'nvdisasm' | 'cuobjdump' = 'nvdisasm') =>
    sassOf('source', { path: fakeProgram(folder, id, body), id }, options());

  it('is found beside nvcc, nvdisasm before cuobjdump, and missed with a next step', () => {
    const { nvcc } = options();
    const environment = { PATH: '' };
    const none = findDisassembler(nvcc, { environment });
    assert.ok(!none.ok);
    assert.match(`${none.why} ${none.next}`, /nvdisasm nor cuobjdump.*cuda-nvdisasm/);
    fakeProgram(folder, 'cuobjdump', LISTS);
    const second = findDisassembler(nvcc, { environment, setting: nvcc.path });
    assert.equal(second.ok && second.disassembler.id, 'cuobjdump');
    fakeProgram(folder, 'nvdisasm', LISTS);
    const found = findDisassembler(nvcc, { environment });
    assert.equal(found.ok && found.disassembler.id, 'nvdisasm');
  });

  it('says what made it, and knows its lines', async () => {
    const made = await sass(LISTS);
    assert.ok(made.ok, JSON.stringify(made));
    assert.match(made.text, /^\/\/ nvcc 13\.0\.88 -cubin .*, nvdisasm\n\/\/ Source SHA-256/);
    const lines = made.text.split('\n');
    assert.deepEqual(made.sources[lines.findIndex(line => line.includes('FFMA'))], [2]);
  });

  it('is asked for again with fewer flags by an older nvdisasm', async () => {
    const made = await sass(
      `if (args.includes('-gi')) { console.error('unknown option'); process.exit(1); }\n${LISTS}`,
    );
    assert.ok(made.ok, JSON.stringify(made));
  });

  it('is none where the tool fails, or writes something else, and says what it wrote', async () => {
    const failed = await sass(`console.error('nvdisasm fatal: bad cubin'); process.exit(255);`);
    assert.ok(!failed.ok);
    assert.match(failed.message, /nvdisasm.*failed \(255\) with: nvdisasm fatal: bad cubin/);
    const other = await sass(`console.log('hello');`, 'cuobjdump');
    assert.ok(!other.ok && other.outcome === 'unavailable');
    assert.match(other.message, /ended unexpectedly with: hello/);
  });

  it('is cut where the tool writes without end, and says so', async () => {
    const line = "'        /*0000*/                   FFMA R0, R1, R2, R0 ;\\n'";
    const made = await sass(`process.stdout.write(${line}.repeat(100_000));`);
    assert.ok(made.ok, JSON.stringify(made));
    assert.match(made.text, /Truncated: more than 4 MiB/);
  });

  it('is given up after its time, and when it is cancelled', async () => {
    const hung = await sassOf(
      'source',
      { path: fakeProgram(folder, 'nvdisasm', 'setInterval(() => {}, 1000);'), id: 'nvdisasm' },
      { ...options(), timeoutMs: 1500 },
    );
    assert.ok(!hung.ok);
    const controller = new AbortController();
    controller.abort();
    const cancelled = await sassOf(
      'source',
      { path: fakeProgram(folder, 'nvdisasm', LISTS), id: 'nvdisasm' },
      { ...options(), signal: controller.signal },
    );
    assert.ok(!cancelled.ok && cancelled.outcome === 'cancelled');
  });
});
