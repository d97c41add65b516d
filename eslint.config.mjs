import { readFileSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/**
 * Returns the import rules of one zone. The zone determines where its code can run
 * (docs/architecture.md).
 */
const zone = (files, ...bans) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: bans.map(([regex, message]) => ({ regex, message })) },
    ],
  },
});

const vscode = ['^vscode$', 'Only src/extension imports vscode.'];
const node = ['^node:', 'This zone runs without Node.'];
const toolkit = [
  '^@vscode/webview-ui-toolkit',
  'Only webview/registerKit.ts imports the UI toolkit.',
];
/**
 * Returns the import rules for code that both entry points of the extension load. This code may
 * import only types from the host.
 */
const withoutNode = (files, ignores) => ({
  files,
  ignores,
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: '^node:',
            message: 'The web build has no Node. Fix: move this code to src/extension/node.',
          },
          {
            regex: '/(host|node)/',
            message: 'The web build has no host. Fix: use the abilities in abilities.ts.',
            allowTypeImports: true,
          },
        ],
      },
    ],
  },
});
/**
 * Names of VS Code functions that interpret links and icons in their text. Only
 * src/extension/display calls them, with escaped text.
 */
const INTERPRETED =
  '/^(show(Error|Warning|Information)Message|withProgress|setStatusBarMessage|createStatusBarItem|showQuickPick|createQuickPick|showInputBox|createInputBox)$/';
const DISPLAYED = 'This text could become a link or an icon. Fix: use src/extension/display.';
const displayedText = [
  `MemberExpression[computed=false][property.name=${INTERPRETED}]`,
  `MemberExpression[computed=true] > Literal.property[value=${INTERPRETED}]`,
  `ObjectPattern > Property[key.name=${INTERPRETED}]`,
]
  .map(selector => ({ selector, message: DISPLAYED }))
  .concat(
    [
      'MemberExpression[property.name="MarkdownString"]',
      'ImportSpecifier[imported.name="MarkdownString"]',
    ].map(selector => ({
      selector,
      message: 'This text could become markup. Fix: use markup and display/markdownString.ts.',
    })),
    {
      selector:
        'CallExpression[callee.name="ownMarkup"] > :matches(TemplateLiteral, BinaryExpression).arguments:first-child',
      message: "This text could become markup. Fix: use markup, or t('…') with values.",
    },
    {
      selector: 'ImportDeclaration[source.value="vscode"] > ImportSpecifier[importKind!="type"]',
      message:
        'Lint rules recognize only calls through the name vscode. Fix: write import * as vscode.',
    },
  );
/**
 * Selectors for spreading a literal into a literal, which hides excess properties from the
 * compiler.
 */
const literalSpreads = [
  'ObjectExpression > SpreadElement > ObjectExpression.argument',
  'SpreadElement > ArrayExpression.argument',
  'SpreadElement > TSAsExpression.argument > ArrayExpression.expression',
].map(selector => ({
  selector,
  message: 'Do not spread a literal into a literal. Fix: write its properties or elements.',
}));
const reaches = (...zones) => [
  `/(${zones.join('|')})/`,
  `This zone does not depend on ${zones.join(', ')}.`,
];

/** Forbidden imports in all of src/core. */
const coreBans = [vscode, node, toolkit, reaches('webgpu', 'host', 'extension', 'cli', 'webview')];
/**
 * Layers of the core (folders directly in src/core), earliest first. A layer imports only itself
 * and earlier layers.
 */
const rooms = JSON.parse(
  readFileSync(new URL('scripts/check/rooms.json', import.meta.url), 'utf8'),
);
const roomZone = (room, place) =>
  zone(
    [`src/core/${room}/**`],
    ...coreBans,
    ...(place === rooms.length - 1 ? [] : [isLater(room, rooms.slice(place + 1))]),
  );
const isLater = (room, others) => [
  `^(\\.\\./)+(${others.join('|')})(/|$)`,
  `Layer ${room} imports only earlier layers (scripts/check/rooms.json).`,
];

