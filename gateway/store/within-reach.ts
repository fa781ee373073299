import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  ExpressionWrapper,
  IdentifierNode,
  LimitNode,
  OperationNodeTransformer,
  OperatorNode,
  ParensNode,
  ReferenceNode,
  SelectionNode,
  SelectQueryNode,
  sql,
  TableNode,
  ValueNode,
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  type QueryId,
  type RawBuilder,
  type RawNode,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import { reaching, type Reach } from '../rights/reach';
import { isPostgres } from './is-postgres';
import {
  type AttemptTable,
  type DeliveryTable,
  type EventTable,
  type MessageTable,
  type Schema,
} from './schema';

/** The lines whose data, and whose message content, a reader may see, and the customers of these lines. */
export interface ReadingReach {
  lines: Reach;
  content: Reach;
  customers: Reach;
}

/** The ids of the reader's lines (in `OF_CUSTOMERS`: customers), in parentheses. */
type Ids = RawBuilder<unknown>;

/** The condition on a row. */
type Limit = (ids: Ids) => RawBuilder<SqlBool>;

const ofLine: Limit = (ids) => sql`line_id in ${ids}`;
const ofDestination: Limit = (ids) =>
  sql`destination_id in (select id from destinations where line_id in ${ids})`;
/** Events of a business account: a reader sees those that one of the reader's destinations has a delivery of. */
const deliveredEvent: Limit = (ids) =>
  sql`line_id is null and exists (select 1 from deliveries where event_id = events.id and ${ofDestination(ids)})`;
/** Business accounts with no other lines. */
const ownAccounts = (ids: Ids) => sql`(
  select waba_id from lines where id in ${ids} and waba_id not in (
    select waba_id from lines where removed_at is null and id not in ${ids}
  )
)`;
const ofDraft: Limit = (ids) => sql`draft_id in (select id from template_drafts where customer_id in ${ids})`;
const incidentsOf: Limit = (ids) =>
  sql`line_id in ${ids} or (line_id is null and waba_id in ${ownAccounts(ids)})`;
const channelsOf: Limit = (ids) => sql`(
  scope = 'line' and scope_id in (select cast(id as text) from lines where id in ${ids})
) or (scope = 'account' and scope_id in ${ownAccounts(ids)})`;
const ofChannel: Limit = (ids) => sql`channel_id in (select id from alert_channels where ${channelsOf(ids)})`;
/** What is known of lines, by their ids, and of their business accounts. */
const marksOf: Limit = (ids) =>
  sql`(kind in ('line_limit', 'line_quality') and subject in (select cast(id as text) from lines where id in ${ids})
    or kind in ('account', 'templates') and subject in (select waba_id from lines where id in ${ids}))`;

/** Which rows of each table belong to a reader. Null: the table has nothing of lines. */
const LIMITS: Record<keyof Schema, Limit | null> = {
  lines: (ids) => sql`id in ${ids}`,
  tokens: ofLine,
  // `admin-tokens/manage-admin-tokens.ts` decides who sees an admin token, for which it needs the whole reach.
  admin_tokens: null,
  templates: ofLine,
  // Read only to leave out templates of other customers.
  template_owners: null,
  template_drafts: (ids) => sql`customer_id in ${ids}`,
  template_draft_files: ofDraft,
  template_submissions: ofDraft,
  destinations: ofLine,
  messages: ofLine,
  sent_bodies: ofLine,
  usage_days: ofLine,
  usage_months: ofLine,
  usage_marks: ofLine,
  platform_usage: ofLine,
  windows: ofLine,
  aliases: ofLine,
  events: (ids) => sql`line_id in ${ids} or (${deliveredEvent(ids)})`,
  deliveries: ofDestination,
  attempts: ofDestination,
  processes: null,
  owners: ofDestination,
  arrivals: ofDestination,
  registry: null,
  registry_changes: null,
  idempotency_keys: ofLine,
  admin_requests: null,
  customers: (ids) => sql`id in ${ids}`,
  // Those for all apply to each customer.
  rate_cards: (ids) => sql`customer_id is null or customer_id in ${ids}`,
  looks: null,
  // `users/manage-users.ts` decides who sees a user, for which it needs all roles of the user.
  memberships: null,
  users: null,
  recovery_codes: null,
  sessions: null,
  links: null,
  // `users/invitations.ts` decides who sees one.
  invitations: null,
  oidc_providers: null,
  identities: null,
  used_once: null,
  // Readers of some customers read `customer_audit`, whose entries tell nothing of others.
  audit: (ids) => sql`number in (select audit_number from customer_audit where customer_id in ${ids})`,
  audit_head: null,
  customer_audit: (ids) => sql`customer_id in ${ids}`,
  // `panel/log/replays.ts` shows users of some customers their own.
  replays: null,
  opt_outs: ofLine,
  automation_pauses: ofLine,
  questions: ofLine,
  question_contacts: ofLine,
  gathering: ofDestination,
  alert_incidents: incidentsOf,
  alert_channels: channelsOf,
  alert_notices: ofChannel,
  alert_told: ofChannel,
  alert_mutes: ofLine,
  // Which problems of a line are shown follows the rules of the gateway.
  alert_rules: null,
  alert_marks: marksOf,
  alert_turns: null,
};

