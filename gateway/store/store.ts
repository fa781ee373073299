import { randomUUID } from 'node:crypto';
import { type Kysely } from 'kysely';
import { SettingError } from '../errors';
import { LruCache } from '../primitives/lru-cache';
import { reaching } from '../rights/reach';
import { type Clock } from '../time';
import { inTransaction } from './commit/retry-on-conflict';
import { type Database } from './database';
import { migrateIfAllowed, type Migrated } from './migrate';
import { type Opener } from './migrations/schema-version';
import { refuseUnfinishedMove } from './move/unfinished';
import { openingRefused, refuseSeveralHosts } from './opening-refused';
import { openPostgres } from './postgres/open';
import { checkPooler, refuseTransactionPooler } from './postgres/own-session';
import { withTlsMode } from './postgres/tls-mode';
import { ownerTable, processTable } from './processes/processes';
import { registryTable } from './processes/registry';
import { alertFacts } from './reports/alert-facts';
import { backlogReport } from './reports/backlog';
import { conversationList } from './reports/conversation-list';
import { deliveryList } from './reports/delivery-list';
import { destinationReport, lastAttempts, latestAttempts } from './reports/destination-report';
import { eventList } from './reports/event-list';
import { failingSince } from './reports/failing-since';
import { glanceTable } from './reports/glance';
import { historyTables } from './reports/history';
import { messageList } from './reports/message-list';
import { searchTables } from './reports/search';
import { traceTable } from './reports/traces';
import { usageReport } from './reports/usage';
import { type Schema } from './schema';
import { openSqlite } from './sqlite/open';
import { adminTokenTable } from './tables/admin-tokens';
import { adminRequestTable } from './tables/admin-requests';
import { alertTable, alertTurns } from './tables/alerts';
import { auditTable, type Actor, type AuditEntry } from './tables/audit';
import { automationPauseTable } from './tables/automation-pauses';
import { customerTable } from './tables/customers';
import { customerAuditTable } from './tables/customer-audit';
import { deliveriesInAll, deliveryTable } from './tables/deliveries';
import { destinationTable } from './tables/destinations';
import { eventTable } from './tables/events';
import { gatheringTable } from './tables/gathering';
import { idempotencyKeyTable } from './tables/idempotency-keys';
import { invitationTable } from './tables/invitations';
import { identityTable, oidcProviderTable, usedOnceTable } from './tables/identities';
import { lineTable } from './tables/lines';
import { lookTable } from './tables/looks';
import { messageTable } from './tables/messages';
import { optOutTable } from './tables/opt-outs';
import { questionTable } from './tables/questions';
import { rateCardTable } from './tables/rate-cards';
import { queuedTable } from './tables/queued';
import { replayTable } from './tables/replays';
import { secretTable } from './tables/secrets';
import { linkTable, sessionTable } from './tables/sessions';
import { templateDraftTable } from './tables/template-drafts';
import { templateTable } from './tables/templates';
import { tokenTable } from './tables/tokens';
import { usageTable } from './tables/usage';
import { platformUsageTable } from './tables/platform-usage';
import { userTable } from './tables/users';
import { windowTable } from './tables/windows';
import { type Vault } from './vault';
import { withinReach, type ReadingReach } from './within-reach';

export interface Store extends Tables, Omit<Database, 'ready'> {
  migrated: Migrated | null;
  processName: string;
  /**
   * Makes a change and its audit entry in one transaction. `change` must use only the given tables: on SQLite,
   * others would wait for the connection that the transaction holds.
   * @param change may run more than once
   * @param entry creates the entry from the result of the change
   */
  audited<T>(
    vault: Vault,
    at: string,
    actor: Actor,
    entry: (changed: T) => AuditEntry | null,
    change: (inside: Tables) => Promise<T>,
  ): Promise<T>;
}

/** The store of the whole gateway. */
export interface WholeStore extends Store {
  /** The store as a reader sees it: all lists, counts and look-ups leave out other lines. */
  within(reach: ReadingReach): Store;
}

/** The most stores of a reach that are kept for later requests. */
const MOST_NARROWED = 500;

/**
 * Opens the database, and creates or upgrades its tables if the opener may (`migrations/schema-version.ts`).
 * @param url `sqlite:PATH` (created if missing) or `postgres://…`
 * @param opener a gateway locks a SQLite file against other gateways until it is closed
 * @param machine the local clock
 * @param processName stable name of this process across restarts
 * @param session URL of PostgreSQL itself, if `url` leads to a pooler in transaction mode
 * @throws SettingError if the database cannot be opened
 */