/** Folders of src/extension in import order: each folder imports only earlier folders. */
const FEATURES = [
  'display',
  'trust',
  'shared',
  'workspace',
  'documents',
  'specs',
  'history',
  'toolchain',
  'generate',
  'explorer',
  'runs',
  'tune',
  'report',
  'export',
  'agents',
  'share',
  'audit',
  'tutorials',
  'course',
  'workbench',
  'editor',
  'listings',
];
const features = FEATURES.map((name, index) => [
  `src/extension/${name}/**`,
  [
    `^\\.\\./(${[...FEATURES.slice(index + 1), 'extension', 'node', 'web'].join('|')})(/|$)`,
    'A feature imports only earlier features (FEATURES in eslint.config.mjs).',
  ],
]);

/**
 * Returns the forbidden imports of functions that open files. They would block on a FIFO and read
 * without a size limit.
 */
const opening = name => ({
  name,
  importNames: [
    'default',
    'promises',
    'open',
    'openSync',
    'readFile',
    'readFileSync',
    'createReadStream',
    'writeFile',
    'writeFileSync',
    'createWriteStream',
  ],
  message: 'Only src/host/userFile.ts opens files that users name. Fix: use src/cli/input.ts.',
});

export default tseslint.config(
  { ignores: ['dist', 'out', 'bench', '.vscode-test', 'node_modules', '**/*.mjs', '**/*.cjs'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      // Prettier wraps code at 100 columns, but not comments.
      'max-len': ['error', { code: 1000, comments: 100, ignoreUrls: true }],
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'no-restricted-syntax': ['error', ...literalSpreads],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Use textContent or a view.' },
        { property: 'insertAdjacentHTML', message: 'Use textContent or a view.' },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      // Two of the slowest rules. They check enums and class instances; this code has no enums and
      // hardly any classes.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  zone(['src/core/**'], ...coreBans),
  ...rooms.map(roomZone),
  zone(['src/webgpu/**'], vscode, node, toolkit, reaches('host', 'extension', 'cli', 'webview')),
  zone(
    ['src/protocol.ts', 'src/hostValues.ts', 'src/specLink.ts'],
    vscode,
    node,
    toolkit,
    reaches('webgpu', 'host', 'extension', 'cli', 'webview'),
  ),
  zone(['src/host/**'], vscode, toolkit, reaches('extension', 'cli', 'webview')),
  zone(['src/extension/**'], toolkit, reaches('cli', 'webgpu', 'webview')),
  ...features.map(([folder, later]) =>
    zone([folder], toolkit, reaches('cli', 'webgpu', 'webview'), later),
  ),
  {
    files: ['src/extension/**'],
    ignores: ['src/extension/display/**'],
    rules: { 'no-restricted-syntax': ['error', ...literalSpreads, ...displayedText] },
  },
  withoutNode(['src/extension/**'], ['src/extension/node/**']),
  zone(['src/cli/**'], vscode, toolkit, reaches('extension', 'webview')),
  {
    files: ['src/cli/**'],
    // main.ts opens only the package's own manifest, which the user does not name.
    ignores: ['src/cli/version.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [opening('node:fs'), opening('node:fs/promises')] },
      ],
    },
  },
  {
    files: ['src/cli/mcp/**'],
    rules: {
      '@typescript-eslint/no-deprecated': [
        'error',
        {
          // The class `McpServer`, which the SDK recommends, accepts only Zod schemas.
          allow: [{ from: 'package', name: 'Server', package: '@modelcontextprotocol/sdk' }],
        },
      ],
    },
  },
  zone(['webview/**'], vscode, node, toolkit, reaches('host', 'extension', 'cli')),
  zone(['webview/registerKit.ts'], vscode, node, reaches('host', 'extension', 'cli')),
  {
    files: ['webview/views/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...literalSpreads,
        {
          selector: 'JSXText[value=/^(?!\\s*GEMM Explorer).*[a-z]{3}/s]',
          message: "Visible text must be translatable. Fix: use t('…') with a complete sentence.",
        },
        {
          selector:
            'JSXAttribute[name.name=/^(title|label|caption|name|placeholder|aria-label)$/] > Literal[value=/[a-z]{3}/]',
          message: "Visible text must be translatable. Fix: use {t('…')}.",
        },
      ],
    },
  },
  {
    files: ['test/**', 'bench/test/**'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
