import { type VNode } from 'preact';
import { type LineRow } from '../../store/tables/lines';
import { type UserContext } from '../request-context';
import { Confirm, Form, Submit } from '../ui/form';
import { Card } from '../ui/parts';

/** Its API, and the line itself, off and on again. */
export function Switches({ context, line }: { context: UserContext; line: LineRow }): VNode {
  const action = `/panel/lines/${line.id}`;
  return (
    <Card title="Switch off">
      <div class="switches">
        <p>
          <strong>API.</strong> While it is off, every request with a token of this line is refused; events
          still come and go.
        </p>
        {line.api_disabled_at === null ? (
          <Confirm
            context={context}
            id="api-off"
            action={`${action}/api`}
            button="Switch the API off"
            title="Switch the API of this line off?"
            confirm="Switch it off"
            fields={{ to: 'off' }}
          >
            <p>Nothing can be sent with it until it is on again. Events go on.</p>
          </Confirm>
        ) : (
          <SwitchOn context={context} action={`${action}/api`} text="Switch the API on" />
        )}
        <p>
          <strong>Line.</strong> A deactivated line sends nothing and the platform is not asked about it; its
          tokens, destinations and history stay.
        </p>
        {line.deactivated_at === null ? (
          <Confirm
            context={context}
            id="deactivate"
            action={`${action}/active`}
            button="Deactivate the line"
            tone="danger"
            title={`Deactivate ${line.name}?`}
            confirm="Deactivate it"
            fields={{ to: 'off' }}
          >
            <p>Nothing can be sent with it until it is activated again. Nothing is removed.</p>
          </Confirm>
        ) : (
          <SwitchOn context={context} action={`${action}/active`} text="Activate the line" />
        )}
      </div>
    </Card>
  );
}

const SwitchOn = ({
  context,
  action,
  text,
}: {
  context: UserContext;
  action: string;
  text: string;
}): VNode => (
  <Form context={context} action={action} class="inline">
    <input type="hidden" name="to" value="on" />
    <Submit>{text}</Submit>
  </Form>
);
