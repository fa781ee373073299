import { EventEmitter } from 'node:events';
import { slotsOfLines } from '../../../gateway/api/http/line-slots';
import { type RequestCheck } from '../../../gateway/api/access/authenticate-line';
import { tooManyAtOnce } from '../../../gateway/errors';

test('answers that end at once hand their slot on in turns of the event loop, not all in one', async () => {
  const take = slotsOfLines({ atOnce: 1, waiting: 20, refusal: () => tooManyAtOnce('lists', 1) });
  let ended = 0;
  const ask = async (): Promise<void> => {
    const raw = Object.assign(new EventEmitter(), { closed: false });
    const [request, reply] = [{ line: { id: 1 } }, { raw }] as unknown as Parameters<RequestCheck>;
    await take(request, reply);
    ended++;
    raw.emit('close');
  };
  const all = Array.from({ length: 20 }, ask);
  let mostInATurn = 0;
  while (ended < 20) {
    const before = ended;
    await new Promise(setImmediate);
    mostInATurn = Math.max(mostInATurn, ended - before);
  }
  await Promise.all(all);
  expect(mostInATurn).toBeLessThanOrEqual(2);
});
