import { seeOther, type Outcome, type Visit } from '../request-context';
import { phoneAt, type PhonePlace } from './route-params';
import { askSandbox, contactPath, SandboxRefusal, type Json, type Switches } from './sandbox-client';

/** How many sends are refused where that is to hold from now on. */
const ALWAYS = 100_000;
const DELAYS: Record<string, string> = { slow: '2s', 'very slow': '20s' };

/** What each switch asks of the sandbox, and the sentence that tells of it. */
const DOINGS: Record<string, (visit: Visit, place: PhonePlace) => Promise<string>> = {
  path: setPath,
  clock: letTimePass,
  trouble: makeTrouble,
  flood: floodLine,
  usual: backToUsual,
  forget: forgetContact,
};

/** One of the switches beside the phone. The sandbox is no part of the gateway, so that the audit is told afterwards. */
export async function switchSandbox(visit: Visit): Promise<Outcome> {
  const place = phoneAt(visit);
  const what = text(visit, 'do');
  const doing = Object.hasOwn(DOINGS, what) ? DOINGS[what] : undefined;
  if (!doing) throw new SandboxRefusal('There is no such switch.');
  const sentence = await doing(visit, place);
  const set = Object.fromEntries([...visit.form].filter(([, value]) => typeof value === 'string'));
  await visit.change(
    // Not of which contact: an entry cannot be taken out of the audit when somebody is to be forgotten.
    { action: 'sandbox.switched', lineId: place.line.id, details: set },
    async () => undefined,
  );
  return seeOther(place.address, sentence);
}

const text = ({ form }: Visit, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim().slice(0, 100) : '';
};

const ask = <T>(visit: Visit, method: 'POST' | 'DELETE', path: string, body?: Json): Promise<T> =>
  askSandbox<T>(visit.world.sandboxUrl ?? '', method, path, body);

async function setPath(visit: Visit, { line, contact }: PhonePlace): Promise<string> {
  const [path, code] = [text(visit, 'path'), Number(text(visit, 'code'))];
  const times = text(visit, 'times') === 'always' ? null : Number(text(visit, 'times'));
  if (path === 'refused')
    await ask(visit, 'POST', '/failures', {
      ...{ code, as: 'answer', contact, line: line.phoneNumberId },
      times: times ?? ALWAYS,
    });
  else
    await ask(visit, 'POST', contactPath(contact), {
      path,
      ...(path === 'failed' && { code }),
      ...(times !== null && { next: times }),
    });
  return 'That is set. The next message shows it.';
}

async function letTimePass(visit: Visit): Promise<string> {
  await ask(visit, 'POST', '/clock', { advance: text(visit, 'advance') });
  return 'Time has passed in the sandbox.';
}

async function makeTrouble(visit: Visit): Promise<string> {
  const [trouble, duration] = [text(visit, 'trouble'), text(visit, 'for')];
  const delay = DELAYS[trouble];
  if (delay) await ask(visit, 'POST', '/latency', { delay, for: duration });
  else await ask(visit, 'POST', '/outage', { kind: trouble, for: duration });
  return 'Upstream is in trouble now. It ends by itself.';
}

async function floodLine(visit: Visit, { line }: PhonePlace): Promise<string> {
  const messages = Number(text(visit, 'messages'));
  if (!Number.isInteger(messages) || messages < 1 || messages > 1000)
    throw new SandboxRefusal('A flood has 1 to 1000 messages.');
  await ask(visit, 'POST', '/flood', { messages, line: line.phoneNumberId });
  return messages === 1 ? '1 message is on its way.' : `${messages} messages are on their way.`;
}

async function backToUsual(visit: Visit, { contact }: PhonePlace): Promise<string> {
  const { next } = await ask<Switches>(visit, 'POST', contactPath(contact), { path: 'read' });
  if (next) await ask(visit, 'POST', contactPath(contact), { path: 'read', next: 1 });
  await ask(visit, 'DELETE', '/failures');
  await ask(visit, 'DELETE', '/latency');
  await ask(visit, 'DELETE', '/outage');
  return 'Everything is as usual again.';
}

async function forgetContact(visit: Visit, { contact }: PhonePlace): Promise<string> {
  await ask(visit, 'POST', '/reset', { contact });
  return 'The sandbox has forgotten this contact.';
}
