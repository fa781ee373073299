import { type VNode } from 'preact';
import { t } from '../../languages/t';
import { TemplatePreview } from '../../send/template-preview';
import { languageWord } from '../../ui/words/template-words';
import { Part, useEdited } from './edited';

/** One language of the draft as the phone shows it. */
export function DraftPreview({ index }: { index: number }): VNode | null {
  const { draft, files } = useEdited();
  const own = draft.content.languages[index];
  if (!own) return null;
  const pictureOf = (handle: unknown): string | null => {
    const hash = (handle as { file?: unknown } | undefined)?.file;
    const file = typeof hash === 'string' ? files.get(hash) : undefined;
    return file?.type.startsWith('image/')
      ? `/panel/templates/drafts/${draft.id}/files/${String(hash)}`
      : null;
  };
  const name = `${draft.name || t('New template')}, ${languageWord(own.language)}`;
  return (
    <Part id={`preview-l${index}`}>
      <TemplatePreview template={{ ...own, name }} values="samples" pictureOf={pictureOf} />
    </Part>
  );
}
