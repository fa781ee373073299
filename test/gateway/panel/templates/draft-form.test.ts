import fc from 'fast-check';
import { STARTER_TEMPLATES } from '../../../../gateway/templates/starter-templates';
import { issuesOfCreation } from '../../../../gateway/templates/rules/template-issues';
import { formOf, valuesOf } from '../../../../gateway/panel/templates/editor/draft-form';
import { fieldAt, findingsOf } from '../../../../gateway/panel/templates/editor/findings';
import { draftIssues } from '../../../../gateway/templates/drafts/draft-issues';
import { type DraftInput } from '../../../../gateway/templates/drafts/draft';
import { randomTemplate, spoil } from '../../../support/random-templates';

type Json = Record<string, unknown>;

/** A template of the platform as a draft with two languages. */
function draftOf({ name, category, language, components, ...fields }: Json): DraftInput {
  const list = (Array.isArray(components) ? components : []).filter(
    (each): each is Json => typeof each === 'object' && each !== null && !Array.isArray(each),
  );
  const languages = [String(language), 'de'].map((each) => ({ language: each, components: list }));
  return {
    name: typeof name === 'string' ? name.trim() : '',
    category: typeof category === 'string' ? category : '',
    content: { ...fields, parameter_format: 'positional', languages },
  };
}

/** Puts the parts of cards into the order of the form; the platform knows them by their types. */
function inOrder(component: Json): Json {
  if (!Array.isArray(component.cards)) return component;
  const place = ({ type }: Json) => ['HEADER', 'BODY', 'BUTTONS'].indexOf(String(type));
  const cards = (component.cards as { components: Json[] }[]).map(({ components }) => ({
    components: components.toSorted((one, other) => place(one) - place(other)),
  }));
  return { ...component, cards };
}

const isAccepted = (template: Json): boolean =>
  issuesOfCreation(template, null).every(({ level }) => level === 'likely');

/** What browsers make of the line ends in a form. */
function submitted(form: Map<string, string>): FormData {
  const sent = new FormData();
  for (const [name, value] of form) sent.append(name, value.replaceAll('\n', '\r\n'));
  return sent;
}

const throughForm = (draft: DraftInput): DraftInput => valuesOf(submitted(formOf(draft).form));

describe('a draft that goes through the form of the editor', () => {
  test('is unchanged, whatever the platform accepts', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const template = randomTemplate(seed);
        if (!isAccepted(template)) return;
        accepted += 1;
        const draft = draftOf({ ...template, components: (template.components as Json[]).map(inOrder) });
        expect(throughForm(draft)).toEqual(draft);
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test.each(STARTER_TEMPLATES.map((each) => [each.name, each] as const))(
    'is unchanged: the starter template %s',
    (_, template) => {
      const draft = draftOf({ ...template });
      expect(throughForm(draft)).toEqual(draft);
    },
  );

  test('is complete, also with values of other types: a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (seed, other) => {
        const draft = draftOf(spoil(randomTemplate(seed), other) as Json);
        const once = throughForm(draft);
        expect(throughForm(once)).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });
});

test('every issue that the rules find has a field', () => {
  const rules = new Set<string>();
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (seed, other) => {
      const draft = draftOf(spoil(randomTemplate(seed), other) as Json);
      const { fields } = formOf(draft);
      draftIssues(draft, []).forEach((issues, language) => {
        for (const { rule, path } of issues) {
          rules.add(rule);
          const field = fieldAt({ rule, path }, fields[language] ?? new Map<string, string>());
          expect([rule, path, field]).toEqual([rule, path, expect.stringMatching(/./)]);
        }
      });
    }),
    { numRuns: 1000 },
  );
  expect(rules.size).toBeGreaterThan(15);
});

test('a language that a draft has twice is found, because only one of them can be submitted', () => {
  const draft = draftOf({ name: 'order', category: 'UTILITY', language: 'de', components: [] });
  const found = findingsOf(draftIssues(draft, []), formOf(draft));
  const twice = 'The draft has this language already. Choose another one.';
  expect(found.filter(({ sentence }) => sentence === twice)).toEqual([
    { language: 1, field: 'l1-language', level: 'refused', sentence: twice },
  ]);
});
