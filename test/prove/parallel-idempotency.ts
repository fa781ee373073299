import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../support/http-peer';
import { freePort } from '../support/postgres';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { addLine, launch, settingsOf, type Gateway } from './gateway';
import { type Proof } from './proof';

/** The platform's reaction to a send. */
type Mood =
  | 'at once'
  | 'after a while'
  | 'with its own 500'
  | 'with 400'
  | 'never'
  | 'by hanging up'
  | 'with a page of something between';

const REQUEST = { to: '16505551234', type: 'image', image: { link: 'https://example.com/a.png' } };

interface Answer {
  /** 0 if the connection broke. */
  status: number;
  text: string;
  isReplayed: boolean;
}

/** Allowed statuses for each reaction, first and repeated; the most specific first. */
const MAY_BE: Record<Mood, number[]> = {
  'after a while': [200, 409],
  'at once': [200, 409],
  'with its own 500': [502, 409],
  'with 400': [400, 409],
  never: [504, 409],
  'by hanging up': [504, 409],
  // 504 is for requests that arrive once the outcome is known to be unknown.
  'with a page of something between': [502, 409, 504],
};

export const parallelIdempotency: Proof<{ keys: number; parallel: number; kills: number }> = {
  name: 'parallel-idempotency',
  proves:
    'parallel sends under one Idempotency-Key make one upstream call, through one process or two, and one whose outcome is unknown is never repeated, kill -9 included (P16)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { keys: 14, parallel: 100, kills: 12 },

  async run(stage) {
    const { keys, parallel, kills } = stage.sizes;
    const faults: string[] = [];
    const upstream = await startUpstream();
    stage.atEnd(upstream.close);
    const env = await settingsOf(stage, { GATEWAY_UPSTREAM_URL: upstream.url });
    const token = await addLine(env);
    const gateways: Gateway[] = [launch(stage, env)];
    await gateways[0]?.listening;
    if (stage.ground === 'PostgreSQL') {
      const other = { ...env, GATEWAY_PORT: String(await freePort()) };
      gateways.push(launch(stage, other));
      await gateways[1]?.listening;
    }

    const send = async (key: string, to: Gateway | undefined): Promise<Answer> => {
      try {
        const given = await fetch(`${to?.url}/v22.0/${PHONE_NUMBER_ID}/messages`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          // This value tells the keys apart at the platform.
          body: JSON.stringify({ ...REQUEST, biz_opaque_callback_data: key }),
        });
        const isReplayed = given.headers.get('idempotency-replayed') === 'true';
        return { status: given.status, text: await given.text(), isReplayed };
      } catch {
        return { status: 0, text: '', isReplayed: false };
      }
    };

    let sends = 0;
    const moods = Object.keys(MAY_BE) as Mood[];
    for (let number = 0; number < keys; number++) {
      const mood = moods[number % moods.length] as Mood;
      const key = `parallel ${number}`;
      upstream.mood = mood;
      stage.tell(`${parallel} at once, upstream answers ${mood}`);
      const answers = await Promise.all(
        Array.from({ length: parallel }, (_, index) => send(key, gateways[index % gateways.length])),
      );
      sends += parallel;
      const calls = upstream.calls(key);
      // The platform refused the send, so a later request may try again.
      const isRefused = mood === 'with 400' || mood === 'with its own 500';
      if (calls !== 1 && !isRefused) faults.push(`${key} (${mood}) made ${calls} upstream calls`);
      if (isRefused && upstream.mostAtOnce(key) > 1) faults.push(`${key} (${mood}) was called twice at once`);
      for (const { status, text } of answers.filter((one) => !MAY_BE[mood].includes(one.status)).slice(0, 2))
        faults.push(`${key} (${mood}) is answered ${status}: ${text.slice(0, 200)}`);
      const done = answers.filter(({ status }) => status === 200).map(({ text }) => text);
      if (new Set(done).size > 1) faults.push(`${key} (${mood}) is answered in ${new Set(done).size} ways`);
      upstream.mood = 'at once';
      if (isRefused) continue;
      // Repeats the key through each gateway; it must not be sent again.
      for (const gateway of gateways) {
        const again = await send(key, gateway);
        sends++;
        const isSuccess = mood === 'at once' || mood === 'after a while';
        if (
          isSuccess
            ? again.status !== 200 || !again.isReplayed || again.text !== done[0]
            : again.status === 200
        )
          faults.push(
            `${key} (${mood}), asked again, is answered ${again.status}: ${again.text.slice(0, 200)}`,
          );
      }
      if (upstream.calls(key) !== 1) faults.push(`${key} (${mood}) was called again`);
    }

    // Kills the gateway after the platform has the message and before the answer is recorded.
    let broken = 0;
    let recordedFirst = 0;
    for (let number = 0; number < kills; number++) {
      const key = `killed ${number}`;
      // The kill happens between shortly before the platform's answer and well after it.
      upstream.answerAfter = 30;
      const killAfter = 25 + stage.random() * 15;
      upstream.mood = 'after a while';
      const asking = Array.from({ length: 5 }, () => send(key, gateways[0]));
      await until(() => upstream.calls(key) > 0, 10_000);
      await wait(killAfter);
      await gateways[0]?.end('SIGKILL');
      const answers = await Promise.all(asking);
      broken += answers.filter(({ status }) => status === 0).length;
      gateways[0] = launch(stage, env);
      await gateways[0].listening;
      upstream.mood = 'at once';
      const known = answers.find(({ status }) => status === 200);
      for (const gateway of [...gateways, gateways[0]]) {
        const again = await send(key, gateway);
        if (again.status === 200) {
          recordedFirst++;
          if (!again.isReplayed) faults.push(`${key} was sent anew after the kill`);
          if (known && known.text !== again.text) faults.push(`${key} has another answer after the kill`);
        } else if (known) {
          faults.push(`${key} was answered 200 before the kill, and ${again.status} after it`);
        } else if (![409, 504].includes(again.status)) {
          faults.push(`${key} is answered ${again.status} after the kill: ${again.text.slice(0, 200)}`);
        }
      }
      if (upstream.calls(key) !== 1) faults.push(`${key} made ${upstream.calls(key)} upstream calls`);
    }
    return {
      figures: {
        processes: gateways.length,
        sends,
        keys,
        'kill -9 while a send was on its way': kills,
        'requests that a kill broke off': broken,
        'answers known after a kill': recordedFirst,
        'upstream calls': upstream.total(),
      },
      faults,
    };
  },
};

