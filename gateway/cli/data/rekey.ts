import { audited } from '../../store/with-audit';
import { roomToScrub, scrubbed } from './scrub';
import { commandActor, offline } from '../offline';
import { optionsOf } from '../options';
import { print } from '../print';

/** Encrypts every secret with the current key, row by row. If interrupted, the next run continues. */
export async function rekey(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  await offline(env, async (deps) => {
    const { store, vault } = deps;
    await roomToScrub(store);
    const count = await store.secrets.sealAnew(vault);
    if (count)
      await audited(deps, commandActor(), { action: 'secrets.rekeyed', details: { count } }, async () => {});
    // Runs even if no row changed: the files may still contain data from an interrupted run.
    const sentence = await scrubbed(store, 'data under the old keys');
    if (values.json) return print(JSON.stringify({ rekeyed: count }));
    print(
      count
        ? `${count} secrets are encrypted with GATEWAY_SECRET_KEY now. Run it once more. If it then finds none, remove GATEWAY_OLD_SECRET_KEYS.`
        : 'Every secret is encrypted with GATEWAY_SECRET_KEY. You can remove GATEWAY_OLD_SECRET_KEYS.',
    );
    print(sentence);
    const lines = await store.lines.all();
    print(
      `If an old key was stolen, everything it decrypts may be known, also from backups. Replace the access tokens and app secrets at the platform (${lines.length} lines; then "line edit"). Give destinations other secrets ("destination rotate", with --overlap 0) and other headers, and let users set up their authenticator apps anew ("user reset").`,
    );
  });
}
