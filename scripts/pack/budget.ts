/** What the parts of the package may weigh, minified, in bytes. kB are 1,000 bytes. */
export const BUDGET_BYTES: Readonly<Record<string, number>> = {
  /** The host bundle: what VS Code waits for at its start. */
  'dist/extension.cjs': 202_000,
  /** Loaded with the first kernel, spec or run that is looked at. */
  'dist/core.cjs': 766_000,
  /** Loaded when a program is first started. */
  'dist/programs.cjs': 373_000,
  /** A process of its own: Dawn's. */
  'dist/dawnWorker.js': 385_000,
  /** Everything at once: a browser's extension host loads one file. */
  'dist/extension.web.cjs': 714_000,
  /** The page's first frame waits for these two. */
  'dist/webview.js': 73_000,
  'dist/webviewShared.js': 560_000,
  /** Loaded after the first frame (webview/later.ts). */
  'dist/webviewLater.js': 208_000,
  /** Loaded when Simulate is first used. */
  'dist/simulateWorker.js': 386_000,
  'dist/browserPage.js': 20_000,
  vsix: 1_385_000,
};
