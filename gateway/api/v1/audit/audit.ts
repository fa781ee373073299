import * as Type from 'typebox';
import { auditOf } from '../../../customers/read-audit';
import { customerNotFound, invalidQuery, notPermitted, quoted } from '../../../errors';
import { mayIn } from '../../../rights/grants';
import { type AuditFilter, type AuditRow } from '../../../store/tables/audit-row';
import { type CustomerEntry } from '../../../store/tables/customer-audit';
import { type CustomerRow } from '../../../store/tables/customers';
import { isoTime, timeIn } from '../../../time';
import { TextOrNull } from '../../http/answer-parts';
import { readId } from '../../http/query';
import { customerIn } from '../customers/customers';
import { list } from '../described';
import { pageBefore, pageStart } from '../list-page';
import { type AdminAnswer, type AdminContext } from '../operation';

const Entry = Type.Object({
  number: Type.Integer(),
  at: Type.String({ format: 'date-time' }),
  who: Type.String({ description: 'The user, the token or the program that made the change.' }),
  through: Type.String({ description: '`panel`, `command`, `api` or `gateway`.' }),
  address: TextOrNull,
  action: Type.String({ description: 'Object and verb, such as `line.edited`.' }),
  line_id: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
  details: Type.Object({}, { additionalProperties: true }),
});

export const AuditEntry = Entry;
export const CustomerAuditEntry = Type.Object({
  ...Entry.properties,
  before: Type.String({ description: "The hash of the customer's previous entry; empty for the first." }),
  hash: Type.String({ description: 'Covers the entry and `before`.' }),
});

type Shown = Type.Static<typeof Entry>;

const entry = ({ number, at, who, through, address, action, line_id, details }: AuditRow): Shown => ({
  ...{ number, at, who, through, address, action, line_id },
  details: JSON.parse(details) as object,
});

const customerEntry = (row: CustomerEntry): Type.Static<typeof CustomerAuditEntry> => ({
  ...entry(row),
  before: row.before,
  hash: row.hash,
});

const TAG = 'Audit';

const TIME = { format: 'date-time' };
const FILTERS = {
  who: Type.Optional(Type.String({ description: 'Only entries with this `who`.' })),
  action: Type.Optional(Type.String({ description: 'Only entries with this `action`.' })),
  line_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Only entries about this line.' })),
  from: Type.Optional(Type.String({ ...TIME, description: 'Only entries at this time or later.' })),
  to: Type.Optional(Type.String({ ...TIME, description: 'Only entries before this time.' })),
};

const ABOUT =
  'Newest first. Entries that someone changed in the database are left out, so that `number` has a gap.';

export const listAudit = list('/audit', {
  tag: TAG,
  id: 'listAudit',
  permission: 'audit.read',
  summary: 'List the audit of the gateway',
  description: `Every change, by whom and when. The token must reach all customers. ${ABOUT}`,
  query: FILTERS,
  schema: 'AuditEntry',
  refusals: () => [notPermitted()],
  handler: async (context) => {
    if (!mayIn(context.by, 'audit.read', null)) throw notPermitted();
    return auditPage(context, null, entry);
  },
});

export const listCustomerAudit = list('/customers/{customer_id}/audit', {
  tag: TAG,
  id: 'listCustomerAudit',
  permission: 'audit.read',
  summary: 'List the audit of a customer',
  description: `Every change to the lines and users of a customer, numbered without gaps. ${ABOUT} With all pages, the customer can verify that no entry is missing; docs/panel.md explains how.`,
  query: FILTERS,
  schema: 'CustomerAuditEntry',
  refusals: () => [customerNotFound()],
  handler: async (context) =>
    auditPage(context, await customerIn(context, context.deps.store), (row) =>
      customerEntry(row as CustomerEntry),
    ),
});

async function auditPage(
  context: AdminContext,
  customer: CustomerRow | null,
  shown: (row: AuditRow | CustomerEntry) => object,
): Promise<AdminAnswer> {
  const { limit, after } = pageStart(context);
  const filter = { ...filterOf(context), ...(after !== null && { before: after }) };
  const { verified, next } = await auditOf(context.deps, customer).page(filter, limit);
  return pageBefore(context, verified.map(shown), next);
}

function filterOf({ query }: AdminContext): AuditFilter {
  const { who, action, line_id: line, from, to } = query;
  const lineId = readId('line_id', line);
  return {
    ...(who !== undefined && { who }),
    ...(action !== undefined && { action }),
    ...(lineId !== null && { lineId }),
    ...(from !== undefined && { from: readTime('from', from) }),
    ...(to !== undefined && { to: readTime('to', to) }),
  };
}

function readTime(name: string, text: string): string {
  const time = timeIn(text);
  if (Number.isNaN(time))
    throw invalidQuery(`${name} is ${quoted(text)}; it takes a time such as 2026-01-31T00:00:00Z.`);
  return isoTime(time);
}
