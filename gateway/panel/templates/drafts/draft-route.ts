import { draftOf, type Draft } from '../../../templates/drafts/draft';
import { mayIn } from '../../../rights/grants';
import { t } from '../../languages/t';
import { type UserContext } from '../../request-context';
import { pageNotFound } from '../../ui/frame/error-page';

/** The draft in the address. @throws if it does not exist, or if it belongs to a customer that the user does not see */
export async function draftOfRoute({ deps, params }: UserContext): Promise<Draft> {
  const row = /^\d{1,9}$/.test(params.id ?? '')
    ? await deps.store.templateDrafts.find(Number(params.id))
    : null;
  if (!row) throw pageNotFound();
  return draftOf(row);
}

export const mayWriteDrafts = (
  { session }: Pick<UserContext, 'session'>,
  customerId: number | null,
): boolean => mayIn(session.grants, 'templates.write', customerId);

export const draftPath = ({ id }: Pick<Draft, 'id'>): string => `/panel/templates/drafts/${id}`;
export const boardPath = (draft: Pick<Draft, 'id'>): string => `${draftPath(draft)}/board`;

export const draftTitle = ({ name }: Pick<Draft, 'name'>): string => name || t('Template without a name');

/** The page of templates that lists the draft: that of a line of its customer. */
export function templatesPath({ deps }: Pick<UserContext, 'deps'>, { customerId }: Draft): string {
  const line = deps.lines.all().find((one) => one.customerId === customerId);
  return `/panel/templates${line ? `?line=${line.id}` : ''}`;
}
