import { rebuildAll } from '../../usage/rebuild';
import { offline } from '../offline';
import { optionsOf } from '../options';
import { print } from '../print';

/** Rebuilds the usage of all days that are not frozen. */
export async function usageRebuild(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  const { days, changed } = await offline(env, ({ store }) =>
    rebuildAll({ store, clock: Date.now, goesOn: () => true }),
  );
  if (values.json) print(JSON.stringify({ days, changed }));
  else print(`${days} days of lines were rebuilt. ${changed} of them changed.`);
}
