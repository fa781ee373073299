import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { isObject, parsed, textOf } from '../../cloud-api/json/json-value';
import { quoted, Refusal, SettingError } from '../../errors';
import { createTemplate, deleteTemplate, editTemplate, type GivenTemplate } from '../../management/templates';
import { templateRecord } from '../../templates/template-record';
import { confirmed } from '../confirmed';
import { commandActor, lineByTid, offline } from '../offline';
import { wordsAndOptions } from '../options';
import { oneLine, print } from '../print';
import { atPlatform } from './at-platform';

export async function templateList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  await offline(env, async ({ store }) => {
    const { id } = await lineByTid(store, words);
    const rows = await store.templates.ofLine(id);
    if (values.json)
      return print(
        JSON.stringify({
          synced_at: await store.templates.syncedAt(id),
          templates: rows.map(templateRecord),
        }),
      );
    for (const { upstream_id, name, language, category, upstream_status: status } of rows)
      print(...[upstream_id ?? '-', name, language, category, status ?? 'starter'].map(oneLine));
  });
}

export async function templateCreate(args: string[], env: NodeJS.ProcessEnv): Promise<number | void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  const [tid, file, ...more] = words;
  const template = await templateIn(file, more);
  return atPlatform(env, named(tid), async (deps, line) => {
    const { answer, warnings } = await createTemplate(deps, commandActor(), line, template).catch(byPaths);
    warnings.forEach(({ path, message }) =>
      process.stderr.write(`The review will probably refuse this. ${path}: ${message}\n`),
    );
    if (values.json) return print(answer);
    const { id, status, category } = parsed(answer) as Record<string, unknown>;
    print(oneLine(`Template ${textOf(id)} is submitted: ${textOf(status)}, ${textOf(category)}.`));
  });
}

export async function templateEdit(args: string[], env: NodeJS.ProcessEnv): Promise<number | void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  const [tid, id, file, ...more] = words;
  if (id !== undefined && !/^\d{1,20}$/.test(id))
    throw new SettingError('Which template? Give its id, a number that "template list TID" shows.');
  const template = await templateIn(file, more);
  return atPlatform(env, named(tid), async (deps, line) => {
    const answer = await editTemplate(deps, commandActor(), line, id ?? '', template).catch(byPaths);
    print(values.json ? answer : `The edit of template ${id} is submitted.`);
  });
}

export async function templateDelete(args: string[], env: NodeJS.ProcessEnv): Promise<number | void> {
  const { values, words } = wordsAndOptions(args, { text: ['id'], flags: ['yes', 'json'] });
  const [tid, name, ...more] = words;
  if (name === undefined || more.length)
    throw new SettingError('Which template? Give one name, as "template list TID" shows it.');
  return atPlatform(env, named(tid), async (deps, line) => {
    const { id } = values;
    const label = `Template ${quoted(name)} ${id === undefined ? 'in all its languages' : `with the id ${id}`}`;
    await confirmed(
      values.yes,
      `${label} is deleted at the platform. Its name cannot be used again for 30 days.`,
    );
    const query = { name, ...(id !== undefined && { hsm_id: id }) };
    const answer = await deleteTemplate(deps, commandActor(), line, query);
    print(values.json ? answer : `${label} is deleted.`);
  });
}

const named = (tid: string | undefined): string[] => (tid === undefined ? [] : [tid]);

/** @throws SettingError if there is not exactly one file, or if it has no JSON object */
async function templateIn(file: string | undefined, more: string[]): Promise<GivenTemplate> {
  if (file === undefined || more.length)
    throw new SettingError('Which file? Give one with the template as JSON; - is standard input.');
  const raw =
    file === '-'
      ? await buffer(process.stdin)
      : await readFile(file).catch(() => {
          throw new SettingError(`The file ${quoted(file)} cannot be read.`);
        });
  const value = parsed(raw.toString());
  if (!isObject(value)) throw new SettingError(`${quoted(file)} does not contain a JSON object.`);
  return { value, raw };
}

/** Rethrows a refusal by the rules with the places in the file, which are not options. */
function byPaths(error: unknown): never {
  if (!(error instanceof Refusal) || !error.issues) throw error;
  throw new SettingError(error.issues.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}
