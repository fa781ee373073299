import { type Refusal } from '../../../gateway/errors';
import { saidBy, USUAL_WORDS, wordsIn, wordsInput } from '../../../gateway/messages/opt-out-words';
import { fact } from '../../../gateway/wording/facts';

test.each(['STOP', 'stop', ' Stop! ', 'Stop all', 'SAIR', 'sair.', 'Baja', 'darse  de baja', '“parar”'])(
  '%j says that no more messages are wanted',
  (text) => {
    expect(saidBy(text, USUAL_WORDS)?.state).toBe('out');
  },
);

test.each(['start', 'Voltar', 'ALTA', 'opt-in'])('%j says that messages are wanted again', (text) => {
  expect(saidBy(text, USUAL_WORDS)?.state).toBe('back');
});

test.each([
  'Please stop by tomorrow',
  'When does it stop?',
  'cancel',
  'não quero sair',
  '',
  '🛑',
  `STOP${' '.repeat(100)}`,
])('%j says neither', (text) => {
  expect(saidBy(text, USUAL_WORDS)).toBeNull();
});

test('accents do not matter, and the word is told as it is set', () => {
  expect(saidBy('adios', { out: ['¡Adiós!'], back: [] })).toEqual({ state: 'out', word: '¡Adiós!' });
});

test('words are read as people type them, each once', () => {
  expect(wordsIn(' STOP, no  more;Stop!\n\nBAJA ,,!')).toEqual(['STOP', 'no more', 'BAJA']);
});

function issuesOf(out: string, back: string): unknown {
  try {
    return wordsInput({ out, back });
  } catch (error) {
    return (error as Refusal).issues?.map((issue) => [issue.path, issue.fact]);
  }
}

test('what cannot be set is told in a sentence', () => {
  const many = Array.from({ length: 51 }, (_, index) => `w${index}`).join();
  expect(wordsInput(USUAL_WORDS)).toEqual(USUAL_WORDS);
  expect(issuesOf('Stop', 'STOP!')).toEqual([['back', fact('words.both', { word: 'Stop' })]]);
  expect(issuesOf('x'.repeat(41), many)).toEqual([
    ['out', fact('words.long', { most: 40 })],
    ['back', fact('words.many', { most: 50 })],
  ]);
});
