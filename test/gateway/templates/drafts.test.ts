import { addCustomer, removeCustomer } from '../../../gateway/customers/manage-customers';
import { Refusal } from '../../../gateway/errors';
import { addSampleFile } from '../../../gateway/management/drafts/sample-files';
import { grantOf, type Grant } from '../../../gateway/rights/grants';
import { type Actor } from '../../../gateway/store/tables/audit';
import { type CustomerRow } from '../../../gateway/store/tables/customers';
import { type AuditedDeps } from '../../../gateway/store/with-audit';
import { createVault } from '../../../gateway/store/vault';
import { emptyDraft, exportedDraft, importedDraft } from '../../../gateway/templates/drafts/exchange';
import { draftIssues } from '../../../gateway/templates/drafts/draft-issues';
import { filesIn, type Draft, type DraftInput } from '../../../gateway/templates/drafts/draft';
import {
  createDraft,
  deleteDraft,
  duplicateDraft,
  saveDraft,
} from '../../../gateway/templates/drafts/manage-drafts';
import { DAY } from '../../../gateway/time';
import { say } from '../../../gateway/wording/say';
import { DATABASES } from '../../support/databases';
import { openStores } from '../store/support';

const ANA: Actor = { who: 'ana', through: 'panel', address: null };
const BEN: Actor = { who: 'ben', through: 'panel', address: null };
const KEY = 'a key for tests, and for nothing else';
const PNG = Buffer.from('\x89PNG\r\n\x1a\nand so on', 'latin1');
const OTHER_PNG = Buffer.from('\x89PNG\r\n\x1a\nanother', 'latin1');

const editorOf = (customer: CustomerRow | null): Grant[] => [
  grantOf({ customerId: customer && customer.id, role: 'editor' }),
];

const ORDER: DraftInput = {
  name: 'order_ready',
  category: 'UTILITY',
  content: {
    parameter_format: 'positional',
    message_send_ttl_seconds: 3600,
    languages: [
      { language: 'en_US', components: [{ type: 'BODY', text: 'Your order is ready.' }] },
      { language: 'pt_BR', components: [{ type: 'BODY', text: 'Seu pedido está pronto.' }] },
    ],
  },
};

const withPicture = (hash: string): DraftInput => ({
  ...ORDER,
  content: {
    ...ORDER.content,
    languages: [
      {
        language: 'en_US',
        components: [
          { type: 'HEADER', format: 'IMAGE', example: { header_handle: [{ file: hash }] } },
          { type: 'BODY', text: 'Your order is ready.' },
        ],
      },
    ],
  },
});

/** The error code of a refused change and its sentences; the result of another one. */
async function resultOf<T>(change: Promise<T>): Promise<T | string[]> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const said = error.issues?.map(({ message }) => message) ?? [say('en', error.said?.happened ?? '')];
    return [error.errorCode, ...said];
  }
}

