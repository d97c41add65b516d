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
const toolkit = [
  '^@vscode(/webview-ui-toolkit|-elements/)',
  'Only webview/kit.ts and kitElements.ts know a UI toolkit.',
];
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
const reaches = (...zones) => [
  `/(${zones.join('|')})/`,
  `This zone does not depend on ${zones.join(', ')}.`,
];

export default tseslint.config(
  { ignores: ['dist', 'out', '.vscode-test', 'node_modules', '**/*.mjs'] },
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
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
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
    },
  },
  zone(
    ['src/core/**'],
    vscode,
    node,
    toolkit,
    reaches('webgpu', 'host', 'extension', 'cli', 'webview'),
  ),
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
  withoutNode(['src/extension/**'], ['src/extension/node/**']),
  zone(['src/cli/**'], vscode, toolkit, reaches('extension', 'webview')),
  zone(['webview/**'], vscode, node, toolkit, reaches('host', 'extension', 'cli')),
  zone(
    ['webview/kit.ts', 'webview/kitElements.ts'],
    vscode,
    node,
    reaches('host', 'extension', 'cli'),
  ),
  {
    files: ['webview/views/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
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
    files: ['test/**'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