/** Tables that are narrowed by customers instead of lines. */
const OF_CUSTOMERS = new Set<string>([
  'customers',
  'rate_cards',
  'audit',
  'customer_audit',
  'template_drafts',
  'template_draft_files',
  'template_submissions',
] satisfies (keyof Schema)[]);

/** Tables whose rows are about contacts or message content, for which the reader needs a further permission. */
const CONTENT = new Set<string>([
  'sent_bodies',
  'windows',
  'aliases',
  'opt_outs',
  'automation_pauses',
  'questions',
  'question_contacts',
  'gathering',
  'idempotency_keys',
] satisfies (keyof Schema)[]);

const ABSENT = sql`cast(null as text)`;
const EMPTY = sql`''`;

type Columns<Table> = Record<keyof Table, RawBuilder<unknown> | null>;

/** What a reader without that permission sees in place of a column; null for the column itself. */
const WITHOUT_CONTENT: {
  events: Columns<EventTable>;
  messages: Columns<MessageTable>;
  deliveries: Columns<DeliveryTable>;
  attempts: Columns<AttemptTable>;
} = {
  events: {
    id: null,
    line_id: null,
    subject: null,
    kind: null,
    // Contains the id of the message.
    identity: EMPTY,
    contact: ABSENT,
    wamid: ABSENT,
    phone_number_id: null,
    waba_id: null,
    body: EMPTY,
    received_at: null,
    automation: null,
    late_answer_to: null,
    country: null,
  },
  messages: {
    line_id: null,
    // Contains the contact's number.
    wamid: EMPTY,
    contact: ABSENT,
    type: null,
    template_name: null,
    template_language: null,
    sent_from: null,
    client_ref: ABSENT,
    accepted_at: null,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    played_at: null,
    failed_at: null,
    failure: ABSENT,
    pricing: null,
    country: null,
  },
  deliveries: {
    destination_id: null,
    event_id: null,
    // The contact, or the event if it has none.
    lane: sql.ref('deliveries.event_id'),
    sequence: null,
    state: null,
    attempts: null,
    attempts_before: null,
    due_at: null,
    finished_at: null,
  },
  attempts: {
    destination_id: null,
    event_id: null,
    number: null,
    started_at: null,
    duration_ms: null,
    http_status: null,
    outcome: null,
    // A receiver's response may repeat the event.
    answer: ABSENT,
  },
};

/** The columns in whose order lists read a table. Each has an index by line. */
const IN_ORDER: Partial<Record<string, string[]>> = {
  events: ['id'],
  messages: ['accepted_at', 'failed_at'],
  sent_bodies: ['accepted_at'],
};

/** The most lines of one merged query; SQLite allows 500 parts. */
export const MOST_MERGED = 400;

/**
 * The database as a reader sees it: each table that a query reads is replaced by its rows of the reader's lines. The
 * databases merge such a subquery into the query, so that indexes by line apply. A list in order of time reads each
 * line by its index and merges them, so that its cost does not depend on other lines. In raw SQL, only tables that are
 * given as `sql.table` are replaced.
 */
export const withinReach = (db: Kysely<Schema>, reach: ReadingReach): Kysely<Schema> =>
  db.withPlugin(new WithinReach(db, reach));

/** A table in full, for queries by keys that are known to be the reader's. */
export const wholeTable = <Name extends keyof Schema>(db: Kysely<Schema>, name: Name) =>
  db.selectFrom(sql.raw(name).as(name)) as unknown as SelectQueryBuilder<Schema, Name, object>;

class WithinReach extends OperationNodeTransformer implements KyselyPlugin {
  readonly #lines: Reach;
  readonly #customers: Reach;
  /** The lines with message content. */
  readonly #content: Reach;
  readonly #hasContent: (lineId: number | null) => boolean;
  /** Whether the reader sees lines without their content. */
  readonly #isMasked: boolean;
  /** Subqueries are transformed when they are built, and again as parts of others. */
  readonly #narrowed = new WeakSet<OperationNode>();

