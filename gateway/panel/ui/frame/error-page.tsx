import { type VNode } from 'preact';
import { Refusal } from '../../../errors';
import { isDatabaseUnavailable } from '../../../store/unavailable';
import { page, type PageResponse } from '../../outcome';
import { PageHead } from '../parts';
import { Narrow } from './layout';
import { t } from '../../languages/t';
import { said, saidOfRefusal } from '../../languages/said';

/** The content of an error page. */
export interface ErrorPage {
  status: number;
  title: string;
  /** What to do. */
  text: string;
  /** In seconds. */
  retryAfter?: number;
}

export const ERROR_PAGES = {
  notFound: () => ({
    status: 404,
    title: t('There is no such page'),
    text: t('It may have been removed, or the address may be mistyped.'),
  }),
  notPermitted: () => ({
    status: 403,
    title: t('Your role does not allow this'),
    text: t('Ask an owner of this gateway to do it, or to change your role.'),
  }),
  foreign: () => ({
    status: 403,
    title: t('This did not come from the panel'),
    text: t('A form must be submitted from a page of this panel. Open the page and submit it again.'),
  }),
  oldForm: () => ({
    status: 403,
    title: t('This form is too old'),
    text: t(
      'You have logged in or out since the form was opened. Nothing was changed. Open the page and submit it again.',
    ),
  }),
  unreadable: () => ({
    status: 400,
    title: t('That could not be read'),
    text: t('It contains an invalid character. Go back and try again.'),
  }),
  databaseAway: () => ({
    status: 503,
    title: t('The database does not answer'),
    text: t('Nothing was changed. Try again in a moment. The gateway continues when the database is back.'),
    retryAfter: 5,
  }),
  broken: () => ({
    status: 500,
    title: t('Something went wrong here'),
    text: t('Try again. If the error persists, see the gateway’s log.'),
  }),
} satisfies Record<string, () => ErrorPage>;

/** Thrown by handlers to show an error page. */
class PageError extends Error {
  constructor(readonly page: ErrorPage) {
    super(page.title);
  }
}

/** The page or its object doesn't exist, or no longer. */
export const pageNotFound = (): Error => new PageError(ERROR_PAGES.notFound());

/** The user's role does not allow an action on this object. */
export const pageNotPermitted = (): Error => new PageError(ERROR_PAGES.notPermitted());

/** A refusal in sentences: the gateway's own, or the platform's message with the gateway's advice. */
export function sentenceOfRefusal(refusal: Refusal): string {
  const { error } = refusal;
  if (!('verbatim' in error)) return saidOfRefusal(refusal);
  const refused = JSON.parse(error.verbatim) as {
    message?: unknown;
    error_data?: { action?: unknown } | null;
  };
  const text = String(refused.message).slice(0, 300);
  const action = refused.error_data?.action;
  return typeof action === 'string' ? `${text.replace(/[.\s]*$/, '.')} ${said(action)}` : text;
}

/** The sentences of a refusal, to show beside a field. @throws any other error */
export function refusalSentence(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return sentenceOfRefusal(error);
}

export function errorPageOf(error: unknown): ErrorPage {
  if (error instanceof PageError) return error.page;
  if (error instanceof Refusal) {
    return {
      status: error.status,
      title:
        'verbatim' in error.error ? t('The platform refused this') : said(error.said?.title ?? error.message),
      text: sentenceOfRefusal(error),
      ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    };
  }
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return { status: 413, title: t('That is too large'), text: t('Go back and send less.') };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, title: t('That could not be read'), text: t('Go back and try again.') };
  return isDatabaseUnavailable(error) ? ERROR_PAGES.databaseAway() : ERROR_PAGES.broken();
}

/** An error page with menu and search, for a logged-in user. */
export const framedErrorPage = (error: ErrorPage): PageResponse =>
  page(
    <PageHead title={error.title}>{error.text}</PageHead>,
    <div class="actions">
      <a class="button primary" href="/panel/overview">
        {t('To the overview')}
      </a>
    </div>,
    error,
  );

export const renderErrorPage = ({ title, text }: ErrorPage): VNode => (
  <Narrow title={title}>
    <p>{text}</p>
    <p>
      <a href="/panel">{t('To the control panel')}</a>
    </p>
  </Narrow>
);
