import { readWake, wakeText } from '../../../gateway/store/wake';

test('what one process tells is read by another; whatever else is said there only makes it look for itself', () => {
  for (const wake of [{ waiting: [1, 2] }, { arrived: [4] }, { ownerless: [3] }])
    expect(readWake(wakeText(wake))).toEqual(wake);
  const others = [undefined, '', '{}', 'hello', '{', 'null', '5', '"x"', '[1]', '{"waiting":"x"}'];
  for (const text of [...others, '{"ownerless":null}', '{"waiting":["1"]}', '{"arrived":2}'])
    expect(readWake(text)).toBeNull();
});
