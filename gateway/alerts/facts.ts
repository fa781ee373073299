import { storedChecks } from '../lines/checks/line-checks';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type Store } from '../store/store';
import { isoTime, SECOND, type Clock } from '../time';
import { budgetConditions } from './conditions/budgets';
import { channelConditions } from './conditions/channels';
import { type Condition } from './conditions/condition';
import { destinationConditions, NEWS } from './conditions/destinations';
import { lineConditions, markKey, newMarks, type LineFacts, type Mark } from './conditions/lines';
import { newRoleMarks, processConditions, roleConditions } from './conditions/processes';
import {
  categoryConditions,
  NEW_CATEGORY_FOR,
  newTemplateMarks,
  templateConditions,
} from './conditions/templates';
import { EXPIRED_FOR, tokenConditions } from './conditions/tokens';
import { type Rules } from './conditions/kind';
import { rulesOf } from './rules';

export interface FactDeps {
  store: Store;
  lines: Pick<LineRegistry, 'all' | 'byId'>;
  clock: Clock;
}

/**
 * A delivery with this many attempts has one or two left of the schedule's seventeen
 * (`forwarding/retry-schedule.ts`).
 */
const LAST_ATTEMPTS = 15;

/** How often slow facts are read, which cover all destinations, tokens and templates. */
const SLOW = 30 * SECOND;

type SlowFacts = Awaited<ReturnType<typeof slowFacts>>;
const slow = new WeakMap<Store, { at: number; facts: Promise<SlowFacts> }>();

const slowFacts = async ({ store, clock }: FactDeps) => {
  const [ending, templates, recategorised, tokens, synced] = await Promise.all([
    store.alertFacts.lastAttempts(LAST_ATTEMPTS),
    store.alertFacts.templates(),
    store.alertFacts.recategorised(isoTime(clock() - NEW_CATEGORY_FOR)),
    store.alertFacts.tokens(isoTime(clock() - EXPIRED_FOR)),
    store.alertFacts.syncedLines(),
  ]);
  return { ending, templates, recategorised, tokens, synced: new Set(synced) };
};

function slowFactsOf(deps: FactDeps): Promise<SlowFacts> {
  const now = performance.now();
  const known = slow.get(deps.store);
  if (known && now - known.at < SLOW) return known.facts;
  const facts = slowFacts(deps);
  facts.catch(() => slow.delete(deps.store));
  slow.set(deps.store, { at: now, facts });
  return facts;
}

/** All conditions in the database, the same for every process. */
export interface Found {
  conditions: Condition[];
  facts: LineFacts;
  rules: Rules;
  /** The marks to store for the next check. */
  marks: Mark[];
}

/** The known data of all lines. */
export const lineFacts = async (deps: FactDeps): Promise<LineFacts> => ({
  lines: deps.lines.all(),
  ...(await healthFacts(deps)),
});

/**
 * The data from which the health of lines follows, beside the lines themselves.
 * @param of only for this line
 */
export async function healthFacts(
  { store, clock }: Omit<FactDeps, 'lines'>,
  of?: Pick<Line, 'id' | 'wabaId'>,
): Promise<Omit<LineFacts, 'lines'>> {
  const [refused, marks, checks, notCalled] = await Promise.all([
    store.lines.refused(of?.id),
    store.alerts.marks(of?.wabaId),
    store.lines.checks(of?.id),
    store.glance.notCalled(of?.id),
  ]);
  return {
    refused: new Map(refused.map((one) => [one.id, one])),
    checks: new Map(checks.map((one) => [one.id, storedChecks(one)])),
    notCalled: new Set(notCalled),
    marks: new Map(marks.map((mark) => [markKey(mark), mark])),
    now: clock(),
  };
}

/** @param isPatient whether slowly changing values may be some seconds old */
export async function findConditions(deps: FactDeps, isPatient = true): Promise<Found> {
  const { store, lines: registry, clock } = deps;
  if (!isPatient) slow.delete(store);
  const [
    rows,
    unhealthy,
    givenUp,
    oldestDueAt,
    facts,
    channels,
    budgets,
    processes,
    { ending, templates, recategorised, tokens, synced },
  ] = await Promise.all([
    store.alerts.rules(),
    store.destinations.unhealthy(),
    store.alertFacts.givenUp(isoTime(clock() - NEWS)),
    store.backlog.oldestDueAt(),
    lineFacts(deps),
    store.alerts.channels(),
    store.alertFacts.budgets(),
    store.processes.all(),
    slowFactsOf(deps),
  ]);
  const known = new Set(unhealthy.map(({ id }) => id));
  const others = [...givenUp.map((one) => one.destination_id), ...ending.map(({ id }) => id)];
  const more = await store.destinations.some([...new Set(others)].filter((id) => !known.has(id)));
  const now = clock();
  const rules = rulesOf(rows);
  const { lines, marks } = facts;
  const ofRoles = { processes, marks, now };
  const ofTemplates = { lines, templates, marks, now };
  return {
    rules,
    facts,
    conditions: [
      ...lineConditions(facts),
      ...destinationConditions({
        ...{ givenUp, ending, oldestDueAt, now },
        destinations: [...unhealthy, ...more],
        lineById: registry.byId,
      }),
      ...templateConditions(ofTemplates),
      ...categoryConditions({ lines, templates: recategorised }),
      ...tokenConditions({ lines, tokens, rules, now }),
      ...budgetConditions(budgets),
      ...channelConditions(channels, now),
      ...processConditions(marks.values(), rules, now),
      ...roleConditions(ofRoles, rules),
    ],
    marks: [
      ...newMarks({ lines, marks, now }),
      ...newTemplateMarks({ ...ofTemplates, synced }),
      ...newRoleMarks(ofRoles),
    ],
  };
}
