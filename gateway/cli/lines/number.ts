import { SettingError } from '../../errors';
import {
  changeNumber,
  chatStartChange,
  CODE_METHODS,
  codeRequested,
  codeVerified,
  commandTexts,
  contactBlocked,
  deregistered,
  pinSet,
  qrCodeDeleted,
  qrCodeSaved,
  readNumber,
  registered,
  shopChange,
  type NumberChange,
} from '../../management/number';
import { entries, textOf, type Json } from '../../cloud-api/json/json-value';
import { confirmed } from '../confirmed';
import { commandActor } from '../offline';
import { wordsAndOptions, yes } from '../options';
import { oneLine, print } from '../print';
import { secretsIn, withoutSecrets } from '../secrets';
import { atPlatform } from './at-platform';

/** Commands about what the platform stores of a number. */

type Run = (args: string[], env: NodeJS.ProcessEnv) => Promise<number | void>;

const named = (tid: string | undefined): string[] => (tid === undefined ? [] : [tid]);

/** A list of the platform. @param columns of an entry, for people */
const list =
  (edge: string, columns: (entry: Json) => unknown[]): Run =>
  async (args, env) => {
    const { values, words } = wordsAndOptions(args, { flags: ['json'] });
    return atPlatform(env, words, async (deps, line) => {
      const entries = await readNumber(deps, line, edge);
      if (values.json) return print(JSON.stringify({ data: entries }));
      for (const entry of entries) print(...columns(entry).map((one) => oneLine(textOf(one))));
    });
  };

/** Makes a change. @param done what is printed, without --json */
const change = (
  env: NodeJS.ProcessEnv,
  tid: string[],
  changed: NumberChange,
  { json, done }: { json: boolean | undefined; done: (answer: string) => string },
): Promise<number | void> =>
  atPlatform(env, tid, async (deps, line) => {
    const answer = await changeNumber(deps, commandActor(), null, line, changed);
    print(json ? answer : oneLine(done(answer)));
  });

/** A change with one word after the line. @param missing what to say without it */
const withWord =
  (missing: string, changed: (word: string) => NumberChange, done: (word: string) => string): Run =>
  async (args, env) => {
    const { values, words } = wordsAndOptions(args, { flags: ['json'] });
    const [tid, word, ...more] = words;
    if (word === undefined || more.length) throw new SettingError(missing);
    return change(env, named(tid), changed(word), { json: values.json, done: () => done(word) });
  };

export const chatStartShow = list(
  'conversational_automation',
  ({ enable_welcome_message: welcome, prompts, commands }) => [
    `welcome: ${welcome === true}`,
    ...entries(prompts),
    ...commandTexts(commands),
  ],
);

export const chatStartEdit: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(args, {
    text: ['welcome'],
    lists: ['prompt', 'command'],
    flags: ['json'],
  });
  const { prompt: prompts, command: commands, json } = values;
  const welcome = yes('--welcome', values.welcome);
  if (!prompts && !commands && welcome === undefined)
    throw new SettingError('Give what to change, for example --prompt "Where is my order?".');
  const changed = chatStartChange({
    ...(welcome !== undefined && { welcome }),
    ...(prompts && { prompts }),
    ...(commands && { commands }),
  });
  return change(env, words, changed, { json, done: () => 'The chat start is changed.' });
};

export const shopShow = list('whatsapp_commerce_settings', (shop) => [
  `catalog: ${shop.is_catalog_visible === true}`,
  `cart: ${shop.is_cart_enabled === true}`,
]);

export const shopEdit: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(args, { text: ['catalog', 'cart'], flags: ['json'] });
  const catalog = yes('--catalog', values.catalog);
  const cart = yes('--cart', values.cart);
  if (catalog === undefined && cart === undefined)
    throw new SettingError('Give what to change, for example --cart false.');
  const changed = shopChange({
    ...(catalog !== undefined && { is_catalog_visible: catalog }),
    ...(cart !== undefined && { is_cart_enabled: cart }),
  });
  return change(env, words, changed, { json: values.json, done: () => 'The shop is changed.' });
};

