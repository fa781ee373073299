import { SettingError } from '../../errors';
import { fact } from '../../wording/facts';
import { say } from '../../wording/say';
import { offline } from '../offline';
import { optionsOf } from '../options';
import { print } from '../print';

/**
 * Verifies the whole audit log.
 * @returns 1 if it was changed after it was written
 */
export async function auditVerify(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const values = optionsOf(args, { text: ['expect'], flags: ['json'] });
  const [, number, hash] = /^(\d{1,9}):([0-9a-f]{64})$/.exec(values.expect ?? '') ?? [];
  if (values.expect !== undefined && hash === undefined)
    throw new SettingError(
      '--expect takes what "audit verify" printed before, as 12:9f86d0… with all 64 digits.',
    );
  return offline(env, async ({ store, vault }) => {
    const { entries, cleared, lastHash, faults } = await store.audit.verify(vault);
    if (hash !== undefined && !faults.length && Number(number) <= cleared)
      throw new SettingError(
        `Entry ${number} was cleared away, as GATEWAY_KEEP_AUDIT says. Give --expect what was printed later.`,
      );
    if (hash !== undefined && (await store.audit.hash(Number(number))) !== hash)
      faults.push(fact('entry.unexpected', { number: Number(number) }));
    const differences = faults.map((fault) => say('en', fault));
    const code = faults.length ? 1 : 0;
    if (values.json) {
      print(
        JSON.stringify({ ok: !faults.length, entries, cleared, last_hash: lastHash, faults: differences }),
      );
      return code;
    }
    differences.forEach((one) => print(one));
    if (faults.length) {
      print('The audit is not as it was written.');
      return code;
    }
    print(`All ${entries - cleared} entries are as they were written.`);
    if (cleared)
      print(`Those before, up to number ${cleared}, were cleared away, as GATEWAY_KEEP_AUDIT says.`);
    if (entries)
      print(
        `Keep this elsewhere, to find out later whether the whole audit was put back to an earlier time: --expect ${entries}:${lastHash}`,
      );
    return code;
  });
}
