import {
  AliasNode,
  IdentifierNode,
  OperationNodeTransformer,
  sql,
  TableNode,
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  type QueryId,
  type RawBuilder,
  type SelectQueryNode,
  type SqlBool,
} from 'kysely';
import { type Reach } from '../rights/reach';
import { type Schema } from './schema';

/** The lines whose data, and whose message content, a reader may see, and the customers of these lines. */
export interface ReadingReach {
  lines: Reach;
  content: Reach;
  customers: Reach;
}

/** The condition on a row. @param ids the ids of the reader's lines (of `customers`: customers), in parentheses */
type Limit = (ids: RawBuilder<unknown>) => RawBuilder<SqlBool>;

const ofLine: Limit = (ids) => sql`line_id in ${ids}`;
const ofDestination: Limit = (ids) =>
  sql`destination_id in (select id from destinations where line_id in ${ids})`;
const channelsOf: Limit = (ids) =>
  sql`scope = 'line' and scope_id in (select cast(id as text) from lines where id in ${ids})`;
const ofChannel: Limit = (ids) => sql`channel_id in (select id from alert_channels where ${channelsOf(ids)})`;
/** What is known of lines, by their ids, and of their business accounts. */
const marksOf: Limit = (ids) =>
  sql`(kind in ('line_limit', 'line_quality') and subject in (select cast(id as text) from lines where id in ${ids})
    or kind in ('account', 'templates') and subject in (select waba_id from lines where id in ${ids}))`;
const none: Limit = () => sql`1 = 0`;

/** Which rows of each table belong to a reader. Null: the table has nothing of lines. */
const LIMITS: Record<keyof Schema, Limit | null> = {
  lines: (ids) => sql`id in ${ids}`,
  tokens: ofLine,
  templates: ofLine,
  destinations: ofLine,
  messages: ofLine,
  sent_bodies: ofLine,
  windows: ofLine,
  aliases: ofLine,
  events: ofLine,
  deliveries: ofDestination,
  attempts: ofDestination,
  processes: null,
  owners: ofDestination,
  arrivals: ofDestination,
  registry: null,
  registry_changes: null,
  idempotency_keys: ofLine,
  customers: (ids) => sql`id in ${ids}`,
  // `users/manage-users.ts` decides who sees a user, for which it needs all roles of the user.
  memberships: null,
  users: null,
  recovery_codes: null,
  sessions: null,
  links: null,
  // Readers of some customers read `customer_audit`, whose entries tell nothing of others.
  audit: (ids) => sql`number in (select audit_number from customer_audit where customer_id in ${ids})`,
  audit_head: null,
  customer_audit: (ids) => sql`customer_id in ${ids}`,
  replays: none,
  opt_outs: ofLine,
  automation_pauses: ofLine,
  questions: ofLine,
  question_contacts: ofLine,
  gathering: ofDestination,
  alert_incidents: ofLine,
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
const OF_CUSTOMERS = new Set(['customers', 'audit', 'customer_audit']);

/** Tables with message content, for which the reader needs a further permission. */
const CONTENT = new Set(['sent_bodies']);

/**
 * The database as a reader sees it: each table that a query reads is replaced by its rows of the reader's lines. The
 * databases merge such a subquery into the query, so that indexes by line apply. Tables that a query names only in
 * raw SQL are not narrowed: such a query must get its line ids from another one.
 */
export const withinReach = (db: Kysely<Schema>, reach: ReadingReach): Kysely<Schema> =>
  db.withPlugin(new WithinReach(db, reach));

class WithinReach extends OperationNodeTransformer implements KyselyPlugin {
  readonly #narrowed = new Map<string, OperationNode | null>();

  constructor(
    private readonly db: Kysely<Schema>,
    private readonly reach: ReadingReach,
  ) {
    super();
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) => this.transformNode(node, queryId);
  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result;

  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    const query = super.transformSelectQuery(node, queryId);
    return {
      ...query,
      ...(query.from && { from: { ...query.from, froms: query.from.froms.map(this.#within) } }),
      ...(query.joins && {
        joins: query.joins.map((join) => ({ ...join, table: this.#within(join.table) })),
      }),
    };
  }

  readonly #within = (source: OperationNode): OperationNode => {
    const [table, alias] = AliasNode.is(source) ? [source.node, source.alias] : [source, null];
    if (!TableNode.is(table)) return source;
    const { name } = table.table.identifier;
    const rows = this.#rowsOf(name);
    return rows ? AliasNode.create(rows, alias ?? IdentifierNode.create(name)) : source;
  };

  #rowsOf(name: string): OperationNode | null {
    const known = this.#narrowed.get(name);
    if (known !== undefined) return known;
    const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name as keyof Schema] : null;
    const ids = this.#reachOf(name);
    const rows =
      limit && ids !== 'all'
        ? this.db
            .selectFrom(name as keyof Schema)
            .selectAll()
            .where(limit(sql`(${ids.length ? sql.join(ids) : sql`null`})`))
            .toOperationNode()
        : null;
    this.#narrowed.set(name, rows);
    return rows;
  }

  #reachOf(name: string): Reach {
    if (OF_CUSTOMERS.has(name)) return this.reach.customers;
    return CONTENT.has(name) ? this.reach.content : this.reach.lines;
  }
}
