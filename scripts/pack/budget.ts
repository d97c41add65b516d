/** What the parts of the package may weigh, minified, in bytes. kB are 1,000 bytes. */
export const BUDGET_BYTES: Readonly<Record<string, number>> = {
  /** The host bundle: what is loaded at start. */
  'dist/extension.cjs': 250_000,
  /** Loaded when a program is first started; it has a copy of what it shares with the other. */
  'dist/programs.cjs': 200_000,
  'dist/extension.web.cjs': 250_000,
  'dist/webview.js': 450_000,
  'dist/browserPage.js': 20_000,
  vsix: 1_000_000,
};
