/** Saves the chart: the page makes the content, the extension asks where it goes. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { CHART_FORMATS, MAX_CHART_CHARACTERS, type ChartFormat } from '../../src/protocol';
import type { FromWebview } from '../../src/protocol';
import { chartFile, type ChartContent } from '../chartFiles';
import { Button } from '../kit';
import type { Message } from '../state';

export interface ExportBarProps extends ChartContent {
  readonly trusted: boolean;
  readonly dispatch: (message: Message) => void;
  readonly post: (message: FromWebview) => void;
}

export function ExportBar(props: ExportBarProps): VNode {
  const { trusted, dispatch, post, ...content } = props;
  const save = (format: ChartFormat) => {
    chartFile(format, content).then(
      text => {
        if (text.length <= MAX_CHART_CHARACTERS) {
          post({ type: 'exportChart', format, content: text });
          return;
        }
        dispatch({ type: 'notice', text: t('This chart is too large to save. Show less of it.') });
      },
      (error: unknown) => {
        const why = t('The picture could not be made: {0} Save it as SVG.', String(error));
        dispatch({ type: 'notice', text: why });
      },
    );
  };
  return (
    <div class="export" role="group" aria-label={t('Save the chart')}>
      {CHART_FORMATS.map(format => (
        <Button
          key={format}
          disabled={!trusted}
          {...(trusted ? {} : { describedBy: 'export-why' })}
          onPress={() => {
            save(format);
          }}
        >
          {t('Save {0}', format.toUpperCase())}
        </Button>
      ))}
      {trusted ? null : (
        <p id="export-why" class="hint">
          {t('Saving needs a trusted workspace: in Restricted Mode nothing is written.')}
        </p>
      )}
    </div>
  );
}