export async function openStore(
  url: string,
  opener: Opener = 'first command',
  machine: Clock = Date.now,
  processName: string = randomUUID(),
  session: string = url,
): Promise<WholeStore> {
  const urls = [url, session].map(withTlsMode) as [string, string];
  refuseSeveralHosts(url);
  refuseSeveralHosts(session, 'GATEWAY_DATABASE_SESSION_URL');
  const database = await openDatabase(urls, opener, machine, processName).catch((error: unknown) => {
    throw error instanceof SettingError ? error : openingRefused(url, error);
  });
  const { db, looks, queues } = database;
  const all: Store = {
    ...database,
    ...tables(db, looks, queues),
    processName,
    audited: (vault, at, actor, entry, change) =>
      inTransaction(db, async (trx) => {
        const inside = tables(trx);
        const changed = await change(inside);
        const done = entry(changed);
        if (done) await inside.audit.add(vault, at, actor, done);
        return changed;
      }),
  };
  const narrow = (reach: ReadingReach): Store => {
    const seen = {
      db: withinReach(db, reach),
      looks: withinReach(looks, reach),
      queues: withinReach(queues, reach),
    };
    return { ...all, ...seen, ...tables(seen.db, seen.looks, seen.queues, reach) };
  };
  // The panel caches counts by store, so readers with the same reach get the same one.
  const narrowed = new LruCache<Store>(MOST_NARROWED);
  const whole: WholeStore = {
    ...all,
    within(reach) {
      if (reach.lines === 'all' && reach.content === 'all') return whole;
      const key = JSON.stringify([reach.lines, reach.content, reach.customers]);
      const store = narrowed.get(key) ?? narrow(reach);
      narrowed.set(key, store);
      return store;
    },
  };
  return whole;
}

export type Tables = ReturnType<typeof tables>;

/**
 * @param looks connections for the panel's lists @param queues connections for the queues; both are `db` within a
 * transaction @param reach what they are narrowed to
 */
const tables = (
  db: Kysely<Schema>,
  looks = db,
  queues = db,
  { lines, content }: Pick<ReadingReach, 'lines' | 'content'> = { lines: 'all', content: 'all' },
  isOfSome = lines !== 'all',
) => ({
  lines: lineTable(db),
  tokens: tokenTable(db),
  adminTokens: adminTokenTable(db),
  templates: templateTable(db, looks),
  templateDrafts: templateDraftTable(db),
  destinations: destinationTable(db),
  events: eventTable(db),
  messages: messageTable(db),
  usage: usageTable(db, looks),
  platformUsage: platformUsageTable(db),
  windows: windowTable(db),
  optOuts: optOutTable(db, looks),
  automationPauses: automationPauseTable(db),
  questions: questionTable(db),
  gathering: gatheringTable(db),
  deliveries: { ...deliveryTable(db), ...deliveriesInAll(looks) },
  deliveryList: deliveryList(looks, isOfSome),
  eventList: eventList(looks, isOfSome),
  search: searchTables(looks, isOfSome),
  conversationList: conversationList(looks, reaching(content)),
  destinationReport: destinationReport(looks),
  lastAttempts: lastAttempts(looks),
  latestAttempts: latestAttempts(looks),
  messageList: messageList(looks),
  history: historyTables(looks),
  usageReport: usageReport(looks),
  processes: processTable(db),
  owners: ownerTable(db),
  queued: queuedTable(queues),
  failingSince: failingSince(queues),
  registry: registryTable(db),
  idempotencyKeys: idempotencyKeyTable(db),
  adminRequests: adminRequestTable(db),
  customers: customerTable(db),
  rateCards: rateCardTable(db),
  lookedAt: lookTable(db),
  users: userTable(db),
  sessions: sessionTable(db),
  links: linkTable(db),
  invitations: invitationTable(db),
  identities: identityTable(db),
  oidcProviders: oidcProviderTable(db),
  usedOnce: usedOnceTable(db),
  audit: auditTable(looks),
  customerAudit: customerAuditTable(looks),
  // Alerts query these every ten seconds even in an idle gateway, where they must not start another SQLite thread.
  glance: glanceTable(db),
  backlog: { ...backlogReport(looks), oldestDueAt: backlogReport(db).oldestDueAt },
  replays: replayTable(db),
  secrets: secretTable(db),
  traces: traceTable(db),
  alerts: { ...alertTable(db), inTurn: alertTurns(db) },
  alertFacts: alertFacts(db),
});

async function openDatabase(
  [url, session]: [url: string, session: string],
  opener: Opener,
  machine: Clock,
  processName: string,
): Promise<Omit<Database, 'ready'> & { migrated: Migrated | null }> {
  const alone = opener === 'gateway';
  const { ready, ...database } = url.startsWith('sqlite:')
    ? await openSqlite(url.slice('sqlite:'.length), alone, machine)
    : openPostgres(url, machine, processName, session);
  try {
    if (alone && database.dialect === 'postgres')
      await (session === url ? refuseTransactionPooler(url) : checkPooler(database.db, session));
    if (database.dialect === 'postgres') await refuseUnfinishedMove(database.db);
    const migrated = await migrateIfAllowed(database, session, opener);
    await ready();
    return { ...database, migrated };
  } catch (error) {
    await database.close().catch(() => undefined);
    throw error;
  }
}
