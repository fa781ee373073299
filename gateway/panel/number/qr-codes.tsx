import { type VNode } from 'preact';
import { textOf, type Json } from '../../cloud-api/json/json-value';
import { QR_TEXT_MOST, qrCodeDeleted, qrCodeSaved } from '../../management/number';
import { type LineRow } from '../../store/tables/lines';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { Confirm, Form, LongField, Submit } from '../ui/form';
import { lineOfRoute } from '../ui/frame/line-head';
import { Card, Empty, Table } from '../ui/parts';
import { QrCode } from '../ui/qr';
import { madeChange, numberAddress, numberPage, ReadFailure, readPart } from './number-head';

const MOST = 100;
/** Characters of a link that are drawn. The platform's are much shorter, and a code has room for about 2,900 bytes. */
const LONGEST_LINK = 512;

export async function showCodes(context: UserContext, typed?: FormState): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const { entries, failure } = await readPart(context, line, 'message_qrdls', { limit: String(MOST) });
  const asked = typed?.text('code') ?? context.query.get('code') ?? '';
  const edited = entries.find(({ code }) => code === asked);
  const state = typed ?? new FormState({ text: edited ? textOf(edited.prefilled_message) : '', code: asked });
  return numberPage(
    line,
    '/qr',
    <>
      {failure !== null && <ReadFailure failure={failure} />}
      <Card title={edited ? t('Edit a QR code') : t('New QR code')}>
        <Form
          action={numberAddress(line, '/qr')}
          class="form close"
          state={state}
          fields={edited ? { code: asked } : {}}
        >
          <LongField
            name="text"
            label={t('Text that the code fills in')}
            rows={2}
            maxLength={QR_TEXT_MOST}
            hint={t(
              'The contact scans the code, and only needs to send this text, for example: Is table 4 free?',
            )}
          />
          <div class="actions">
            <Submit>{edited ? t('Save') : t('Create the code')}</Submit>
            {edited && (
              <a class="button plain" href={numberAddress(line, '/qr')}>
                {t('Cancel')}
              </a>
            )}
          </div>
        </Form>
      </Card>
      {failure === null && (
        <Card flush>
          {entries.length ? (
            <Codes line={line} codes={entries} />
          ) : (
            <Empty title={t('This number has no QR code')}>
              <p>{t('Print a code on a flyer or a table: it opens a chat with your business.')}</p>
            </Empty>
          )}
        </Card>
      )}
    </>,
    state,
  );
}

const Codes = ({ line, codes }: { line: LineRow; codes: Json[] }): VNode => (
  <Table
    caption={t('QR codes')}
    rows={codes}
    rowKey={({ code }) => textOf(code)}
    columns={[
      {
        label: t('Code'),
        cell: ({ code, deep_link_url: link }) => (
          <QrCode
            text={textOf(link).slice(0, LONGEST_LINK)}
            label={t('QR code {code}', { code: textOf(code) })}
          />
        ),
      },
      {
        label: t('Text'),
        cell: ({ prefilled_message: text, deep_link_url: link }) => (
          <>
            <p dir="auto">{textOf(text)}</p>
            <p class="quiet small">{textOf(link)}</p>
          </>
        ),
      },
      {
        label: t('Actions'),
        actions: true,
        cell: ({ code }) => <CodeActions line={line} code={textOf(code)} />,
      },
    ]}
  />
);

const CodeActions = ({ line, code }: { line: LineRow; code: string }): VNode => (
  <div class="cluster">
    <a class="button plain" href={`${numberAddress(line, '/qr')}?${new URLSearchParams({ code })}`}>
      {t('Edit')}
      <span class="sr-only"> {code}</span>
    </a>
    <Confirm
      id={`delete-${code}`}
      action={`${numberAddress(line, '/qr')}/delete`}
      fields={{ code }}
      button={t('Delete')}
      tone="danger"
      isQuiet
      title={t('Delete this QR code?')}
      confirm={t('Delete the code')}
    >
      <p>{t('Printed codes and links then open nothing. This cannot be undone.')}</p>
    </Confirm>
  </div>
);

export async function saveCode(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const text = state.required('text', t('Enter the text.'));
  const code = state.text('code') || null;
  const isMade = state.isValid && (await madeChange(context, line, state, () => qrCodeSaved(code, text)));
  if (!isMade) return showCodes(context, state);
  return seeOther(
    numberAddress(line, '/qr'),
    code === null ? t('The QR code is created.') : t('The QR code is changed.'),
  );
}

export async function deleteCode(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const isMade = await madeChange(context, line, state, () => qrCodeDeleted(state.text('code')));
  const [issue] = state.issues;
  return isMade
    ? seeOther(numberAddress(line, '/qr'), t('The QR code is deleted.'))
    : seeOther(numberAddress(line, '/qr'), issue?.sentence ?? null, 'bad');
}
