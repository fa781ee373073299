import { type ComponentChildren, type VNode } from 'preact';
import { type TemplateRecord } from '../../templates/template-record';
import { draftOfRows } from '../../templates/drafts/exchange';
import { t } from '../languages/t';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { Form, opens } from '../ui/form';
import { useRequest } from '../ui/page-request';
import { DeleteTemplate } from './delete-template';
import { templateFile } from './template-file';

export const templateExportPages: PanelRoute[] = [
  pageRoute('templates.read', '/templates/export', exportNamed),
];

interface TemplateActionsProps {
  line: { id: number; name: string };
  template: TemplateRecord;
  /** Further buttons, before the others. */
  children: ComponentChildren;
}

const dialogOf = ({ id }: TemplateRecord): string => `delete-${id}`;

/** What a user can do with a template of a line. */
export function TemplateActions({ line, template, children }: TemplateActionsProps): VNode {
  const { name, language, id } = template;
  const mayWrite = useRequest().may('templates.write', line.id);
  const of = (
    <span class="sr-only">
      {' '}
      {name} ({language})
    </span>
  );
  const fields = { line: String(line.id), template: name };
  return (
    <>
      {(mayWrite || children) && (
        <div class="cluster">
          {children}
          {mayWrite && (
            <Form action="/panel/templates/drafts" fields={fields} class="inline">
              <button type="submit" class="button plain small">
                {t('Edit')}
                {of}
              </button>
            </Form>
          )}
        </div>
      )}
      <div class="template-actions">
        {mayWrite && (
          <Form action="/panel/templates/drafts" fields={{ ...fields, copy: 'yes' }} class="inline">
            <button type="submit" class="button quiet small">
              {t('Duplicate')}
              {of}
            </button>
          </Form>
        )}
        <a
          class="button quiet small"
          href={`/panel/templates/export?${new URLSearchParams({ line: String(line.id), name })}`}
        >
          {t('Export JSON')}
          {of}
        </a>
        {mayWrite && id !== null && (
          <button type="button" class="button quiet small" {...opens(dialogOf(template))}>
            {t.of('template', 'Delete')}
            {of}
          </button>
        )}
      </div>
    </>
  );
}

interface TemplateDialogsProps {
  line: { id: number; name: string };
  shown: readonly TemplateRecord[];
  /** All templates of the line. */
  all: readonly TemplateRecord[];
}

/** The dialogs that delete the shown templates. */
export function TemplateDialogs({ line, shown, all }: TemplateDialogsProps): VNode | null {
  if (!useRequest().may('templates.write', line.id)) return null;
  const atPlatform = all.filter(({ id }) => id !== null);
  return (
    <>
      {shown
        .filter(({ id }) => id !== null)
        .map((template) => (
          <DeleteTemplate
            key={template.id}
            id={dialogOf(template)}
            line={line}
            template={{ ...template, upstream_id: template.id }}
            others={atPlatform
              .filter(({ id, name }) => name === template.name && id !== template.id)
              .map(({ language }) => language)}
          />
        ))}
    </>
  );
}

async function exportNamed({ deps, query }: UserContext): Promise<PanelResponse> {
  const line = deps.lines.all().find(({ id }) => String(id) === query.get('line'));
  const rows = line
    ? (await deps.store.templates.ofLine(line.id)).filter(({ name }) => name === query.get('name'))
    : [];
  if (!rows.length) throw pageNotFound();
  return templateFile(draftOfRows(rows));
}
