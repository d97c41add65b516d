/**
 * package.json beside the code: commands, settings, schema, and that every file it names exists.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { devices } from '../../src/core/hardware/devices';
import { specJsonSchema } from '../../src/core/spec/jsonSchema';
import { COMMANDS, SETTING_DEFAULTS } from '../../src/extension/ids';

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: string;
      readonly restrictedConfigurations: readonly string[];
    };
    readonly virtualWorkspaces: { readonly supported: string };
  };
  readonly contributes: {
    readonly commands: readonly { command: string; title: string; category: string }[];
    readonly menus: Readonly<Record<string, readonly { command: string; when?: string }[]>>;
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
    readonly jsonValidation: readonly { fileMatch: string; url: string }[];
    readonly languages: readonly { configuration?: string }[];
    readonly grammars: readonly { path: string }[];
  };
}

const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Readonly<
  Record<string, string>
>;
/** The manifest as VS Code shows it in English. */
const manifest = JSON.parse(readFileSync('package.json', 'utf8'), (_, value: unknown) => {
  const key = typeof value === 'string' ? /^%(.+)%$/.exec(value)?.[1] : undefined;
  return key === undefined ? value : texts[key];
}) as Manifest;
const { contributes, capabilities } = manifest;
const settings = contributes.configuration.properties;

const SCHEMA = 'media/gemm.schema.json';

const extensionCode = (): string =>
  readdirSync('src/extension', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(path.join('src/extension', name), 'utf8'))
    .join('\n');

describe('package.json', () => {
  it('contributes exactly the commands of the code, in one category', () => {
    const contributed = contributes.commands.map(({ command }) => command);
    assert.deepEqual(contributed.toSorted(), Object.values(COMMANDS).toSorted());
    for (const { title, category } of contributes.commands) {
      assert.equal(category, 'GEMM');
      assert.match(title, /^[A-Z]/);
    }
    for (const { command } of Object.values(contributes.menus).flat()) {
      assert.ok(contributed.includes(command), command);
    }
  });

  it('lists commands in the palette only where they can act', () => {
    const palette = contributes.menus['commandPalette'] ?? [];
    const conditions = new Map(palette.map(({ command, when = '' }) => [command, when]));
    assert.equal(conditions.size, palette.length, 'one condition per command');
    const always = Object.values(COMMANDS).filter(command => !conditions.has(command));
    assert.deepEqual(always.toSorted(), [
      COMMANDS.checkToolChain,
      COMMANDS.generate,
      COMMANDS.learn,
      COMMANDS.openExplorer,
      COMMANDS.openWalkthrough,
      COMMANDS.printLayout,
      COMMANDS.reproduceTutorial,
      COMMANDS.showActions,
      COMMANDS.showRoofline,
    ]);
    // The code must set every context key of a condition.
    const keys = new Set(
      [...conditions.values()].flatMap(when => when.match(/gemm\.[\w.]+/g) ?? []),
    );
    const code = extensionCode();
    for (const key of keys) assert.ok(code.includes(`'${key}'`), key);
  });

  it('contributes exactly the settings of the code, with their defaults', () => {
    const defaults = Object.entries(settings).map(([name, setting]) => [
      name.replace(/^gemm\./, ''),
      setting.default,
    ]);
    assert.deepEqual(Object.fromEntries(defaults), SETTING_DEFAULTS);
    for (const [name, setting] of Object.entries(settings)) {
      assert.equal(typeof setting.default, setting.type, name);
      const text = setting.description ?? setting.markdownDescription ?? '';
      assert.match(text, /\.$/, name);
    }
  });

  it('offers the devices of the table', () => {
    assert.deepEqual(
      settings['gemm.device']?.enum,
      devices.map(({ id }) => id),
    );
  });

  it('lets no workspace name a program', () => {
    const restricted = capabilities.untrustedWorkspaces.restrictedConfigurations;
    for (const program of ['gemm.nvcc.path', 'gemm.python.path']) {
      assert.equal(settings[program]?.scope, 'machine');
      assert.ok(restricted.includes(program));
    }
    for (const name of restricted) assert.ok(name in settings, name);
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(capabilities.virtualWorkspaces.supported, 'limited');
  });

  it('is not activated by everything', () => {
    for (const event of manifest.activationEvents) {
      assert.ok(!['*', 'onStartupFinished'].includes(event), event);
    }
  });

  it('names files that exist', () => {
    const named = [
      ...contributes.jsonValidation.map(({ url }) => url),
      ...contributes.languages.flatMap(({ configuration }) => configuration ?? []),
      ...contributes.grammars.map(({ path }) => path),
      'media/icon.svg',
      'dist/explorer.css',
    ];
    for (const file of named) assert.ok(existsSync(file), file);
  });

  it('contributes the schema that follows from the decoder (UPDATE_SCHEMA=1 writes it)', () => {
    const text = `${JSON.stringify(specJsonSchema(), null, 2)}\n`;
    if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(SCHEMA, text);
    const [validation] = contributes.jsonValidation;
    assert.equal(validation?.fileMatch, '*.gemm.json');
    assert.equal(validation.url, `./${SCHEMA}`);
    assert.deepEqual(JSON.parse(readFileSync(SCHEMA, 'utf8')), specJsonSchema());
  });
});
