import { at, objects, parsed } from '../../cloud-api/json/json-value';
import { SettingError } from '../../errors';
import { accessTokenOf, type Line } from '../../lines/line';
import { changeNumber, profileChange } from '../../management/number';
import { commandActor } from '../offline';
import { wordsAndOptions } from '../options';
import { oneLine, print } from '../print';
import { atPlatform } from './at-platform';

const TEXTS = ['about', 'description', 'email', 'address', 'vertical'] as const;
/** The platform returns only the fields that it is asked for. */
const FIELDS = [...TEXTS, 'websites', 'profile_picture_url'];

export async function profileShow(args: string[], env: NodeJS.ProcessEnv): Promise<number | void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  return atPlatform(env, words, async ({ cloudApi }, line) => {
    const read = { method: 'get', path: pathOf(line), query: { fields: FIELDS.join(',') } } as const;
    const answer = await cloudApi.forward(read, accessTokenOf(line));
    if (values.json) return print(answer);
    const [profile] = objects(at(parsed(answer), 'data'));
    for (const field of FIELDS) {
      const value = [at(profile, field) ?? []].flat().join(', ');
      if (value) print(field, oneLine(value));
    }
  });
}

export async function profileEdit(args: string[], env: NodeJS.ProcessEnv): Promise<number | void> {
  const { values, words } = wordsAndOptions(args, { text: TEXTS, lists: ['website'], flags: ['json'] });
  const { json, website: websites, ...texts } = values;
  const change = { ...texts, ...(websites && { websites }) };
  const names = Object.keys(change);
  if (!names.length)
    throw new SettingError('Give at least one field to change, for example --about "Open 9–18".');
  return atPlatform(env, words, async (deps, line) => {
    const answer = await changeNumber(deps, commandActor(), null, line, profileChange(change));
    print(json ? answer : `The business profile of line ${line.id} is changed: ${names.join(', ')}.`);
  });
}

const pathOf = ({ phoneNumberId }: Line): string =>
  `${encodeURIComponent(phoneNumberId)}/whatsapp_business_profile`;
