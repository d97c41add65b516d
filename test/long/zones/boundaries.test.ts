/**
 * The zones' boundaries are real: a forbidden import fails the check. Each case is tried on a file
 * that is not there.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { ESLint } from 'eslint';

const FORBIDDEN: readonly (readonly [zone: string, statement: string, why: RegExp])[] = [
  ['src/core', "import 'vscode';", /Only src\/extension imports vscode/],
  ['src/core', "import 'node:fs';", /runs without Node/],
  ['src/core', "import '../host/process';", /does not depend on/],
  ['src/core', "import '../../webview/store';", /does not depend on/],
  ['src/webgpu', "import 'node:fs';", /runs without Node/],
  ['src/webgpu', "import '../host/process';", /does not depend on/],
  ['src/host', "import 'vscode';", /Only src\/extension imports vscode/],
  ['src/host', "import '../extension/ids';", /does not depend on/],
  ['src/cli', "import 'vscode';", /Only src\/extension imports vscode/],
  ['src/cli', "import '../extension/ids';", /does not depend on/],
  [
    'src/cli',
    "import { readFile } from 'node:fs/promises';",
    /src\/host\/userFile\.ts opens files/,
  ],
  ['src/cli', "import * as fs from 'node:fs';", /src\/host\/userFile\.ts opens files/],
  ['webview', "import 'vscode';", /Only src\/extension imports vscode/],
  ['webview', "import '../src/host/process';", /does not depend on/],
  ['webview', "import '@vscode/webview-ui-toolkit';", /Only webview\/registerKit.ts/],
  ['src/extension', "import '@vscode/webview-ui-toolkit';", /Only webview\/registerKit.ts/],
  ['src/extension', "import '../webgpu/run';", /does not depend on/],
  ['src/extension', "import 'node:fs';", /web build has no Node/],
  ['src/extension', "import '../host/files';", /web build has no host/],
  ['src/extension/web', "import '../node/files';", /web build has no host/],
];

/** Surfaces on which VS Code reads links and icons: src/extension/display alone gives them text. */
const UNSAFE: readonly (readonly [statement: string, why: RegExp])[] = [
  ...[
    'showErrorMessage',
    'showWarningMessage',
    'showInformationMessage',
    'withProgress',
    'setStatusBarMessage',
    'createStatusBarItem',
    'showQuickPick',
    'createQuickPick',
    'showInputBox',
    'createInputBox',
  ].map(name => [`void vscode.window.${name}(name);`, /use src\/extension\/display/] as const),
  ["void vscode.window['showErrorMessage'](name);", /use src\/extension\/display/],
  ['const { showErrorMessage } = vscode.window;', /use src\/extension\/display/],
  ['export const { showQuickPick: ask } = vscode.window;', /use src\/extension\/display/],
  ['export const made = new vscode.MarkdownString(name);', /use markup and display/],
  ["import { MarkdownString } from 'vscode';", /use markup and display/],
  ["import { window } from 'vscode';", /import \* as vscode/],
  ['export const made = ownMarkup(`**${name}**`);', /use markup/],
  ["export const made = ownMarkup('**' + name);", /use markup/],
];

