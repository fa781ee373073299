/** Drafts that are submitted to the embedded sandbox, and to a platform whose answers get lost. */
import { isDeepStrictEqual } from 'node:util';
import { addCustomer } from '../../../gateway/customers/manage-customers';
import { withPlatform } from '../../../gateway/cli/lines/at-platform';
import { cloudApi } from '../../../gateway/cloud-api/client';
import { Refusal } from '../../../gateway/errors';
import { createHttpClient } from '../../../gateway/http/http-client';
import { type NewLine } from '../../../gateway/lines/add-line';
import { draftBoard, type BoardCell } from '../../../gateway/management/drafts/board';
import { addSampleFile } from '../../../gateway/management/drafts/sample-files';
import {
  submitDraft,
  type DraftCell,
  type SubmitDeps,
} from '../../../gateway/management/drafts/submit-draft';
import { removeLine } from '../../../gateway/lines/forget';
import { refresh } from '../../../gateway/management/templates';
import { grantOf, type By } from '../../../gateway/rights/grants';
import { type Actor } from '../../../gateway/store/tables/audit';
import { type Draft, type DraftInput } from '../../../gateway/templates/drafts/draft';
import { createDraft, deleteDraft, saveDraft } from '../../../gateway/templates/drafts/manage-drafts';
import { type AuditedDeps } from '../../../gateway/store/with-audit';
import { say } from '../../../gateway/wording/say';
import { until } from '../../support/http-peer';
import { sceneOf, type Json, type Scene } from '../../support/scene';

const ANA: Actor = { who: 'ana', through: 'panel', address: null };
const PNG = Buffer.from('\x89PNG\r\n\x1a\nand so on', 'latin1');

const http = createHttpClient({ maxAnswerBytes: 1024 * 1024, brokenBody: 'fails' });
afterAll(() => http.close());

const BODY = { type: 'BODY', text: 'Hello {{1}}, your order is ready.', example: { body_text: [['Ana']] } };
const bodyIn = (text: string) => ({ ...BODY, text });

const orderIn = (name: string, ...languages: string[]): DraftInput => ({
  ...{ name, category: 'UTILITY' },
  content: {
    parameter_format: 'positional',
    languages: languages.map((language) => ({ language, components: [BODY] })),
  },
});

let accounts = 0;
const newAccount = () => `7022901293403${String(++accounts).padStart(2, '0')}`;

/** A customer with a line on each of these accounts, and what it does with drafts. */
async function customerWith(scene: Scene, ...lines: Partial<NewLine>[]) {
  const customer = await scene.change((world) =>
    addCustomer(world, ANA, null, { name: `Customer ${++accounts}`, externalId: null }),
  );
  for (const line of lines) await scene.line({ ...line, customerId: customer.id });
  const by: By = [grantOf({ customerId: customer.id, role: 'editor' })];
  const platform = scene.gateway.sandboxUrl ?? scene.upstream.url;
  const deps: SubmitDeps & AuditedDeps = await scene.change((world) =>
    withPlatform(world, cloudApi(http, platform)),
  );
  const cellsOf = async (draft: Draft) => {
    const board = await draftBoard(deps, draft);
    return board.accounts.flatMap(({ wabaId, cells }) => cells.map((cell) => ({ wabaId, ...cell })));
  };
  return {
    ...{ customer, by, deps, cellsOf },
    draft: (given: DraftInput) => createDraft(deps, ANA, by, customer.id, given),
    save: (draft: Draft, given: Partial<DraftInput>) =>
      saveDraft(deps, ANA, by, draft.id, { ...draft, ...given }),
    async submit(draft: Draft, cells?: DraftCell[], as = by) {
      const all = cells ?? (await cellsOf(draft));
      const outcomes = await (await submitDraft(deps, ANA, as, draft.id, all))();
      return outcomes.map(({ wabaId, language, failure }) => [
        wabaId,
        language,
        failure && failure.map((one) => say('en', one)),
      ]);
    },
  };
}

