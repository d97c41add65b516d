import { readFileSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/** What a zone may not import: the folder says who can run the code in it (docs/architecture.md). */
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
const toolkit = ['^@vscode/webview-ui-toolkit', 'Only webview/kit.ts imports the UI toolkit.'];
/** What the extension's two entries share may name types of the host's, and nothing that runs. */
const withoutNode = (files, ignores) => ({
  files,
  ignores,
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          { regex: '^node:', message: 'The web build has no Node: only src/extension/node does.' },
          {
            regex: '/(host|node)/',
            message: 'The web build has no host: ask for it in abilities.ts.',
            allowTypeImports: true,
          },
        ],
      },
    ],
  },
});
/** What VS Code reads links and icons in: src/extension/display alone calls these, with text that it made safe. */
const INTERPRETED =
  '/^(show(Error|Warning|Information)Message|withProgress|setStatusBarMessage|createStatusBarItem|showQuickPick|createQuickPick|showInputBox|createInputBox)$/';
const DISPLAYED = 'Text could become a link or an icon here: use src/extension/display.';
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
      message: 'Text could become markup here: use markup and display/markdownString.ts.',
    })),
    {
      selector:
        'CallExpression[callee.name="ownMarkup"] > :matches(TemplateLiteral, BinaryExpression).arguments:first-child',
      message: "Text could become markup here: use markup, or t('…') with values.",
    },
    {
      selector: 'ImportDeclaration[source.value="vscode"] > ImportSpecifier[importKind!="type"]',
      message: "Write import * as vscode: rules look for vscode's names.",
    },
  );
/** A literal spread into a literal hides excess properties from the compiler and puzzles readers. */
const literalSpreads = [
  'ObjectExpression > SpreadElement > ObjectExpression.argument',
  'SpreadElement > ArrayExpression.argument',
  'SpreadElement > TSAsExpression.argument > ArrayExpression.expression',
].map(selector => ({ selector, message: 'Write the properties or elements without a spread.' }));
const reaches = (...zones) => [
  `/(${zones.join('|')})/`,
  `This zone does not depend on ${zones.join(', ')}.`,
];

/** What nothing in the core may import. */
const coreBans = [vscode, node, toolkit, reaches('webgpu', 'host', 'extension', 'cli', 'webview')];
/** Rooms of the core, earliest first: each imports itself and the rooms before it. */
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
  `Room ${room} imports only earlier rooms (scripts/check/rooms.json).`,
];

/** Folders of src/extension: each imports only folders before it. */
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
  'workbench',
  'editor',
  'listings',
];
const features = FEATURES.map((name, index) => [
  `src/extension/${name}/**`,
  [
    `^\\.\\./(${[...FEATURES.slice(index + 1), 'extension', 'node', 'web'].join('|')})(/|$)`,
    'A feature imports only features before it: FEATURES in eslint.config.mjs.',
  ],
]);

/** What opens a file of the user's: a FIFO would block it, and nothing would bound what is read. */
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
  message: 'Files that users name are opened by src/host/userFile.ts, through src/cli/input.ts.',
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
      // Two of the slowest rules. They check enums and class instances; this code has no enums and hardly any classes.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  zone(['src/core/**'], ...coreBans),
  ...rooms.map(roomZone),
  zone(['src/webgpu/**'], vscode, node, toolkit, reaches('host', 'extension', 'cli', 'webview')),
  zone(
    ['src/protocol.ts'],
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
    // Its own manifest is the one file that the user does not name.
    ignores: ['src/cli/main.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [opening('node:fs'), opening('node:fs/promises')] },
      ],
    },
  },
  zone(['webview/**'], vscode, node, toolkit, reaches('host', 'extension', 'cli')),
  zone(['webview/kit.ts'], vscode, node, reaches('host', 'extension', 'cli')),
  {
    files: ['webview/views/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...literalSpreads,
        {
          selector: 'JSXText[value=/^(?!\\s*GEMM Explorer).*[a-z]{3}/s]',
          message: "People read this: t('…'), a whole sentence.",
        },
        {
          selector:
            'JSXAttribute[name.name=/^(title|label|caption|name|placeholder|aria-label)$/] > Literal[value=/[a-z]{3}/]',
          message: "People read this: {t('…')}.",
        },
      ],
    },
  },
  {
    files: ['test/**', 'bench/test/**'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
