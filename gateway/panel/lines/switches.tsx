import { type VNode } from 'preact';
import { type LineRow } from '../../store/tables/lines';
import { ActionButton, Confirm } from '../ui/form';
import { Card } from '../ui/parts';
import { t } from '../languages/t';

/** Buttons to turn the line and its API on and off. */
export function Switches({ line }: { line: LineRow }): VNode {
  const action = `/panel/lines/${line.id}`;
  return (
    <Card title={t('Switch off')}>
      <div class="switches">
        <p>
          {t.rich(
            '<strong>API.</strong> While it is off, every request with a token of this line is refused. Events are still received and forwarded.',
          )}
        </p>
        {line.api_disabled_at === null ? (
          <Confirm
            id="api-off"
            action={`${action}/api`}
            button={t('Switch the API off')}
            title={t('Switch the API of this line off?')}
            confirm={t('Switch off')}
            fields={{ to: 'off' }}
          >
            <p>
              {t('The line sends nothing until you switch the API on again. Events are still forwarded.')}
            </p>
          </Confirm>
        ) : (
          <ActionButton action={`${action}/api`} fields={{ to: 'on' }}>
            {t('Switch the API on')}
          </ActionButton>
        )}
        <p>
          {t.rich(
            '<strong>Line.</strong> A deactivated line sends nothing, and its status is not updated. Its tokens, destinations and history stay.',
          )}
        </p>
        {line.deactivated_at === null ? (
          <Confirm
            id="deactivate"
            action={`${action}/active`}
            button={t('Deactivate the line')}
            tone="danger"
            title={t('Deactivate {name}?', { name: line.name })}
            confirm={t('Deactivate it')}
            fields={{ to: 'off' }}
          >
            <p>{t('It sends nothing until you activate it again. Nothing is removed.')}</p>
          </Confirm>
        ) : (
          <ActionButton action={`${action}/active`} fields={{ to: 'on' }}>
            {t('Activate the line')}
          </ActionButton>
        )}
      </div>
    </Card>
  );
}
