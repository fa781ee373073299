import { type ComponentChildren, type VNode } from 'preact';
import { t } from '../languages/t';
import { Form, opens } from '../ui/form';
import { contentOf } from './chat';
import { at, inside, objects, textOf, type Json } from '../../cloud-api/json/json-value';
import { type PhoneMessage } from '../send/sandbox-client';
import { isWebAddress } from '../ui/formatted-text';
import { useRequest } from '../ui/page-request';

interface RepliesProps {
  message: PhoneMessage;
  /** The path that taps are submitted to. */
  action: string;
}

/** The buttons below a message of the line. Users without permission see but cannot tap them. */
export function Replies(props: RepliesProps): VNode | null {
  const { message } = props;
  if (message.type === 'template') return <TemplateButtons {...props} />;
  if (message.type !== 'interactive') return null;
  const content = contentOf(message);
  const action = inside(content, 'action');
  switch (textOf(inside({ content }, 'content').type).toLowerCase()) {
    case 'button':
      return (
        <TapForm {...props}>
          {objects(at(action, 'buttons')).map((button, index) => (
            <Tap
              {...props}
              key={index}
              name="button"
              value={textOf(inside(button, 'reply').id)}
              label={textOf(inside(button, 'reply').title)}
            />
          ))}
        </TapForm>
      );
    case 'list':
      return <ListSheet {...props} list={action} />;
    case 'cta_url':
      return <LinkButton parameters={inside(action, 'parameters')} />;
    case 'location_request_message':
      return (
        <TapForm {...props}>
          <Tap {...props} name="here" value="yes" label={t('Send location')} />
        </TapForm>
      );
    case 'flow':
      return (
        <TapForm {...props}>
          <Tap
            {...props}
            name="flow"
            value="yes"
            label={textOf(inside(action, 'parameters').flow_cta) || t('Fill in the form')}
          />
        </TapForm>
      );
    default:
      return null;
  }
}

/** A form that submits a tap, if the user may send. */
function TapForm({ class: name = 'taps', message, action, children }: TapFormProps): VNode {
  if (!useRequest().may('messages.send')) return <div class={name}>{children}</div>;
  return (
    <Form action={action} fields={{ message: message.id }} class={name}>
      {children}
    </Form>
  );
}

interface TapFormProps extends RepliesProps {
  class?: 'taps' | 'sheet-rows';
  children: ComponentChildren;
}

function Tap({ name, value, label }: { name: string; value: string; label: string }): VNode {
  if (!useRequest().may('messages.send')) return <span class="tap">{label}</span>;
  return (
    <button class="tap" name={name} value={value} dir="auto">
      {label}
    </button>
  );
}

/** A button that opens a sheet with the rows of a list. */
function ListSheet(props: RepliesProps & { list: Json }): VNode {
  const { message, list } = props;
  const { may } = useRequest();
  const label = textOf(list.button) || t('Options');
  const id = `sheet-${message.id.replace(/\W/g, '')}`;
  return (
    <div class="taps">
      <button type="button" class="tap" {...opens(id)} dir="auto">
        <span aria-hidden="true">☰</span> {label}
      </button>
      <dialog id={id} class="dialog sheet" aria-labelledby={`${id}-title`}>
        <h2 id={`${id}-title`} dir="auto">
          {label}
        </h2>
        <TapForm {...props} class="sheet-rows">
          {objects(at(list, 'sections')).map((section, index) => (
            <div class="sheet-section" key={index}>
              {textOf(section.title) && <h3 dir="auto">{textOf(section.title)}</h3>}
              {objects(at(section, 'rows')).map((row, number) => (
                <button
                  key={number}
                  class="sheet-row"
                  name="row"
                  value={textOf(row.id)}
                  disabled={!may('messages.send')}
                >
                  <span dir="auto">{textOf(row.title)}</span>
                  {textOf(row.description) && (
                    <span class="sheet-detail" dir="auto">
                      {textOf(row.description)}
                    </span>
                  )}
                </button>
              ))}
            </div>
          ))}
        </TapForm>
        <form method="dialog" class="dialog-actions">
          <button class="button plain">{t('Close')}</button>
        </form>
      </dialog>
    </div>
  );
}

function LinkButton({ parameters }: { parameters: Json }): VNode {
  return (
    <div class="taps">
      <TapLink href={textOf(parameters.url)} label={textOf(parameters.display_text) || t('Open')} />
    </div>
  );
}

function TapLink({ href, label }: { href: string; label: string }): VNode {
  if (!isWebAddress(href)) return <span class="tap">{label}</span>;
  return (
    <a class="tap" href={href} target="_blank" rel="noopener noreferrer nofollow" dir="auto">
      {label} <span aria-hidden="true">↗</span>
    </a>
  );
}

/** Quick replies answer, and links open. Other buttons need a real phone. */
function TemplateButtons(props: RepliesProps): VNode | null {
  const { card, taps } = props.message;
  const buttons = card?.buttons ?? [];
  if (!buttons.length) return null;
  const replies = objects(taps);
  return (
    <TapForm {...props}>
      {buttons.map((button, index) => {
        const label = textOf(button.text);
        if (button.type === 'URL')
          return (
            <TapLink
              key={index}
              href={filled(props.message, textOf(button.url), index)}
              label={label || t('Open')}
            />
          );
        if (button.type !== 'QUICK_REPLY')
          return (
            <span class="tap" key={index} dir="auto">
              {label || textOf(button.type).replaceAll('_', ' ').toLowerCase()}
              {textOf(button.phone_number) && <span class="chat-detail">{textOf(button.phone_number)}</span>}
            </span>
          );
        const payload = replies.find(({ text }) => text === button.text)?.payload;
        return <Tap {...props} key={index} name="button" value={textOf(payload) || label} label={label} />;
      })}
    </TapForm>
  );
}

/** The URL of a button. Each send can provide the end of the URL. */
function filled(message: PhoneMessage, url: string, index: number): string {
  const sent = objects(at(contentOf(message), 'components')).find(
    (component) =>
      textOf(component.type).toLowerCase() === 'button' && textOf(component.index ?? 0) === String(index),
  );
  const [parameter] = objects(at(sent, 'parameters'));
  return url.replace(/\{\{\s*\w+\s*\}\}/, () => encodeURIComponent(textOf(parameter?.text)));
}
