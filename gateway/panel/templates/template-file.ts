import { exportedDraft } from '../../templates/drafts/exchange';
import { type DraftInput } from '../../templates/drafts/draft';
import { type PanelResponse } from '../outcome';

/** Templates in the platform's format, as a download. */
export function templateFile(draft: DraftInput): PanelResponse {
  const name = draft.name.replace(/[^\w-]/g, '').slice(0, 80) || 'template';
  return {
    kind: 'file',
    type: 'application/json; charset=utf-8',
    content: exportedDraft(draft),
    headers: { 'content-disposition': `attachment; filename="${name}.json"` },
  };
}