describe.each(DATABASES)('drafts of templates on $name', ({ createUrl }) => {
  const open = openStores();
  let deps: AuditedDeps;
  let now: number;
  let [one, other] = [] as unknown as [CustomerRow, CustomerRow];

  beforeEach(async () => {
    now = Date.parse('2026-03-10T12:00:00.000Z');
    const store = await open(await createUrl());
    deps = {
      ...{ store, vault: createVault(KEY), registry: { refresh: async () => {} } },
      clock: () => now,
    };
    one = await addCustomer(deps, ANA, null, { name: 'One', externalId: null });
    other = await addCustomer(deps, ANA, null, { name: 'Other', externalId: null });
  });

  const make = (given = ORDER) => createDraft(deps, ANA, editorOf(one), one.id, given);
  const stored = async (id: number) => (await deps.store.templateDrafts.find(id))?.content;

  test('are stored as written, however incomplete, and each save counts', async () => {
    const draft = await make(emptyDraft('en_US'));
    expect(draft).toMatchObject({
      customerId: one.id,
      name: '',
      category: '',
      revision: 1,
      updatedBy: 'ana',
    });
    const strange = 'Größe \0 \ud800 {{1';
    const content = {
      ...draft.content,
      languages: [{ language: strange, components: [{ type: 'BODY', text: strange, unknown: [1, null] }] }],
    };
    now += 1_000;
    const saved = await saveDraft(deps, BEN, editorOf(one), draft.id, {
      ...{ name: 'No valid name!', category: 'ANY', content, revision: 1 },
    });
    expect(saved).toMatchObject({ name: 'No valid name!', revision: 2, updatedBy: 'ben' });
    expect(saved.content).toEqual(content);
    expect(saved.updatedAt > saved.createdAt).toBe(true);
    // Saving the same again is no save.
    expect(await saveDraft(deps, ANA, editorOf(one), draft.id, { ...saved, revision: 2 })).toEqual(saved);
    const entries = await deps.store.customerAudit.page(one.id, {}, 2);
    expect(entries.map(({ action, who, details }) => [action, who, JSON.parse(details)])).toEqual([
      ['draft.saved', 'ben', { name: 'No valid name!' }],
      ['draft.created', 'ana', { name: '' }],
    ]);
  });

  test('a save of an older revision overwrites nothing, and says who saved when', async () => {
    const draft = await make();
    await saveDraft(deps, BEN, editorOf(one), draft.id, { ...draft, name: 'of_ben' });
    const stale = { ...draft, name: 'of_ana' };
    expect(await resultOf(saveDraft(deps, ANA, editorOf(one), draft.id, stale))).toEqual([
      'draft_changed',
      'ben saved this draft on 10 Mar, 12:00 UTC.',
    ]);
    // Two at once, on the same revision.
    const both = ['a', 'b'].map((name) =>
      resultOf(saveDraft(deps, ANA, editorOf(one), draft.id, { ...draft, name, revision: 2 })),
    );
    const results = await Promise.all(both);
    expect(results.filter(Array.isArray)).toHaveLength(1);
    const [won] = results.filter((result) => !Array.isArray(result)) as Draft[];
    expect(await deps.store.templateDrafts.find(draft.id)).toMatchObject({ revision: 3, name: won?.name });
  });

  test('are not found by people of another customer, who change nothing', async () => {
    const { id, ...draft } = await make();
    const before = await stored(id);
    const missing = ['not_found', 'There is no such draft.'];
    const strangers: Grant[][] = [editorOf(other), [grantOf({ customerId: one.id, role: 'viewer' })], []];
    for (const by of strangers) {
      expect(await resultOf(saveDraft(deps, BEN, by, id, { ...draft, name: 'theirs' }))).toEqual(missing);
      expect(await resultOf(duplicateDraft(deps, BEN, by, id))).toEqual(missing);
      expect(await resultOf(deleteDraft(deps, BEN, by, id))).toEqual(missing);
      expect(await resultOf(addSampleFile(deps, by, id, { name: 'x.png', bytes: PNG }))).toEqual(missing);
      expect(((await resultOf(createDraft(deps, BEN, by, one.id, ORDER))) as string[])[0]).toBe(
        'not_permitted',
      );
    }
    expect(await stored(id)).toBe(before);
    expect(await deps.store.templateDrafts.ofCustomer(one.id)).toHaveLength(1);
    // Of the lines without a customer: only with a role in all of them.
    const common = await createDraft(deps, ANA, editorOf(null), null, ORDER);
    expect(await resultOf(deleteDraft(deps, BEN, editorOf(one), common.id))).toEqual(missing);
  });

  test('are limited in size, by field', async () => {
    const of = (content: unknown) => resultOf(make({ ...ORDER, content: content as never }));
    const language = { language: 'en', components: [{ text: 'x'.repeat(200 * 1024) }] };
    expect(await of({ languages: [language] })).toEqual(['invalid_payload', 'A draft has up to 200 KB.']);
    const many = Array.from({ length: 21 }, () => ({ language: 'en', components: [] }));
    expect(await of({ languages: many })).toEqual(['invalid_payload', 'A draft has up to 20 languages.']);
    const deep: unknown = Array.from({ length: 40 }).reduce((inner) => ({ inner }), {});
    const buttons = Array.from({ length: 4_000 }, () => ({ type: 'A' }));
    const full = { languages: [{ language: 'en', components: [{ type: 'BUTTONS', buttons }] }] };
    expect(await of(full)).toEqual(['invalid_payload', 'A draft has up to 4000 parts and variables.']);
    const shapes = [null, [], {}, { languages: [1] }, { languages: [{ language: 'en', components: [1] }] }];
    for (const content of [...shapes, { languages: [], deep }])
      expect(await of(content)).toEqual([
        'invalid_payload',
        'Each language of a template needs its code and a list of components.',
      ]);
  });

  test('keep sample files, which a copy has too, and drop unused ones after a day', async () => {
    const draft = await make();
    const by = editorOf(one);
    const hash = await addSampleFile(deps, by, draft.id, { name: 'photo.png', bytes: PNG });
    const unused = await addSampleFile(deps, by, draft.id, { name: 'other.png', bytes: OTHER_PNG });
    expect(await addSampleFile(deps, by, draft.id, { name: 'photo.png', bytes: PNG })).toBe(hash);
    const hashes = async (id: number) =>
      (await deps.store.templateDrafts.files(id)).map((file) => file.hash).toSorted();
    const saved = await saveDraft(deps, ANA, by, draft.id, { ...draft, ...withPicture(hash) });
    expect(filesIn(saved.content)).toEqual([hash]);
    expect(await hashes(draft.id)).toEqual([hash, unused].toSorted());
    now += DAY + 1;
    await saveDraft(deps, ANA, by, draft.id, { ...saved, name: 'order_ready_2' });
    expect(await hashes(draft.id)).toEqual([hash]);
    const copy = await duplicateDraft(deps, ANA, by, draft.id);
    expect(copy).toMatchObject({ name: 'order_ready_2_copy', content: saved.content, revision: 1 });
    await deleteDraft(deps, ANA, by, draft.id);
    expect(await deps.store.templateDrafts.find(draft.id)).toBeNull();
    expect(await hashes(draft.id)).toEqual([]);
    const kept = await deps.store.templateDrafts.file(copy.id, hash);
    expect(kept).toMatchObject({ name: 'photo.png', type: 'image/png' });
    expect(Buffer.from(kept?.bytes ?? [])).toEqual(PNG);
  });

  test('take only samples that the platform takes, by their content', async () => {
    const { id } = await make();
    const add = (bytes: Buffer) => resultOf(addSampleFile(deps, editorOf(one), id, { name: 'x.png', bytes }));
    const [word, said] = (await add(Buffer.from('<svg onload="x()">'))) as string[];
    expect([word, said]).toEqual(['invalid_payload', expect.stringContaining('image/png')]);
    expect(await add(Buffer.alloc(0))).toEqual(['invalid_payload', 'The file is empty.']);
    const large = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]);
    expect(await add(large)).toEqual(['invalid_payload', 'A sample file has up to 5 MB.']);
  });

  test('of a removed customer go to the lines without one, as its templates do', async () => {
    const { id } = await make();
    await removeCustomer(deps, ANA, null, one);
    expect(await deps.store.templateDrafts.ofCustomer(null)).toMatchObject([{ id }]);
  });
});

