import * as Type from 'typebox';
import { lineNotConfigured, lineNotFound, notPermitted, sharedBusinessAccount } from '../../../errors';
import { CHECKS, REPAIRS, type CheckResult } from '../../../lines/checks/judge';
import { type Line } from '../../../lines/line';
import { checkLine, lineCheckResults, repairLine } from '../../../management/line-checks';
import { type LineRow } from '../../../store/tables/lines';
import { say } from '../../../wording/say';
import { RefreshAnswer } from '../../http/answer-parts';
import { bodyOf } from '../../http/parse-body';
import { FORWARDED } from '../../refusals';
import { act, get } from '../described';
import { found, type AdminContext } from '../operation';
import { lineIn } from './lines';

export const LineChecks = Type.Object({
  checks: Type.Array(
    Type.Object({
      check: Type.Enum([...CHECKS]),
      state: Type.Enum(['ok', 'warning', 'failed', 'unknown']),
      sentence: Type.String(),
      repair: Type.Optional(Type.Enum([...REPAIRS])),
    }),
  ),
});

const RunAnswer = Type.Object({ ...LineChecks.properties, refresh: RefreshAnswer });

const RepairBody = Type.Object(
  {
    repair: Type.Enum([...REPAIRS]),
    pin: Type.Optional(
      // Without a pattern, so that no refusal quotes a mistyped PIN.
      Type.String({ description: 'The six digits of two-step verification, for `register`.' }),
    ),
  },
  { additionalProperties: false },
);
const readRepair = bodyOf(RepairBody);

const TAG = 'Lines';

const shown = ({ check, state, fact, repair }: CheckResult) => ({
  ...{ check, state, sentence: say('en', fact) },
  ...(repair && { repair }),
});

const resultsOf = async ({ deps }: AdminContext, row: LineRow) => ({
  checks: (await lineCheckResults(deps, row)).map(shown),
});

/** The line as programs use it. @throws Refusal if the token does not see it */
function loadedLine({ deps, params }: AdminContext): Line {
  const line = deps.lines.byId(Number(params.line_id));
  if (!line) throw lineNotFound();
  return line;
}

export const getLineChecks = get('/lines/{line_id}/checks', {
  tag: TAG,
  id: 'getLineChecks',
  permission: 'events.read',
  summary: 'Read the checks of a line',
  description: 'Whether the setup of the line is complete, as last read from the platform.',
  schema: 'LineChecks',
  refusals: () => [lineNotFound()],
  object: async (context, store) => resultsOf(context, await lineIn(context, store)),
});

export const runLineChecks = act('/lines/{line_id}/checks', {
  tag: TAG,
  id: 'runLineChecks',
  permission: 'lines.manage',
  summary: 'Run the checks of a line',
  description: 'Reads the setup from the platform now, at most once a minute.',
  schema: RunAnswer,
  refusals: () => [lineNotFound(), ...FORWARDED],
  handler: async (context) => {
    const { deps, isDryRun } = context;
    const line = loadedLine(context);
    const run = () => checkLine(deps, line);
    const refresh = isDryRun
      ? { requested: false }
      : await deps.refresher.refresh(line, 'checks', 'person', run, true);
    return found({ ...(await resultsOf(context, await lineIn(context, deps.store))), refresh });
  },
});

export const repairLineOperation = act('/lines/{line_id}/repair', {
  tag: TAG,
  id: 'repairLine',
  permission: 'lines.manage',
  summary: 'Repair the setup of a line',
  description: 'Makes the change at the platform that a check names in `repair`, and reads the checks again.',
  body: { schema: RepairBody, examples: { subscribe: { value: { repair: 'subscribe' } } } },
  schema: 'LineChecks',
  refusals: () => [
    lineNotFound(),
    notPermitted(),
    sharedBusinessAccount(),
    lineNotConfigured(),
    ...FORWARDED,
  ],
  keepsPlatformStatus: true,
  handler: async (context) => {
    const { deps, actor, by, request, isDryRun } = context;
    const { repair, pin = '' } = readRepair(request);
    const line = loadedLine(context);
    if (!isDryRun) {
      await repairLine(deps, actor, by, line, repair, pin);
      await checkLine(deps, line).catch((error: unknown) =>
        deps.log.error({ error, line: line.id }, 'line not checked after a repair'),
      );
    }
    return found(await resultsOf(context, await lineIn(context, deps.store)));
  },
});
