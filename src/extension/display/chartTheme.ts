/** Chart colors that match the color theme of VS Code, for pictures in previews. */
import * as vscode from 'vscode';
import type { ChartTheme } from '../../core/charts/chartSvg';

const THEMES: Readonly<Record<vscode.ColorThemeKind, ChartTheme>> = {
  [vscode.ColorThemeKind.Light]: 'light',
  [vscode.ColorThemeKind.Dark]: 'dark',
  [vscode.ColorThemeKind.HighContrast]: 'high-contrast',
  [vscode.ColorThemeKind.HighContrastLight]: 'high-contrast-light',
};

export const chartTheme = (): ChartTheme => THEMES[vscode.window.activeColorTheme.kind];
