import { arrivalWakes } from '../../../../gateway/store/postgres/arrival-wakes';
import { readWake, wakeText } from '../../../../gateway/store/processes/wake';

test('what one process tells is read by another; whatever else is said there only makes it look for itself', () => {
  for (const wake of [{ waiting: [1, 2] }, { arrived: [4] }, { ownerless: [3] }])
    expect(readWake(wakeText(wake))).toEqual(wake);
  const others = [undefined, '', '{}', 'hello', '{', 'null', '5', '"x"', '[1]', '{"waiting":"x"}'];
  for (const text of [...others, '{"ownerless":null}', '{"waiting":["1"]}', '{"arrived":2}'])
    expect(readWake(text)).toBeNull();
});

test('one wake is told at a time, and what is recorded meanwhile goes with the next', async () => {
  const told: string[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const query = (_text: string, [, wake]: [string, string]) => {
    told.push(wake);
    return new Promise((resolve, reject) => answers.push((error) => (error ? reject(error) : resolve({}))));
  };
  const wakes = arrivalWakes({ query } as never);
  wakes.tell([]);
  await wakes.drained();
  for (const ids of [[1], [2, 3], [3]]) wakes.tell(ids);
  expect(told).toEqual(['{"arrived":[1]}']);
  // One that fails is found by the rows that tell of it.
  answers[0]?.(new Error('The connection is lost'));
  await new Promise(setImmediate);
  expect(told.slice(1)).toEqual(['{"arrived":[2,3]}']);
  answers[1]?.();
  await wakes.drained();
  wakes.tell([4]);
  expect(told.slice(2)).toEqual(['{"arrived":[4]}']);
});
