/**
 * Dawn is installed only after its reader has seen what is downloaded and agreed; what came of it
 * is said.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { DawnAbility } from '../../../src/extension/abilities';
import { createDawn, type Dawn } from '../../../src/extension/toolchain/dawn';
import { labelOf } from '../../../src/extension/display/iconLabel';

const ABOUT = {
  name: 'webgpu',
  version: '0.6.2',
  downloadMegabytes: 50,
  diskMegabytes: 132,
  folder: '/storage/dawn',
};

const missing = (installable: boolean): DawnAbility['locate'] => {
  const found = {
    found: false,
    why: 'There is no Dawn.',
    next: 'Install it.',
    installable,
  } as const;
  return () => Promise.resolve(found);
};

describe('Dawn in the editor', () => {
  const { showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
  const log = { info: () => undefined, warn: () => undefined };
  /** What is shown, with a modal's detail and the buttons. */
  let said: string[] = [];
  let press: string | undefined;
  let done: string[] = [];

  before(() => {
    const answer = (message: string, ...rest: readonly unknown[]): Promise<unknown> => {
      const [first] = rest;
      const modal = typeof first === 'object' && first !== null && 'detail' in first ? first : null;
      said.push(modal === null ? message : `${message}\n${String(modal.detail)}`);
      return Promise.resolve(rest.includes(press) ? press : undefined);
    };
    Object.assign(vscode.window, {
      showInformationMessage: answer,
      showWarningMessage: answer,
      showErrorMessage: answer,
    });
  });
  after(() => {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage, showErrorMessage });
  });
  beforeEach(() => {
    said = [];
    done = [];
    press = undefined;
  });

  const dawnWith = (ability: Partial<DawnAbility>, isTrusted = true): Dawn =>
    createDawn({
      ability: {
        about: ABOUT,
        locate: missing(true),
        probe: () => {
          done.push('probed');
          const name = 'SwiftShader (software)';
          const device = { name, adapter: name, driver: '', where: 'test' };
          return Promise.resolve({ available: true, device });
        },
        install: () => {
          done.push('installed');
          return Promise.resolve({ ok: true });
        },
        remove: () => {
          done.push('removed');
          return Promise.resolve({ ok: true });
        },
        ...ability,
      },
      isTrusted: () => isTrusted,
      log,
    });

  it('downloads nothing before the reader agrees to what, whence and whither', async () => {
    await dawnWith({}).install();
    assert.deepEqual(done, []);
    assert.match(said[0] ?? '', /webgpu 0\.6\.2.*about 50 MB.*its configured registry/s);
    assert.match(said[0] ?? '', /No package scripts are run.*132 MB in \/storage\/dawn/s);
    assert.match(said[0] ?? '', /To uninstall, run "GEMM: Remove Dawn"/);
  });

  it('says what it runs on once it is there, and asks once for two presses', async () => {
    press = 'Install Dawn';
    const dawn = dawnWith({});
    await Promise.all([dawn.install(), dawn.install()]);
    assert.deepEqual(done, ['installed', 'probed']);
    assert.match(said.at(-1) ?? '', /Dawn 0\.6\.2 is installed and runs on SwiftShader/);
  });

  it('says why it could not, and what to do', async () => {
    press = 'Install Dawn';
    const why = 'The registry does not answer.';
    const install: DawnAbility['install'] = () =>
      Promise.resolve({ ok: false, cancelled: false, why, next: 'Check the network.' });
    await dawnWith({ install }).install();
    assert.equal(said.at(-1), `${why} Check the network.`);
    assert.deepEqual(done, []);
  });

  it('neither asks nor does anything in Restricted Mode', async () => {
    press = 'Install Dawn';
    const dawn = dawnWith({}, false);
    await dawn.install();
    await dawn.remove();
    assert.deepEqual([said, done], [[], []]);
  });

  it('is offered where it is missing and can be installed, and there alone', async () => {
    const labels = async (locate: DawnAbility['locate']): Promise<readonly string[]> =>
      (await dawnWith({ locate }).actions()).map(({ label }) =>
        labelOf(label).replace(/^\$\(.*\) /, ''),
      );
    assert.deepEqual(await labels(missing(true)), ['Install Dawn']);
    assert.deepEqual(await labels(missing(false)), []);
    press = 'Install Dawn';
    await dawnWith({}).offer('There is no Dawn.');
    assert.equal(said[0], 'There is no Dawn.');
    assert.deepEqual(done, ['installed', 'probed']);
  });
});
