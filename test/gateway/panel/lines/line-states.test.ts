import { noteAccount } from '../../../../gateway/alerts/account-notes';
import { type LineChecks } from '../../../../gateway/lines/checks/line-checks';
import { canSend, LINE_HEALTH, type LineHealth } from '../../../../gateway/lines/health';
import { type PhoneNumberNode } from '../../../../gateway/cloud-api/phone-number';
import { isoTime } from '../../../../gateway/time';
import { fact } from '../../../../gateway/wording/facts';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { sceneOf, type Scene, type TestLine } from '../../../support/scene';
import { json, command } from '../../cli/support';

closingWindows();

interface Case {
  label: string;
  /** The same in Portuguese and Spanish. */
  translated: [pt: string, es: string];
  /** The alert of the state. */
  alert?: string;
  node?: PhoneNumberNode | null;
  checks?: Partial<LineChecks>;
  /** What else makes the state. */
  made?(scene: Scene, line: TestLine, wabaId: string): Promise<unknown>;
}

const CASES: Record<LineHealth, Case> = {
  no_credentials: {
    label: 'No access token',
    translated: ['Sem token de acesso', 'Sin token de acceso'],
    alert: 'line_credentials',
    made: (_scene, line) => line.edit({ access_token_sealed: null }),
  },
  credentials_refused: {
    label: 'Access token refused',
    translated: ['Token de acesso recusado', 'Token de acceso rechazado'],
    alert: 'line_credentials',
    made: (scene, { id }) =>
      scene.change(({ store, clock }) =>
        store.lines.refreshFailed(id, 'status', { at: isoTime(clock()), because: 'It has expired.' }),
      ),
  },
  account_restricted: {
    label: 'Account restricted',
    translated: ['Conta restrita', 'Cuenta restringida'],
    alert: 'line_restricted',
    made: (scene, _line, wabaId) =>
      scene.change(({ store, clock }) =>
        noteAccount(
          store,
          wabaId,
          { said: fact('account.deleted', {}), until: Date.parse('2099-01-01') },
          clock(),
        ),
      ),
  },
  disconnected: {
    label: 'Disconnected',
    translated: ['Desconectada', 'Desconectada'],
    alert: 'line_disconnected',
    node: { status: 'BANNED', platform_type: 'NOT_APPLICABLE' },
  },
  not_registered: {
    label: 'Not registered',
    translated: ['Não registrada', 'No registrada'],
    alert: 'line_disconnected',
    node: { status: 'PENDING', platform_type: 'NOT_APPLICABLE' },
  },
  pending: {
    label: 'Pending',
    translated: ['Pendente', 'Pendiente'],
    alert: 'line_disconnected',
    node: { status: 'PENDING' },
  },
  low_quality: {
    label: 'Blocked: low quality',
    translated: ['Bloqueada: qualidade baixa', 'Bloqueada: calidad baja'],
    alert: 'line_quality',
    node: { status: 'CONNECTED', quality_rating: 'RED' },
  },
  no_payment_method: {
    label: 'No payment method',
    translated: ['Sem forma de pagamento', 'Sin método de pago'],
    alert: 'line_setup',
    checks: { hasPaymentMethod: { value: false } },
  },
  no_webhook: {
    label: 'No webhook',
    translated: ['Sem webhook', 'Sin webhook'],
    alert: 'line_setup',
    checks: { isSubscribed: { value: false } },
  },
  restricted: {
    label: 'Restricted',
    translated: ['Restrita', 'Restringida'],
    alert: 'line_restricted',
    node: { status: 'FLAGGED' },
  },
  unknown: { label: 'Not known yet', translated: ['Ainda não se sabe', 'Aún no se sabe'], node: null },
  connected: { label: 'Connected', translated: ['Conectada', 'Conectada'] },
  deactivated: {
    label: 'Deactivated',
    translated: ['Desativada', 'Desactivada'],
    made: (_scene, line) => line.edit({ deactivated_at: '2026-03-10T12:00:00.000Z' }),
  },
};

/** In the order in which the page lists lines: urgent ones, limited ones, all others as they were added. */
const STATES = [...LINE_HEALTH];
const CHECKS: LineChecks = {
  // Long ago enough for an alert.
  at: '2026-03-10T11:00:00.000Z',
  token: { value: { isValid: true, type: null, expiresAt: null, scopes: null, holdsAccount: null } },
  number: { value: null },
  account: { value: { review: null, businessVerification: null } },
  hasPaymentMethod: { value: true },
  isSubscribed: { value: true },
  clockAhead: null,
};