  constructor(
    private readonly db: Kysely<Schema>,
    { lines, content, customers }: ReadingReach,
  ) {
    super();
    this.#hasContent = reaching(content);
    this.#lines = lines;
    this.#customers = customers;
    this.#content = lines === 'all' ? content : lines.filter(this.#hasContent);
    this.#isMasked = this.#content !== 'all' && (lines === 'all' || this.#content.length < lines.length);
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) => this.transformNode(node, queryId);
  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result;

  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    if (this.#narrowed.has(node)) return node;
    const query = super.transformSelectQuery(node, queryId);
    const { from, joins } = query;
    const use = from?.froms.length === 1 && !joins?.length ? useOf(query) : OF_SINGLE_ROWS;
    const narrowed = {
      ...query,
      ...(from && { from: { ...from, froms: from.froms.map((source) => this.#within(source, use)) } }),
      ...(joins && {
        joins: joins.map((join) => ({ ...join, table: this.#within(join.table, OF_SINGLE_ROWS) })),
      }),
    };
    this.#narrowed.add(narrowed);
    return narrowed;
  }

  protected override transformRaw(node: RawNode, queryId?: QueryId): RawNode {
    const raw = super.transformRaw(node, queryId);
    return { ...raw, parameters: raw.parameters.map((one) => this.#within(one, OF_SINGLE_ROWS)) };
  }

  #within(source: OperationNode, use: Use): OperationNode {
    const [table, alias] = AliasNode.is(source) ? [source.node, source.alias] : [source, null];
    if (!TableNode.is(table)) return source;
    const { name } = table.table.identifier;
    if (!Object.hasOwn(LIMITS, name)) return source;
    const as = alias ?? IdentifierNode.create(name);
    const rows = this.#rowsOf(name as keyof Schema, as, use);
    if (!rows) return source;
    this.#narrowed.add(rows);
    return AliasNode.create(rows, as);
  }

  /** The reader's rows of a table; null for all rows as they are. */
  #rowsOf(name: keyof Schema, as: OperationNode, use: Use): OperationNode | null {
    const { lineId, order, isByTime } = use;
    const limit = LIMITS[name];
    // A search for a contact or a message finds only rows with content, by their indexes.
    const isOfContent = CONTENT.has(name) || use.keys.some((column) => isMaskedIn(name, column));
    const reach = this.#reachOf(name, isOfContent);
    const isMasked = this.#isMasked && !isOfContent && name in WITHOUT_CONTENT;
    // Tables differ in their columns, but not in how they are narrowed.
    const table = this.db.selectFrom(name as 'events');
    const select = (lineOfRows: number | null) =>
      (isMasked ? table.select(this.#columnsOf(name as Masked, lineOfRows)) : table.selectAll()) as Part;
    const rows = select(null);
    if (!limit || reach === 'all') return isMasked ? rows.toOperationNode() : null;
    const isOfLine = lineId !== null && !OF_CUSTOMERS.has(name);
    const ids = !isOfLine ? reach : reach.filter((id) => id === lineId);
    const all = idsIn(ids);
    const isInOrder = order !== null && (IN_ORDER[name]?.includes(order) ?? false);
    const isMerged = isByTime && isInOrder && ids.length > 0 && ids.length <= MOST_MERGED;
    const parts = isMerged ? ids.map((id) => select(id).where(sql<SqlBool>`line_id = ${id}`)) : [];
    if (name === 'events' && isByTime) {
      if (!isMerged) parts.push(rows.where(ofLine(all)));
      if (lineId === null)
        parts.push(
          rows
            .where(sql<SqlBool>`waba_id in (select waba_id from lines where id in ${all})`)
            .where(deliveredEvent(all)),
        );
    }
    const isSorted = isInOrder && parts.length > 1 && isPostgres(this.db);
    const sorted = isSorted ? parts.map((part) => this.#firstOf(part, as, use)) : parts;
    const [first = rows.where(limit(all)), ...others] = sorted;
    return others.reduce((merged, part) => merged.unionAll(part), first).toOperationNode();
  }

  /**
   * The first rows of a part that the query needs. PostgreSQL merges only parts that are in order themselves, and uses
   * an index for the order only with a limit.
   */
  #firstOf(part: Part, as: OperationNode, { page }: Use): Part {
    if (!page) return part;
    const rows = SelectQueryNode.createFrom([AliasNode.create(part.toOperationNode(), as)]);
    const first = {
      ...SelectQueryNode.cloneWithSelections(rows, [SelectionNode.createSelectAll()]),
      ...page,
    };
    return this.db
      .selectFrom(new ExpressionWrapper<Schema, 'events', object>(first).as('first'))
      .selectAll() as unknown as Part;
  }

  #reachOf(name: string, isOfContent: boolean): Reach {
    if (OF_CUSTOMERS.has(name)) return this.#customers;
    return isOfContent ? this.#content : this.#lines;
  }

  /** @param lineId of all rows; null if they are of several lines */
  #columnsOf(name: Masked, lineId: number | null) {
    const ids = this.#content === 'all' ? [] : this.#content;
    const hasContent = this.#hasContent(lineId);
    const shown = lineId === null && ids.length ? LIMITS[name]?.(idsIn(ids)) : null;
    return Object.entries<RawBuilder<unknown> | null>(WITHOUT_CONTENT[name]).map(([column, otherwise]) => {
      const value = sql.ref(`${name}.${column}`);
      if (!otherwise || hasContent) return value.as(column);
      return (shown ? sql`case when ${shown} then ${value} else ${otherwise} end` : otherwise).as(column);
    });
  }
}

type Masked = keyof typeof WITHOUT_CONTENT;

/** Some of the rows of a table. */
type Part = SelectQueryBuilder<Schema, 'events', unknown>;

const isMaskedIn = (name: string, column: string): boolean =>
  name in WITHOUT_CONTENT && Boolean((WITHOUT_CONTENT[name as Masked] as Columns<object>)[column as never]);

const idsIn = (ids: readonly number[]): Ids => {
  if (!ids.length) return sql`(null)`;
  // Well below both databases' limit on parameters.
  return ids.length > MOST_MERGED ? sql`(${sql.raw(ids.join(', '))})` : sql`(${sql.join(ids)})`;
};

/** What a query on one table is for. */
interface Use {
  /** The line that it is about; null for any. */
  lineId: number | null;
  /** The first column of its order, if it has a limit. */
  order: string | null;
  /** Whether it reads rows by time, or all of them, and not those with a key. */
  isByTime: boolean;
  /** The columns that must equal something. */
  keys: string[];
  /** Its conditions, its order, and how many rows it reads; null if these are not the first rows of the table. */
  page: Pick<SelectQueryNode, 'where' | 'orderBy' | 'limit'> | null;
}

const OF_SINGLE_ROWS: Use = { lineId: null, order: null, isByTime: false, keys: [], page: null };

function useOf({ where, orderBy, limit, offset, ...query }: SelectQueryNode): Use {
  const given = equalities(where?.where);
  const lineId = given.get('line_id');
  const first = orderBy?.items[0]?.orderBy;
  const isPlain = !query.groupBy && !query.frontModifiers && !query.setOperations;
  const [rows, before] = [numberIn(limit?.limit), offset ? numberIn(offset.offset) : 0];
  const most = rows === null || before === null ? null : rows + before;
  return {
    lineId: typeof lineId === 'number' ? lineId : null,
    order: (limit && first && columnOf(first)) ?? null,
    isByTime: given.size === (typeof lineId === 'number' ? 1 : 0),
    keys: [...given.keys()],
    page:
      isPlain && most !== null ? { where, orderBy, limit: LimitNode.create(ValueNode.create(most)) } : null,
  };
}

const numberIn = (node: OperationNode | undefined): number | null =>
  node && ValueNode.is(node) && typeof node.value === 'number' ? node.value : null;

/** The columns that must equal something, with the value if it is a single one. */
function equalities(node: OperationNode | undefined): Map<string, unknown> {
  if (!node) return new Map();
  if (ParensNode.is(node)) return equalities(node.node);
  if (AndNode.is(node)) return new Map([...equalities(node.left), ...equalities(node.right)]);
  if (!BinaryOperationNode.is(node) || !OperatorNode.is(node.operator)) return new Map();
  const column = columnOf(node.leftOperand);
  const isEqual = column !== null && ['=', 'in'].includes(node.operator.operator);
  return new Map(
    isEqual ? [[column, ValueNode.is(node.rightOperand) ? node.rightOperand.value : undefined]] : [],
  );
}

const columnOf = (node: OperationNode): string | null => {
  const column = ReferenceNode.is(node) ? node.column : node;
  return ColumnNode.is(column) ? column.column.name : null;
};