const shown = ({ template, action, isDifferent, hasOtherCategory, submission }: BoardCell) => ({
  status: template && template.upstream_status,
  ...{ action, isDifferent, hasOtherCategory },
  failed: submission && submission.failure !== null,
});

describe('at the sandbox', () => {
  const scene = sceneOf(undefined, { GATEWAY_UPSTREAM_URL: 'sandbox' });

  /** At the sandbox itself, past the gateway. */
  const directly = async (token: string, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await fetch(`${scene.gateway.sandboxUrl}/v22.0${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const play = (path: string, body: object) =>
    fetch(`${scene.gateway.sandboxUrl}/sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });

  test('a draft goes to each account in each language, and a refusal stops none of the others', async () => {
    const [first, second] = [newAccount(), newAccount()];
    const shop = await customerWith(
      scene,
      { wabaId: first, accessToken: 'EAAfirst' },
      { wabaId: second, accessToken: 'EAAsecond' },
    );
    // The platform keeps the name for 30 days after a deletion, which the gateway does not know.
    const { name } = orderIn('order_ready', 'en_US');
    await directly('EAAsecond', 'POST', `/${second}/message_templates`, {
      ...{ name, language: 'pt_BR', category: 'UTILITY', components: [BODY] },
    });
    const [made] = (await directly('EAAsecond', 'GET', `/${second}/message_templates?name=${name}`)).data;
    const lines = await shop.deps.store.lines.all();
    const line = lines.find(({ waba_id: id }) => id === second)?.phone_number_id;
    await play(`templates/${made.id}`, { event: 'APPROVED', line });
    await directly('EAAsecond', 'DELETE', `/${second}/message_templates?name=${name}`);

    const draft = await shop.draft(orderIn(name, 'en_US', 'pt_BR'));
    expect((await shop.cellsOf(draft)).map(({ action }) => action)).toEqual(Array(4).fill('create'));
    const outcomes = await shop.submit(draft);
    expect(outcomes.map(([, , failure]) => failure && (failure as string[]).length > 0)).toEqual([
      null,
      null,
      true,
      true,
    ]);
    expect(outcomes[2]?.slice(0, 2)).toEqual([second, 'en_US']);
    expect(String(outcomes[2]?.[2])).toMatch(/name|deleted/i);
    const cells = await shop.cellsOf(draft);
    const waits = { status: 'PENDING', action: null, isDifferent: false, hasOtherCategory: false };
    const refused = { status: null, action: 'create', isDifferent: false, hasOtherCategory: false };
    expect(cells.map(shown)).toEqual([
      { ...waits, failed: false },
      { ...waits, failed: false },
      { ...refused, failed: true },
      { ...refused, failed: true },
    ]);
    // The reason stays, until the next submission.
    expect(String(cells[2]?.submission?.failure)).toBe(String(outcomes[2]?.[2]));
  });

  test('a changed draft edits what was approved, and only there', async () => {
    const wabaId = newAccount();
    const shop = await customerWith(scene, { wabaId, accessToken: 'EAAedit' });
    const draft = await shop.draft(orderIn('order_edit', 'en_US'));
    await shop.submit(draft);
    const [cell] = await shop.cellsOf(draft);
    const lines = await shop.deps.store.lines.all();
    const line = lines.find(({ waba_id: id }) => id === wabaId)?.phone_number_id;
    await play(`templates/${cell?.template?.upstream_id}`, { event: 'APPROVED', line });
    const changed = await shop.save(draft, {
      // The platform changes no category of an approved template.
      category: 'MARKETING',
      content: {
        ...draft.content,
        languages: [{ language: 'en_US', components: [bodyIn('Hello {{1}}, come and get it today.')] }],
      },
    });
    const lineOn = (id: string) => {
      const [found] = scene.gateway.lines.ofBusinessAccount(id);
      if (!found) throw new Error(`There is no line on ${id}`);
      return found;
    };
    const becomes = (wanted: Partial<ReturnType<typeof shown>>) =>
      until(async () => {
        // Values of the platform's events in the same second are newer than its list.
        scene.clock.now += 60_000;
        await refresh(shop.deps, lineOn(wabaId));
        const [one] = await shop.cellsOf(changed);
        return one !== undefined && isDeepStrictEqual({ ...shown(one), ...wanted }, shown(one));
      });
    await becomes({ status: 'APPROVED', action: 'edit', isDifferent: true, hasOtherCategory: true });
    expect(await shop.submit(changed)).toEqual([[wabaId, 'en_US', null]]);
    await becomes({ status: 'PENDING', action: null, isDifferent: false });
    const [at] = (await directly('EAAedit', 'GET', `/${wabaId}/message_templates?name=order_edit`)).data;
    expect([at.category, at.components[0].text]).toEqual(['UTILITY', 'Hello {{1}}, come and get it today.']);
    // Under review: refused with the reason, and nothing is sent.
    const again = await shop.save(changed, {
      content: {
        ...changed.content,
        languages: [{ language: 'en_US', components: [bodyIn('Hello {{1}}, it is here now.')] }],
      },
    });
    expect(String((await shop.submit(again))[0]?.[2])).toMatch(/PENDING/);
  });

  test('a submission stops when its draft is deleted, and sends nothing on a line that is removed', async () => {
    const wabaId = newAccount();
    const shop = await customerWith(scene, { wabaId, accessToken: 'EAAgone' });
    const begin = async (draft: Draft) =>
      submitDraft({ ...shop.deps, lines: scene.gateway.lines }, ANA, shop.by, draft.id, [
        { wabaId, language: 'en_US' },
      ]);
    const [deleted, kept] = [
      await shop.draft(orderIn('order_deleted', 'en_US')),
      await shop.draft(orderIn('order_kept', 'en_US')),
    ];
    const [ofDeleted, ofKept] = [await begin(deleted), await begin(kept)];
    await deleteDraft(shop.deps, ANA, shop.by, deleted.id);
    expect(await ofDeleted()).toEqual([]);
    expect(await shop.deps.store.templateDrafts.submissions(deleted.id)).toEqual([]);
    const line = (await shop.deps.store.lines.all()).find(({ waba_id: id }) => id === wabaId);
    if (line) await scene.change((world) => removeLine(world, ANA, line, false));
    await until(() => scene.gateway.lines.ofBusinessAccount(wabaId).length === 0);
    const [outcome] = await ofKept();
    expect(outcome?.failure?.map((one) => say('en', one)).join(' ')).toMatch(/business account/);
    const { data } = await directly('EAAgone', 'GET', `/${wabaId}/message_templates?name=order_kept`);
    expect(data ?? []).toEqual([]);
  });

  test('what the rules refuse is not sent, with the issues as reasons', async () => {
    const shop = await customerWith(scene, { wabaId: newAccount(), accessToken: 'EAArules' });
    const [outcome] = await shop.submit(await shop.draft(orderIn('Order ready!', 'en_US')));
    expect(String(outcome?.[2])).toMatch(/lowercase|a to z|a–z/i);
  });

  test('sample files are uploaded once for each access token, and sent as its handles', async () => {
    const [first, second] = [newAccount(), newAccount()];
    const shop = await customerWith(
      scene,
      { wabaId: first, accessToken: 'EAAfiles' },
      { wabaId: second, accessToken: 'EAAothers' },
    );
    const empty = await shop.draft(orderIn('order_photo', 'en_US', 'pt_BR'));
    const hash = await addSampleFile(shop.deps, shop.by, empty.id, { name: 'photo.png', bytes: PNG });
    const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: [{ file: hash }] } };
    const languages = empty.content.languages.map((one) => ({ ...one, components: [header, BODY] }));
    const draft = await shop.save(empty, { content: { ...empty.content, languages } });
    expect((await shop.submit(draft)).map(([, , failure]) => failure)).toEqual([null, null, null, null]);
    const handlesAt = async (token: string, wabaId: string) =>
      (await directly(token, 'GET', `/${wabaId}/message_templates?name=order_photo`)).data.map(
        ({ components }: Json) => components[0].example.header_handle,
      );
    const [one, other] = [await handlesAt('EAAfiles', first), await handlesAt('EAAothers', second)];
    expect(one).toEqual([[expect.stringMatching(/^4:/)], one[0]]);
    expect(other).toEqual([[expect.stringMatching(/^4:/)], other[0]]);
    expect(one[0]).not.toEqual(other[0]);
    expect((await shop.cellsOf(draft)).every(({ isDifferent }) => !isDifferent)).toBe(true);
  });

  test('on a shared account, the name of another customer is taken, and accounts of others are unknown', async () => {
    const shared = { wabaId: newAccount(), accessToken: 'EAAshare' };
    const bakery = await customerWith(scene, shared);
    const garage = await customerWith(scene, { ...shared, phoneNumberId: '106540352242977' });
    expect(await bakery.submit(await bakery.draft(orderIn('bread_ready', 'en_US')))).toEqual([
      [shared.wabaId, 'en_US', null],
    ]);
    const theirs = await garage.draft(orderIn('bread_ready', 'en_US'));
    expect((await garage.cellsOf(theirs)).map(shown)).toMatchObject([{ status: null, action: 'create' }]);
    expect(String((await garage.submit(theirs))[0]?.[2])).toMatch(/bread_ready/);
    const other = newAccount();
    await customerWith(scene, { wabaId: other, accessToken: 'EAAelse' });
    const isRefused = async (submission: Promise<unknown>) => {
      const refused: unknown = await submission.catch((error: unknown) => error);
      return refused instanceof Refusal ? refused.errorCode : refused;
    };
    for (const cell of [
      { wabaId: other, language: 'en_US' },
      { wabaId: shared.wabaId, language: 'fr' },
    ])
      expect(await isRefused(garage.submit(theirs, [cell]))).toBe('invalid_payload');
    expect(await isRefused(garage.submit(theirs, [], bakery.by))).toBe('not_found');
  });
});