describe('the state of a line is the same everywhere', () => {
  const scene = sceneOf();
  const lines = new Map<LineHealth, TestLine>();
  const idOf = (state: LineHealth) => lines.get(state)?.id ?? 0;

  beforeAll(async () => {
    await addPanelUser(scene, 'ana');
    // Against the order of urgency, so that the order of the ids explains nothing.
    for (const state of STATES.toReversed()) {
      const { node = { status: 'CONNECTED' }, checks, made } = CASES[state];
      const line = await scene.line({ name: `Line ${state}` });
      lines.set(state, line);
      await line.edit({ handshake_at: isoTime(scene.clock.now) });
      if (node) await line.edit({ upstream_node: JSON.stringify(node), status_checked_at: CHECKS.at });
      await scene.change(async ({ store }) => {
        const row = await store.lines.find(line.id);
        const of = { phoneNumberId: line.phoneNumberId, wabaId: row?.waba_id ?? '' };
        await store.lines.storeChecks(line.id, { ...of, checks: JSON.stringify({ ...CHECKS, ...checks }) });
        await made?.(scene, line, of.wabaId);
      });
    }
    await scene.gateway.lookForAlerts();
  });

  test('on the list, by urgency, and in its filter, in three languages', async () => {
    for (const [index, locale] of ['en-GB', 'pt-BR', 'es-ES'].entries()) {
      const labels = STATES.map((state) => [CASES[state].label, ...CASES[state].translated][index] ?? '');
      const { page, goto } = await loggedIn(scene, { locale });
      await goto('/panel/lines');
      const badges = await page
        .locator('#lines tbody tr td:nth-of-type(1) .badge:first-child')
        .allInnerTexts();
      expect(badges.slice(0, -3)).toEqual(labels.slice(0, -3));
      expect(badges.toSorted()).toEqual(labels.toSorted());
      expect(await page.locator('#field-state option').allInnerTexts()).toEqual([
        expect.any(String),
        ...labels,
      ]);
      for (const [place, state] of STATES.entries()) {
        await goto(`/panel/lines?state=${state}`);
        expect(await page.locator('#lines tbody th a').allInnerTexts()).toEqual([`Line ${state}`]);
        expect(await page.locator('#lines tbody .badge').first().innerText()).toBe(labels[place]);
      }
    }
  });

  test('on its page, and where a message is written', async () => {
    const { page, goto } = await loggedIn(scene);
    for (const state of STATES) {
      const { label } = CASES[state];
      await goto(`/panel/lines/${idOf(state)}`);
      expect(await page.locator('dt:text-is("State") + dd .badge').innerText()).toBe(label);
      const notice = `Line ${state} can’t send: ${label}. See what to do`;
      for (const path of [
        `/panel/lines/${idOf(state)}/send`,
        `/panel/conversations/${idOf(state)}/16505551234`,
      ]) {
        await goto(path);
        const shown = await page.locator('.notice[data-tone=bad]').allInnerTexts();
        expect([path, shown]).toEqual([path, canSend(state) ? [] : [notice]]);
      }
    }
  });

  test('in its alert, and on the overview', async () => {
    const open = await scene.change(({ store }) => store.alerts.open());
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/overview');
    for (const state of STATES) {
      const { alert, label } = CASES[state];
      const own = open.filter(({ title }) => title.includes(`Line ${state}`));
      expect([state, own.map(({ kind }) => kind)]).toEqual([state, alert ? [alert] : []]);
      const row = page.locator('#attention li', { hasText: `Line ${state}` });
      if (alert) expect(await row.locator('.badge', { hasText: label }).count()).toBe(1);
    }
  });

  test('in the API and in commands', async () => {
    const listed = await json<{ lines: { name: string; health: string }[] }>(
      ['line', 'list', '--json'],
      scene.gateway.env,
    );
    const { stdout } = await command(['line', 'list'], scene.gateway.env);
    for (const state of STATES) {
      expect(listed.lines.find(({ name }) => name === `Line ${state}`)?.health).toBe(state);
      expect(stdout).toMatch(new RegExp(`\\s${state}\\s.*Line ${state}$`, 'm'));
      if (state === 'deactivated') continue;
      const { body } = (await lines.get(state)?.get('/status')) ?? { body: null };
      expect(body.health).toBe(state);
      const isConnected = ['connected', 'restricted', 'no_webhook', 'no_payment_method', 'low_quality'];
      if (body.connected) expect([...isConnected, 'account_restricted']).toContain(state);
    }
  });

  test('no line is connected that the platform has never called', async () => {
    const line = lines.get('connected');
    await line?.edit({ handshake_at: null });
    expect((await line?.get('/status'))?.body.health).toBe('no_webhook');
    await line?.edit({ handshake_at: isoTime(scene.clock.now) });
    expect((await line?.get('/status'))?.body.health).toBe('connected');
  });

  checkedPages(
    () => scene,
    [
      '/panel/lines',
      '/panel/overview',
      () => `/panel/lines/${idOf('no_payment_method')}/send`,
      () => `/panel/conversations/${idOf('not_registered')}/16505551234`,
    ],
  );
});
