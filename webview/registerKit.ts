/**
 * Defines the used elements of the UI toolkit (@vscode/webview-ui-toolkit, archived upstream). No
 * other file imports the toolkit.
 */
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeProgressRing,
} from '@vscode/webview-ui-toolkit';

export function registerKit(): void {
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeDropdown(),
    vsCodeOption(),
    vsCodeProgressRing(),
  );
}
