/** Files of dist that the explorer's page may load. No other file is served to a browser. */
export const PAGE_FILES = {
  'browserPage.css': 'text/css',
  'explorer.css': 'text/css',
  'browserPage.js': 'text/javascript',
  'webview.js': 'text/javascript',
  'webviewPage.js': 'text/javascript',
  'webviewShared.js': 'text/javascript',
  'core.cjs': 'text/javascript',
  'webviewLater.js': 'text/javascript',
  'simulateWorker.js': 'text/javascript',
} as const;
