/**
 * Upper limits of the package's parts, minified, in bytes; kB are 1,000 bytes. They are set 10 % above the sizes of
 * 2026-11 so that they catch a library that was bundled by accident, not every new text.
 */
export const BUDGET_BYTES: Readonly<Record<string, number>> = {
  /** The host bundle: what VS Code waits for at its start. */
  'dist/extension.cjs': 235_000,
  /** Loaded with the first kernel, spec or run that is looked at. */
  'dist/core.cjs': 870_000,
  /** Loaded when a program is first started. */
  'dist/programs.cjs': 415_000,
  /** A process of its own: Dawn's. */
  'dist/dawnWorker.js': 430_000,
  /** Everything at once: a browser's extension host loads one file. */
  'dist/extension.web.cjs': 805_000,
  /** The page's first frame waits for these two. */
  'dist/webview.js': 81_000,
  'dist/webviewShared.js': 622_000,
  /** Loaded after the first frame (webview/later.ts). */
  'dist/webviewLater.js': 230_000,
  /** Loaded when Simulate is first used. */
  'dist/simulateWorker.js': 430_000,
  'dist/browserPage.js': 22_000,
  vsix: 1_560_000,
};