async function startUpstream() {
  const calls = new Map<string, number>();
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  let sent = 0;
  const upstream = {
    mood: 'at once' as Mood,
    answerAfter: 300,
    url: '',
    calls: (key: string): number => calls.get(key) ?? 0,
    mostAtOnce: (key: string): number => most.get(key) ?? 0,
    total: (): number => [...calls.values()].reduce((sum, one) => sum + one, 0),
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };

  const says = (response: ServerResponse, status: number, body: object): void => {
    response
      .writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
      .end(JSON.stringify(body));
  };

  async function take(key: string, response: ServerResponse): Promise<void> {
    const { mood } = upstream;
    const error = (code: number) => ({
      error: { message: 'No', type: 'OAuthException', code, fbtrace_id: 'x' },
    });
    if (mood === 'after a while') await wait(upstream.answerAfter);
    if (mood === 'never') return;
    if (mood === 'by hanging up') {
      response.destroy();
      return;
    }
    if (mood === 'with a page of something between') {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
      return;
    }
    if (mood === 'with its own 500') return says(response, 500, error(2));
    if (mood === 'with 400') return says(response, 400, error(131051));
    says(response, 200, {
      messaging_product: 'whatsapp',
      contacts: [{ input: REQUEST.to, wa_id: REQUEST.to }],
      messages: [{ id: `wamid.${key}.${++sent}` }],
    });
  }

  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more: string) => (text += more));
    request.on('end', () => {
      if (request.method !== 'POST') return says(response, 200, { id: PHONE_NUMBER_ID });
      const { biz_opaque_callback_data: key = '' } = JSON.parse(text) as {
        biz_opaque_callback_data?: string;
      };
      calls.set(key, (calls.get(key) ?? 0) + 1);
      now.set(key, (now.get(key) ?? 0) + 1);
      most.set(key, Math.max(most.get(key) ?? 0, now.get(key) ?? 0));
      response.once('close', () => now.set(key, (now.get(key) ?? 1) - 1));
      void take(key, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}