describe('the file of a draft', () => {
  test('has the platform’s format, and is read back unchanged', () => {
    expect(importedDraft(exportedDraft(ORDER))).toEqual(ORDER);
    expect(JSON.parse(exportedDraft(ORDER))).toEqual([
      {
        ...{ name: 'order_ready', category: 'UTILITY', parameter_format: 'positional' },
        ...{ message_send_ttl_seconds: 3600, language: 'en_US' },
        components: [{ type: 'BODY', text: 'Your order is ready.' }],
      },
      expect.objectContaining({ language: 'pt_BR' }),
    ]);
    const single = {
      ...ORDER,
      content: { ...ORDER.content, languages: ORDER.content.languages.slice(0, 1) },
    };
    expect(JSON.parse(exportedDraft(single))).toMatchObject({ name: 'order_ready', language: 'en_US' });
    expect(importedDraft(exportedDraft(single))).toEqual(single);
  });

  test('has no sample files, and links of the platform’s list count as none', () => {
    const exported = exportedDraft(withPicture('abc'));
    expect(exported).not.toContain('abc');
    const header = {
      type: 'HEADER',
      format: 'IMAGE',
      example: { header_handle: ['https://scontent/x', '4::aW'] },
    };
    const { content } = importedDraft(
      JSON.stringify({ id: '1', status: 'APPROVED', name: 'x', language: 'en', components: [header] }),
    );
    expect(content).toEqual({
      parameter_format: 'positional',
      languages: [{ language: 'en', components: [{ ...header, example: { header_handle: ['4::aW'] } }] }],
    });
  });

  test.each([
    ['{"name": ', /^This is not JSON: /],
    ['[]', /^Enter one template as a JSON object/],
    ['[{"name":"a"}, 7]', /^Enter one template as a JSON object/],
    ['"text"', /^Enter one template as a JSON object/],
    ['{"data": [{"name":"a","components":[]}]}', /^Enter one template/],
    ['[{"name":"a"}, {"name":"b"}]', /^"name" must be the same in all languages\./],
    ['[{"name":"a","category":"UTILITY"}, {"name":"a"}]', /^"category" must be/],
    [
      '[{"name":"a","message_send_ttl_seconds":60}, {"name":"a","message_send_ttl_seconds":90}]',
      /^"message_send_ttl_seconds" must/,
    ],
    ['['.repeat(10_000) + ']'.repeat(10_000), /^Enter one template/],
  ])('is refused with a reason: %.60s', async (json, said) => {
    const [word, ...issues] = (await resultOf((async () => importedDraft(json))())) as string[];
    expect(word).toBe('invalid_payload');
    expect(issues).toEqual([expect.stringMatching(said)]);
  });
});

test('the rules find the issues of each language, and a sample that the draft does not have', () => {
  expect(draftIssues(ORDER, [])).toEqual([[], []]);
  expect(draftIssues(withPicture('abc'), ['abc'])).toEqual([[]]);
  const [issues] = draftIssues(withPicture('abc'), []);
  expect(issues).toMatchObject([{ rule: 'sample.missing', path: 'components[0].example.header_handle' }]);
});