describe('zones', () => {
  const zones = [...new Set(FORBIDDEN.map(([zone]) => zone))];
  const eslint = new ESLint({
    overrideConfig: {
      languageOptions: {
        parserOptions: {
          projectService: {
            allowDefaultProject: [...zones, 'src/extension/display'].map(
              zone => `${zone}/forbidden.ts`,
            ),
          },
        },
      },
    },
  });

  for (const [zone, statement, why] of FORBIDDEN) {
    it(`${zone}: ${statement} is an error`, async () => {
      const [result] = await eslint.lintText(`${statement}\n`, {
        filePath: path.join(zone, 'forbidden.ts'),
      });
      const found = result?.messages.find(({ ruleId }) =>
        /^(@typescript-eslint\/)?no-restricted-imports$/.test(ruleId ?? ''),
      );
      assert.match(found?.message ?? JSON.stringify(result?.messages), why);
      assert.equal(found?.severity, 2);
    }).timeout(60_000);
  }

  it('features of the extension import only those before them', async () => {
    const found = async (statement: string): Promise<string | undefined> => {
      const filePath = 'src/extension/explorer/html.ts';
      const [result] = await eslint.lintText(`${statement}\n`, { filePath });
      return result?.messages.find(({ ruleId }) => ruleId === 'no-restricted-imports')?.message;
    };
    const why = /imports only earlier features/;
    assert.match((await found("import '../runs/runJob';")) ?? 'allowed', why);
    assert.match((await found("import '../extension';")) ?? 'allowed', why);
    assert.match((await found("import '../../webgpu/run';")) ?? 'allowed', /does not depend on/);
    assert.equal(await found("import '../documents/shown';"), undefined);
  }).timeout(60_000);

  it('every folder of the extension is a feature or an entry', () => {
    const config = readFileSync('eslint.config.mjs', 'utf8');
    const folders = readdirSync('src/extension', { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => name);
    const list = /const FEATURES = \[(.*?)\n\];/s.exec(config)?.[1] ?? '';
    const listed = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    assert.deepEqual([...listed, 'node', 'web'].toSorted(), folders.toSorted());
  });

  for (const [statement, why] of UNSAFE) {
    it(`src/extension: ${statement} is an error`, async () => {
      const [result] = await eslint.lintText(`${statement}\n`, {
        filePath: 'src/extension/forbidden.ts',
      });
      const found = result?.messages.find(({ ruleId }) => ruleId === 'no-restricted-syntax');
      assert.match(found?.message ?? 'allowed', why);
      assert.equal(found?.severity, 2);
    }).timeout(60_000);
  }

  it('src/extension/display may call what it makes safe', async () => {
    const [result] = await eslint.lintText('void vscode.window.showErrorMessage(name);\n', {
      filePath: 'src/extension/display/forbidden.ts',
    });
    const found = result?.messages.filter(({ ruleId }) => ruleId === 'no-restricted-syntax');
    assert.deepEqual(found, []);
  }).timeout(60_000);

  it('the compiler keeps Node, the DOM and timers out of the core', () => {
    const file = path.join('src', 'core', 'text', 'forbiddenGlobals.ts');
    try {
      writeFileSync(file, 'export const all = [process, document, setTimeout, console];\n');
      const tsc = path.join('node_modules', 'typescript', 'bin', 'tsc');
      const result = spawnSync(process.execPath, [tsc, '-p', 'src/core', '--noEmit'], {
        encoding: 'utf8',
      });
      assert.notEqual(result.status, 0);
      for (const name of ['process', 'document', 'setTimeout', 'console']) {
        assert.match(result.stdout, new RegExp(`forbiddenGlobals.*'${name}'`));
      }
    } finally {
      rmSync(file, { force: true });
    }
  }).timeout(60_000);

  it('the compiler keeps Node out of what the web build shares', () => {
    const file = path.join('src', 'extension', 'forbiddenGlobals.ts');
    try {
      writeFileSync(
        file,
        'export const all = [process, Buffer, require, __dirname, setImmediate];\n',
      );
      const tsc = path.join('node_modules', 'typescript', 'bin', 'tsc');
      const result = spawnSync(process.execPath, [tsc, '-p', 'src/extension', '--noEmit'], {
        encoding: 'utf8',
      });
      assert.notEqual(result.status, 0);
      for (const name of ['process', 'Buffer', 'require', '__dirname', 'setImmediate']) {
        assert.match(result.stdout, new RegExp(`forbiddenGlobals.*'${name}'`));
      }
    } finally {
      rmSync(file, { force: true });
    }
  }).timeout(60_000);

  it('the web build fails on an import of Node', async () => {
    const contents = "export { writeGenerated } from './src/host/files';";
    const stdin = { contents, resolveDir: '.', loader: 'ts' } as const;
    const options = { bundle: true, write: false, logLevel: 'silent' } as const;
    await assert.rejects(
      build({ stdin, ...options, platform: 'browser', external: ['vscode'] }),
      /Could not resolve "node:fs"/,
    );
    const web = readFileSync('dist/extension.web.cjs', 'utf8');
    const required = [...web.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(required)], ['vscode']);
  }).timeout(60_000);

  it('nothing outside bench/ imports it', () => {
    for (const zone of ['src', 'webview', 'scripts', 'test']) {
      for (const name of readdirSync(zone, { recursive: true, encoding: 'utf8' })) {
        if (!/\.tsx?$/.test(name)) continue;
        const text = readFileSync(path.join(zone, name), 'utf8');
        assert.doesNotMatch(text, /from '(\.\.\/)+bench\//, `${zone}/${name}`);
      }
    }
  });

  it('no file passes 400 lines', () => {
    for (const zone of ['src', 'webview', 'scripts', 'test']) {
      for (const name of readdirSync(zone, { recursive: true, encoding: 'utf8' })) {
        const emitted = /^(golden|fixtures)\//.test(name);
        if (emitted || !/\.(tsx?|cuh?|wgsl|css)$/.test(name)) continue;
        const lines = readFileSync(path.join(zone, name), 'utf8').split('\n').length;
        assert.ok(lines <= 401, `${zone}/${name} has ${lines} lines`);
      }
    }
  });
});
