import { type VNode } from 'preact';
import { failureOf } from '../../management/drafts/failure';
import { deleteTemplate } from '../../management/templates';
import { type TemplateRow } from '../../store/tables/templates';
import { said } from '../languages/said';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { actionRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { Question } from '../ui/form';
import { languageWord } from '../ui/words/template-words';

export const deleteTemplatePages: PanelRoute[] = [
  actionRoute('templates.write', '/templates/delete', remove),
];

interface DeleteTemplateProps {
  id: string;
  line: { id: number; name: string };
  template: Pick<TemplateRow, 'name' | 'language' | 'upstream_id'>;
  /** The other languages of the name on the account, to delete all of them at once. */
  others?: readonly string[];
  /** The draft to whose board the user returns; without it, to the templates of the line. */
  draft?: number;
}

/** The dialog that deletes a template at the platform, in one language or in all. */
export function DeleteTemplate({ id, line, template, others = [], draft }: DeleteTemplateProps): VNode {
  const { name, language, upstream_id: upstreamId } = template;
  const formId = `${id}-form`;
  return (
    <Question
      id={id}
      action="/panel/templates/delete"
      tone="danger"
      title={t('Delete {name} at the platform?', { name })}
      confirm={t.of('template', 'Delete')}
      formId={formId}
      fields={{
        ...{ line: String(line.id), name, id: upstreamId ?? '' },
        ...(draft !== undefined && { draft: String(draft) }),
      }}
    >
      {others.length > 0 ? (
        <>
          <label class="choice">
            <input type="radio" form={formId} name="of" value="one" checked />
            <span>{t('Only in {language}', { language: languageWord(language) })}</span>
          </label>
          <label class="choice">
            <input type="radio" form={formId} name="of" value="all" />
            <span>
              {t('In all languages: {languages}', {
                languages: [language, ...others].map(languageWord).join(', '),
              })}
            </span>
          </label>
        </>
      ) : (
        <p>
          {t('It is deleted in {language}, on the business account of {line}.', {
            language: languageWord(language),
            line: line.name,
          })}
        </p>
      )}
      <p>
        {t(
          'Messages with it then fail, also those that n8n or other programs send. The platform does not allow its name again for 30 days. You cannot undo this.',
        )}
      </p>
    </Question>
  );
}

async function remove({ deps, actor, form }: UserContext): Promise<PanelResponse> {
  const text = (name: string) => String(form.get(name) ?? '');
  const line = deps.lines.all().find(({ id }) => String(id) === text('line'));
  if (!line) throw pageNotFound();
  const back = /^\d{1,9}$/.test(text('draft'))
    ? `/panel/templates/drafts/${text('draft')}/board`
    : `/panel/templates?line=${line.id}`;
  const isAll = text('of') === 'all';
  try {
    const query = { name: text('name'), ...(!isAll && { hsm_id: text('id') }) };
    await deleteTemplate(deps.templateChanges, actor, line, query);
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    return seeOther(back, failure.map((one) => said(one)).join(' '), 'bad');
  }
  return seeOther(back, t('The template {name} is deleted.', { name: text('name') }));
}
