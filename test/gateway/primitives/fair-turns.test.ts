import { fairTurns } from '../../../gateway/primitives/fair-turns';

const MOST = 10;

/** Asks for one piece of work for each visitor, in that order. @returns who was served, in which order, and refused */
async function serve(visitors: string[]): Promise<{ served: string; refused: string }> {
  const inTurn = fairTurns(MOST);
  let [served, refused] = ['', ''];
  const ask = async (visitor: string) => {
    const work = async () => {
      await new Promise(setImmediate);
      served += visitor;
    };
    if (!(await inTurn(visitor, work))) refused += visitor;
  };
  await Promise.all(visitors.map(ask));
  return { served, refused };
}

test('visitors take turns, whoever came first', async () => {
  expect(await serve([...'aaaabbc'])).toEqual({ served: 'aabcaba', refused: '' });
});

test('whoever fills the queue loses a place to each who comes later, and gets none of theirs', async () => {
  // One at work and ten that wait; beyond that the one who asked for most is refused.
  const { served, refused } = await serve([...'aaaaaaaaaaaa', 'b', 'c', 'b']);
  expect([served, refused]).toEqual(['aabcabaaaaa', 'aaaa']);
});

test('where all have as many, the one who comes last is refused', async () => {
  expect(await serve([...'abcdefghijk', 'l', 'k'])).toEqual({ served: 'abcdefghijk', refused: 'lk' });
});
