import { readConfig } from '../../config';
import { type CheckResult, type Repair } from '../../lines/checks/judge';
import { type Line } from '../../lines/line';
import { checkLine, lineCheckResults, repairLine } from '../../management/line-checks';
import { type LineRow } from '../../store/tables/lines';
import { say } from '../../wording/say';
import { commandActor } from '../offline';
import { wordsAndOptions } from '../options';
import { oneLine, print } from '../print';
import { atPlatform, printFailure, type AtPlatform } from './at-platform';

/** Repairs that need no secret of a person. */
const UNATTENDED: readonly Repair[] = ['subscribe', 'set_callback'];

/** @returns 1 if a check fails, also after the repairs */
export async function lineCheck(args: string[], env: NodeJS.ProcessEnv): Promise<number | void> {
  const { values, words } = wordsAndOptions(args, { flags: ['repair', 'json'] });
  const { GATEWAY_PUBLIC_URL: publicUrl } = readConfig(env);
  return atPlatform(env, words, async (deps, line) => {
    const given = { ...deps, publicUrl };
    let results = await checked(given, line);
    const repairs = results.flatMap(({ repair }) => (repair && UNATTENDED.includes(repair) ? [repair] : []));
    if (values.repair && repairs.length) {
      for (const repair of repairs)
        await repairLine(given, commandActor(), null, line, repair).catch(printFailure);
      results = await checked(given, line);
    }
    if (values.json) print(JSON.stringify({ line: line.id, checks: results.map(shown) }));
    else results.map(shown).forEach(({ state, check, sentence }) => print(state, check, oneLine(sentence)));
    if (results.some(({ state }) => state === 'failed')) return 1;
  });
}

async function checked(deps: AtPlatform & { publicUrl: string | null }, line: Line): Promise<CheckResult[]> {
  await checkLine(deps, line);
  const row = (await deps.store.lines.find(line.id)) as LineRow;
  return lineCheckResults(deps, row);
}

const shown = ({ check, state, fact, repair }: CheckResult) => ({
  ...{ check, state, sentence: say('en', fact) },
  ...(repair && { repair }),
});
