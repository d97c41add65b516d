/**
 * Buttons that save the chart. The page creates the file content; the extension shows the save
 * dialog.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { CHART_FORMATS, MAX_CHART_CHARACTERS, type ChartFormat } from '../../src/protocol';
import type { FromWebview } from '../../src/protocol';
import type { ChartContent } from '../chartFiles';
import { messageOf } from '../format';
import { Button } from '../kit';
import { loadParts } from '../parts';
import type { Message } from '../state';

export interface ExportBarProps extends ChartContent {
  readonly trusted: boolean;
  readonly dispatch: (message: Message) => void;
  readonly post: (message: FromWebview) => void;
}

export function ExportBar(props: ExportBarProps): VNode {
  const { trusted, dispatch, post, ...content } = props;
  const showNotice = (text: string): void => {
    dispatch({ type: 'notice', text });
  };
  const save = async (format: ChartFormat): Promise<void> => {
    const { chartFile } = await loadParts();
    try {
      const text = await chartFile(format, content);
      if (text.length <= MAX_CHART_CHARACTERS) post({ type: 'exportChart', format, content: text });
      else showNotice(t('This chart is too large to save. Fix: zoom in.'));
    } catch (error) {
      showNotice(t('Chart export failed ({0}). Fix: save the chart as SVG.', String(error)));
    }
  };
  return (
    <div class="export" role="group" aria-label={t('Save the chart')}>
      {CHART_FORMATS.map(format => (
        <Button
          key={format}
          disabled={!trusted}
          {...(trusted ? {} : { describedBy: 'export-why' })}
          onPress={() => {
            save(format).catch((error: unknown) => {
              showNotice(messageOf(error));
            });
          }}
        >
          {t('Save {0}', format.toUpperCase())}
        </Button>
      ))}
      {trusted ? null : (
        <p id="export-why" class="hint">
          {t('Saving requires a trusted workspace: Restricted Mode writes no files.')}
        </p>
      )}
    </div>
  );
}
