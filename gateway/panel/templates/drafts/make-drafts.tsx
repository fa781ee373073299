import { type VNode } from 'preact';
import { type Line } from '../../../lines/line';
import { MOST_KILOBYTES } from '../../../templates/drafts/draft-input';
import { type DraftInput } from '../../../templates/drafts/draft';
import { draftOfRows, emptyDraft, importedDraft } from '../../../templates/drafts/exchange';
import {
  copyName,
  createDraft,
  duplicateDraft,
  openDraft,
  untouchedDraft,
} from '../../../templates/drafts/manage-drafts';
import { languageNow } from '../../../wording/language';
import { FormState } from '../../form-state';
import { t } from '../../languages/t';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../../panel-route';
import { type UserContext } from '../../request-context';
import { pageNotFound } from '../../ui/frame/error-page';
import { FileField, Form, LongField, SubmitOrCancel } from '../../ui/form';
import { LineField } from '../../ui/line-field';
import { Card, PageHead } from '../../ui/parts';
import { draftOfRoute, draftPath } from './draft-route';

/** New drafts: empty, from a template, from another draft, or from a file. They belong to the customer of a line. */
export const makeDraftPages: PanelRoute[] = [
  actionRoute('templates.write', '/templates/drafts', make),
  actionRoute('templates.write', '/templates/drafts/:id/duplicate', duplicate),
  pageRoute('templates.write', '/templates/import', (context) =>
    askFile(new FormState({ line: context.query.get('line') ?? '' })),
  ),
  actionRoute('templates.write', '/templates/import', importFile, {
    limit: (MOST_KILOBYTES + 100) * 3 * 1024,
  }),
];

/** The language in which people who read the panel in a language write first. */
const FIRST_LANGUAGE = { en: 'en_US', pt: 'pt_BR', es: 'es' };

function lineIn({ deps, form }: UserContext): Line | null {
  const id = String(form.get('line') ?? '');
  return deps.lines.all().find((one) => String(one.id) === id) ?? null;
}

/** Makes an empty draft, or with `template` one of all languages of a template. `copy`: with another name. */
async function make(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session, form } = context;
  const line = lineIn(context);
  if (!line) throw pageNotFound();
  const name = form.get('template');
  const create = (given: DraftInput) => createDraft(deps, actor, session.grants, line.customerId, given);
  if (name === null) {
    const untouched = await untouchedDraft(deps.store, actor.who, line.customerId);
    return seeOther(draftPath(untouched ?? (await create(emptyDraft(FIRST_LANGUAGE[languageNow()])))));
  }
  const rows = (await deps.store.templates.ofLine(line.id)).filter((row) => row.name === name);
  if (!rows.length) throw pageNotFound();
  if (form.get('copy') !== 'yes')
    return seeOther(draftPath(await openDraft(deps, actor, session.grants, line.customerId, rows)));
  const given = draftOfRows(rows);
  const copy = await create({ ...given, name: copyName(given.name) });
  return seeOther(draftPath(copy), t('This is the copy. Give it its name.'));
}

async function duplicate(context: UserContext): Promise<PanelResponse> {
  const { id } = await draftOfRoute(context);
  const copy = await duplicateDraft(context.deps, context.actor, context.session.grants, id);
  return seeOther(draftPath(copy), t('This is the copy. Give it its name.'));
}

function askFile(state: FormState): PanelResponse {
  const back = `/panel/templates?${new URLSearchParams({ line: state.text('line') })}`;
  return page(
    <PageHead title={t('Import a template')} back={{ href: back, label: t('Templates') }}>
      {t(
        'Makes a draft of a template in the format of the platform, for example from another account. It can be submitted to all business accounts of the customer of the line.',
      )}
    </PageHead>,
    <Card>
      <Form action="/panel/templates/import" state={state} files>
        <ForLine />
        <FileField name="file" label={t('JSON file')} accept=".json,application/json" optional />
        <LongField
          name="json"
          label={t('Or paste the JSON')}
          hint={t('One template as an object, or its languages as a list of objects.')}
          rows={10}
        />
        <SubmitOrCancel submit={t('Import')} back={back} />
      </Form>
    </Card>,
    state,
  );
}

const ForLine = (): VNode => <LineField permission="templates.write" none={null} />;

async function importFile(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session, form } = context;
  const state = new FormState(form);
  const line = lineIn(context);
  if (!line) state.addIssue('line', t('Choose a line.'));
  const json = (await state.file('file')?.text()) ?? state.text('json');
  if (!json) state.addIssue('json', t('Choose a file, or paste the JSON.'));
  const draft =
    line && state.isValid
      ? await state.given(
          () => createDraft(deps, actor, session.grants, line.customerId, importedDraft(json)),
          { content: 'json', name: 'json', category: 'json' },
        )
      : null;
  return draft ? seeOther(draftPath(draft), t('The template is imported as a draft.')) : askFile(state);
}
