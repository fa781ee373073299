import { type Json } from '../../cloud-api/json/json-value';
import { notPermitted } from '../../errors';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';
import { phoneAt, type PhoneParams } from './route-params';
import { askSandbox, contactPath, SandboxRefusal, type Switches } from '../send/sandbox-client';

/** Number of refused sends that stands for "from now on". */
const ALWAYS = 100_000;
const DELAYS: Record<string, string> = { slow: '2s', 'very slow': '20s' };

/** Simulations for all contacts of the sandbox, and so of all customers. */
const GATEWAY_WIDE: readonly string[] = ['clock', 'trouble', 'usual'];

/** Changes each simulation at the sandbox, and returns the confirmation. */
const CONDITIONS: Record<string, (context: UserContext, phone: PhoneParams) => Promise<string>> = {
  path: setPath,
  clock: letTimePass,
  trouble: degradePlatform,
  flood: floodLine,
  usual: backToUsual,
  forget: forgetContact,
};

/** Changes a simulation. The sandbox has its own storage, so the audit entry is written afterwards. */
export async function setConditions(context: UserContext): Promise<PanelResponse> {
  const phone = phoneAt(context);
  const what = text(context, 'do');
  const apply = Object.hasOwn(CONDITIONS, what) ? CONDITIONS[what] : undefined;
  if (!apply) throw new SandboxRefusal(t('There is no such switch.'));
  if (GATEWAY_WIDE.includes(what) && !context.may('gateway')) throw notPermitted();
  const sentence = await apply(context, phone);
  const set = Object.fromEntries([...context.form].filter(([, value]) => typeof value === 'string'));
  await context.audited(
    // Without the contact, because audit entries stay when a contact is forgotten.
    { action: 'sandbox.switched', lineId: phone.line.id, details: set },
    async () => undefined,
  );
  return seeOther(phone.address, sentence);
}

const text = ({ form }: UserContext, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim().slice(0, 100) : '';
};

const ask = <T>(context: UserContext, method: 'POST' | 'DELETE', path: string, body?: Json): Promise<T> =>
  askSandbox<T>(context.deps.sandboxUrl ?? '', method, path, body);

async function setPath(context: UserContext, { line, contact }: PhoneParams): Promise<string> {
  const [path, code] = [text(context, 'path'), Number(text(context, 'code'))];
  const times = text(context, 'times') === 'always' ? null : Number(text(context, 'times'));
  if (path === 'refused')
    await ask(context, 'POST', '/failures', {
      ...{ code, as: 'answer', contact, line: line.phoneNumberId },
      times: times ?? ALWAYS,
    });
  else
    await ask(context, 'POST', contactPath(contact), {
      path,
      ...(path === 'failed' && { code }),
      ...(times !== null && { next: times }),
    });
  return t('Set. It applies from the next message.');
}

async function letTimePass(context: UserContext): Promise<string> {
  await ask(context, 'POST', '/clock', { advance: text(context, 'advance') });
  return t('Time has passed in the sandbox.');
}

async function degradePlatform(context: UserContext): Promise<string> {
  const [trouble, duration] = [text(context, 'trouble'), text(context, 'for')];
  const delay = DELAYS[trouble];
  if (delay) await ask(context, 'POST', '/latency', { delay, for: duration });
  else await ask(context, 'POST', '/outage', { kind: trouble, for: duration });
  return t('The platform is failing now. This ends by itself.');
}

async function floodLine(context: UserContext, { line }: PhoneParams): Promise<string> {
  const messages = Number(text(context, 'messages'));
  if (!Number.isInteger(messages) || messages < 1 || messages > 1000)
    throw new SandboxRefusal(t('A flood has 1 to 1000 messages.'));
  await ask(context, 'POST', '/flood', { messages, line: line.phoneNumberId });
  return t('{messages, plural, one {# message is on its way} other {# messages are on their way}}.', {
    messages,
  });
}

async function backToUsual(context: UserContext, { contact }: PhoneParams): Promise<string> {
  const { next } = await ask<Switches>(context, 'POST', contactPath(contact), { path: 'read' });
  if (next) await ask(context, 'POST', contactPath(contact), { path: 'read', next: 1 });
  await ask(context, 'DELETE', '/failures');
  await ask(context, 'DELETE', '/latency');
  await ask(context, 'DELETE', '/outage');
  return t('Everything is back to normal.');
}

async function forgetContact(context: UserContext, { contact }: PhoneParams): Promise<string> {
  await ask(context, 'POST', '/reset', { contact });
  return t('The sandbox has forgotten this contact.');
}
