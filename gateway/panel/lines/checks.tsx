import { type VNode } from 'preact';
import { refusalOfFailure } from '../../cloud-api/failures';
import {
  REPAIRS,
  type Check,
  type CheckResult,
  type CheckState,
  type Repair,
} from '../../lines/checks/judge';
import { storedChecks } from '../../lines/checks/line-checks';
import { type Line } from '../../lines/line';
import { checkLine, lineCheckResults, repairLine } from '../../management/line-checks';
import { type LineRow } from '../../store/tables/lines';
import { t } from '../languages/t';
import { Said } from '../languages/said';
import { seeOther, type PanelResponse, type Told } from '../outcome';
import { actionRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { ActionButton, Form, SecretField, Submit } from '../ui/form';
import { refusalSentence } from '../ui/frame/error-page';
import { lineOfRoute } from '../ui/frame/line-head';
import { useRequest } from '../ui/page-request';
import { Badge, Card, Time, type Tone } from '../ui/parts';

export const lineCheckActions: PanelRoute[] = [
  actionRoute('lines.manage', '/lines/:id/checks', checkNow),
  actionRoute('lines.manage', '/lines/:id/repair', repair),
];

const stateWords = (): Record<CheckState, { tone: Tone; label: string }> => ({
  ok: { tone: 'good', label: t.of('check', 'OK') },
  warning: { tone: 'warn', label: t.of('check', 'Warning') },
  failed: { tone: 'bad', label: t.of('check', 'Failed') },
  unknown: { tone: 'idle', label: t.of('check', 'Not known') },
});

const checkWords = (): Record<Check, string> => ({
  access_token: t('Access token'),
  phone_number: t('Phone number'),
  registration: t('Registration'),
  subscription: t('App subscription'),
  callback: t('Callback'),
  app_secret: t('App secret'),
  destination: t('Destinations'),
  round_trip: t('First message'),
  payment_method: t('Payment method'),
  account_review: t('Business account'),
  display_name: t('Display name'),
  quality: t('Quality and limits'),
  pin: t('Two-step verification'),
  clock: t('Clock'),
});

/** Where a person repairs what a check found: a page of the line, or one of the platform. */
const SETTINGS: readonly Check[] = ['access_token', 'phone_number', 'app_secret'];
const AT_PLATFORM: readonly Check[] = ['payment_method', 'account_review', 'display_name'];
const WHATSAPP_MANAGER = 'https://business.facebook.com/latest/whatsapp_manager';

/** What the page shows of a line's checks. */
export interface ShownChecks {
  line: LineRow;
  results: CheckResult[];
}

export const checksOf = async ({ deps }: UserContext, line: LineRow): Promise<ShownChecks> => ({
  line,
  results: await lineCheckResults(deps, line),
});

const isOpen = ({ state }: CheckResult): boolean => state !== 'ok';

/** The states of open checks, most urgent first. */
const OPEN: readonly CheckState[] = ['failed', 'warning', 'unknown'];

/** The checks of a line: first those that need attention. */
export function Checks({ line, results }: ShownChecks): VNode {
  const { may } = useRequest();
  const open = OPEN.flatMap((state) => results.filter((one) => one.state === state));
  const passed = results.filter((one) => !isOpen(one));
  const readAt = storedChecks(line)?.at ?? null;
  const isFailing = line.checks_failures > 0;
  const isPolled = line.deactivated_at === null && line.access_token_sealed !== null;
  return (
    <Card
      id="setup"
      title={t('Setup checks')}
      actions={
        may('lines.manage', line.id) && (
          <ActionButton action={`/panel/lines/${line.id}/checks`} tone="plain">
            {t('Check now')}
          </ActionButton>
        )
      }
    >
      {readAt === null && isPolled && !isFailing && (
        <p class="quiet">
          {t('WhatsApp is being asked about this line. The results appear here within half a minute.')}
        </p>
      )}
      {open.length > 0 && <Rows of={open} line={line} />}
      {passed.length > 0 && (
        <details class="more" open={!open.length}>
          <summary>
            {t('{count, plural, one {# check passed} other {# checks passed}}', { count: passed.length })}
          </summary>
          <Rows of={passed} line={line} />
        </details>
      )}
      {isFailing && (
        <p>
          <strong>{t('WhatsApp could not be read.')}</strong>
        </p>
      )}
      {readAt !== null && (
        <p class="quiet">
          {t.rich('Last checked: {time}. Checked once a day.', { time: <Time at={readAt} /> })}
        </p>
      )}
    </Card>
  );
}

const Rows = ({ of, line }: { of: CheckResult[]; line: LineRow }): VNode => (
  <ul class="checks">
    {of.map((result) => {
      const { tone, label } = stateWords()[result.state];
      return (
        <li key={result.check}>
          <Badge tone={tone}>{label}</Badge>
          <div>
            <p>
              <strong>{checkWords()[result.check]}</strong>
            </p>
            <p>
              <Said>{result.fact}</Said>
            </p>
            {isOpen(result) && <Remedy of={result} line={line} />}
          </div>
        </li>
      );
    })}
  </ul>
);

/** The button or the link that leads to the repair; null if there is none for this user. */
function Remedy({
  of: { check, repair: how, state },
  line,
}: {
  of: CheckResult;
  line: LineRow;
}): VNode | null {
  const { may } = useRequest();
  if (how) return may('lines.manage', line.id) ? <RepairForm repair={how} line={line} /> : null;
  if (state === 'unknown') return null;
  if (SETTINGS.includes(check) && may('lines.manage', line.id))
    return <a href={`/panel/lines/${line.id}/edit`}>{t('Open the settings')}</a>;
  if (check === 'pin' && may('lines.manage', line.id))
    return <a href={`/panel/lines/${line.id}/number/registration`}>{t('Set the PIN')}</a>;
  if (AT_PLATFORM.includes(check)) return <a href={WHATSAPP_MANAGER}>{t('Open WhatsApp Manager')}</a>;
  return null;
}

function RepairForm({ repair: how, line }: { repair: Repair; line: LineRow }): VNode {
  const action = `/panel/lines/${line.id}/repair`;
  if (how === 'register')
    return (
      <Form action={action} fields={{ repair: how }}>
        <SecretField
          name="pin"
          label={t('PIN')}
          hint={t(
            'The six digits of two-step verification. Without a PIN yet, choose one. It is not stored.',
          )}
        />
        <Submit>{t('Register the number')}</Submit>
      </Form>
    );
  return (
    <ActionButton action={action} fields={{ repair: how }}>
      {how === 'subscribe' ? t('Subscribe the app') : t('Set the callback of this number')}
    </ActionButton>
  );
}

/** @returns the line as programs use it, or where to go instead */
async function withLine(context: UserContext, work: (line: Line) => Promise<Told>): Promise<PanelResponse> {
  const { id } = await lineOfRoute(context);
  const line = context.deps.lines.byId(id);
  const { tone, sentence } = line
    ? await work(line).catch(refused)
    : { tone: 'idle' as const, sentence: t('The line is being updated. Try again.') };
  return seeOther(`/panel/lines/${id}#setup`, sentence, tone);
}

const refused = (error: unknown): Told => ({
  tone: 'bad',
  sentence: refusalSentence(refusalOfFailure(error) ?? error),
});

function checkNow(context: UserContext): Promise<PanelResponse> {
  return withLine(context, async (line) => {
    const { deps } = context;
    const report = await deps.refresher.refresh(line, 'checks', 'person', () => checkLine(deps, line), true);
    if (!report.requested || report.performed)
      return { tone: 'good', sentence: t('The setup of the line was checked.') };
    if (report.reason === 'cooldown') {
      const seconds = report.retry_after;
      const sentence = t('The line was checked less than a minute ago. Try again in {seconds} s.', {
        seconds,
      });
      return { tone: 'idle', sentence };
    }
    return { tone: 'bad', sentence: t('This line has no access token. Enter it under Settings.') };
  });
}

function repair(context: UserContext): Promise<PanelResponse> {
  return withLine(context, async (line) => {
    const { deps, form, actor, session } = context;
    const how = REPAIRS.find((one) => one === form.get('repair'));
    if (!how) return { tone: 'bad', sentence: t('There is no such repair.') };
    await repairLine(deps, actor, session.grants, line, how, String(form.get('pin') ?? ''));
    await checkLine(deps, line).catch((error: unknown) =>
      deps.log.error({ error, line: line.id }, 'line not checked after a repair'),
    );
    return { tone: 'good', sentence: repaired(how) };
  });
}

const repaired = (how: Repair): string =>
  ({
    subscribe: t('The app is subscribed to the business account.'),
    register: t('The number is registered.'),
    set_callback: t('The callback of this number is set.'),
  })[how];
