import fc from 'fast-check';
import { validateMessage } from '../../../../gateway/cloud-api/validate/validate-message';
import { DATABASES } from '../../../support/databases';
import { MESSAGES, type Broken } from '../../../support/message-shapes';
import { lineOf, sceneOf, type Json } from '../../../support/scene';

/** The same bodies at each run; a failure tells the seed and the path to the one that failed. */
const SEED = 20260310;
const JUDGED = 200;
const SENT = 12;

const shapes = Object.entries(MESSAGES);

const expectedFault = ({ path, is }: Broken) => {
  const place = path.replace(/^\./, '');
  if (is === 'missing' && !/[.[]/.test(place)) return { path: place, code: 100 };
  if (is !== 'bad') return { path: place, code: 131008 };
  return { path: place, code: place === 'type' ? 131051 : 131009 };
};

/** A body as it arrives: what no JSON can hold is gone. */
const arrived = (body: unknown) => JSON.parse(JSON.stringify(body)) as Record<string, unknown>;

describe('of every type, as judged', () => {
  test.each(shapes)('a good body has no fault: %s', (_name, { good }) => {
    fc.assert(
      fc.property(good, (body) => {
        expect(validateMessage(arrived(body))).toEqual([]);
      }),
      { seed: SEED, numRuns: JUDGED },
    );
  });

  test.each(shapes)('a body with one fault has that one, by its path and code: %s', (_name, { broken }) => {
    const objects = broken.filter(({ path }) => path !== '');
    fc.assert(
      fc.property(objects, (one) => {
        const faults = validateMessage(arrived(one.value)).map(({ path, code }) => ({ path, code }));
        expect(faults).not.toEqual([]);
        for (const fault of faults) expect(fault).toEqual(expectedFault(one));
      }),
      { seed: SEED, numRuns: 2 * JUDGED },
    );
  });
});

// On one database: none has a part in what becomes of a body.
describe.each(DATABASES.slice(0, 1))('of every type, as sent ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_LINE_RATE: 'off', GATEWAY_PAIR_LIMIT: 'off' });
  const line = lineOf(scene, { windowMode: 'upstream' });

  beforeAll(() => {
    let accepted = 0;
    scene.upstream.answers.messages = ({ body }) => ({
      body: body.includes('"status"')
        ? { success: true }
        : { messaging_product: 'whatsapp', messages: [{ id: `wamid.${++accepted}` }] },
    });
  });

  test.each(shapes)(
    'a good body reaches the platform with its meaning unchanged: %s',
    async (_name, { good }) => {
      await fc.assert(
        fc.asyncProperty(good, fc.constantFrom(undefined, 1, '\t'), async (body, indent) => {
          const raw = JSON.stringify(body, null, indent);
          const before = line.sent().length;
          const reply = await line.send(raw);
          expect([reply.status, reply.body.success]).toEqual([200, true]);
          const [received = '', ...others] = line.sent().slice(before);
          expect(others).toEqual([]);

          const asked = JSON.parse(raw) as Json;
          const to = /^[A-Z]{2}\./.test(asked.to ?? '') ? asked.to : asked.to?.replace(/\D/g, '');
          if (asked.messaging_product === 'whatsapp' && asked.to === to) expect(received).toBe(raw);
          expect(JSON.parse(received)).toEqual({
            ...asked,
            ...(to && { to }),
            messaging_product: 'whatsapp',
          });
        }),
        { seed: SEED, numRuns: SENT },
      );
    },
  );
});
