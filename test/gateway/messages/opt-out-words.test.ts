import { faultOfWords, saidBy, USUAL_WORDS, wordsIn } from '../../../gateway/messages/opt-out-words';
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

test('what cannot be set is told in a sentence', () => {
  expect(faultOfWords(USUAL_WORDS)).toBeNull();
  expect(faultOfWords({ out: ['Stop'], back: ['STOP!'] })).toEqual(fact('words.both', { word: 'Stop' }));
  expect(faultOfWords({ out: ['x'.repeat(41)], back: [] })).toEqual(fact('words.long', { most: 40 }));
  expect(faultOfWords({ out: [], back: Array.from({ length: 51 }, (_, index) => `w${index}`) })).toEqual(
    fact('words.many', { most: 50 }),
  );
});
