import { type VNode } from 'preact';
import { changeForwardingUrl } from '../../forwarding/destinations/change-forwarding-url';
import { checkedUrl } from '../../forwarding/destinations/checks';
import { handshake } from '../../forwarding/destinations/handshake';
import { QUALITY_MODES, WINDOW_MODES } from '../../lines/add-line';
import { editLine } from '../../lines/edit-line';
import { type LineRow } from '../../store/lines';
import { FormState } from '../form-state';
import { ChoiceField, Form, Submit, SubmitOrCancel, TextField } from '../ui/form';
import { Card, PageHead } from '../ui/parts';
import {
  change,
  page,
  prepare,
  seeOther,
  type Outcome,
  type PanelRoute,
  type Visit,
} from '../request-context';
import { checkWithUpstream, judgeName, judgeUpstreamFields, UpstreamFields } from './line-fields';
import { showAdded } from './destinations';
import { lineAt, QUALITY_WORDS, sentenceOf, WINDOW_WORDS } from './line-words';

export const editLinePages: PanelRoute[] = [
  prepare('/lines/:id/edit', async (visit) => showForms(visit, await lineAt(visit))),
  change('/lines/:id', saveLine, { confirmed: true }),
  // Where events go is as good as a secret: whoever may set it reads along.
  change('/lines/:id/forwarding', saveForwarding, { confirmed: true }),
];

interface States {
  forwarding?: FormState;
  fields?: FormState;
}

function showForms(visit: Visit, line: LineRow, given: States = {}): Outcome {
  const current = visit.world.destinations.forwardingUrlOf(line.id);
  const forwarding = given.forwarding ?? new FormState({ url: current?.url ?? '' });
  const fields = given.fields ?? new FormState(stored(line));
  return page(
    `Edit ${line.name}`,
    <>
      <PageHead title={`Edit ${line.name}`} back={{ href: `/panel/lines/${line.id}`, label: line.name }} />
      <Card title="Raw forwarding to CRM">
        <Form visit={visit} action={`/panel/lines/${line.id}/forwarding`} state={forwarding}>
          <TextField
            state={forwarding}
            name="url"
            label="Forwarding URL"
            type="url"
            inputmode="url"
            placeholder="https://crm.example.com/webhook"
            maxLength={2048}
            hint="Each event of this line is sent there by POST at once, in upstream’s own format and signed."
          />
          <div class="actions">
            <Submit>{current ? 'Save the URL' : 'Save and show the secret'}</Submit>
          </div>
        </Form>
        {current && (
          <div class="actions">
            <Form
              visit={visit}
              action={`/panel/lines/${line.id}/destinations/${current.id}/test`}
              class="inline"
            >
              <Submit tone="plain">Send test event</Submit>
            </Form>
            <a class="button plain" href={`/panel/lines/${line.id}/destinations/${current.id}`}>
              Filter, headers, secret
            </a>
          </div>
        )}
      </Card>
      <Card title="The line">
        <Form visit={visit} action={`/panel/lines/${line.id}`} state={fields}>
          <LineFields state={fields} line={line} isSandbox={visit.world.sandboxUrl !== null} />
          <SubmitOrCancel submit="Save the line" back={`/panel/lines/${line.id}`} />
        </Form>
      </Card>
    </>,
    forwarding.isGood && fields.isGood ? 200 : 422,
  );
}

const stored = (line: LineRow): Record<string, string> => ({
  name: line.name,
  phone_number: line.phone_number,
  phone_number_id: line.phone_number_id,
  waba_id: line.waba_id,
  window: line.window_mode,
  quality: line.quality_mode,
});

interface LineFieldsProps {
  state: FormState;
  line: LineRow;
  isSandbox: boolean;
}