export const qrList = list('message_qrdls', ({ code, prefilled_message: text, deep_link_url: link }) => [
  code,
  link,
  text,
]);

export const qrCreate: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(args, { text: ['text'], flags: ['json'] });
  const { text, json } = values;
  if (text === undefined) throw new SettingError('Give the text that the code fills in: --text TEXT.');
  const done = (answer: string) => {
    const { code, deep_link_url: link } = JSON.parse(answer) as Json;
    return `QR code ${textOf(code)} is created: ${textOf(link)}`;
  };
  return change(env, words, qrCodeSaved(null, text), { json, done });
};

export const qrEdit: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(args, { text: ['text'], flags: ['json'] });
  const { text, json } = values;
  const [tid, code, ...more] = words;
  if (code === undefined || more.length || text === undefined)
    throw new SettingError('Which code? Give one as "qr list TID" shows it, and its new text: --text TEXT.');
  return change(env, named(tid), qrCodeSaved(code, text), {
    json,
    done: () => `QR code ${code} is changed.`,
  });
};

export const qrDelete: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(args, { flags: ['yes', 'json'] });
  const [tid, code, ...more] = words;
  if (code === undefined || more.length)
    throw new SettingError('Which code? Give one as "qr list TID" shows it.');
  await confirmed(values.yes, `QR code ${code} is deleted. Its link then opens nothing.`);
  return change(env, named(tid), qrCodeDeleted(code), {
    json: values.json,
    done: () => `QR code ${code} is deleted.`,
  });
};

const WHICH_CONTACT = 'Which contact? Give one number, such as 12025550147.';

export const blockList = list('block_users', ({ wa_id: contact }) => [contact]);
export const blockAdd = withWord(
  WHICH_CONTACT,
  (contact) => contactBlocked(contact, true),
  (contact) => `${contact} is blocked.`,
);
export const blockRemove = withWord(
  WHICH_CONTACT,
  (contact) => contactBlocked(contact, false),
  (contact) => `${contact} is no longer blocked.`,
);

/** A change with a PIN, which is read from a file or the terminal. */
const withPin =
  (changed: (pin: string) => NumberChange, done: string): Run =>
  async (args, env) => {
    const { values, words } = wordsAndOptions(withoutSecrets(args, ['pin']), {
      text: ['pin-file'],
      flags: ['json'],
    });
    const { pin = '' } = await secretsIn(values, ['pin'], { pin: 'PIN of two-step verification' });
    return change(env, words, changed(pin.trim()), { json: values.json, done: () => done });
  };

export const numberRegister = withPin(registered, 'The number is registered.');
export const numberSetPin = withPin(pinSet, 'The PIN is set.');

export const numberDeregister: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(args, { flags: ['yes', 'json'] });
  await confirmed(
    values.yes,
    'The number is disconnected from the platform: it can neither send nor receive until it is registered.',
  );
  return change(env, words, deregistered(), {
    json: values.json,
    done: () => 'The number is disconnected.',
  });
};

export const numberRequestCode: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(args, { text: ['method', 'language'], flags: ['json'] });
  const { method = 'SMS', language = 'en_US', json } = values;
  const chosen = CODE_METHODS.find((one) => one === method.toUpperCase());
  if (!chosen) throw new SettingError('--method is SMS or VOICE.');
  return change(env, words, codeRequested(chosen, language), {
    json,
    done: () => 'The code is on its way to the number. Then run number verify-code.',
  });
};

export const numberVerifyCode: Run = async (args, env) => {
  const { values, words } = wordsAndOptions(withoutSecrets(args, ['code']), {
    text: ['code-file'],
    flags: ['json'],
  });
  const { code = '' } = await secretsIn(values, ['code'], { code: 'Verification code' });
  return change(env, words, codeVerified(code), { json: values.json, done: () => 'The number is verified.' });
};
