import { judgeLine, type Check, type CheckState } from '../../../gateway/lines/checks/judge';
import { storedChecks } from '../../../gateway/lines/checks/line-checks';
import { say } from '../../../gateway/wording/say';
import { startPeer, type Answer, type HttpPeer } from '../../support/http-peer';
import { sqliteUrl, startScene, upstreamError, type Scene } from '../../support/scene';

/** The platform's answers, by the part of the URL that names what is asked for. */
let answers: Record<string, Answer>;
let platform: HttpPeer;
let scene: Scene;

beforeAll(async () => {
  platform = await startPeer(({ url }) => {
    const [, answer] = Object.entries(answers).find(([part]) => url.includes(part)) ?? [];
    return answer ?? { body: {} };
  });
  scene = await startScene(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: platform.url });
});
afterAll(async () => {
  await scene.stop();
  await platform.close();
});

/** What the checks of a new line say that are judged by these answers. */
async function judged(): Promise<Map<Check, { state: CheckState; says: string }>> {
  const { id } = await scene.line({ accessToken: `token-${scene.clock.now++}` });
  await scene.gateway.pollDue();
  const row = await scene.change(({ store }) => store.lines.find(id));
  const checks = row && storedChecks(row);
  expect(checks).not.toBeNull();
  const results = judgeLine({
    line: { accessToken: '', upstream: null, phoneNumber: '', signatureFailedAt: null },
    ...{ isRefused: false, checks, now: scene.clock.now, isCalled: true, hasPublicUrl: true },
    ...{ lastEventAt: null, hasMessage: true, destinations: { count: 1, failing: 0 } },
  });
  return new Map(results.map(({ check, state, fact }) => [check, { state, says: say('en', fact) }]));
}

test('fields that the platform leaves out are not known, and never a failure', async () => {
  const list = { body: { data: [null, { id: '1' }] } };
  for (const empty of [{ body: {} }, { body: { data: null } }, { body: { data: {} } }]) {
    answers = { phone_numbers: list, debug_token: empty, subscribed_apps: empty };
    const found = await judged();
    for (const check of ['access_token', 'subscription', 'payment_method', 'account_review'] as const)
      expect([check, found.get(check)?.state]).toEqual([check, 'unknown']);
    expect(found.get('phone_number')?.state).toBe('failed');
  }
});

test('the payment method, which only solution partners may read, hides nothing else', async () => {
  answers = {
    phone_numbers: { body: { data: [] } },
    primary_funding_id: upstreamError(403, 10, { message: '(#10) Only solution partners may read this' }),
    account_review_status: { body: { id: '7', account_review_status: 'REJECTED' } },
  };
  const found = await judged();
  expect(found.get('payment_method')).toEqual({
    state: 'unknown',
    says: expect.stringContaining('Only solution partners may read this'),
  });
  expect(found.get('account_review')?.state).toBe('failed');

  answers.primary_funding_id = { body: { id: '7' } };
  expect((await judged()).get('payment_method')?.state).toBe('failed');
  answers.primary_funding_id = { body: { id: '7', primary_funding_id: '2714985532' } };
  expect((await judged()).get('payment_method')?.state).toBe('ok');
});