function LineFields({ state, line, isSandbox }: LineFieldsProps): VNode {
  const fields = (
    <UpstreamFields
      state={state}
      stored={{ accessToken: line.access_token_sealed !== null, appSecret: line.app_secret_sealed !== null }}
    />
  );
  return (
    <>
      <TextField state={state} name="name" label="Name" maxLength={200} />
      <ChoiceField
        state={state}
        name="window"
        label="24-hour window"
        hint="Outside the 24 hours after a contact wrote, upstream delivers templates alone. What is the gateway to refuse then?"
        choices={WINDOW_MODES.map((value) => ({ value, ...WINDOW_WORDS[value] }))}
      />
      <ChoiceField
        state={state}
        name="quality"
        label="Quality check"
        choices={QUALITY_MODES.map((value) => ({ value, ...QUALITY_WORDS[value] }))}
      />
      {isSandbox ? (
        <details class="more" open={!state.isGood}>
          <summary>IDs and credentials, which the sandbox takes as they are</summary>
          <div class="form">{fields}</div>
        </details>
      ) : (
        fields
      )}
    </>
  );
}

async function saveLine(visit: Visit): Promise<Outcome> {
  const { world } = visit;
  const line = await lineAt(visit);
  const state = new FormState(visit.form);
  const again = () => showForms(visit, line, { fields: state });
  const name = judgeName(state);
  judgeUpstreamFields(state, false);
  const windowMode = WINDOW_MODES.find((mode) => mode === state.text('window'));
  const qualityMode = QUALITY_MODES.find((mode) => mode === state.text('quality'));
  if (!windowMode) state.fault('window', 'Choose one of these.');
  if (!qualityMode) state.fault('quality', 'Choose one of these.');
  if (!state.isGood) return again();

  const given = { accessToken: state.text('access_token'), appSecret: state.text('app_secret') };
  const wanted = { ...stored(line), ...Object.fromEntries(NAMES.map((field) => [field, state.text(field)])) };
  const changed = NAMES.filter((field) => wanted[field] !== stored(line)[field]);
  const isAnother =
    given.accessToken !== '' ||
    ['phone_number', 'phone_number_id', 'waba_id'].some((one) => changed.includes(one));
  const accessToken = given.accessToken || world.lines.byId(line.id)?.accessToken;
  if (isAnother && accessToken && world.sandboxUrl === null) {
    await checkWithUpstream(visit, state, accessToken);
    if (!state.isGood) return again();
  }
  if (!changed.length && !given.accessToken && !given.appSecret)
    return seeOther(`/panel/lines/${line.id}`, 'Nothing was changed.');
  const edited = await editLine(world, visit.actor, line, {
    name,
    windowMode,
    qualityMode,
    ...given,
    ...(changed.includes('phone_number') && { phoneNumber: wanted.phone_number }),
    ...(changed.includes('phone_number_id') && { phoneNumberId: wanted.phone_number_id }),
    ...(changed.includes('waba_id') && { wabaId: wanted.waba_id }),
  });
  if (!edited) {
    state.fault('phone_number_id', 'Another line of this gateway has this phone number ID already.');
    return again();
  }
  return seeOther(`/panel/lines/${line.id}`, 'The line is saved.');
}

const NAMES = ['name', 'phone_number', 'phone_number_id', 'waba_id', 'window', 'quality'];

async function saveForwarding(visit: Visit): Promise<Outcome> {
  const { world } = visit;
  const line = await lineAt(visit);
  const state = new FormState(visit.form);
  const current = world.destinations.forwardingUrlOf(line.id);
  const given = state.required(
    'url',
    current
      ? 'Give the address that events go to. To end forwarding, remove it on the page of the line.'
      : 'Give the address that events go to.',
  );
  if (given) {
    try {
      checkedUrl(world.rules, given);
    } catch (error) {
      state.fault('url', sentenceOf(error).replace(/^url is/, 'This is'));
    }
  }
  if (!state.isGood) return showForms(visit, line, { forwarding: state });
  const set = await changeForwardingUrl(world, visit.actor, line.id, current, given);
  return showAdded(visit, line, set, {
    title: current ? 'The forwarding URL is saved' : 'Events go there from now on',
    secret: current ? null : set.secret,
    handshake: await handshake(world.http, set),
  });
}