describe('a platform whose answer to a creation gets lost', () => {
  const scene = sceneOf();

  test.each([
    ['and whose list has it', 0],
    ['and whose list has it only later', 1],
  ])('%s gets it once', async (_, readsWithout) => {
    const wabaId = newAccount();
    const shop = await customerWith(scene, { wabaId, accessToken: 'EAAlost' });
    const draft = await shop.draft(orderIn('order_lost', 'en_US'));
    let [creations, reads] = [0, 0];
    scene.upstream.answers.templates = ({ method, url }, response) => {
      if (method === 'POST') {
        creations++;
        response.destroy();
        return 'handled';
      }
      const isListed = url.includes(wabaId) && creations > 0 && reads++ >= readsWithout;
      const template = { ...orderIn('order_lost'), id: '7', language: 'en_US', status: 'PENDING' };
      return { body: { data: isListed ? [{ ...template, components: [BODY] }] : [] } };
    };
    const [first] = await shop.submit(draft);
    if (readsWithout === 0) expect(first).toEqual([wabaId, 'en_US', null]);
    else expect(String(first?.[2])).toMatch(/did not answer/);
    // A second click settles it by the list.
    expect(await shop.submit(draft)).toEqual([[wabaId, 'en_US', null]]);
    expect(creations).toBe(1);
  });

  test('and a line without an access token: said for each cell', async () => {
    const wabaId = newAccount();
    const shop = await customerWith(scene, { wabaId });
    const [line] = (await shop.deps.store.lines.all()).filter(({ waba_id: id }) => id === wabaId);
    await scene.change(({ store }) => store.lines.update(line?.id ?? 0, { access_token_sealed: null }));
    const without = await scene.change((world) => withPlatform(world, cloudApi(http, scene.upstream.url)));
    const draft = await shop.draft(orderIn('order_lost', 'en_US'));
    const cells = [{ wabaId, language: 'en_US' }];
    const outcomes = await (await submitDraft(without, ANA, shop.by, draft.id, cells))();
    expect(outcomes.map(({ failure }) => failure?.map((one) => say('en', one)).join(' '))).toEqual([
      expect.stringMatching(/access token/),
    ]);
  });
});
